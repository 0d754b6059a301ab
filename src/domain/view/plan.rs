//! The plan as a graph: its critical path, and what holds a task at the end of the chain.
use super::task;
use crate::domain::state::{Phase, Standing, State, Task, Team};
use crate::domain::{Needs, TaskNo};
use crate::graph::Dag;
use std::collections::{BTreeMap, BTreeSet};

/// Causes kept of one held task; further ones are left out. Reason: they are read by a person.
pub const MAX_CAUSES: usize = 8;
/// Tasks that are walked through to find the causes of one task.
const MAX_WALK: usize = 10_000;

/// The tasks that count, and what each waits for. Cancelled and replaced tasks are not in it.
pub fn dag(team: &Team) -> Dag<TaskNo, Needs> {
    let counts = |t: &&Task| t.phase != Phase::Cancelled && t.replaced_by.is_none();
    let nodes: Vec<TaskNo> = team.tasks.iter().filter(counts).map(|t| t.number).collect();
    let known: BTreeSet<TaskNo> = nodes.iter().copied().collect();
    let edges: Vec<(TaskNo, TaskNo, Needs)> = team
        .tasks
        .iter()
        .filter(counts)
        .flat_map(|t| t.edges.iter().map(|e| (e.on, t.number, e.needs)))
        .filter(|(on, _, _)| known.contains(on))
        .collect();
    Dag::build(&nodes, &edges).or_else(|_| Dag::build(&nodes, &[])).unwrap_or_default()
}

/// The critical path by the weight of each task in ms; of equal ones the longer in tasks.
pub fn critical(dag: &Dag<TaskNo, Needs>, weight: impl Fn(TaskNo) -> u64) -> Vec<TaskNo> {
    const TIE: u64 = 1 << 20;
    dag.critical_path(|n| weight(n).saturating_mul(TIE).saturating_add(1)).nodes
}

/// The chain that decides when a team is done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Path {
    /// Tasks that are over and led to it, upstream first: of several the one that ended last, for the next waited for it.
    pub over: Vec<TaskNo>,
    /// What is left: of all chains of tasks that are not over the one with the most left to do, upstream first.
    pub left: Vec<TaskNo>,
}

/// A task that nothing is known of is guessed to take so long, in ms.
const UNKNOWN_MS: u64 = 1_000;

/// The critical path of a team at `now_ms`. `known`: what a task took in an earlier run, in ms; else it is guessed to take
/// as long as the tasks of the team took that completed.
pub fn path(state: &State, team: &Team, now_ms: u64, known: impl Fn(&Task) -> Option<u64>) -> Path {
    let live = |task: &Task| task::live(state, task).map_or(0, |attempt| attempt.took_ms(now_ms));
    let took = |task: &Task| task.attempts.iter().fold(live(task), |sum, a| sum.saturating_add(a.took_ms));
    let completed: Vec<u64> = team.tasks.iter().filter(|t| t.phase == Phase::Completed).map(took).collect();
    let sum = completed.iter().fold(0_u64, |sum, ms| sum.saturating_add(*ms));
    let usual = sum.checked_div(u64::try_from(completed.len()).unwrap_or(0)).unwrap_or(UNKNOWN_MS);
    let to_do = |task: &Task| known(task).unwrap_or(usual).saturating_sub(took(task)).max(1);
    let open = |number: TaskNo| team.task(number).filter(|task| !is_over(task));
    let all = dag(team);
    let nodes: Vec<TaskNo> = all.topological().into_iter().filter(|n| open(*n).is_some()).collect();
    let edges: Vec<(TaskNo, TaskNo, Needs)> = nodes
        .iter()
        .flat_map(|n| all.downstream(*n).into_iter().map(|(below, needs)| (*n, below, needs)))
        .filter(|(_, below, _)| open(*below).is_some())
        .collect();
    let rest = Dag::build(&nodes, &edges).unwrap_or_default();
    let left = critical(&rest, |number| open(number).map_or(0, to_do));
    Path { over: led_to(team, left.first().copied()), left }
}

/// The tasks that are over and led to a task; to none: to the one that ended last.
fn led_to(team: &Team, to: Option<TaskNo>) -> Vec<TaskNo> {
    let last = |numbers: &mut dyn Iterator<Item = TaskNo>| {
        let over = numbers.filter_map(|n| team.task(n)).filter(|t| is_over(t) && t.phase != Phase::Cancelled);
        over.max_by_key(|task| (task.since_ms, std::cmp::Reverse(task.number)))
    };
    let above = |task: &Task| last(&mut task.edges.iter().map(|edge| edge.on));
    let mut next = match to {
        Some(number) => team.task(number).and_then(above),
        None => last(&mut team.tasks.iter().map(|task| task.number)),
    };
    let mut chain = Vec::new();
    while let Some(task) = next.filter(|_| chain.len() < team.tasks.len()) {
        chain.push(task.number);
        next = above(task);
    }
    chain.reverse();
    chain
}

fn is_over(task: &Task) -> bool {
    let status = task.status();
    status.is_final() || status.is_settled()
}

/// What holds each held task at the end of its chain: tasks that are settled or cancelled, by number.
pub fn causes(team: &Team, dag: &Dag<TaskNo, Needs>) -> BTreeMap<TaskNo, Vec<TaskNo>> {
    let mut found: BTreeMap<TaskNo, Vec<TaskNo>> = BTreeMap::new();
    for number in dag.topological() {
        let Some(task) = team.task(number).filter(|t| t.is_held()) else { continue };
        let mut causes = BTreeSet::new();
        for upstream in holders(team, task) {
            match found.get(&upstream) {
                Some(above) => causes.extend(above.iter().copied()),
                None => drop(causes.insert(upstream)),
            }
        }
        found.insert(number, causes.into_iter().take(MAX_CAUSES).collect());
    }
    found
}

/// What holds one task at the end of its chain, by number.
pub fn causes_of(team: &Team, task: &Task) -> Vec<TaskNo> {
    let mut seen = BTreeSet::new();
    let mut causes = BTreeSet::new();
    let mut open: Vec<TaskNo> = holders(team, task).collect();
    while let Some(number) = open.pop() {
        if seen.len() >= MAX_WALK || !seen.insert(number) {
            continue;
        }
        match team.task(number).filter(|t| t.is_held()) {
            Some(held) => open.extend(holders(team, held)),
            None => drop(causes.insert(number)),
        }
    }
    causes.into_iter().take(MAX_CAUSES).collect()
}

/// Upstreams that hold a task.
pub fn holders<'a>(team: &'a Team, task: &'a Task) -> impl Iterator<Item = TaskNo> + 'a {
    let standing = |on| team.task(on).map_or(Standing::Over, Task::standing);
    task.edges.iter().filter(move |e| e.effect(standing(e.on)).1).map(|e| e.on)
}
