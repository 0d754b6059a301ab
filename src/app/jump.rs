//! Keys that go to another task or another team.
use super::keymap::Act;
use super::panes::attempt_of;
use super::panes::attention::next_decision;
use super::{Model, Over};
use crate::domain::state::{Phase, Task};
use crate::domain::{TaskNo, TeamId};

/// Jumps to another task.
pub(super) fn jump(model: &mut Model, act: Act) {
    let Some(team) = model.team() else { return };
    let rows = model.rail.rows();
    let here = model.rail.selected_row();
    let task = |number: TaskNo| team.task(number);
    let selected = model.rail.selected.and_then(task);
    let has_output = |number: TaskNo| task(number).is_some_and(|task| attempt_of(task).is_some());
    let runs = |number: TaskNo| task(number).is_some_and(|task| matches!(task.phase, Phase::Running(_)));
    let first_in_rows = |of: Vec<TaskNo>| rows.iter().copied().find(|number| of.contains(number));
    let to = match act {
        Act::ToUpstream => first_in_rows(selected.map(upstreams).unwrap_or_default()),
        Act::ToDownstream => first_in_rows(selected.map(|task| task.dependents.clone()).unwrap_or_default()),
        Act::NextDecision | Act::PreviousDecision => return to_decision(model, act == Act::NextDecision),
        Act::NextCritical => next(rows, here, true, |number| model.rail.is_critical(number)),
        Act::NextRunning => next(rows, here, true, runs),
        Act::NextOutput => next(rows, here, true, has_output),
        Act::PreviousOutput => next(rows, here, false, has_output),
        _ => None,
    };
    if to.is_some() {
        model.rail.selected = to;
    }
}

/// To the next thing that waits on a person, in the team in view; where there is none, in another team.
fn to_decision(model: &mut Model, forward: bool) {
    let Some(team) = model.team else { return };
    if let Some(task) =
        next_decision(&model.attention, team, model.rail.rows(), model.rail.selected_row(), forward)
    {
        model.rail.selected = Some(task);
        return;
    }
    let is_here = model.attention.iter().any(|item| item.team == team && item.task.is_some());
    let Some(item) = model.attention.iter().find(|item| item.team != team && !is_here).cloned() else {
        return;
    };
    turn_to(model, item.team);
    if item.task.is_some() {
        model.rail.selected = item.task;
    }
}

/// Turns to the next live team, if there is another.
pub(super) fn next_team(model: &mut Model) {
    match model.next_team() {
        Some(team) => turn_to(model, team),
        None => model.tell("No other team is live. : create makes one from a file.", false),
    }
}

/// Turns to another team: its plan, its log, its counts.
fn turn_to(model: &mut Model, team: TeamId) {
    model.over = Over::Nothing;
    model.team = Some(team);
    model.stale = true;
    model.refresh();
}

fn upstreams(task: &Task) -> Vec<TaskNo> {
    task.edges.iter().map(|edge| edge.on).collect()
}

/// The next row for which something holds, around the end.
fn next(
    rows: &[TaskNo],
    here: Option<usize>,
    forward: bool,
    holds: impl Fn(TaskNo) -> bool,
) -> Option<TaskNo> {
    let here = here?;
    let count = rows.len();
    let step = |by: usize| if forward { (here + by) % count } else { (here + count - by) % count };
    (1..count).map(step).filter_map(|at| rows.get(at).copied()).find(|number| holds(*number))
}
