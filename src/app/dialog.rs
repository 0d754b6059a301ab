//! The boxes that ask or tell: quit, dissolve, detail, reply, help.
use crate::domain::state::{Phase, Stage, Team};
use crate::domain::{Purpose, TaskNo, TeamId};

use super::Model;
use super::panes::{clock_time, title};

/// Task names listed in a box; further ones are counted.
const NAMES_SHOWN: usize = 6;

/// A box over the panes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dialog {
    /// The keys; how far it is scrolled.
    Help(usize),
    /// Leave, though something runs?
    Quit,
    /// End a team?
    Dissolve(Dissolve),
    /// One task.
    Detail(TaskNo),
    /// What a line answered.
    Reply(Reply),
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
    /// One harmless line.
    pub text: String,
}

impl Fact {
    fn new(label: &'static str, count: Option<usize>, text: impl Into<String>) -> Self {
        Self { label, count, text: text.into() }
    }
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
    let names = running.iter().map(|(_, text)| text.clone()).collect();
    facts.push(Fact::new("running", Some(running.len()), listed(names, "   ")));
    if !running.is_empty() {
        let grace = team.limits.grace_ms / 1000;
        facts.push(Fact::new("", None, format!("asked to stop, {grace}s to end, then cut off")));
    }
    facts.push(Fact::new("not started", Some(waiting.len()), listed(waiting, ", ")));
    facts.push(Fact::new("failed", Some(failed.len()), listed(failed, ", ")));
    facts.push(Fact::new("kept", None, "every file, every result, the whole log"));
    let tasks = if open == 1 { "task is" } else { "tasks are" };
    facts.push(Fact::new(
        "the end",
        None,
        if open == 0 {
            "completed: every required task is".to_owned()
        } else {
            format!("dissolved, not completed: {open} {tasks} open")
        },
    ));
    facts.push(Fact::default());
    facts.push(Fact::new("script line", None, "dissolve"));
    facts
}

fn while_dissolving(model: &Model, team: &Team, asked: &[(TaskNo, String)]) -> Vec<Fact> {
    let mut facts = Vec::new();
    for (number, shown) in asked {
        let live = team.task(*number).and_then(|task| match task.phase {
            Phase::Running(id) => model.state.live.get(&id),
            _ => None,
        });
        let left = live.map(|attempt| {
            let due = attempt.kill_due_ms.unwrap_or(0).saturating_sub(model.run_ms());
            format!("stopping, {}s left", due.div_ceil(1000))
        });
        let how = left.unwrap_or_else(|| "stopped".to_owned());
        facts.push(Fact::new("", None, format!("{shown}  {how}")));
    }
    let end = match team.stage {
        Stage::Ended { completed: true, .. } => "dissolved, completed",
        Stage::Ended { .. } => "dissolved, not completed",
        Stage::Dissolving { .. } => "every attempt was asked to stop",
        Stage::Live => "asked",
    };
    facts.push(Fact::new("", None, end));
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

/// What keeps running when the screen closes, or what ends: the lines of the box.
pub fn quit_lines(model: &Model) -> Vec<String> {
    let live = model.state.live.len();
    let teams: Vec<(TeamId, &Team)> = model.state.live_teams().filter(|(_, team)| team.live > 0).collect();
    let mut lines = Vec::new();
    if model.owner.here {
        let attempts = if live == 1 { "attempt" } else { "attempts" };
        lines.push(format!("This screen runs {live} {attempts}; quitting interrupts them,"));
        lines.push("their tasks become stale.".to_owned());
    } else {
        let keep = if teams.len() == 1 { "team keeps" } else { "teams keep" };
        lines.push(format!("{} {keep} running without this screen:", teams.len()));
    }
    let widest = teams.iter().map(|(_, team)| crate::text::width(team.name.as_str())).max().unwrap_or(0);
    for (_, team) in &teams {
        let name = crate::text::pad_right(team.name.as_str(), widest);
        lines.push(format!("  {name}   {} running{}", team.live, money_left(team)));
    }
    if !model.owner.here {
        lines.push("Come back with  teamtui       Read along with  teamtui log -f".to_owned());
    }
    lines
}

fn money_left(team: &Team) -> String {
    let Some(cap) = team.limits.money_micros else { return String::new() };
    let left = cap.saturating_sub(team.spent_micros);
    format!(", at most {} USD more", crate::text::quantity::money(left))
}

fn listed(names: Vec<String>, between: &str) -> String {
    let more = names.len().saturating_sub(NAMES_SHOWN);
    let shown = names.into_iter().take(NAMES_SHOWN).collect::<Vec<_>>().join(between);
    if more > 0 { format!("{shown} +{more}") } else { shown }
}
