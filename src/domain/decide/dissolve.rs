//! Ending things on purpose: dissolve, remove, interrupt, pause (R20, R21).
use super::find::{self, Caller};
use super::{Draft, Reply, create, verdict};
use crate::domain::event::{DissolveAsked, MemberRemoved, Paused, Resumed, RunStopping, StopAsked};
use crate::domain::state::Stage;
use crate::domain::view::phrase;
use crate::domain::{AttemptId, Code, Name, Rejection, StopCause, TaskNo, TeamId};
use crate::text::Untrusted;

/// Check, then act: from here on nothing new starts, and every live attempt is asked to end. The scheduler ends the team.
pub(super) fn dissolve(draft: &mut Draft<'_>, caller: &Caller) -> Result<Reply, Rejection> {
    let id = caller.any_team_for_reads(draft.state)?;
    let Some(team) = draft.state.team(id) else { return Err(create::gone()) };
    let name = team.name.clone();
    if team.stage != Stage::Live {
        let word = if team.stage.is_ended() { "has ended already" } else { "is dissolving already" };
        return Ok(Reply::say(format!("{name} {word}")));
    }
    let live = team.live;
    draft.emit(Some(id), DissolveAsked {});
    stop_all(draft, id, StopCause::Dissolve);
    Ok(Reply::say(match live {
        0 => format!("dissolving {name}: nothing is live"),
        1 => format!("dissolving {name}: 1 live attempt is asked to stop"),
        _ => format!("dissolving {name}: {live} live attempts are asked to stop"),
    }))
}

fn stop_all(draft: &mut Draft<'_>, id: TeamId, cause: StopCause) {
    let live: Vec<AttemptId> =
        draft.state.live_of(id).filter(|(_, a)| a.stop.is_none()).map(|(id, _)| id).collect();
    for attempt in live {
        draft.emit(Some(id), StopAsked { attempt, cause });
    }
}

/// A signal, or a closed pipe: every live attempt is asked to end, and nothing new starts.
pub(super) fn interrupt_all(draft: &mut Draft<'_>, cause: StopCause) -> Reply {
    if !draft.state.run.stopping && draft.state.run.closed.is_none() {
        draft.emit(None, RunStopping { cause });
    }
    let teams: Vec<TeamId> = draft.state.live_teams().map(|(id, _)| id).collect();
    for id in teams {
        stop_all(draft, id, cause);
    }
    let live = phrase::plural(draft.state.live.len(), "live attempt is", "live attempts are");
    Reply::say(format!("{live} asked to end"))
}

pub(super) fn remove(draft: &mut Draft<'_>, caller: &Caller, name: &Name) -> Result<Reply, Rejection> {
    let id = caller.team(draft.state)?;
    let Some(team) = draft.state.team(id) else { return Err(create::gone()) };
    let member = find::member(team, name)?;
    if name.is_lead() {
        return Err(Rejection::new(Code::BadPlan, "the lead's chair cannot be closed")
            .help("end the team: `teamtui do dissolve`"));
    }
    let busy = member.busy;
    let own = |t: &&crate::domain::state::Task| t.assignee.as_ref() == Some(name) && !t.status().is_final();
    let tasks: Vec<TaskNo> = team.tasks.iter().filter(own).map(|t| t.number).collect();
    draft.emit(Some(id), MemberRemoved { member: name.clone() });
    for number in &tasks {
        verdict::cancel_one(draft, id, *number, None, &Untrusted::from(format!("{name} was removed")));
    }
    if let Some(attempt) = busy.filter(|a| draft.state.live.get(a).is_some_and(|a| a.stop.is_none())) {
        draft.emit(Some(id), StopAsked { attempt, cause: StopCause::Cancel });
    }
    Ok(Reply::say(format!("removed {name}: {} tasks cancelled", tasks.len())))
}

pub(super) fn pause(
    draft: &mut Draft<'_>,
    caller: &Caller,
    member: Option<&Name>,
    pause: bool,
) -> Result<Reply, Rejection> {
    let id = caller.team(draft.state)?;
    let Some(team) = draft.state.team(id) else { return Err(create::gone()) };
    let (is_paused, who) = match member {
        Some(name) => (find::member(team, name)?.paused, name.to_string()),
        None => (team.paused, team.name.to_string()),
    };
    let word = if pause { "paused" } else { "resumed" };
    if is_paused == pause {
        let state = if pause { "is paused already" } else { "is not paused" };
        return Ok(Reply::say(format!("{who} {state}")));
    }
    match pause {
        true => draft.emit(Some(id), Paused { member: member.cloned() }),
        false => draft.emit(Some(id), Resumed { member: member.cloned() }),
    }
    Ok(Reply::say(format!("{word} {who}")))
}

pub(super) fn interrupt(draft: &mut Draft<'_>, caller: &Caller, name: &Name) -> Result<Reply, Rejection> {
    let id = caller.team(draft.state)?;
    let Some(team) = draft.state.team(id) else { return Err(create::gone()) };
    let member = find::member(team, name)?;
    let Some(attempt) = member.busy else {
        return Err(Rejection::new(Code::WrongStatus, format!("{name} has no live attempt"))
            .help("see who works: `teamtui status`"));
    };
    if draft.state.live.get(&attempt).is_some_and(|a| a.stop.is_none()) {
        draft.emit(Some(id), StopAsked { attempt, cause: StopCause::Interrupt });
    }
    Ok(Reply::say(format!("{name} is asked to stop")))
}
