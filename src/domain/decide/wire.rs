//! The edges of a plan to be: every one known, once, not to what will not complete, and without a loop (R5, R19, R20).
use super::replan::Change;
use super::{create, declare};
use crate::domain::state::Team;
use crate::domain::{Code, EdgeSpec, Name, Needs, Rejection, Status, TaskNo, TaskRef};
use std::collections::BTreeMap;

/// Turns the edges that were written into numbers, moves those on what is replaced, and checks the whole.
pub(super) fn wire(team: &Team, change: &mut Change) -> Result<(), Rejection> {
    let plan = Plan::of(team, change);
    for (own, written) in std::mem::take(&mut change.written) {
        let label = plan.label(own);
        let known = || plan.names.keys().map(|n| n.as_str()).collect();
        declare::check_edges(&label, own, &written, &|r| plan.find(r), &known)?;
        let edges = written.iter().filter_map(|e| plan.find(&e.on).map(|on| (on, e.needs)));
        change.edges.insert(own, edges.collect());
    }
    for task in team.tasks.iter().filter(|t| t.status().is_waiting()) {
        if task.edges.iter().any(|e| change.replace.contains_key(&e.on)) {
            let edges = || task.edges.iter().map(|e| (e.on, e.needs)).collect();
            change.edges.entry(task.number).or_insert_with(edges);
        }
    }
    for edges in change.edges.values_mut() {
        redirect(edges, &change.replace);
    }
    for (own, edges) in &change.edges {
        check_alive(team, change, &plan.label(*own), *own, edges)?;
    }
    check_loop(team, change, &plan)
}

/// Those that wait for the old wait for the new; where both were waited for, once, and for its result if either was.
fn redirect(edges: &mut BTreeMap<TaskNo, Needs>, replace: &BTreeMap<TaskNo, TaskNo>) {
    for (old, new) in replace {
        if let Some(moved) = edges.remove(old) {
            let needs = edges.entry(*new).or_insert(moved);
            *needs = moved.min(*needs);
        }
    }
}

/// Tasks of the plan to be, by name and number.
struct Plan<'a> {
    names: BTreeMap<Name, TaskNo>,
    team: &'a Team,
    added: BTreeMap<TaskNo, Name>,
}

impl<'a> Plan<'a> {
    fn of(team: &'a Team, change: &Change) -> Self {
        let new = change.add.iter().filter_map(|a| Some((a.number?, a.member.name.clone())));
        let added: BTreeMap<TaskNo, Name> = new.collect();
        let mut names = team.names.clone();
        names.extend(added.iter().map(|(no, name)| (name.clone(), *no)));
        Self { names, team, added }
    }

    /// Its own name wins over a number.
    fn find(&self, reference: &TaskRef) -> Option<TaskNo> {
        match reference {
            TaskRef::Name(name) => self.names.get(name).copied(),
            TaskRef::Number(no) => {
                let name = Name::reference(&no.to_string()).ok();
                let named = name.and_then(|name| self.names.get(&name).copied());
                let is_there = self.team.task(*no).is_some() || self.added.contains_key(no);
                named.or(is_there.then_some(*no))
            }
        }
    }

    fn label(&self, no: TaskNo) -> String {
        match (self.team.task(no), self.added.get(&no)) {
            (Some(task), _) => task.label(),
            (None, Some(name)) => name.to_string(),
            (None, None) => format!("#{no}"),
        }
    }
}

/// An edge as a declaration writes it.
pub(super) fn declared(team: &Team, on: TaskNo, needs: Needs) -> EdgeSpec {
    let name = team.task(on).and_then(|t| t.spec.name.clone());
    EdgeSpec { on: name.map_or(TaskRef::Number(on), TaskRef::Name), needs }
}

/// R19, with what this replan itself cancels. Edges that are there already stay as they are.
fn check_alive(
    team: &Team,
    change: &Change,
    label: &str,
    own: TaskNo,
    edges: &BTreeMap<TaskNo, Needs>,
) -> Result<(), Rejection> {
    for (on, _) in edges.iter().filter(|(_, needs)| **needs == Needs::Completed) {
        let Some(task) = team.task(*on) else { continue };
        let is_old = team.task(own).and_then(|t| t.edge(*on)).is_some();
        let cancelled = change.cancel.contains_key(on);
        let dead = task.status().is_settled() || task.status() == Status::Cancelled || cancelled;
        if dead && !is_old {
            let status = if cancelled { Status::Cancelled } else { task.status() };
            let name = task.label();
            return Err(Rejection::new(
                Code::BadPlan,
                format!("{label} would wait for {name} (#{on}), which is {status}; nothing was applied"),
            )
            .help(format!("replace it in the same step: `replace {name}=NAME`"))
            .help(format!("or only order by it: `{name}:finished`")));
        }
    }
    Ok(())
}

fn check_loop(team: &Team, change: &Change, plan: &Plan<'_>) -> Result<(), Rejection> {
    let nodes: Vec<TaskNo> = team.tasks.iter().map(|t| t.number).chain(plan.added.keys().copied()).collect();
    let kept = team.tasks.iter().filter(|t| !change.edges.contains_key(&t.number));
    let kept = kept.flat_map(|t| t.edges.iter().map(|e| (e.on, t.number)));
    let new = change.edges.iter().flat_map(|(own, edges)| edges.keys().map(|on| (*on, *own)));
    let edges: Vec<(TaskNo, TaskNo)> = kept.chain(new).collect();
    create::no_cycle(&nodes, &edges, |no| plan.label(no))
        .map_err(|r| Rejection { what: format!("{}; nothing was applied", r.what), ..r })
}
