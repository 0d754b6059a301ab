//! A wait, tested on a fold: so, not yet, or never. Scripts and `teamtui do` stand at the same waits.
use crate::domain::state::Team;
use crate::domain::{Hope, State, TaskNo, TeamId, Waits, pulse};
use crate::text::quantity::duration;
use crate::verbs::WaitOn;

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
    let stands: Vec<String> = numbers.iter().filter_map(why).collect();
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
