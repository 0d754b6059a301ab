//! Making teams, and adding to them: everything that R1 to R5 ask is checked before anything is stored.
use super::declare::{self, check_edges, check_texts, over};
pub(super) use super::declare::{check_prompt, check_reviewers, no_cycle, refuse_own_review};
use super::find::{self, Caller};
use super::{Draft, Reply, fill, seat};
use crate::domain::event::{MemberAdded, TaskAdded, TeamCreated};
use crate::domain::state::{State, Task, Team};
use crate::domain::view::phrase;
use crate::domain::{
    AddMember, Code, Data, EdgeSpec, MemberSpec, Name, NameError, Needs, Rejection, TaskNo, TaskRef,
    TaskSpec, TeamId, TeamSpec, limits,
};
use std::sync::Arc;

pub(super) fn team(draft: &mut Draft<'_>, caller: &Caller, spec: &TeamSpec) -> Result<Reply, Rejection> {
    if caller.chair().is_some() {
        return fill::fill(draft, caller, spec);
    }
    check_room(draft.state)?;
    if draft.state.live_teams().any(|(_, t)| t.name == spec.name) {
        return Err(Rejection::new(Code::BadName, format!("a team `{}` is live already", spec.name))
            .help(format!("end it first: `teamtui do dissolve team={}`", spec.name))
            .help(format!("or give this one another name: `teamtui do create FILE as={}-2`", spec.name)));
    }
    let spec = declare::with_names(spec);
    declare::check_spec(&spec)?;
    let id = draft.state.teams.keys().next_back().copied().unwrap_or_default().next();
    draft.emit(Some(id), TeamCreated { spec: Box::new(spec.clone()) });
    let count = draft.state.team(id).map_or(0, |t| t.tasks.len());
    let tasks = phrase::plural(count, "task", "tasks");
    let members = phrase::plural(spec.members.len(), "member", "members");
    let said = format!("created {}: {tasks}, {members}", spec.name);
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
    let upstreams = check_edges(&label, number, &spec.depends_on, &|r| team.find_task(r), &|| names(team))?;
    check_upstreams(team, &label, &spec.depends_on, &upstreams)?;
    if let Some(to) = &spec.assignee {
        find::member(team, to)?;
        capacity(team, caller, to, None)?;
    }
    check_reviewers(team, &label, spec.assignee.as_ref(), &spec.review)?;
    if let Some(name) = &spec.name {
        Name::parse(name.as_str()).map_err(bad_name)?;
        if team.names.contains_key(name) || team.members.contains_key(name) {
            return Err(Rejection::new(Code::BadName, format!("the name `{name}` is taken"))
                .help(format!("another name: `{}`", name.with_suffix("-2"))));
        }
    }
    let to = spec.assignee.clone();
    let giver = giver(caller, to.as_ref());
    draft.emit(Some(id), TaskAdded { number, spec: Arc::new(spec.clone()), giver });
    let note = to
        .as_ref()
        .map_or_else(|| "for whoever claims it".to_owned(), |to| queue_note(draft.state, id, to, number));
    Ok(Reply::say(format!("added {label}, {note}")).with(Data::Added { name: label, number: Some(number) }))
}

/// `add NAME agent=...`: a taken name gets `-2`, and the reply says so (R2).
pub(super) fn member(draft: &mut Draft<'_>, caller: &Caller, added: &AddMember) -> Result<Reply, Rejection> {
    let AddMember { member: spec, like, given } = added;
    let id = caller.team(draft.state)?;
    let Some(team) = draft.state.team(id) else { return Err(gone()) };
    check_member_room(team, 1)?;
    Name::parse(spec.name.as_str()).map_err(bad_name)?;
    let taken = |name: &Name| team.members.contains_key(name) || team.names.contains_key(name);
    let free = std::iter::once(spec.name.clone())
        .chain((2..=limits::MAX_MEMBERS + 1).map(|n| spec.name.with_suffix(&format!("-{n}"))));
    let Some(name) = free.into_iter().find(|name| !taken(name)) else {
        return Err(Rejection::new(Code::BadName, format!("the name `{}` is taken", spec.name))
            .help("choose another name"));
    };
    let wanted = spec.name.clone();
    let mut spec = MemberSpec { name: name.clone(), ..spec.clone() };
    spec.agent_name = spec.agent_name.or_else(|| like.clone());
    seat::resolve_agent(team, &mut spec, given)?;
    let number = spec.brief.as_ref().map(|_| team.next_number());
    if let (Some(brief), Some(number)) = (&mut spec.brief, number) {
        let brief = Arc::make_mut(brief);
        brief.name = Some(name.clone());
        let find = |r: &TaskRef| team.find_task(r);
        let upstreams = check_edges(name.as_str(), number, &brief.depends_on, &find, &|| names(team))?;
        check_upstreams(team, name.as_str(), &brief.depends_on, &upstreams)?;
        check_texts(name.as_str(), brief)?;
        check_reviewers(team, name.as_str(), Some(&name), &brief.review)?;
    }
    draft.emit(Some(id), MemberAdded { member: Box::new(spec), number });
    let said = match name == wanted {
        true => format!("added {name}"),
        false => format!("added {name} (`{wanted}` is taken)"),
    };
    Ok(Reply::say(said).with(Data::Added { name: name.to_string(), number }))
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

/// Who gave the task, for R27: a member that gives to another. What one takes on oneself does not count.
pub(super) fn giver(caller: &Caller, to: Option<&Name>) -> Option<Name> {
    caller.member().filter(|member| to.is_some_and(|to| to != *member)).cloned()
}

/// R27: what one member may give another. The file's, a replan's, the lead's and the person's do not count, and a task that
/// changes its giver is not counted twice.
pub(super) fn capacity(
    team: &Team,
    caller: &Caller,
    to: &Name,
    moved: Option<&Task>,
) -> Result<(), Rejection> {
    let Some(giver) = giver(caller, Some(to)) else { return Ok(()) };
    let given = team.members.get(to).map(|m| &m.given);
    let own = moved.filter(|t| t.assignee.as_ref() == Some(to) && t.is_outstanding());
    let own = |from: Option<&Name>| {
        own.and_then(|t| t.giver.as_ref()).is_some_and(|g| from.is_none_or(|from| from == g))
    };
    let pair = given.and_then(|g| g.get(&giver)).copied().unwrap_or_default() - u32::from(own(Some(&giver)));
    let all = given.map_or(0, |g| g.values().sum::<u32>()) - u32::from(own(None));
    for (count, most) in [(pair, limits::MAX_GIVEN_PAIR), (all, limits::MAX_GIVEN_ALL)] {
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
    Rejection::new(Code::NotFound, "there is no such team").help("see what there is: `teamtui status`")
}

pub(super) fn bad_name(error: NameError) -> Rejection {
    Rejection::new(Code::BadName, error.to_string()).help("choose a name like `perf-2`")
}

fn names(team: &Team) -> Vec<&str> {
    team.names.keys().map(Name::as_str).collect()
}

/// Room for that many more members and their briefs.
pub(super) fn check_member_room(team: &Team, more: usize) -> Result<(), Rejection> {
    if team.members.len() + more > limits::MAX_MEMBERS {
        return Err(over(format!("{} has {} members; at most 1,000 fit", team.name, team.members.len())));
    }
    if team.tasks.len() + more > limits::MAX_TASKS {
        return Err(over(format!("{} has {} tasks; at most 100,000 fit", team.name, team.tasks.len())));
    }
    Ok(())
}
