//! Time: sleeps, limits, stalls, caps. What is due is decided here; when to look is the runtime's.
use super::find::Caller;
use super::{Draft, Reply, question};
use crate::domain::event::{AttemptStalled, OutputLost, OutputMarked, StopAsked, TimerDue, TimerSet};
use crate::domain::state::Attempt;
use crate::domain::{AttemptId, Cap, Data, Rejection, Seq, StallAction, State, StopCause, TeamId, schedule};
use crate::text::Untrusted;

pub(super) fn sleep(draft: &mut Draft<'_>, caller: &Caller, ms: u64) -> Result<Reply, Rejection> {
    let due_ms = draft.elapsed_ms().saturating_add(ms);
    let team = caller.home;
    draft.emit(team, TimerSet { due_ms, attempt: caller.attempt });
    let timer = draft.state.seq;
    Ok(Reply::default().with(Data::Timer(timer)))
}

/// What is due is due, in the order of its time.
pub(super) fn tick(draft: &mut Draft<'_>) -> Reply {
    let now = draft.elapsed_ms();
    if draft.state.run.closed.is_some() {
        return Reply::default();
    }
    let mut timers: Vec<(u64, Seq)> = draft
        .state
        .timers
        .iter()
        .map(|(seq, (due, _))| (*due, *seq))
        .filter(|(due, _)| *due <= now)
        .collect();
    timers.sort_unstable();
    for (_, timer) in timers {
        draft.emit(None, TimerDue { timer });
    }
    let live: Vec<AttemptId> = draft.state.live.keys().copied().collect();
    for id in live {
        attempt_due(draft, id, now);
    }
    let teams: Vec<TeamId> = draft.state.live_teams().map(|(id, _)| id).collect();
    for id in teams {
        let due = draft.state.team(id).and_then(cap_due).is_some_and(|due| due <= now);
        if due {
            schedule::reach(draft, id, Cap::Time);
        }
    }
    Reply::default()
}

fn attempt_due(draft: &mut Draft<'_>, id: AttemptId, now: u64) {
    let Some(attempt) = draft.state.live.get(&id) else { return };
    let team = attempt.team;
    if limit_due(attempt).is_some_and(|due| due <= now) {
        let default = attempt.question.as_ref().filter(|_| attempt.human).and_then(|q| q.default.clone());
        match default {
            Some(default) => question::settle(draft, team, id, &default),
            None => draft.emit(Some(team), StopAsked { attempt: id, cause: StopCause::Time }),
        }
        return;
    }
    let Some((due, stall_ms, action)) = stall_due(draft.state, attempt) else { return };
    if due > now {
        return;
    }
    draft.emit(Some(team), AttemptStalled { attempt: id, silent_ms: stall_ms });
    if action == StallAction::Fail {
        draft.emit(Some(team), StopAsked { attempt: id, cause: StopCause::Stall });
    }
}

/// When the wall clock of an attempt ends; a person's runs on while it is asked, all others stand still.
fn limit_due(attempt: &Attempt) -> Option<u64> {
    attempt.due_ms.filter(|_| attempt.still_since_ms.is_none() || attempt.human)
}

/// When the silence of an attempt is noted, after how long, and what is done about it.
fn stall_due(state: &State, attempt: &Attempt) -> Option<(u64, u64, StallAction)> {
    let due = attempt.stall_due_ms.filter(|_| attempt.still_since_ms.is_none())?;
    let agent = &state.team(attempt.team)?.members.get(&attempt.member)?.agent;
    Some((due.max(attempt.output_ms.saturating_add(agent.stall_ms)), agent.stall_ms, agent.stall_action))
}

fn cap_due(team: &crate::domain::state::Team) -> Option<u64> {
    let live = team.stage == crate::domain::state::Stage::Live && team.capped.is_none();
    team.limits.time_ms.filter(|_| live).map(|time| team.created_ms.saturating_add(time))
}

/// The next time that something is due, in the run's time.
pub fn next_due(state: &State) -> Option<u64> {
    if state.run.closed.is_some() {
        return None;
    }
    let timers = state.timers.values().map(|(due, _)| *due);
    let limits = state.live.values().filter_map(limit_due);
    let stalls = state.live.values().filter_map(|a| stall_due(state, a)).map(|(due, _, _)| due);
    let caps = state.live_teams().filter_map(|(_, team)| cap_due(team));
    timers.chain(limits).chain(stalls).chain(caps).min()
}

pub(super) fn mark_output(draft: &mut Draft<'_>, attempt: AttemptId, bytes: u64) -> Reply {
    let Some(live) = draft.state.live.get(&attempt) else { return Reply::default() };
    if bytes > live.output_bytes {
        let team = live.team;
        draft.emit(Some(team), OutputMarked { attempt, bytes });
    }
    Reply::default()
}

/// Not all of the output is kept: stated once.
pub(super) fn lose_output(draft: &mut Draft<'_>, attempt: AttemptId, why: &Untrusted) -> Reply {
    let whole = draft.state.live.get(&attempt).filter(|a| a.output_lost.is_none());
    if let Some(team) = whole.map(|a| a.team) {
        draft.emit(Some(team), OutputLost { attempt, why: why.clone() });
    }
    Reply::default()
}
