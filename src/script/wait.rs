//! A wait, tested on a fold: so, not yet, or never. Scripts and `teamtui do` stand at the same waits.
use super::quiet;
use crate::domain::state::Team;
use crate::domain::{State, TaskNo, TeamId};
use crate::text::quantity::duration;
use crate::verbs::{Goal, WaitOn};

/// How a wait stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stands {
    /// It is over.
    So,
    /// Something may still make it so.
    NotYet,
    /// Nothing live, due or final will: why.
    Never(String),
}

/// How a wait for these tasks of a team stands.
pub fn stands(state: &State, id: TeamId, on: &WaitOn, numbers: &[TaskNo]) -> Stands {
    if is_so(state, id, on, numbers) {
        return Stands::So;
    }
    match never(state, id, on, numbers) {
        Some(why) => Stands::Never(format!("this wait can no longer be satisfied: {why}")),
        None => Stands::NotYet,
    }
}

/// What is said of a wait that took too long, up to `due_ms` of the run's time.
pub fn over_its_time(state: &State, id: TeamId, numbers: &[TaskNo], due_ms: u64) -> String {
    let stands = numbers.iter().filter_map(|n| state.team(id).map(|t| quiet::stands(t, *n)));
    let stands: Vec<String> = stands.collect();
    let what = format!("this wait is over its time, at {}: {}", duration(due_ms), stands.join(", "));
    what.trim_end_matches(": ").to_owned()
}

/// The tasks that a wait names; a name that is none with the nearest one.
pub fn numbers(team: &Team, on: &WaitOn) -> Result<Vec<TaskNo>, (String, Vec<String>)> {
    let WaitOn::Tasks { tasks, .. } = on else { return Ok(Vec::new()) };
    let find = |task| team.find_task(task).ok_or_else(|| no_task(team, task));
    tasks.iter().map(find).collect()
}

/// There is no such task: what is said of it, and the nearest name.
pub fn no_task(team: &Team, task: &crate::domain::TaskRef) -> (String, Vec<String>) {
    let names = team.names.keys().map(crate::domain::Name::as_str);
    let near = crate::text::nearest(&task.to_string(), names);
    let help = near.map(|near| format!("did you mean `{near}`?")).into_iter().collect();
    (format!("{} has no task `{task}`", team.name), help)
}

fn is_so(state: &State, id: TeamId, on: &WaitOn, numbers: &[TaskNo]) -> bool {
    match on {
        WaitOn::All => quiet::is_over(state, id),
        WaitOn::Tasks { until, .. } => {
            state.team(id).is_some_and(|team| numbers.iter().all(|n| quiet::is_met(team, *n, until)))
        }
    }
}

/// Why the wait will never be satisfied by itself.
fn never(state: &State, id: TeamId, on: &WaitOn, numbers: &[TaskNo]) -> Option<String> {
    let team = state.team(id)?;
    let until: &[Goal] = match on {
        WaitOn::All => return quiet::is_quiet(state).then(|| open(team)),
        WaitOn::Tasks { until, .. } => until,
    };
    if let Some(lost) = numbers.iter().find(|n| quiet::is_lost(team, **n, until)) {
        return Some(format!("{}, which is final", quiet::stands(team, *lost)));
    }
    if !quiet::is_quiet(state) {
        return None;
    }
    let unmet = numbers.iter().find(|n| !quiet::is_met(team, **n, until))?;
    Some(format!("{}, nothing live or due changes that", quiet::stands(team, *unmet)))
}

fn open(team: &Team) -> String {
    let open: Vec<String> = team
        .tasks
        .iter()
        .filter(|t| t.is_outstanding() && !t.is_held())
        .take(3)
        .map(|t| quiet::stands(team, t.number))
        .collect();
    format!("{}, and nothing live or due changes that", open.join(", "))
}
