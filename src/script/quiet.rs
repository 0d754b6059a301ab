//! Whether anything can still happen by itself, and what a wait waits for (R30).
use crate::domain::state::{Phase, State, Task, Team};
use crate::domain::view::phrase;
use crate::domain::{Asker, Status, TaskNo, TeamId};
use crate::text::quantity::duration;
use crate::verbs::Goal;

/// Nothing is live or due, but what a person is asked: without a command nothing more happens.
pub fn is_quiet(state: &State) -> bool {
    let stuck = |a: &crate::domain::state::Attempt| {
        let asked = a.question.as_ref().is_some_and(|q| q.of == Asker::Person);
        asked && a.due_ms.is_none_or(|_| !a.human) && a.stop.is_none()
    };
    let checking = state.teams.values().any(|t| t.checking);
    let waited = state.timers.values().any(|(_, whose)| whose.is_some());
    state.live.values().all(stuck) && !waited && !checking
}

/// `wait all`: no attempt or turn is live or due, and each task is final, settled or held.
pub fn is_over(state: &State, team: TeamId) -> bool {
    let still = |t: &Task| match t.phase {
        Phase::Waiting => !t.is_held() && t.replaced_by.is_none(),
        Phase::Running(_) => true,
        Phase::InReview => t.review.live.is_some(),
        Phase::Completed | Phase::Failed | Phase::Cancelled | Phase::Stale => false,
    };
    let live = state.live_of(team).next().is_some();
    state.team(team).is_none_or(|t| !live && !t.tasks.iter().any(still))
}

/// Is the task what is waited for?
pub fn is_met(team: &Team, number: TaskNo, goals: &[Goal]) -> bool {
    team.task(number).is_some_and(|t| goals.iter().any(|g| g.is_met(t.status(), t.is_held())))
}

/// Final, and not what is waited for: it never will be.
pub fn is_lost(team: &Team, number: TaskNo, goals: &[Goal]) -> bool {
    team.task(number).is_some_and(|t| t.status().is_final()) && !is_met(team, number, goals)
}

/// How a task stands, in words: `perf failed at 2.0s ("no access")`.
pub fn stands(team: &Team, number: TaskNo) -> String {
    let Some(task) = team.task(number) else { return format!("#{number}") };
    let label = task.label();
    let at = duration(task.since_ms);
    match task.status() {
        Status::Failed | Status::Stale | Status::Cancelled => {
            let word = if task.status() == Status::Failed {
                "failed".to_owned()
            } else {
                format!("is {}", task.status())
            };
            let why = phrase::reason(&task.reason).map_or_else(String::new, |why| format!(" ({why})"));
            format!("{label} {word} at {at}{why}")
        }
        Status::Completed => format!("{label} completed at {at}"),
        _ if task.is_held() => format!("{label} is held"),
        status => format!("{label} is {status}"),
    }
}
