//! Replan: cancels, additions, rewirings, prompts and replacements in one step, all or nothing (R18 to R20).
use super::find::{self, Caller};
use super::{Draft, Reply, create, diff, seat, verdict, wire};
use crate::domain::event::{MemberAdded, PlanChanged};
use crate::domain::state::{Phase, Task, Team};
use crate::domain::{
    AddMember, Code, Data, Dependents, EdgeFact, EdgeSpec, MemberSpec, Name, Needs, PlanDiff, PlanStep,
    Rejection, Replan, TaskNo, TeamId,
};
use crate::text::Untrusted;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Everything a replan does, in numbers, checked.
#[derive(Default)]
pub(super) struct Change {
    pub cancel: BTreeMap<TaskNo, Option<Dependents>>,
    pub add: Vec<Addition>,
    /// Edges as they were written.
    pub written: BTreeMap<TaskNo, Vec<EdgeSpec>>,
    /// All the edges that these tasks have afterwards, the new ones among them.
    pub edges: BTreeMap<TaskNo, BTreeMap<TaskNo, Needs>>,
    pub prompts: Vec<(TaskNo, Untrusted)>,
    /// Old and new.
    pub replace: BTreeMap<TaskNo, TaskNo>,
}

/// A member to be added, and the number of its brief.
pub(super) struct Addition {
    pub member: MemberSpec,
    pub number: Option<TaskNo>,
    pub given: Vec<String>,
}

pub(super) fn replan(draft: &mut Draft<'_>, caller: &Caller, replan: &Replan) -> Result<Reply, Rejection> {
    let id = caller.team(draft.state)?;
    let Some(team) = draft.state.team(id) else { return Err(create::gone()) };
    if let Some(at) = replan.at.filter(|at| *at != team.revision) {
        return Err(Rejection::new(
            Code::OldRevision,
            format!("the plan is at revision {}, not {at}; nothing was applied", team.revision),
        )
        .help("look at it again: `teamtui status`, then replan without `at=`"));
    }
    if replan.steps.is_empty() {
        return Err(Rejection::new(Code::BadPlan, "a replan needs at least one step")
            .help("see `teamtui help replan`"));
    }
    let change = gather(team, replan)?;
    if replan.dry_run {
        let mut copy = draft.state.clone();
        let mut trial = Draft::new(&mut copy, draft.now, None);
        trial.by = draft.by.clone();
        let diff = apply(&mut trial, id, &change)?;
        return Ok(diff::told(&diff, "would change the plan").with(Data::Plan(Box::new(diff))));
    }
    let diff = apply(draft, id, &change)?;
    Ok(diff::told(&diff, "changed the plan").with(Data::Plan(Box::new(diff))))
}

fn gather(team: &Team, replan: &Replan) -> Result<Change, Rejection> {
    let mut change = Change::default();
    let mut replaced: Vec<(TaskNo, Name)> = Vec::new();
    for step in &replan.steps {
        match step {
            PlanStep::Cancel { tasks, dependents } => {
                for reference in tasks {
                    let task = find::task(team, reference)?;
                    if task.status().is_final() {
                        return Err(verdict::final_task(task));
                    }
                    change.cancel.insert(task.number, *dependents);
                }
            }
            PlanStep::Add(added) => add(team, &mut change, added)?,
            PlanStep::Rewire { task, after } => {
                let task = find::task(team, task)?;
                if !task.status().is_waiting() {
                    return Err(started(task));
                }
                change.written.insert(task.number, after.clone());
            }
            PlanStep::Prompt { task, text } => {
                let task = find::task(team, task)?;
                if !task.status().is_waiting() && !task.status().is_settled() {
                    return Err(live_prompt(task));
                }
                create::check_prompt(&task.label(), Some(text))?;
                change.prompts.push((task.number, text.clone()));
            }
            PlanStep::Replace { old, new } => {
                let task = find::task(team, old)?;
                if task.phase == Phase::Completed {
                    return Err(verdict::final_task(task));
                }
                if let Some((_, earlier)) = replaced.iter().find(|(no, _)| *no == task.number) {
                    let what = format!("{} is replaced twice, by `{earlier}` and by `{new}`", task.label());
                    return Err(Rejection::new(Code::BadPlan, what).help("leave out one of the two"));
                }
                replaced.push((task.number, new.clone()));
            }
        }
    }
    create::check_member_room(team, change.add.len())?;
    check_reviewers(team, &change)?;
    for (old, new) in replaced {
        replace(team, &mut change, old, &new)?;
    }
    wire::wire(team, &mut change)?;
    Ok(change)
}

fn started(task: &Task) -> Rejection {
    let what = format!(
        "{} (#{}) is {}; only a task that has not started can be rewired",
        task.label(),
        task.number,
        task.status()
    );
    Rejection::new(Code::WrongStatus, what)
        .help(format!("put another in its place: `replan add NAME ... replace {}=NAME`", task.label()))
}

fn live_prompt(task: &Task) -> Rejection {
    let label = task.label();
    Rejection::new(
        Code::WrongStatus,
        format!("{label} (#{}) is {}; its prompt cannot be edited", task.number, task.status()),
    )
    .help(format!("write to it: `teamtui do send {label} \"...\"`"))
    .help(format!("or put another in its place: `replan add NAME ... replace {label}=NAME`"))
}

/// A name that is taken is refused in a replan (R2).
fn add(team: &Team, change: &mut Change, added: &AddMember) -> Result<(), Rejection> {
    let mut member = added.member.clone();
    Name::parse(member.name.as_str()).map_err(create::bad_name)?;
    let staged = change.add.iter().any(|a| a.member.name == member.name);
    if staged || team.members.contains_key(&member.name) || team.names.contains_key(&member.name) {
        return Err(Rejection::new(Code::BadName, format!("the name `{}` is taken", member.name))
            .help(format!("another name: `replan add {} ...`", member.name.with_suffix("-2"))));
    }
    member.agent_name = member.agent_name.or_else(|| added.like.clone());
    seat::resolve_agent(team, &mut member, &added.given)?;
    let mut number = None;
    if let Some(brief) = &mut member.brief {
        let brief = Arc::make_mut(brief);
        brief.name = Some(member.name.clone());
        brief.assignee = Some(member.name.clone());
        create::check_prompt(member.name.as_str(), brief.prompt.as_ref())?;
        let before = change.add.iter().filter(|a| a.number.is_some()).count();
        let own = TaskNo(team.next_number().0 + u32::try_from(before).unwrap_or(u32::MAX));
        change.written.insert(own, brief.depends_on.clone());
        number = Some(own);
    }
    change.add.push(Addition { member, number, given: added.given.clone() });
    Ok(())
}

/// The reviewers of a new task have chairs, before or after this replan, and none of them does it.
fn check_reviewers(team: &Team, change: &Change) -> Result<(), Rejection> {
    for Addition { member, .. } in &change.add {
        let review = member.brief.as_ref().map(|b| b.review.as_slice()).unwrap_or_default();
        let seated: Vec<_> = review
            .iter()
            .filter(|r| !change.add.iter().any(|a| a.member.name != member.name && names(r, &a.member.name)))
            .cloned()
            .collect();
        create::check_reviewers(team, member.name.as_str(), Some(&member.name), &seated)?;
    }
    Ok(())
}

fn names(reviewer: &crate::domain::Reviewer, name: &Name) -> bool {
    *reviewer == crate::domain::Reviewer::Member(name.clone())
}

/// R20: the new one inherits what was not given, and the old one is cancelled if it is not final.
fn replace(team: &Team, change: &mut Change, old: TaskNo, new: &Name) -> Result<(), Rejection> {
    let Some(task) = team.task(old) else { return Ok(()) };
    let Some(addition) = change.add.iter_mut().find(|a| a.member.name == *new) else {
        return Err(Rejection::new(
            Code::BadPlan,
            format!("`{new}` is not added in this replan, so it cannot replace {}", task.label()),
        )
        .help(format!("add it in the same step: `replan add {new} ... replace {}={new}`", task.label())));
    };
    let (Some(brief), Some(number)) = (&mut addition.member.brief, addition.number) else {
        return Err(Rejection::new(
            Code::BadPlan,
            format!("{new} has no brief to put in the place of {}", task.label()),
        )
        .help("give it one of `prompt=`, `run=`, `argv=`"));
    };
    let brief = Arc::make_mut(brief);
    let first = !change.replace.values().any(|n| *n == number);
    let inherits = |key: &str| !addition.given.iter().any(|g| g == key);
    if inherits("after") {
        let edges = change.edges.entry(number).or_default();
        for edge in &task.edges {
            let needs = edges.entry(edge.on).or_insert(edge.needs);
            *needs = edge.needs.min(*needs);
        }
        change.written.remove(&number);
        brief.depends_on = edges.iter().map(|(on, needs)| wire::declared(team, *on, *needs)).collect();
    }
    if inherits("priority") && first {
        brief.priority = task.spec.priority;
    }
    if inherits("outputs") && first {
        brief.outputs = task.spec.outputs.clone();
    }
    if inherits("checks") && first {
        brief.checks = task.spec.checks.clone();
    }
    if inherits("optional") && first {
        brief.optional = task.spec.optional;
    }
    if !task.status().is_final() {
        change.cancel.entry(old).or_insert(None);
    }
    change.replace.insert(old, number);
    Ok(())
}

/// Emits the whole change, and says what it comes to.
fn apply(draft: &mut Draft<'_>, id: TeamId, change: &Change) -> Result<PlanDiff, Rejection> {
    let Some(before) = draft.state.team(id).cloned() else { return Err(create::gone()) };
    for Addition { member, number, .. } in &change.add {
        draft.emit(Some(id), MemberAdded { member: Box::new(member.clone()), number: *number });
    }
    let rewired =
        change.edges.iter().map(|(number, edges)| (*number, facts(&before, *number, edges))).collect();
    let replaced = change.replace.iter().map(|(old, new)| (*old, *new)).collect();
    let revision = before.revision.next();
    draft.emit(Some(id), PlanChanged { revision, rewired, prompts: change.prompts.clone(), replaced });
    for (number, dependents) in &change.cancel {
        let new = change.replace.get(number).and_then(|new| draft.state.task(id, *new)).map(Task::label);
        let reason = new.map_or_else(|| "by a replan".to_owned(), |new| format!("replaced by {new}"));
        verdict::cancel_one(draft, id, *number, *dependents, &Untrusted::from(reason));
    }
    Ok(diff::diff(&before, draft.state, id, change))
}

/// Edges that stay keep their waivers.
fn facts(before: &Team, number: TaskNo, edges: &BTreeMap<TaskNo, Needs>) -> Vec<EdgeFact> {
    let waived = |on: TaskNo| before.task(number).and_then(|t| t.edge(on)).is_some_and(|e| e.waived);
    edges.iter().map(|(on, needs)| EdgeFact { on: *on, needs: *needs, waived: waived(*on) }).collect()
}
