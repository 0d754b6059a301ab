//! The plan as a graph: its critical path, and what holds a task at the end of the chain.
use crate::domain::state::{Phase, Standing, Task, Team};
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
