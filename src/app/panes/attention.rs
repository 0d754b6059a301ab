//! What waits on a person: failures, questions, reviews, stalls and caps, the one that holds up most first.
use crate::domain::event::Cap;
use crate::domain::state::{Attempt, Phase, Task, Team};
use crate::domain::{Asker, Driver, Needs, Reviewer, State, TaskNo, TeamId};
use crate::graph::Dag;
use std::cmp::Reverse;

use super::super::tally::Look;
use super::{clock_time, title};

/// One thing that waits on a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// What it looks like.
    pub look: Look,
    /// Its team.
    pub team: TeamId,
    /// The task it is about.
    pub task: Option<TaskNo>,
    /// What, and why, in one harmless line.
    pub text: String,
    /// How many tasks wait for it.
    pub holds: usize,
}

/// Everything that waits on a person: that of the team in view first, then that of the other live teams, by its name.
pub(in crate::app) fn everywhere(
    state: &State,
    here: TeamId,
    graph: Option<&Dag<TaskNo, Needs>>,
    run_ms: u64,
) -> Vec<Item> {
    let mut all = items(state, here, graph, run_ms);
    for (id, team) in state.live_teams().filter(|(id, _)| *id != here) {
        let elsewhere = items(state, id, None, run_ms).into_iter();
        all.extend(elsewhere.map(|item| Item { text: format!("{}: {}", team.name, item.text), ..item }));
    }
    all
}

/// Everything that waits on a person in a team, ranked by what it holds up, then by how urgent it is, then by number.
pub(in crate::app) fn items(
    state: &State,
    id: TeamId,
    graph: Option<&Dag<TaskNo, Needs>>,
    run_ms: u64,
) -> Vec<Item> {
    let Some(team) = state.team(id).filter(|team| !team.stage.is_ended()) else { return Vec::new() };
    let mut items: Vec<Item> =
        team.tasks.iter().filter_map(|task| of_task(state, id, task, run_ms)).collect();
    let sources: Vec<TaskNo> = items.iter().filter_map(|item| item.task).collect();
    let waits = |number| team.task(number).is_some_and(Task::is_outstanding);
    let held = graph.map(|graph| graph.holds_up(&sources, waits)).unwrap_or_default();
    for (item, holds) in items.iter_mut().zip(held) {
        item.holds = holds;
    }
    items.extend(of_team(id, team));
    items.sort_by_key(|item| (Reverse(item.holds), Reverse(item.look.urgency()), item.task));
    items
}

fn of_task(state: &State, id: TeamId, task: &Task, run_ms: u64) -> Option<Item> {
    let team = state.team(id)?;
    let name = title(task);
    let with_reason = |what: &str| match task.reason.line().trim() {
        "" => format!("{name} {what}"),
        reason => format!("{name} {what}: {reason}"),
    };
    let (look, text) = match task.phase {
        Phase::Failed => (Look::Failed, with_reason("failed")),
        Phase::Stale => (Look::Stale, with_reason("is stale")),
        Phase::InReview if waits_for_person(team, task) => (Look::InReview, in_review(task, &name)),
        Phase::Running(attempt) => of_attempt(state.live.get(&attempt)?, team, &name, run_ms)?,
        _ => return None,
    };
    Some(Item { look, team: id, task: Some(task.number), text, holds: 0 })
}

fn of_attempt(attempt: &Attempt, team: &Team, name: &str, run_ms: u64) -> Option<(Look, String)> {
    if let Some(question) = &attempt.question {
        let is_mine = question.of == Asker::Person || !team.has_lead();
        return is_mine.then(|| (Look::Asking, format!("{name} asks: {}", question.text.shown_line())));
    }
    if attempt.human {
        return Some((Look::Asking, format!("{name} is yours to do")));
    }
    let stall_ms = team.members.get(&attempt.member).map_or(0, |member| member.agent.stall_ms);
    let silent_ms = run_ms.saturating_sub(attempt.output_ms);
    let is_watched = stall_ms > 0 && attempt.stop.is_none() && attempt.offered.is_none();
    let is_stalled = is_watched && attempt.stall_due_ms.is_none() && silent_ms >= stall_ms;
    is_stalled.then(|| (Look::Running, format!("{name} has been silent for {}", clock_time(silent_ms))))
}

pub(in crate::app) fn waits_for_person(team: &Team, task: &Task) -> bool {
    let at = usize::try_from(task.review.approved).unwrap_or(usize::MAX);
    let next = task.spec.review.get(at);
    let nobody_else = !team.has_lead() && (next.is_none() || next == Some(&Reviewer::Lead));
    let is_human = match next {
        Some(Reviewer::Person) => true,
        Some(Reviewer::Member(name)) => {
            team.members.get(name).is_some_and(|member| member.agent.driver == Driver::Human)
        }
        Some(Reviewer::Lead) | None => false,
    };
    task.review.stuck || nobody_else || is_human
}

fn in_review(task: &Task, name: &str) -> String {
    let is_confirmed = task.result.as_ref().is_none_or(|result| result.confirmed);
    let result = task.result.as_ref().map(|result| &result.text).filter(|text| !text.is_empty());
    let said = result.map(|text| format!(": {}", text.line())).unwrap_or_default();
    if is_confirmed {
        format!("{name} waits for a review{said}")
    } else {
        format!("{name} ended unconfirmed{said}")
    }
}

fn of_team(id: TeamId, team: &Team) -> Option<Item> {
    let text = match team.capped? {
        Cap::Time => "the time of the team is used up: nothing new starts until the cap is raised",
        Cap::Money => "the money of the team is used up: nothing new starts until the cap is raised",
        Cap::FailFast => "a required task failed: nothing new starts",
    };
    let holds = team.tasks.iter().filter(|task| task.status().is_waiting()).count();
    Some(Item { look: Look::Paused, team: id, task: None, text: text.to_owned(), holds })
}

/// The next task of a team after `from` (in the order of `rows`) that waits on a person or failed, around the end.
pub(in crate::app) fn next_decision(
    items: &[Item],
    team: TeamId,
    rows: &[TaskNo],
    from: Option<usize>,
    forward: bool,
) -> Option<TaskNo> {
    let is_decision =
        |number: &TaskNo| items.iter().any(|item| item.team == team && item.task == Some(*number));
    let here = from.unwrap_or(0);
    let found = |at: &usize| rows.get(*at).is_some_and(is_decision);
    let at = if forward {
        (here + 1..rows.len()).chain(0..here).find(found)
    } else {
        (0..here).rev().chain((here + 1..rows.len()).rev()).find(found)
    };
    at.and_then(|at| rows.get(at).copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::trial::{Trial, human, member, name, team};
    use std::sync::Arc;

    #[test]
    fn a_review_by_a_member_that_is_a_person_waits_for_the_person() {
        let reviewed_by = |reviewer: &str| {
            let mut spec = member("a", &[]);
            let brief = spec.brief.as_mut().map(Arc::make_mut).unwrap();
            brief.review = vec![Reviewer::Member(name(reviewer))];
            let mut trial = Trial::with(team(vec![spec, member("clerk", &[]), human("boss", &[])]));
            trial.complete("a", "done").unwrap();
            let (team, task) = (trial.the_team(), trial.task("a"));
            assert_eq!(task.phase, Phase::InReview);
            waits_for_person(team, task)
        };
        assert!(reviewed_by("boss") && !reviewed_by("clerk"));
    }
}
