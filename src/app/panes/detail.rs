//! What there is to say of one task: the foot of the rail, and the box that `enter` opens.

use crate::domain::state::{Phase, Standing, Task, Team};
use crate::domain::{Needs, TaskNo};
use crate::text;
use crate::text::quantity::{money, size};

use super::super::Model;
use super::super::tally::Look;
use super::{clock_time, time_of, title};

/// Lists name so many tasks, then how many more.
const NAMES_SHOWN: usize = 3;

/// One line: what it is about, and the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detail {
    /// A word.
    pub label: &'static str,
    /// One harmless line.
    pub text: String,
    /// It says what went wrong.
    pub is_wrong: bool,
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
    let plain = |label, text: String| Detail { label, text, is_wrong: false };
    let mut lines = Vec::new();
    let reason = task.reason.line();
    if matches!(task.phase, Phase::Failed | Phase::Stale | Phase::Cancelled) && !reason.is_empty() {
        lines.push(Detail { label: "why", text: reason.into_owned(), is_wrong: task.phase == Phase::Failed });
    }
    if let Some(by) = held_by(team, task) {
        lines.push(Detail { label: "why", text: by, is_wrong: true });
    }
    lines.extend(last(model, task).map(|text| plain("last", text)));
    lines.extend(cost(model, task).map(|text| plain("cost", text)));
    lines.extend(list(team, holds(model, task)).map(|text| plain("holds", text)));
    if let Some(text) = task.spec.prompt.as_ref().map(|prompt| prompt.line().trim().to_owned())
        && !text.is_empty()
    {
        lines.insert(0, plain("goal", text));
    }
    lines.extend(after(team, task).map(|text| plain("after", text)));
    lines.extend(list(team, task.dependents.clone()).map(|text| plain("then", text)));
    lines.extend(result(task).map(|text| plain("result", text)));
    for (path, bytes) in task.result.iter().flat_map(|result| &result.outputs) {
        let path = text::Untrusted::from(path.as_str());
        lines.push(plain("output", format!("{}  {}", path.line(), size(*bytes))));
    }
    for check in &task.spec.checks {
        lines.push(plain("check", text::Untrusted::from(check.as_str()).line().into_owned()));
    }
    lines
}

/// The lines for a foot of that height: in a low one without the goal and what can be seen on the rail.
pub fn foot(model: &Model, task: &Task, height: usize) -> Vec<Detail> {
    let mut lines = detail(model, task);
    for label in ["goal", "check", "output", "then", "after"] {
        if lines.len() > height {
            lines.retain(|line| line.label != label);
        }
    }
    lines.truncate(height);
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
fn after(team: &Team, task: &Task) -> Option<String> {
    let say = |on: TaskNo, needs: Needs| {
        let upstream = team.task(on)?;
        let only = if needs == Needs::Finished { ", only in order" } else { "" };
        Some(format!("{} {}{only}", title(upstream), upstream.status().word().replace('_', " ")))
    };
    let edges: Vec<String> = task.edges.iter().filter_map(|edge| say(edge.on, edge.needs)).collect();
    joined(edges)
}

fn held_by(team: &Team, task: &Task) -> Option<String> {
    if !task.is_held() {
        return None;
    }
    let over = team.open_edges(task).into_iter().filter(|(_, standing)| *standing == Standing::Over);
    let names: Vec<String> = over
        .filter_map(|(edge, _)| team.task(edge.on))
        .map(|up| {
            let word = if up.is_held() { "held" } else { up.status().word() };
            format!("{}, which is {word}", title(up))
        })
        .collect();
    joined(names).map(|names| format!("held by {names}"))
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

fn list(team: &Team, numbers: Vec<TaskNo>) -> Option<String> {
    joined(numbers.into_iter().filter_map(|number| team.task(number)).map(title).collect())
}

fn joined(names: Vec<String>) -> Option<String> {
    if names.is_empty() {
        return None;
    }
    let more = names.len().saturating_sub(NAMES_SHOWN);
    let shown = names.into_iter().take(NAMES_SHOWN).collect::<Vec<_>>().join(", ");
    Some(if more > 0 { format!("{shown} +{more}") } else { shown })
}
