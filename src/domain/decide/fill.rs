//! `create` by a lead: its own team takes what the file declares, if it has no tasks yet. A lead makes no second team.
use super::create::{check_member_room, gone};
use super::declare;
use super::find::Caller;
use super::{Draft, Reply};
use crate::domain::event::TeamCreated;
use crate::domain::state::Team;
use crate::domain::view::phrase;
use crate::domain::{Code, Data, Rejection, TeamSpec};

/// Name, lead, limits and workspace stay those of the team: what the lead is held to, it does not change.
pub(super) fn fill(draft: &mut Draft<'_>, caller: &Caller, spec: &TeamSpec) -> Result<Reply, Rejection> {
    let id = caller.team(draft.state)?;
    let Some(team) = draft.state.team(id) else { return Err(gone()) };
    check(team, spec)?;
    let (name, limits) = (team.name.clone(), team.limits.clone());
    let keeps_limits = limits != spec.limits;
    let spec = declare::with_names(&TeamSpec {
        name: name.clone(),
        limits,
        lead: team.lead.clone(),
        ..spec.clone()
    });
    declare::check_spec(&spec)?;
    check_member_room(team, spec.members.len())?;
    let members = spec.members.len();
    draft.emit(Some(id), TeamCreated { spec: Box::new(spec) });
    let count = draft.state.team(id).map_or(0, |t| t.tasks.len());
    let tasks = phrase::plural(count, "task", "tasks");
    let members = phrase::plural(members, "member", "members");
    let reply = Reply::say(format!("filled {name}: {tasks}, {members}"));
    let reply =
        if keeps_limits { reply.and(format!("the limits of {name} stay as they are")) } else { reply };
    Ok(reply.with(Data::Added { name: name.to_string(), number: None }))
}

fn check(team: &Team, spec: &TeamSpec) -> Result<(), Rejection> {
    if !team.tasks.is_empty() {
        return Err(Rejection::new(Code::BadPlan, format!("{} has tasks already", team.name))
            .help("change its plan: `replan add ...`"));
    }
    if spec.lead.is_some() {
        return Err(Rejection::new(
            Code::BadPlan,
            format!("the file has a lead, and you lead {}", team.name),
        )
        .help("take `[lead]` out of the file"));
    }
    if spec.workspace != team.workspace {
        let what = format!("the file works in {}, and {} in {}", spec.workspace, team.name, team.workspace);
        return Err(Rejection::new(Code::BadPlan, what)
            .help(format!("begin the file with `workspace = \"{}\"`", team.workspace)));
    }
    let tasks = spec.tasks.iter().filter_map(|task| task.name.as_ref());
    let mut names = spec.members.iter().map(|member| &member.name).chain(tasks);
    match names.find(|name| team.members.contains_key(*name)) {
        None => Ok(()),
        Some(name) => {
            Err(Rejection::new(Code::BadName, format!("the name `{name}` is taken in {}", team.name))
                .help(format!("another name: `{}`", name.with_suffix("-2"))))
        }
    }
}
