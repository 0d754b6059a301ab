//! What a replan comes to, as every face shows it (R18).
use super::Reply;
use super::replan::{Addition, Change};
use crate::domain::state::{Phase, State, Task, Team};
use crate::domain::{AddedTask, PlanDiff, Status, TaskNo, TeamId};

/// The plan before against the plan after.
pub(super) fn diff(before: &Team, state: &State, id: TeamId, change: &Change) -> PlanDiff {
    let Some(team) = state.team(id) else { return PlanDiff::default() };
    let label = |no: TaskNo| team.task(no).map_or_else(|| format!("#{no}"), Task::label);
    let names = |task: &Task| task.edges.iter().map(|e| label(e.on)).collect::<Vec<_>>();
    let mut out = PlanDiff { revision: team.revision, ..PlanDiff::default() };
    for task in &team.tasks {
        let old = before.task(task.number);
        let was_alive = old.is_some_and(|t| t.status() != Status::Cancelled);
        if let Some(old) = old.filter(|_| task.status() == Status::Cancelled && was_alive) {
            out.dropped.push((task.label(), old.status()));
            if matches!(old.phase, Phase::Running(_)) {
                out.cut_off.push(task.label());
            }
            let written = old.attempts.iter().flat_map(|a| a.outputs.iter().map(|(path, _)| path.clone()));
            out.at_risk.extend(written);
        } else if let Some(old) = old.filter(|_| was_alive) {
            out.kept.push(task.label());
            if old.edges.iter().map(|e| (e.on, e.needs)).ne(task.edges.iter().map(|e| (e.on, e.needs))) {
                out.rewired.push((task.label(), names(old), names(task)));
            }
        }
        let is_ready = |t: &Task| t.status() == Status::Pending;
        if is_ready(task) && !old.is_some_and(is_ready) {
            out.runnable.push(task.label());
        }
        if task.is_held() {
            let by = team
                .open_edges(task)
                .into_iter()
                .filter(|(e, s)| e.effect(*s).1)
                .map(|(e, _)| label(e.on))
                .collect();
            out.held.push((task.label(), by));
        }
    }
    out.prompts = change.prompts.iter().map(|(no, _)| label(*no)).collect();
    out.added = change
        .add
        .iter()
        .map(|Addition { member, number, .. }| AddedTask {
            name: member.name.clone(),
            agent: member.agent_name.clone(),
            number: *number,
            after: number.and_then(|no| team.task(no)).map(&names).unwrap_or_default(),
            replaces: change
                .replace
                .iter()
                .find(|(_, new)| Some(**new) == *number)
                .map(|(old, _)| label(*old)),
        })
        .collect();
    out
}

/// The difference in text, headings always the same.
pub(super) fn told(diff: &PlanDiff, verb: &str) -> Reply {
    let list =
        |items: &[String]| if items.is_empty() { String::new() } else { format!("  {}", items.join(", ")) };
    let row = |head: &str, items: &[String]| {
        format!("{head:<15}{:>3}{}", items.len(), list(items)).trim_end().to_owned()
    };
    let added: Vec<String> = diff
        .added
        .iter()
        .map(|a| {
            if a.after.is_empty() {
                a.name.to_string()
            } else {
                format!("{} (after {})", a.name, a.after.join(", "))
            }
        })
        .collect();
    let dropped: Vec<String> =
        diff.dropped.iter().map(|(label, status)| format!("{label} ({status})")).collect();
    let held: Vec<String> =
        diff.held.iter().map(|(label, by)| format!("{label} (by {})", by.join(", "))).collect();
    let mut reply = Reply::say(format!("{verb}: revision {}", diff.revision))
        .and(row("kept", &diff.kept))
        .and(row("added", &added))
        .and(row("dropped", &dropped))
        .and(row("newly runnable", &diff.runnable))
        .and(row("still held", &held));
    for (label, before, after) in &diff.rewired {
        reply = reply.and(format!("  {label} now after {} (was {})", after.join(", "), before.join(", ")));
    }
    if !diff.cut_off.is_empty() {
        reply = reply.and(row("cut off", &diff.cut_off));
    }
    if !diff.at_risk.is_empty() {
        reply = reply.and(row("at risk", &diff.at_risk));
    }
    reply
}
