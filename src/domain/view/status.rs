//! What `status`, `list` and `get` print of a team.
use super::{Columns, Line, RunView, TaskView, TeamView, Tint, log, phrase, team};
use crate::domain::state::{Stage, Task, Team};
use crate::domain::{Name, TaskNo};
use crate::text::{self, Untrusted, pad_right, quantity};
use std::collections::BTreeSet;

/// Lines of a prompt or result that `get` shows; the rest is counted.
pub const MAX_TEXT_LINES: usize = 200;

/// The head line, then a row per task.
pub fn status(run: &RunView, team: &TeamView) -> Vec<Line> {
    let columns = Columns::table(team.tasks.iter());
    let mut lines = vec![Line::from(head(run, team))];
    lines.extend(team.tasks.iter().map(|t| columns.row(t)));
    lines
}

/// `standing run: auth-review, plan 1, 4.1s, nothing live; waits for a decision on perf`.
pub fn head(run: &RunView, team: &TeamView) -> String {
    let took = quantity::duration(team.took_ms);
    let mut head = format!("{}: {}, plan {}, {took}", run.title(), team.name, team.revision);
    head.push_str(&match team.stage {
        Stage::Ended { completed: true, .. } => ", completed".to_owned(),
        Stage::Ended { completed: false, .. } => ", dissolved".to_owned(),
        _ if run.crashed => ", crashed: nothing of it runs".to_owned(),
        Stage::Dissolving { .. } => format!(", dissolving, {} live", team.live),
        Stage::Live if run.closed => format!(", closed: {}", team.headline()),
        Stage::Live if team.live == 0 => ", nothing live".to_owned(),
        Stage::Live => format!(", {} live", team.live),
    });
    if team.paused {
        head.push_str(", paused");
    }
    if let Some(cap) = team.capped {
        head.push_str(&format!(", cap: {}", cap.word()));
    }
    if team.stage.is_ended() || run.closed {
        return head;
    }
    let people: Vec<String> = team::waiting(team).map(|(who, _)| who.to_owned()).collect();
    let decisions = decisions(team);
    if !decisions.is_empty() {
        head.push_str(&format!("; waits for a decision on {}", phrase::list(&decisions)));
    }
    if !people.is_empty() {
        head.push_str(&format!("; waits on a person for {}", phrase::list(&people)));
    }
    if team.live == 0 && team.is_complete() {
        head.push_str(&format!("; {}", team.headline()));
    }
    head
}

/// Tasks that need a decision: what holds others, and what is settled and required.
pub fn decisions(team: &TeamView) -> Vec<String> {
    let holding = team.tasks.iter().flat_map(|t| t.held_by.iter().map(|b| b.number));
    let settled = team.counted().filter(|t| t.required && t.status.is_settled()).map(|t| t.number);
    let numbers: BTreeSet<TaskNo> = holding.chain(settled).collect();
    numbers.into_iter().filter_map(|n| team.task(n)).map(|t| t.label.clone()).collect()
}

/// Rows of the tasks with one of these words (all, if empty) and of that assignee (any, if none).
pub fn list(team: &TeamView, words: &[&str], assignee: Option<&Name>) -> Vec<Line> {
    let word = |t: &TaskView| {
        let is = |w: &&str| match *w {
            "settled" => t.status.is_settled(),
            "blocked" => t.status == crate::domain::Status::Blocked,
            w => w == t.word(),
        };
        words.is_empty() || words.iter().any(is)
    };
    let whose = |t: &TaskView| assignee.is_none_or(|name| t.assignee.as_ref() == Some(name));
    let tasks: Vec<&TaskView> = team.tasks.iter().filter(|t| word(t) && whose(t)).collect();
    let columns = Columns::table(tasks.iter().copied());
    tasks.into_iter().map(|t| columns.row(t)).collect()
}

/// Everything about one task: what it is, its contract, its attempts, what was said, its result.
pub fn get(view: &TaskView, team: &Team, task: &Task) -> Vec<Line> {
    let mut page = Page(Vec::new());
    page.0.push(head_of(view));
    page.field("assignee", task.assignee.as_ref().map(ToString::to_string));
    page.field("title", team.title_of(task));
    page.field(
        "waits for",
        (!task.edges.is_empty()).then(|| log::inputs(team, task)).map(|l| after_colon(&l)),
    );
    page.field("needed by", needed_by(team, task));
    page.field("outputs", commas(task.spec.outputs.iter().map(|o| text::sanitise::line(o).into_owned())));
    page.field("checks", commas(task.spec.checks.iter().map(|c| text::sanitise::line(c).into_owned())));
    page.field("review", commas(task.spec.review.iter().map(log::reviewer)));
    page.field("priority", (task.spec.priority != 0).then(|| task.spec.priority.to_string()));
    for a in &view.attempts {
        let size = quantity::size(a.output_bytes);
        let why = a.reason.as_ref().map_or_else(String::new, |why| format!(", {why}"));
        let word = a.outcome.map_or("live", |o| o.word());
        let took = quantity::duration(a.took_ms);
        page.field(&format!("attempt {}", a.nth), Some(format!("{word}, {took}{why}, {size} of output")));
    }
    for (who, verdict, said) in &task.review.said {
        let said = phrase::one_line(said).map_or_else(String::new, |s| format!(": {s}"));
        page.field("reviewed", Some(format!("{} by {}{said}", verdict_word(*verdict), log::reviewer(who))));
    }
    for comment in &task.comments {
        let at = quantity::duration(comment.elapsed_ms);
        page.field(
            "comment",
            Some(format!("{} at {at}: {}", log::who(&comment.by), phrase::quoted(&comment.text))),
        );
    }
    page.block("prompt", task.spec.prompt.as_ref());
    page.block("feedback", task.feedback.as_ref());
    page.block("result", task.result.as_ref().map(|r| &r.text));
    page.0
}

fn head_of(view: &TaskView) -> Line {
    let times = view.shown.as_ref().map(|a| format!(", {}, {}", a.fraction(), quantity::duration(a.took_ms)));
    let detail = view.detail();
    let detail = if detail.is_empty() { detail } else { format!(", {detail}") };
    Line::new()
        .and(Tint::Name, view.label.as_str())
        .and(Tint::Plain, format!(" (#{})  ", view.number))
        .and(view.tint(), view.word())
        .and(Tint::Plain, format!("{}{detail}", times.unwrap_or_default()))
}

fn needed_by(team: &Team, task: &Task) -> Option<String> {
    let one = |t: &Task| {
        let word = if t.is_held() { "held" } else { t.status().word() };
        format!("{} ({word})", t.label())
    };
    let numbers: BTreeSet<TaskNo> = task.dependents.iter().copied().collect();
    commas(numbers.into_iter().filter_map(|n| team.task(n)).map(one))
}

fn commas(names: impl Iterator<Item = String>) -> Option<String> {
    let names: Vec<String> = names.collect();
    (!names.is_empty()).then(|| phrase::commas(&names))
}

fn after_colon(text: &str) -> String {
    text.split_once(": ").map_or(text, |(_, rest)| rest).to_owned()
}

fn verdict_word(verdict: crate::domain::Verdict) -> &'static str {
    use crate::domain::Verdict;
    match verdict {
        Verdict::Approved => "approved",
        Verdict::SentBack => "sent back",
        Verdict::Rejected => "rejected",
        Verdict::None => "left without a verdict",
    }
}

struct Page(Vec<Line>);

impl Page {
    fn field(&mut self, name: &str, value: Option<String>) {
        let Some(value) = value else { return };
        self.0.push(
            Line::new().and(Tint::Time, format!("  {}  ", pad_right(name, 10))).and(Tint::Plain, value),
        );
    }

    fn block(&mut self, name: &str, text: Option<&Untrusted>) {
        let Some(text) = text.map(Untrusted::block).filter(|t| !t.trim().is_empty()) else { return };
        self.0.push(Line::new().and(Tint::Time, format!("  {name}:")));
        let total = text.lines().count();
        self.0.extend(text.lines().take(MAX_TEXT_LINES).map(|l| Line::from(format!("    {l}"))));
        if total > MAX_TEXT_LINES {
            self.0.push(Line::from(format!("    (and {} more lines)", total - MAX_TEXT_LINES)));
        }
    }
}
