//! A wait, tested on a fold: so, not yet, or never. Scripts and `teamtui do` stand at the same waits.
use crate::domain::state::Team;
use crate::domain::{Hope, State, TaskNo, TeamId, Waits, pulse};
use crate::text::quantity::duration;
use crate::verbs::WaitOn;

/// Tasks that an error tells one by one.
const MAX_TOLD: usize = 10;

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

/// How a wait for these tasks of a team stands. A script that stands at a wait is nobody who could still act.
pub fn stands(state: &State, id: TeamId, on: &WaitOn, numbers: &[TaskNo]) -> Stands {
    let nobody = Waits::default();
    let hopes: Vec<Hope> = match on {
        WaitOn::All => vec![pulse::can_all(state, &nobody, id)],
        WaitOn::Tasks { until, .. } => {
            numbers.iter().map(|number| pulse::can_still(state, &nobody, id, *number, until)).collect()
        }
    };
    let mut all = Stands::So;
    for hope in hopes {
        match hope {
            Hope::Met => {}
            Hope::Open => all = Stands::NotYet,
            Hope::Lost(why) => return Stands::Never(format!("this wait can no longer be satisfied: {why}")),
        }
    }
    all
}

/// What is said of a wait that took too long, up to `due_ms` of the run's time.
pub fn over_its_time(state: &State, id: TeamId, numbers: &[TaskNo], due_ms: u64) -> String {
    let why = |n: &TaskNo| Some(pulse::why_not(state.team(id)?, state.task(id, *n)?));
    let open = if numbers.is_empty() { outstanding(state, id) } else { numbers.to_vec() };
    let mut stands: Vec<String> = open.iter().take(MAX_TOLD).filter_map(why).collect();
    let more = open.len().saturating_sub(MAX_TOLD);
    stands.extend((more > 0).then(|| format!("and {more} more")));
    let what = format!("this wait is over its time, at {}: {}", duration(due_ms), stands.join(", "));
    what.trim_end_matches(": ").to_owned()
}

/// What a wait for all of a team still waits for.
fn outstanding(state: &State, id: TeamId) -> Vec<TaskNo> {
    let tasks = state.team(id).map(|team| team.tasks.as_slice()).unwrap_or_default();
    tasks.iter().filter(|task| task.is_outstanding() && !task.is_held()).map(|task| task.number).collect()
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
