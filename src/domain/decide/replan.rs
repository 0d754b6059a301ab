//! Replan: cancels, additions, rewirings, prompts and replacements in one step, all or nothing (R18 to R20).
use super::find::{self, Caller};
use super::{Draft, Reply, create, verdict};
use crate::domain::event::{MemberAdded, PlanChanged};
use crate::domain::state::{Phase, State, Team};
use crate::domain::{
    AddMember, Code, Data, Dependents, EdgeFact, EdgeSpec, MemberSpec, Name, PlanDiff, PlanStep, Rejection,
    Replan, Status, TaskNo, TaskRef, TaskSpec, TeamId,
};
use crate::text::Untrusted;
use std::collections::BTreeMap;

/// Everything a replan does, in numbers, checked.
#[derive(Default)]
struct Change {
    cancel: BTreeMap<TaskNo, Option<Dependents>>,
    add: Vec<(MemberSpec, Option<TaskNo>)>,
    given: BTreeMap<Name, Vec<String>>,
    rewire: BTreeMap<TaskNo, Vec<EdgeSpec>>,
    prompts: Vec<(TaskNo, Untrusted)>,
    replace: BTreeMap<TaskNo, Name>,
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
    check_graph(team, &change)?;
    if replan.dry_run {
        let mut copy = draft.state.clone();
        let mut trial = Draft::new(&mut copy, draft.now, None);
        trial.by = draft.by.clone();
        let diff = apply(&mut trial, id, change)?;
        return Ok(told(&diff, "would change the plan").with(Data::Plan(Box::new(diff))));
    }
    let diff = apply(draft, id, change)?;
    Ok(told(&diff, "changed the plan").with(Data::Plan(Box::new(diff))))
}

fn gather(team: &Team, replan: &Replan) -> Result<Change, Rejection> {
    let mut change = Change::default();
    let mut number = team.next_number();
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
            PlanStep::Add(added) => {
                let member = new_member(team, &change, added)?;
                let own = member.brief.as_ref().map(|_| number);
                number = if own.is_some() { number.next() } else { number };
                change.given.insert(member.name.clone(), added.given.clone());
                change.add.push((member, own));
            }
            PlanStep::Rewire { task, after } => {
                let task = find::task(team, task)?;
                if !task.status().is_waiting() {
                    return Err(Rejection::new(
                        Code::WrongStatus,
                        format!(
                            "{} (#{}) is {}; only a task that has not started can be rewired",
                            task.label(),
                            task.number,
                            task.status()
                        ),
                    ));
                }
                change.rewire.insert(task.number, after.clone());
            }
            PlanStep::Prompt { task, text } => {
                let task = find::task(team, task)?;
                if !task.status().is_waiting() && !task.status().is_settled() {
                    return Err(live_prompt(task));
                }
                change.prompts.push((task.number, text.clone()));
            }
            PlanStep::Replace { old, new } => {
                let task = find::task(team, old)?;
                if task.phase == Phase::Completed {
                    return Err(verdict::final_task(task));
                }
                if let Some(earlier) = change.replace.insert(task.number, new.clone()) {
                    let what = format!("{} is replaced twice, by `{earlier}` and by `{new}`", task.label());
                    return Err(Rejection::new(Code::BadPlan, what));
                }
            }
        }
    }
    inherit(team, &mut change)?;
    Ok(change)
}

fn live_prompt(task: &crate::domain::state::Task) -> Rejection {
    let label = task.label();
    Rejection::new(
        Code::WrongStatus,
        format!("{label} (#{}) is {}; its prompt cannot be edited", task.number, task.status()),
    )
    .help(format!("write to it: `teamtui do send {label} \"...\"`"))
    .help(format!("or put another in its place: `replan add NAME ... replace {label}=NAME`"))
}

/// A name that is taken is refused in a replan (R2).
fn new_member(team: &Team, change: &Change, added: &AddMember) -> Result<MemberSpec, Rejection> {
    let mut member = added.member.clone();
    Name::parse(member.name.as_str()).map_err(|e| Rejection::new(Code::BadName, e.to_string()))?;
    let staged = change.add.iter().any(|(m, _)| m.name == member.name);
    if staged || team.members.contains_key(&member.name) || team.names.contains_key(&member.name) {
        return Err(Rejection::new(Code::BadName, format!("the name `{}` is taken", member.name))
            .help(format!("another name: `replan add {} ...`", member.name.with_suffix("-2"))));
    }
    member.agent_name = member.agent_name.or_else(|| added.like.clone());
    create::resolve_agent(team, &mut member)?;
    if let Some(brief) = &mut member.brief {
        brief.name = Some(member.name.clone());
        create::check_texts(member.name.as_str(), brief)?;
    }
    Ok(member)
}

/// R20: the new one inherits what was not given, and those that wait for the old wait for the new.
fn inherit(team: &Team, change: &mut Change) -> Result<(), Rejection> {
    for (old, new) in change.replace.clone() {
        let Some(task) = team.task(old) else { continue };
        let given = change.given.get(&new).cloned().unwrap_or_default();
        let Some((member, number)) = change.add.iter_mut().find(|(m, _)| m.name == new) else {
            return Err(Rejection::new(
                Code::BadPlan,
                format!("`{new}` is not added in this replan, so it cannot replace {}", task.label()),
            )
            .help(format!(
                "add it in the same step: `replan add {new} ... replace {}={new}`",
                task.label()
            )));
        };
        let Some(brief) = &mut member.brief else {
            return Err(Rejection::new(
                Code::BadPlan,
                format!("{new} has no brief to put in the place of {}", task.label()),
            )
            .help("give it one of `prompt=`, `run=`, `argv=`"));
        };
        let was = |key: &str| given.iter().any(|g| g == key);
        inherit_brief(team, task, brief, &was);
        if !task.status().is_final() {
            change.cancel.entry(old).or_insert(None);
        }
        let Some(number) = *number else { continue };
        for dependent in
            team.tasks.iter().filter(|t| t.status().is_waiting() && t.edges.iter().any(|e| e.on == old))
        {
            let edges = change.rewire.entry(dependent.number).or_insert_with(|| {
                dependent
                    .edges
                    .iter()
                    .map(|e| EdgeSpec { on: TaskRef::Number(e.on), needs: e.needs })
                    .collect()
            });
            for edge in edges.iter_mut().filter(|e| team.find_task(&e.on) == Some(old)) {
                edge.on = TaskRef::Number(number);
            }
        }
    }
    Ok(())
}

fn inherit_brief(
    team: &Team,
    task: &crate::domain::state::Task,
    brief: &mut TaskSpec,
    was: &dyn Fn(&str) -> bool,
) {
    if !was("after") {
        let label = |no: TaskNo| {
            team.task(no).and_then(|t| t.spec.name.clone()).map_or(TaskRef::Number(no), TaskRef::Name)
        };
        brief.depends_on = task.edges.iter().map(|e| EdgeSpec { on: label(e.on), needs: e.needs }).collect();
    }
    if !was("priority") {
        brief.priority = task.spec.priority;
    }
    if !was("outputs") {
        brief.outputs = task.spec.outputs.clone();
    }
    if !was("checks") {
        brief.checks = task.spec.checks.clone();
    }
    if !was("optional") {
        brief.optional = task.spec.optional;
    }
}

/// Every edge of the plan to be: known, once, not to what will not complete, and without a loop.
fn check_graph(team: &Team, change: &Change) -> Result<(), Rejection> {
    let mut labels: BTreeMap<TaskNo, String> = team.tasks.iter().map(|t| (t.number, t.label())).collect();
    let mut by_name: BTreeMap<&Name, TaskNo> = team.names.iter().map(|(name, no)| (name, *no)).collect();
    for (member, number) in &change.add {
        if let Some(number) = number {
            labels.insert(*number, member.name.to_string());
            by_name.insert(&member.name, *number);
        }
    }
    let resolve = |r: &TaskRef| match r {
        TaskRef::Name(name) => by_name.get(name).copied(),
        TaskRef::Number(no) => Name::reference(&no.to_string())
            .ok()
            .and_then(|name| by_name.get(&name).copied())
            .or_else(|| labels.contains_key(no).then_some(*no)),
    };
    let known: Vec<&str> = by_name.keys().map(|n| n.as_str()).collect();
    let mut edges: Vec<(TaskNo, TaskNo)> = Vec::new();
    let mut wire = |own: TaskNo, declared: &[EdgeSpec], fresh: &[EdgeSpec]| -> Result<(), Rejection> {
        let label = labels.get(&own).cloned().unwrap_or_default();
        let upstreams = create::check_edges(&label, own, declared, &resolve, &known)?;
        check_alive(team, change, &label, fresh, &resolve)?;
        edges.extend(upstreams.into_iter().map(|on| (on, own)));
        Ok(())
    };
    for task in &team.tasks {
        let before: Vec<EdgeSpec> =
            task.edges.iter().map(|e| EdgeSpec { on: TaskRef::Number(e.on), needs: e.needs }).collect();
        let declared = change.rewire.get(&task.number).unwrap_or(&before);
        let is_old =
            |e: &EdgeSpec| resolve(&e.on).is_some_and(|on| task.edges.iter().any(|old| old.on == on));
        let fresh: Vec<EdgeSpec> = declared.iter().filter(|e| !is_old(e)).cloned().collect();
        wire(task.number, declared, &fresh)?;
    }
    for (member, number) in &change.add {
        if let (Some(brief), Some(number)) = (&member.brief, number) {
            wire(*number, &brief.depends_on, &brief.depends_on)?;
        }
    }
    let nodes: Vec<TaskNo> = labels.keys().copied().collect();
    create::no_cycle(&nodes, &edges, |no| labels.get(&no).cloned().unwrap_or_default())
        .map_err(|r| Rejection { what: format!("{}; nothing was applied", r.what), ..r })
}

/// R19, with what this replan itself cancels or replaces.
fn check_alive(
    team: &Team,
    change: &Change,
    label: &str,
    declared: &[EdgeSpec],
    resolve: &dyn Fn(&TaskRef) -> Option<TaskNo>,
) -> Result<(), Rejection> {
    for edge in declared.iter().filter(|e| e.needs == crate::domain::Needs::Completed) {
        let Some(number) = resolve(&edge.on) else { continue };
        let Some(task) = team.task(number) else { continue };
        let replaced = change.replace.contains_key(&number);
        let cancelled = change.cancel.contains_key(&number);
        let dead = task.status().is_settled() || task.status() == Status::Cancelled || cancelled;
        if dead && !replaced {
            let status = if cancelled { Status::Cancelled } else { task.status() };
            let name = task.label();
            return Err(Rejection::new(
                Code::BadPlan,
                format!("{label} would wait for {name} (#{number}), which is {status}; nothing was applied"),
            )
            .help(format!("replace it in the same step: `replace {name}=NAME`"))
            .help(format!("or only order by it: `{name}:finished`")));
        }
    }
    Ok(())
}

/// Emits the whole change, and says what it comes to.
fn apply(draft: &mut Draft<'_>, id: TeamId, change: Change) -> Result<PlanDiff, Rejection> {
    let Some(before) = draft.state.team(id).cloned() else { return Err(create::gone()) };
    for (member, number) in &change.add {
        draft.emit(Some(id), MemberAdded { member: Box::new(member.clone()), number: *number });
    }
    let Some(team) = draft.state.team(id) else { return Err(create::gone()) };
    let rewired =
        change.rewire.iter().map(|(number, after)| (*number, edges(team, *number, after))).collect();
    let find_new = |name: &Name| team.names.get(name).copied();
    let replaced =
        change.replace.iter().filter_map(|(old, new)| find_new(new).map(|new| (*old, new))).collect();
    let revision = before.revision.next();
    draft.emit(Some(id), PlanChanged { revision, rewired, prompts: change.prompts.clone(), replaced });
    for (number, dependents) in &change.cancel {
        let reason = change
            .replace
            .get(number)
            .map_or_else(|| "by a replan".to_owned(), |new| format!("replaced by {new}"));
        verdict::cancel_one(draft, id, *number, *dependents, &Untrusted::from(reason));
    }
    Ok(diff(&before, draft.state, id, &change))
}

fn edges(team: &Team, number: TaskNo, after: &[EdgeSpec]) -> Vec<EdgeFact> {
    let waived =
        |on: TaskNo| team.task(number).is_some_and(|t| t.edges.iter().any(|e| e.on == on && e.waived));
    let fact = |e: &EdgeSpec| {
        team.find_task(&e.on).map(|on| EdgeFact { waived: waived(on), ..EdgeFact::new(on, e) })
    };
    after.iter().filter_map(fact).collect()
}

fn diff(before: &Team, state: &State, id: TeamId, change: &Change) -> PlanDiff {
    let Some(team) = state.team(id) else { return PlanDiff::default() };
    let label =
        |no: TaskNo| team.task(no).map_or_else(|| format!("#{no}"), crate::domain::state::Task::label);
    let names =
        |task: &crate::domain::state::Task| task.edges.iter().map(|e| label(e.on)).collect::<Vec<_>>();
    let mut out = PlanDiff { revision: team.revision, ..PlanDiff::default() };
    for task in &team.tasks {
        let old = before.task(task.number);
        let was_alive = old.is_some_and(|t| t.status() != Status::Cancelled);
        if let Some(old) = old.filter(|_| task.status() == Status::Cancelled && was_alive) {
            out.dropped.push((task.label(), old.status()));
            if matches!(old.phase, Phase::Running(_)) {
                out.cut_off.push(task.label());
            }
            let written = old.attempts.iter().flat_map(|a| a.outputs.iter().map(|(path, _)| path.clone()));
            out.at_risk.extend(written);
        } else if let Some(old) = old.filter(|_| was_alive) {
            out.kept.push(task.label());
            if old.edges.iter().map(|e| (e.on, e.needs)).ne(task.edges.iter().map(|e| (e.on, e.needs))) {
                out.rewired.push((task.label(), names(old), names(task)));
            }
        }
        let is_ready = |t: &crate::domain::state::Task| t.status() == Status::Pending;
        if is_ready(task) && !old.is_some_and(is_ready) {
            out.runnable.push(task.label());
        }
        if task.is_held() {
            let by = team
                .open_edges(task)
                .into_iter()
                .filter(|(e, s)| e.effect(*s).1)
                .map(|(e, _)| label(e.on))
                .collect();
            out.held.push((task.label(), by));
        }
    }
    out.prompts = change.prompts.iter().map(|(no, _)| label(*no)).collect();
    out.added = change
        .add
        .iter()
        .map(|(member, number)| crate::domain::AddedTask {
            name: member.name.clone(),
            agent: member.agent_name.clone(),
            number: *number,
            after: number.and_then(|no| team.task(no)).map(&names).unwrap_or_default(),
            replaces: change.replace.iter().find(|(_, new)| **new == member.name).map(|(old, _)| label(*old)),
        })
        .collect();
    out
}

/// The difference in text, headings always the same.
fn told(diff: &PlanDiff, verb: &str) -> Reply {
    let list =
        |items: &[String]| if items.is_empty() { String::new() } else { format!("  {}", items.join(" ")) };
    let row = |head: &str, items: &[String]| {
        format!("{head:<15}{:>3}{}", items.len(), list(items)).trim_end().to_owned()
    };
    let added: Vec<String> = diff
        .added
        .iter()
        .map(|a| {
            if a.after.is_empty() {
                a.name.to_string()
            } else {
                format!("{} (after {})", a.name, a.after.join(", "))
            }
        })
        .collect();
    let dropped: Vec<String> =
        diff.dropped.iter().map(|(label, status)| format!("{label} ({status})")).collect();
    let held: Vec<String> =
        diff.held.iter().map(|(label, by)| format!("{label} (by {})", by.join(", "))).collect();
    let mut reply = Reply::say(format!("{verb}: revision {}", diff.revision))
        .and(row("kept", &diff.kept))
        .and(row("added", &added))
        .and(row("dropped", &dropped))
        .and(row("newly runnable", &diff.runnable))
        .and(row("still held", &held));
    for (label, before, after) in &diff.rewired {
        reply = reply.and(format!("  {label} now after {} (was {})", after.join(", "), before.join(", ")));
    }
    if !diff.cut_off.is_empty() {
        reply = reply.and(row("cut off", &diff.cut_off));
    }
    if !diff.at_risk.is_empty() {
        reply = reply.and(row("at risk", &diff.at_risk));
    }
    reply
}
