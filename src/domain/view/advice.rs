//! What can be done about a task that is not done: at most three steps, each with a command to paste.
use super::pasted::Pasted;
use super::stand::{self, Pending};
use super::{Wait, phrase, plan, task};
use crate::domain::state::{Edge, Phase, State, Task, Team};
use crate::domain::{Needs, TaskNo};

/// The steps for one task.
pub(super) fn of(state: &State, team: &Team, task: &Task, pasted: &Pasted) -> Vec<String> {
    if let Some(resume) = resume(state, team, task, pasted) {
        return vec![resume];
    }
    let name = phrase::reference(task);
    match task.phase {
        Phase::Completed | Phase::Cancelled => Vec::new(),
        Phase::Failed | Phase::Stale => settled(task, pasted),
        Phase::InReview if task::waits(state, team, task).is_some() => vec![
            format!("accept it: {}", pasted.act(&format!("approve {name}"))),
            format!("return it: {}", pasted.act(&format!("send_back {name} \"...\""))),
        ],
        Phase::InReview => Vec::new(),
        Phase::Running(_) => match task::waits(state, team, task) {
            Some(Wait::Question(..)) => {
                vec![format!("answer it: {}", pasted.act(&format!("answer {name} \"...\"")))]
            }
            _ => Vec::new(),
        },
        Phase::Waiting if task.is_held() => held(team, task, pasted),
        Phase::Waiting if task.open > 0 => chain(state, team, task, pasted),
        Phase::Waiting => pending(state, team, task, pasted),
    }
}

/// A closed run is taken up again first.
fn resume(state: &State, team: &Team, task: &Task, pasted: &Pasted) -> Option<String> {
    if matches!(task.phase, Phase::Completed | Phase::Cancelled) {
        return None;
    }
    if task::waits(state, team, task) == Some(Wait::Review) {
        let options = format!(" --approve {}", phrase::reference(task));
        return pasted.resume(&options).map(|command| format!("accept it: {command}"));
    }
    let settled = matches!(task.phase, Phase::Failed | Phase::Stale) || task.is_held();
    let (what, options) =
        if settled { ("try what failed again", " --failed") } else { ("go on with the run", "") };
    pasted.resume(options).map(|command| format!("{what}: {command}"))
}

fn settled(task: &Task, pasted: &Pasted) -> Vec<String> {
    let name = phrase::reference(task);
    vec![
        format!("try {name} again: {}", pasted.act(&format!("retry {name}"))),
        format!("go on without it: {}", pasted.act(&format!("cancel {name} release"))),
        "put another in its place: `teamtui help replan`".to_owned(),
    ]
}

/// About the first cause; the others are in the chain.
fn held(team: &Team, task: &Task, pasted: &Pasted) -> Vec<String> {
    let causes = plan::causes_of(team, task);
    let Some(cause) = causes.iter().filter_map(|n| team.task(*n)).next() else { return Vec::new() };
    if cause.phase != Phase::Cancelled {
        return settled(cause, pasted);
    }
    let mut help = rewire(team, task, cause.number, pasted);
    help.push("put another in its place: `teamtui help replan`".to_owned());
    help
}

/// A cancelled task is final: whoever waits on it is given other edges.
fn rewire(team: &Team, task: &Task, cause: TaskNo, pasted: &Pasted) -> Vec<String> {
    let direct = task.edges.iter().any(|e| e.on == cause);
    let kept: Vec<String> =
        task.edges.iter().filter(|e| e.on != cause).filter_map(|e| edge(team, e)).collect();
    if !direct || kept.is_empty() {
        return Vec::new();
    }
    let line = format!("replan rewire {} after={}", phrase::reference(task), kept.join(","));
    vec![format!("go on without it: {}", pasted.act(&line))]
}

fn edge(team: &Team, edge: &Edge) -> Option<String> {
    let name = phrase::reference(team.task(edge.on)?);
    Some(if edge.needs == Needs::Finished { format!("{name}:finished") } else { name })
}

/// What a blocked task waits for may wait for a person.
fn chain(state: &State, team: &Team, task: &Task, pasted: &Pasted) -> Vec<String> {
    let open = team.open_edges(task);
    let waits =
        open.iter().filter_map(|(e, _)| team.task(e.on)).find(|t| task::waits(state, team, t).is_some());
    waits.map(|t| of(state, team, t, pasted)).unwrap_or_default()
}

fn pending(state: &State, team: &Team, task: &Task, pasted: &Pasted) -> Vec<String> {
    let name = phrase::reference(task);
    match stand::pending(state, team, task) {
        Pending::TeamPaused => vec![format!("go on: {}", pasted.act("resume"))],
        Pending::MemberPaused(member) => vec![format!("go on: {}", pasted.act(&format!("resume {member}")))],
        Pending::Nobody | Pending::ChairClosed(_) => {
            vec![format!("give it to someone: {}", pasted.act(&format!("assign {name} to=MEMBER")))]
        }
        Pending::Busy(member, _) => {
            vec![format!("see what {member} does: {}", pasted.look(&format!("log {member}")))]
        }
        Pending::Closed | Pending::Ending | Pending::Capped(_) | Pending::Parallel(_) | Pending::Next => {
            Vec::new()
        }
    }
}
