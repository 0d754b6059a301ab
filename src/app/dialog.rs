//! What asks or tells over the panes: quit, dissolve, detail, reply, recovery, help.
use crate::domain::state::{Phase, Stage, Team};
use crate::domain::{Purpose, TaskNo, TeamId};

use super::Model;
use super::help::Help;
use super::layout::{box_columns, boxed};
use super::panes::attention::items;
use super::panes::recovery::choices;
use super::panes::{clock_time, detail, title};
use super::tally::Look;
use crate::text::{cut_words, pad_right, width, wrap};

/// A box over the panes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dialog {
    /// The keys; how far it is scrolled.
    Help(usize),
    /// Leave, though something runs?
    Quit,
    /// End a team?
    Dissolve(Dissolve),
    /// One task; how far it is scrolled.
    Detail(TaskNo, usize),
    /// What a line answered.
    Reply(Reply),
    /// What the last recovery found; the choice that is looked at.
    Recovery(usize),
}

/// The end of a team: asked, then watched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dissolve {
    /// Which.
    pub team: TeamId,
    /// It was asked for; what ran then, with what is shown of it.
    pub asked: Option<Vec<(TaskNo, String)>>,
}

/// What a line answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The line.
    pub line: String,
    /// The answer.
    pub lines: Vec<String>,
    /// It was refused.
    pub refused: bool,
    /// How far it is scrolled.
    pub top: usize,
}

/// One row of a box: what it is about, how many, and the text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fact {
    /// A word or two; empty: as above.
    pub label: &'static str,
    /// A count.
    pub count: Option<usize>,
    /// What there is to say, harmless.
    pub parts: Vec<String>,
    /// What stands between the parts.
    pub between: &'static str,
}

impl Fact {
    fn new(label: &'static str, text: impl Into<String>) -> Self {
        Self { label, count: None, parts: vec![text.into()], between: "" }
    }

    fn list(label: &'static str, parts: Vec<String>, between: &'static str) -> Self {
        Self { label, count: Some(parts.len()), parts, between }
    }

    /// In at most so many columns: whole parts, then how many more.
    pub fn fitting(&self, columns: usize) -> String {
        for shown in (1..=self.parts.len()).rev() {
            let more = self.parts.len() - shown;
            let more = if more > 0 { format!(" +{more}") } else { String::new() };
            let parts = self.parts.get(..shown).unwrap_or_default();
            let text = format!("{}{more}", parts.join(self.between));
            if width(&text) <= columns || shown == 1 {
                return cut_words(&text, columns).into_owned();
            }
        }
        String::new()
    }
}

/// Columns of the labels in the box of one task.
pub const DETAIL_LABEL: usize = 8;

/// The rows of the box of one task: label, text, and whether it says what went wrong.
pub fn detail_rows(model: &Model, number: TaskNo) -> Vec<(&'static str, String, bool)> {
    let Some(task) = model.team().and_then(|team| team.task(number)) else { return Vec::new() };
    let room = usize::from(box_columns(model.size.0)).saturating_sub(DETAIL_LABEL + 4);
    let mut rows = Vec::new();
    for line in detail(model, task) {
        let texts = line.whole().lines().flat_map(|text| wrap(text, room)).collect::<Vec<_>>();
        let texts = texts.into_iter().enumerate();
        rows.extend(texts.map(|(at, text)| (if at == 0 { line.label } else { "" }, text, line.is_wrong)));
    }
    rows
}

/// The rows of an answer. A refusal leaves two columns for its mark.
pub fn reply_rows(model: &Model, reply: &Reply) -> Vec<String> {
    let room = usize::from(box_columns(model.size.0)).saturating_sub(4);
    let mut rows = Vec::new();
    for (at, line) in reply.lines.iter().enumerate() {
        let mark = if at == 0 && reply.refused { "  " } else { "" };
        rows.extend(wrap(&format!("{mark}{line}"), room));
    }
    if reply.refused {
        rows.extend([String::new(), "Nothing was applied.".to_owned()]);
    }
    rows
}

/// How far a box can be scrolled.
pub(super) fn last_top(model: &Model, dialog: &Dialog) -> usize {
    let rows = match dialog {
        Dialog::Help(_) => Help::of(model).rows(),
        Dialog::Detail(number, _) => detail_rows(model, *number).len(),
        Dialog::Reply(reply) => reply_rows(model, reply).len(),
        Dialog::Recovery(_) => return choices(model).len().saturating_sub(1),
        Dialog::Quit | Dialog::Dissolve(_) => 0,
    };
    let area = boxed(model.size, rows, box_columns(model.size.0));
    rows.saturating_sub(usize::from(area.height.saturating_sub(2)))
}

/// What is lost and what is kept when a team is dissolved; after it was asked for, how far that is.
pub fn dissolve_facts(model: &Model, dissolve: &Dissolve) -> Vec<Fact> {
    let Some(team) = model.state.team(dissolve.team) else { return Vec::new() };
    match (&dissolve.asked, team.stage) {
        (None, Stage::Live) => before_dissolve(model, dissolve.team, team),
        (asked, _) => while_dissolving(model, team, asked.as_deref().unwrap_or_default()),
    }
}

fn before_dissolve(model: &Model, id: TeamId, team: &Team) -> Vec<Fact> {
    let running = running(model, id, team);
    let named = |wanted: fn(Phase) -> bool| -> Vec<String> {
        team.tasks.iter().filter(|task| wanted(task.phase)).map(title).collect()
    };
    let waiting = named(|phase| phase == Phase::Waiting);
    let failed = named(|phase| matches!(phase, Phase::Failed | Phase::Stale));
    let open = team.tasks.iter().filter(|task| task.is_required() && !task.is_vouched()).count();
    let mut facts = Vec::new();
    let asks = |number: TaskNo| {
        team.task(number).is_some_and(|task| Look::of(&model.state, team, task) == Look::Asking)
    };
    let named = |asking: bool| -> Vec<String> {
        let these = running.iter().filter(|(number, _)| asks(*number) == asking);
        these.map(|(_, text)| text.clone()).collect()
    };
    facts.push(Fact::list("running", named(false), "   "));
    let asking = named(true);
    if !asking.is_empty() {
        facts.push(Fact::list("asking", asking, "   "));
    }
    if !running.is_empty() {
        let grace = team.limits.grace_ms / 1000;
        facts.push(Fact::new("", format!("asked to stop, {grace}s to end, then cut off")));
    }
    facts.push(Fact::list("not started", waiting, ", "));
    facts.push(Fact::list("failed", failed, ", "));
    facts.push(Fact::new("kept", "every file, every result, the whole log"));
    let tasks = if open == 1 { "task is" } else { "tasks are" };
    facts.push(Fact::new(
        "the end",
        if open == 0 {
            "completed: every required task is".to_owned()
        } else {
            format!("dissolved, not completed: {open} {tasks} open")
        },
    ));
    facts.push(Fact::default());
    facts.push(Fact::new("script line", "dissolve"));
    facts
}

fn while_dissolving(model: &Model, team: &Team, asked: &[(TaskNo, String)]) -> Vec<Fact> {
    let left_ms = match team.stage {
        Stage::Dissolving { since_ms } => (since_ms + team.limits.grace_ms).saturating_sub(model.run_ms()),
        Stage::Live | Stage::Ended { .. } => team.limits.grace_ms,
    };
    let widest = asked.iter().map(|(_, shown)| width(shown)).max().unwrap_or(0);
    let mut facts = Vec::new();
    for (number, shown) in asked {
        let live = team.task(*number).and_then(|task| match task.phase {
            Phase::Running(id) => model.state.live.get(&id),
            _ => None,
        });
        let left = live.map(|_| format!("stopping, {}s left", left_ms.div_ceil(1000)));
        let how = left.unwrap_or_else(|| "stopped".to_owned());
        facts.push(Fact::new("", format!("{}   {how}", pad_right(shown, widest))));
    }
    let end = match team.stage {
        Stage::Ended { completed: true, .. } => "dissolved, completed",
        Stage::Ended { .. } => "dissolved, not completed",
        Stage::Dissolving { .. } => "every attempt was asked to stop",
        Stage::Live => "asking every attempt to stop",
    };
    facts.push(Fact::new("", end));
    facts
}

/// What runs in a team: `#4 engine  core, 6m12`.
pub(super) fn running(model: &Model, id: TeamId, team: &Team) -> Vec<(TaskNo, String)> {
    let shown = |attempt: &crate::domain::state::Attempt| {
        let Purpose::Task(number) = attempt.purpose else { return None };
        let task = team.task(number)?;
        let took = clock_time(attempt.took_ms(model.run_ms()));
        Some((number, format!("#{number} {}  {}, {took}", title(task), attempt.member)))
    };
    let mut running: Vec<_> = model.state.live_of(id).filter_map(|(_, attempt)| shown(attempt)).collect();
    running.sort_by_key(|(number, _)| *number);
    running
}

/// What keeps running when the screen closes, or what ends: the lines of the box, no more than there is room for.
pub fn quit_lines(model: &Model) -> Vec<String> {
    let live = model.state.live.values().filter(|attempt| !attempt.human).count();
    let waiting = |id: TeamId| items(&model.state, id, None, model.run_ms()).len();
    let teams = model.state.live_teams().map(|(id, team)| (team, waiting(id)));
    let teams: Vec<(&Team, usize)> = teams.filter(|(team, needs)| team.live > 0 || *needs > 0).collect();
    let (mut lines, last) = if model.owner.here {
        let attempts = if live == 1 { "attempt" } else { "attempts" };
        let first = format!("This screen runs {live} {attempts}; quitting interrupts them,");
        let back = "Come back with  teamtui --here       Then  :retry TASK  tries one again";
        (vec![first, "their tasks become stale.".to_owned()], back)
    } else {
        let keep = if teams.len() == 1 { "team keeps" } else { "teams keep" };
        let back = "Come back with  teamtui       Read along with  teamtui log -f";
        (vec![format!("{} {keep} running without this screen:", teams.len())], back)
    };
    let room = usize::from(boxed(model.size, usize::MAX, 0).height.saturating_sub(2));
    let room = room.saturating_sub(lines.len() + 1);
    let shown = if teams.len() > room { room.saturating_sub(1) } else { teams.len() };
    let widest = teams.iter().map(|(team, _)| width(team.name.as_str())).max().unwrap_or(0);
    for (team, waiting) in teams.iter().take(shown) {
        let name = pad_right(team.name.as_str(), widest);
        let needs = if *waiting > 0 { format!(", needs you {waiting}") } else { String::new() };
        lines.push(format!("  {name}   {} running{needs}{}", team.live, money_left(team)));
    }
    if teams.len() > shown {
        lines.push(format!("  and {} more", teams.len() - shown));
    }
    lines.push(last.to_owned());
    lines
}

fn money_left(team: &Team) -> String {
    let Some(cap) = team.limits.money_micros else { return String::new() };
    let left = cap.saturating_sub(team.spent_micros);
    format!(", at most {} USD more", crate::text::quantity::money(left))
}
