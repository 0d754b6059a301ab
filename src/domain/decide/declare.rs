//! What a declaration must be before anything of it is stored (R1 to R5, R17).
use super::create::bad_name;
use super::find;
use crate::domain::state::Team;
use crate::domain::{
    Code, EdgeSpec, MemberSpec, Name, Rejection, Reviewer, TaskNo, TaskRef, TaskSpec, TeamSpec, limits,
};
use crate::graph;
use crate::text::Untrusted;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The declaration with every brief named after its member, and given to it.
pub(super) fn with_names(spec: &TeamSpec) -> TeamSpec {
    let mut spec = spec.clone();
    for MemberSpec { name, brief, .. } in &mut spec.members {
        let own = Some(&*name);
        if let Some(brief) = brief.as_mut().filter(|b| b.name.as_ref() != own || b.assignee.as_ref() != own) {
            let brief = Arc::make_mut(brief);
            brief.name = Some(name.clone());
            brief.assignee = Some(name.clone());
        }
    }
    spec
}

/// R1 to R5 for a whole team whose briefs have their names.
pub(super) fn check_spec(spec: &TeamSpec) -> Result<(), Rejection> {
    let tasks: Vec<&TaskSpec> =
        spec.members.iter().filter_map(|m| m.brief.as_ref()).chain(&spec.tasks).map(|t| &**t).collect();
    check_size(spec, tasks.len())?;
    check_names(spec)?;
    let numbers: BTreeMap<&Name, TaskNo> =
        tasks.iter().enumerate().filter_map(|(at, t)| Some((t.name.as_ref()?, number_at(at)))).collect();
    let known = || numbers.keys().map(|n| n.as_str()).collect::<Vec<_>>();
    let resolve = |r: &TaskRef| find_declared(&numbers, tasks.len(), r);
    let label = |no: TaskNo| {
        let at = usize::try_from(no.0).ok().and_then(|n| n.checked_sub(1));
        let name = at.and_then(|at| tasks.get(at)).and_then(|t| t.name.as_ref());
        name.map_or_else(|| format!("#{no}"), ToString::to_string)
    };
    let members: BTreeSet<&Name> = spec.members.iter().map(|m| &m.name).collect();
    let mut edges = Vec::new();
    for (at, task) in tasks.iter().enumerate() {
        let own = number_at(at);
        let upstreams = check_edges(&label(own), own, &task.depends_on, &resolve, &known)?;
        edges.extend(upstreams.into_iter().map(|on| (on, own)));
        check_texts(&label(own), task)?;
        check_people(spec, &members, &label(own), task)?;
    }
    let nodes: Vec<TaskNo> = (0..tasks.len()).map(number_at).collect();
    no_cycle(&nodes, &edges, label)
}

fn number_at(at: usize) -> TaskNo {
    TaskNo(u32::try_from(at).unwrap_or(u32::MAX)).next()
}

/// Its own name wins over a number, as in a live team.
fn find_declared(numbers: &BTreeMap<&Name, TaskNo>, count: usize, reference: &TaskRef) -> Option<TaskNo> {
    match reference {
        TaskRef::Name(name) => numbers.get(name).copied(),
        TaskRef::Number(no) => {
            let named = Name::reference(&no.to_string()).ok().and_then(|name| numbers.get(&name).copied());
            let is_there = usize::try_from(no.0).is_ok_and(|n| (1..=count).contains(&n));
            named.or(is_there.then_some(*no))
        }
    }
}

fn check_size(spec: &TeamSpec, tasks: usize) -> Result<(), Rejection> {
    if spec.members.len() > limits::MAX_MEMBERS {
        return Err(over(format!("{} has {} members; at most 1,000 fit", spec.name, spec.members.len())));
    }
    if tasks > limits::MAX_TASKS {
        return Err(over(format!("{} has {tasks} tasks; at most 100,000 fit", spec.name)));
    }
    if spec.limits.parallel == 0 {
        return Err(Rejection::new(
            Code::BadPlan,
            format!("{} could start nothing: parallel is 0", spec.name),
        )
        .help("give it at least 1: `parallel = 1`"));
    }
    Ok(())
}

pub(super) fn over(what: String) -> Rejection {
    Rejection::new(Code::OverLimit, what).help("split it into several teams")
}

/// R1 for each name; R2: members and `[tasks.*]` share one namespace.
fn check_names(spec: &TeamSpec) -> Result<(), Rejection> {
    Name::parse(spec.name.as_str()).map_err(bad_name)?;
    let mut seen: BTreeMap<&Name, &Name> = BTreeMap::new();
    for name in spec.members.iter().map(|m| &m.name).chain(spec.tasks.iter().filter_map(|t| t.name.as_ref()))
    {
        Name::parse(name.as_str()).map_err(bad_name)?;
        if let Some(first) = seen.insert(name, name) {
            return Err(Rejection::new(Code::BadName, format!("the name `{name}` is taken by `{first}`"))
                .help("names must differ by more than case"));
        }
    }
    Ok(())
}

/// Whoever a declared task names has a chair in the team.
fn check_people(
    spec: &TeamSpec,
    members: &BTreeSet<&Name>,
    label: &str,
    task: &TaskSpec,
) -> Result<(), Rejection> {
    let seated = |name: &Name| members.contains(name) || (name.is_lead() && spec.lead.is_some());
    let reviewers = task.review.iter().filter_map(member_of);
    for person in task.assignee.iter().chain(reviewers.clone()) {
        if !seated(person) {
            let names: Vec<&str> = members.iter().map(|n| n.as_str()).collect();
            let what = format!("{label} names the member `{person}`, which {} does not have", spec.name);
            return Err(find::nearest(Rejection::new(Code::NotFound, what), person.as_str(), &names));
        }
    }
    reviewers.into_iter().try_for_each(|name| refuse_own_review(label, task.assignee.as_ref(), name))
}

fn member_of(reviewer: &Reviewer) -> Option<&Name> {
    match reviewer {
        Reviewer::Member(name) => Some(name),
        Reviewer::Person | Reviewer::Lead => None,
    }
}

/// The reviewers of a new task have chairs, and none of them does it.
pub(super) fn check_reviewers(
    team: &Team,
    label: &str,
    doer: Option<&Name>,
    review: &[Reviewer],
) -> Result<(), Rejection> {
    for name in review.iter().filter_map(member_of) {
        find::member(team, name)?;
        refuse_own_review(label, doer, name)?;
    }
    Ok(())
}

/// Nobody reviews its own work (R17).
pub(super) fn refuse_own_review(label: &str, doer: Option<&Name>, name: &Name) -> Result<(), Rejection> {
    if doer != Some(name) {
        return Ok(());
    }
    Err(Rejection::new(Code::BadPlan, format!("{name} cannot review its own task {label}"))
        .help(format!("another reviewer: `teamtui do review {label} by=MEMBER`")))
}

/// R5 for the edges of one task; gives the upstream numbers.
pub(super) fn check_edges<'a>(
    label: &str,
    own: TaskNo,
    declared: &[EdgeSpec],
    resolve: &dyn Fn(&TaskRef) -> Option<TaskNo>,
    known: &dyn Fn() -> Vec<&'a str>,
) -> Result<Vec<TaskNo>, Rejection> {
    if declared.len() > limits::MAX_EDGES {
        return Err(over(format!("{label} waits for {} tasks; at most 10,000 fit", declared.len())));
    }
    let mut found: BTreeMap<TaskNo, &TaskRef> = BTreeMap::new();
    for edge in declared {
        let Some(on) = resolve(&edge.on) else {
            let what = format!("{label} depends on `{}`, which does not exist", edge.on);
            return Err(find::nearest(Rejection::new(Code::NotFound, what), &edge.on.to_string(), &known()));
        };
        if on == own {
            return Err(Rejection::new(Code::Cycle, format!("cycle: {label} -> {label}"))
                .help("a task cannot wait for itself"));
        }
        if found.insert(on, &edge.on).is_some() {
            return Err(Rejection::new(Code::BadPlan, format!("{label} depends on `{}` twice", edge.on))
                .help("name it once"));
        }
    }
    Ok(found.into_keys().collect())
}

/// Refuses a loop, and prints exactly it (R5).
pub(super) fn no_cycle(
    nodes: &[TaskNo],
    edges: &[(TaskNo, TaskNo)],
    label: impl Fn(TaskNo) -> String,
) -> Result<(), Rejection> {
    let Some(lap) = graph::find_cycle(nodes, edges) else { return Ok(()) };
    // An edge points from upstream to downstream; "waits for" reads the other way round.
    let mut names: Vec<String> = lap.iter().rev().map(|no| label(*no)).collect();
    if let Some(last) = names.pop() {
        names.insert(0, last);
    }
    let first = names.first().cloned().unwrap_or_default();
    Err(Rejection::new(Code::Cycle, format!("cycle: {} -> {first}", names.join(" -> ")))
        .help("each waits for the next; remove one of these edges"))
}

pub(super) fn check_texts(label: &str, task: &TaskSpec) -> Result<(), Rejection> {
    check_prompt(label, task.prompt.as_ref())
}

/// A prompt is rendered whole, so it is bounded.
pub(super) fn check_prompt(label: &str, prompt: Option<&Untrusted>) -> Result<(), Rejection> {
    if prompt.is_some_and(|p| p.len_bytes() > limits::MAX_PROMPT_BYTES) {
        return Err(Rejection::new(Code::OverLimit, format!("the prompt of {label} is over 256 KiB"))
            .help("put it into a file of the workspace and name the file"));
    }
    Ok(())
}
