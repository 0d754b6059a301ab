//! Making teams, and adding to them: everything that R1 to R5 ask is checked before anything is stored.
use super::find::{self, Caller};
use super::{Draft, Reply};
use crate::domain::event::{MemberAdded, TaskAdded, TeamCreated};
use crate::domain::state::{State, Team};
use crate::domain::{
    Code, Data, EdgeSpec, MemberSpec, Name, Needs, Rejection, Reviewer, TaskNo, TaskRef, TaskSpec, TeamId,
    TeamSpec, limits,
};
use crate::graph;
use std::collections::BTreeMap;

pub(super) fn team(draft: &mut Draft<'_>, caller: &Caller, spec: &TeamSpec) -> Result<Reply, Rejection> {
    check_room(draft.state)?;
    if draft.state.live_teams().any(|(_, t)| t.name == spec.name) {
        return Err(Rejection::new(Code::BadName, format!("a team `{}` is live already", spec.name))
            .help(format!("end it first: `teamtui do dissolve team={}`", spec.name))
            .help(format!("or give this one another name: `teamtui do create FILE as={}-2`", spec.name)));
    }
    check_spec(spec)?;
    if caller.chair().is_some()
        && draft.state.live_teams().any(|(id, t)| Some(id) == caller.home && !t.tasks.is_empty())
    {
        return Err(Rejection::new(Code::BadPlan, "the team has tasks already")
            .help("change its plan: `replan add ...`"));
    }
    let id = draft.state.teams.keys().next_back().copied().unwrap_or_default().next();
    draft.emit(Some(id), TeamCreated { spec: Box::new(spec.clone()) });
    let count = draft.state.team(id).map_or(0, |t| t.tasks.len());
    let said = format!("created {}: {count} tasks, {} members", spec.name, spec.members.len());
    Ok(Reply::say(said).with(Data::Added { name: spec.name.to_string(), number: None }))
}

fn check_room(state: &State) -> Result<(), Rejection> {
    if state.seq.0 >= limits::MAX_EVENTS {
        return Err(Rejection::new(
            Code::OverLimit,
            "this run has 10,000,000 events; new teams open a new run",
        )
        .help("dissolve what is live, then start `teamtui` again"));
    }
    Ok(())
}

/// R1 to R5 for a whole team.
pub(super) fn check_spec(spec: &TeamSpec) -> Result<(), Rejection> {
    if spec.members.len() > limits::MAX_MEMBERS {
        return Err(over(format!("{} has {} members; at most 1,000 fit", spec.name, spec.members.len())));
    }
    let briefs = spec.members.iter().filter_map(|m| m.brief.as_ref().map(|b| (Some(&m.name), b)));
    let tasks: Vec<(Option<&Name>, &TaskSpec)> =
        briefs.chain(spec.tasks.iter().map(|t| (t.name.as_ref(), t))).collect();
    if tasks.len() > limits::MAX_TASKS {
        return Err(over(format!("{} has {} tasks; at most 100,000 fit", spec.name, tasks.len())));
    }
    check_unique(spec)?;
    let mut numbers: BTreeMap<&Name, TaskNo> = BTreeMap::new();
    for (at, (name, _)) in tasks.iter().enumerate() {
        if let Some(name) = name {
            numbers.insert(name, number_at(at));
        }
    }
    let mut edges = Vec::new();
    for (at, (name, task)) in tasks.iter().enumerate() {
        let own = number_at(at);
        let label = name.map_or_else(|| format!("#{own}"), ToString::to_string);
        let resolve = |r: &TaskRef| match r {
            TaskRef::Name(name) => numbers.get(name).copied(),
            TaskRef::Number(no) => {
                usize::try_from(no.0).ok().filter(|n| (1..=tasks.len()).contains(n)).map(|_| *no)
            }
        };
        let known: Vec<&str> = numbers.keys().map(|n| n.as_str()).collect();
        for on in check_edges(&label, own, &task.depends_on, &resolve, &known)? {
            edges.push((on, own));
        }
        check_texts(&label, task)?;
        for person in task.assignee.iter().chain(task.review.iter().filter_map(reviewer_name)) {
            if !person.is_lead() && !spec.members.iter().any(|m| m.name == *person) {
                let names: Vec<&str> = spec.members.iter().map(|m| m.name.as_str()).collect();
                let what = format!("{label} names the member `{person}`, which {} does not have", spec.name);
                return Err(find::nearest(Rejection::new(Code::NotFound, what), person.as_str(), &names));
            }
        }
    }
    let nodes: Vec<TaskNo> = (0..tasks.len()).map(number_at).collect();
    let labels = |no: TaskNo| {
        let at = usize::try_from(no.0).ok().and_then(|n| n.checked_sub(1));
        at.and_then(|at| tasks.get(at))
            .and_then(|(name, _)| name.map(ToString::to_string))
            .unwrap_or_else(|| format!("#{no}"))
    };
    no_cycle(&nodes, &edges, labels)
}

fn number_at(at: usize) -> TaskNo {
    TaskNo(u32::try_from(at).unwrap_or(u32::MAX)).next()
}

fn reviewer_name(reviewer: &Reviewer) -> Option<&Name> {
    match reviewer {
        Reviewer::Member(name) => Some(name),
        Reviewer::Person | Reviewer::Lead => None,
    }
}

fn over(what: String) -> Rejection {
    Rejection::new(Code::OverLimit, what).help("split it into several teams")
}

/// R2: members and `[tasks.*]` share one namespace.
fn check_unique(spec: &TeamSpec) -> Result<(), Rejection> {
    let mut seen: BTreeMap<&Name, &Name> = BTreeMap::new();
    for name in spec.members.iter().map(|m| &m.name).chain(spec.tasks.iter().filter_map(|t| t.name.as_ref()))
    {
        if let Some(first) = seen.insert(name, name) {
            return Err(Rejection::new(Code::BadName, format!("the name `{name}` is taken by `{first}`"))
                .help("names must differ by more than case"));
        }
    }
    Ok(())
}

/// R5 for the edges of one task; gives the upstream numbers.
pub(super) fn check_edges(
    label: &str,
    own: TaskNo,
    declared: &[EdgeSpec],
    resolve: &dyn Fn(&TaskRef) -> Option<TaskNo>,
    known: &[&str],
) -> Result<Vec<TaskNo>, Rejection> {
    if declared.len() > limits::MAX_EDGES {
        return Err(over(format!("{label} waits for {} tasks; at most 10,000 fit", declared.len())));
    }
    let mut found: BTreeMap<TaskNo, &TaskRef> = BTreeMap::new();
    for edge in declared {
        let Some(on) = resolve(&edge.on) else {
            let what = format!("{label} depends on `{}`, which does not exist", edge.on);
            return Err(find::nearest(Rejection::new(Code::NotFound, what), &edge.on.to_string(), known));
        };
        if on == own {
            return Err(Rejection::new(Code::Cycle, format!("cycle: {label} -> {label}"))
                .help("a task cannot wait for itself"));
        }
        if found.insert(on, &edge.on).is_some() {
            return Err(Rejection::new(Code::BadPlan, format!("{label} depends on `{}` twice", edge.on)));
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
    let long = task.prompt.as_ref().is_some_and(|p| p.len_bytes() > limits::MAX_PROMPT_BYTES);
    if long {
        return Err(Rejection::new(Code::OverLimit, format!("the prompt of {label} is over 256 KiB"))
            .help("put it into a file of the workspace and name the file"));
    }
    Ok(())
}

/// `add "subject" to=MEMBER`.
pub(super) fn task(draft: &mut Draft<'_>, caller: &Caller, spec: &TaskSpec) -> Result<Reply, Rejection> {
    let id = caller.team(draft.state)?;
    let Some(team) = draft.state.team(id) else { return Err(gone()) };
    if team.tasks.len() >= limits::MAX_TASKS {
        return Err(over(format!("{} has 100,000 tasks", team.name)));
    }
    let number = team.next_number();
    let label = format!("#{number}");
    check_texts(&label, spec)?;
    let known: Vec<&str> = team.names.keys().map(Name::as_str).collect();
    let upstreams = check_edges(&label, number, &spec.depends_on, &|r| team.find_task(r), &known)?;
    check_upstreams(team, &label, &spec.depends_on, &upstreams)?;
    if let Some(to) = &spec.assignee {
        find::member(team, to)?;
        capacity(team, caller, to)?;
    }
    for reviewer in spec.review.iter().filter_map(reviewer_name) {
        find::member(team, reviewer)?;
    }
    if let Some(name) = &spec.name
        && (team.names.contains_key(name) || team.members.contains_key(name))
    {
        return Err(Rejection::new(Code::BadName, format!("the name `{name}` is taken")));
    }
    let to = spec.assignee.clone();
    draft.emit(Some(id), TaskAdded { number, spec: Box::new(spec.clone()), giver: caller.member().cloned() });
    let note = to
        .as_ref()
        .map_or_else(|| "for whoever claims it".to_owned(), |to| queue_note(draft.state, id, to, number));
    Ok(Reply::say(format!("added {label}, {note}")).with(Data::Added { name: label, number: Some(number) }))
}

/// `add NAME agent=...`: a taken name gets `-2`, and the reply says so (R2).
pub(super) fn member(draft: &mut Draft<'_>, caller: &Caller, spec: &MemberSpec) -> Result<Reply, Rejection> {
    let id = caller.team(draft.state)?;
    let Some(team) = draft.state.team(id) else { return Err(gone()) };
    if team.members.len() >= limits::MAX_MEMBERS {
        return Err(over(format!("{} has 1,000 members", team.name)));
    }
    Name::parse(spec.name.as_str()).map_err(|e| Rejection::new(Code::BadName, e.to_string()))?;
    let taken = |name: &Name| team.members.contains_key(name) || team.names.contains_key(name);
    let free = std::iter::once(spec.name.clone())
        .chain((2..=limits::MAX_MEMBERS + 1).map(|n| spec.name.with_suffix(&format!("-{n}"))));
    let Some(name) = free.into_iter().find(|name| !taken(name)) else {
        return Err(Rejection::new(Code::BadName, format!("the name `{}` is taken", spec.name)));
    };
    let mut spec = MemberSpec { name: name.clone(), ..spec.clone() };
    resolve_agent(team, &mut spec)?;
    let number = spec.brief.as_ref().map(|_| team.next_number());
    if let (Some(brief), Some(number)) = (&mut spec.brief, number) {
        brief.name = Some(name.clone());
        let known: Vec<&str> = team.names.keys().map(Name::as_str).collect();
        let upstreams =
            check_edges(name.as_str(), number, &brief.depends_on, &|r| team.find_task(r), &known)?;
        check_upstreams(team, name.as_str(), &brief.depends_on, &upstreams)?;
        check_texts(name.as_str(), brief)?;
    }
    let wanted = team.members.keys().find(|n| **n != name && name.as_str().starts_with(n.as_str())).cloned();
    draft.emit(Some(id), MemberAdded { member: Box::new(spec), number });
    let said = match wanted.filter(|_| name.as_str().contains('-')) {
        Some(wanted) if name.key() != wanted.key() => format!("added {name} (`{wanted}` is taken)"),
        _ => format!("added {name}"),
    };
    Ok(Reply::say(said).with(Data::Added { name: name.to_string(), number }))
}

/// `agent=NAME` means: like that member, or like the members made from that agent.
pub(super) fn resolve_agent(team: &Team, spec: &mut MemberSpec) -> Result<(), Rejection> {
    let Some(wanted) = spec.agent_name.clone() else { return Ok(()) };
    let alike = team
        .members
        .values()
        .find(|m| m.agent_name.as_ref() == Some(&wanted))
        .or_else(|| team.members.get(&wanted));
    if let Some(model) = alike {
        spec.agent = model.agent.clone();
        return Ok(());
    }
    let mut names: Vec<&str> =
        team.members.values().filter_map(|m| m.agent_name.as_ref()).map(Name::as_str).collect();
    names.extend(team.members.keys().map(Name::as_str));
    names.dedup();
    Err(find::nearest(
        Rejection::new(Code::NotFound, format!("{} has no agent `{wanted}`", team.name)),
        wanted.as_str(),
        &names,
    ))
}

/// R19: a `completed` edge to what will not complete is refused.
pub(super) fn check_upstreams(
    team: &Team,
    label: &str,
    declared: &[EdgeSpec],
    upstreams: &[TaskNo],
) -> Result<(), Rejection> {
    for number in upstreams {
        let Some(task) = team.task(*number) else { continue };
        let status = task.status();
        let needs_result =
            declared.iter().any(|e| team.find_task(&e.on) == Some(*number) && e.needs == Needs::Completed);
        if needs_result && (status.is_settled() || status == crate::domain::Status::Cancelled) {
            let name = task.label();
            return Err(Rejection::new(
                Code::BadPlan,
                format!("{label} would wait for {name} (#{number}), which is {status}"),
            )
            .help(format!("replace it in the same step: `replan add NAME ... replace {name}=NAME`"))
            .help(format!("or only order by it: `after={name}:finished`")));
        }
    }
    Ok(())
}

/// R27: what one member may give another. The file's, a replan's, the lead's and the person's do not count.
pub(super) fn capacity(team: &Team, caller: &Caller, to: &Name) -> Result<(), Rejection> {
    let Some(giver) = caller.member() else { return Ok(()) };
    let given = |from: Option<&Name>| {
        let counts = |t: &&crate::domain::state::Task| {
            t.assignee.as_ref() == Some(to)
                && t.is_outstanding()
                && t.giver.as_ref().is_some_and(|g| from.is_none_or(|f| f == g))
        };
        team.tasks.iter().filter(counts).count()
    };
    for (count, most) in [(given(Some(giver)), limits::MAX_GIVEN_PAIR), (given(None), limits::MAX_GIVEN_ALL)]
    {
        if count >= most {
            let what =
                format!("Agent at capacity ({count}/{most}). Try a different agent or handle it yourself.");
            return Err(Rejection::new(Code::AtCapacity, what));
        }
    }
    Ok(())
}

/// Where a task stands in its member's queue (R13).
pub(super) fn queue_note(state: &State, team: TeamId, to: &Name, number: TaskNo) -> String {
    let Some(team) = state.team(team) else { return format!("for {to}") };
    let Some(task) = team.task(number) else { return format!("for {to}") };
    if task.open > 0 {
        return format!("for {to}; it is blocked");
    }
    match team.members.get(to).and_then(|m| m.busy) {
        Some(id) if task.phase != crate::domain::state::Phase::Running(id) => {
            format!("for {to}, who is busy: it waits in the queue")
        }
        _ => format!("for {to}"),
    }
}

pub(super) fn gone() -> Rejection {
    Rejection::new(Code::NotFound, "there is no such team")
}
