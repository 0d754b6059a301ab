//! What there is to say of one task: the foot of the rail, and the box that `enter` opens.

use crate::domain::state::{Phase, Standing, Task, Team};
use crate::domain::{Needs, TaskNo};
use crate::text;
use crate::text::quantity::{money, size};

use super::super::Model;
use super::super::tally::Look;
use super::{beside, clock_time, time_of, title};

/// Names looked at for one line; further ones are only counted. Reason: no line is so long.
const MAX_NAMES: usize = 64;

/// One line: what it is about, and the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detail {
    /// A word.
    pub label: &'static str,
    /// What there is to say, harmless: shown as far as there is room.
    pub parts: Vec<String>,
    /// Parts that are not among them.
    pub more: usize,
    /// It says what went wrong.
    pub is_wrong: bool,
}

impl Detail {
    fn new(label: &'static str, text: impl Into<String>) -> Self {
        Self { label, parts: vec![text.into()], more: 0, is_wrong: false }
    }

    fn wrong(label: &'static str, text: impl Into<String>) -> Self {
        Self { is_wrong: true, ..Self::new(label, text) }
    }

    fn list(label: &'static str, parts: Vec<String>) -> Option<Self> {
        let more = parts.len().saturating_sub(MAX_NAMES);
        let parts: Vec<String> = parts.into_iter().take(MAX_NAMES).collect();
        (!parts.is_empty()).then_some(Self { label, parts, more, is_wrong: false })
    }

    /// All of it.
    pub fn whole(&self) -> String {
        let more = if self.more > 0 { format!(" +{}", self.more) } else { String::new() };
        format!("{}{more}", self.parts.join(", "))
    }

    /// In at most so many columns: whole parts, then how many more; a single one is cut between words.
    pub fn fitting(&self, columns: usize) -> String {
        for shown in (1..=self.parts.len()).rev() {
            let more = self.parts.len() - shown + self.more;
            let more = if more > 0 { format!(" +{more}") } else { String::new() };
            let text = format!("{}{more}", self.parts.get(..shown).unwrap_or_default().join(", "));
            if text::width(&text) <= columns {
                return text;
            }
        }
        text::cut_words(&self.whole(), columns).into_owned()
    }
}

/// The heading of a task: `#10 docs  writer, failed 1m14 ago, attempt 2`.
pub fn heading(model: &Model, task: &Task) -> String {
    let mut facts = Vec::new();
    if let Some(member) = &task.assignee {
        facts.push(member.to_string());
    }
    if let Some(team) = model.team() {
        let look = Look::of(&model.state, team, task);
        let ago = model.run_ms().saturating_sub(task.since_ms);
        let is_past =
            matches!(task.phase, Phase::Failed | Phase::Completed | Phase::Cancelled | Phase::Stale);
        facts.push(if is_past {
            format!("{} {} ago", look.word(), clock_time(ago))
        } else {
            look.word().to_owned()
        });
    }
    if task.begun > 0 {
        facts.push(format!("attempt {}", task.begun));
    }
    format!("#{} {}  {}", task.number, title(task), facts.join(", "))
}

/// Everything there is to say of a task, what matters most first.
pub fn detail(model: &Model, task: &Task) -> Vec<Detail> {
    let Some(team) = model.team() else { return Vec::new() };
    let mut lines = Vec::new();
    lines.extend(beside(team, task).map(|title| Detail::new("title", title)));
    let goal = task.spec.prompt.as_ref().map(|prompt| prompt.line().trim().to_owned());
    lines.extend(goal.filter(|goal| !goal.is_empty()).map(|goal| Detail::new("goal", goal)));
    let asks = super::ask::question(model, team, task).map(|lines| Detail::new("asks", lines.join("\n")));
    lines.extend(asks);
    lines.extend(why(team, task));
    lines.extend(last(model, task).map(|text| Detail::new("last", text)));
    lines.extend(cost(model, task).map(|text| Detail::new("cost", text)));
    lines.extend(Detail::list("holds", titles(team, holds(model, task))));
    lines.extend(Detail::list("after", after(team, task)));
    lines.extend(Detail::list("then", titles(team, task.dependents.clone())));
    lines.extend(result(task).map(|text| Detail::new("result", text)));
    for (path, bytes) in task.result.iter().flat_map(|result| &result.outputs) {
        let path = text::Untrusted::from(path.as_str());
        lines.push(Detail::new("output", format!("{}  {}", path.line(), size(*bytes))));
    }
    for check in &task.spec.checks {
        lines.push(Detail::new("check", text::Untrusted::from(check.as_str()).line()));
    }
    lines
}

/// The lines for a foot of that height: in a low one without the goal and what can be seen on the rail.
pub fn foot(model: &Model, task: &Task, height: usize) -> Vec<Detail> {
    let mut lines = detail(model, task);
    // What it asks stands below its log.
    lines.retain(|line| line.label != "asks");
    for label in ["title", "goal", "check", "output", "then", "after"] {
        if lines.len() > height {
            lines.retain(|line| line.label != label);
        }
    }
    lines.truncate(height);
    for part in lines.iter_mut().flat_map(|line| &mut line.parts) {
        *part = part.replace('\n', " ");
    }
    lines
}

/// What was done last: the step it is at, else the last row of its log.
fn last(model: &Model, task: &Task) -> Option<String> {
    let (percent, step) = match &task.progress {
        Some((percent, step)) => (Some(*percent), step.line().into_owned()),
        None => (None, model.log.last_text().filter(|_| super::attempt_of(task) == model.log.attempt)?),
    };
    Some(match percent {
        Some(percent) if step.is_empty() => format!("{percent}%"),
        Some(percent) => format!("{step}, {percent}%"),
        None => step,
    })
}

/// Money, time and attempt, once it has begun.
fn cost(model: &Model, task: &Task) -> Option<String> {
    let time = time_of(&model.state, task, model.run_ms())?;
    let spent = task.attempts.iter().fold(0_u64, |sum, record| sum.saturating_add(record.spent_micros));
    let money = if spent > 0 { format!("{} USD, ", money(spent)) } else { String::new() };
    Some(format!("{money}{}, attempt {}", clock_time(time), task.begun.max(1)))
}

/// What it waits for, with what that is.
fn after(team: &Team, task: &Task) -> Vec<String> {
    let say = |on: TaskNo, needs: Needs| {
        let upstream = team.task(on)?;
        let only = if needs == Needs::Finished { ", only in order" } else { "" };
        Some(format!("{} {}{only}", title(upstream), upstream.status().word().replace('_', " ")))
    };
    task.edges.iter().filter_map(|edge| say(edge.on, edge.needs)).collect()
}

/// Why it is not done and will not be by itself.
fn why(team: &Team, task: &Task) -> Option<Detail> {
    let reason = task.reason.line();
    match task.phase {
        Phase::Failed if !reason.is_empty() => Some(Detail::wrong("why", reason)),
        Phase::Stale | Phase::Cancelled if !reason.is_empty() => Some(Detail::new("why", reason)),
        Phase::Waiting if task.is_held() => {
            let over = team.open_edges(task).into_iter().filter(|(_, standing)| *standing == Standing::Over);
            let by = over.filter_map(|(edge, _)| team.task(edge.on)).map(|upstream| {
                let word = if upstream.is_held() { "held" } else { upstream.status().word() };
                format!("held by {} ({word})", title(upstream))
            });
            Detail::list("why", by.collect()).map(|line| Detail { is_wrong: true, ..line })
        }
        _ => None,
    }
}

fn result(task: &Task) -> Option<String> {
    let result = task.result.as_ref()?;
    let text = result.text.line();
    let mark = if result.confirmed { "" } else { ", unconfirmed" };
    (!text.is_empty()).then(|| format!("{text}{mark}"))
}

/// Tasks that wait for it, near or far.
fn holds(model: &Model, task: &Task) -> Vec<TaskNo> {
    if task.status().is_final() {
        return Vec::new();
    }
    let Some(graph) = model.rail.graph() else { return Vec::new() };
    let below = graph.all_downstream(task.number);
    model.rail.rows().iter().copied().filter(|number| below.contains(number)).collect()
}

fn titles(team: &Team, numbers: Vec<TaskNo>) -> Vec<String> {
    numbers.into_iter().filter_map(|number| team.task(number)).map(title).collect()
}
