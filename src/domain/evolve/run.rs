//! Runs, and the life of a team.
use crate::domain::event::{AttemptEnded, LimitsSet, Recovered, RunClosed, RunOpened, TeamDissolved};
use crate::domain::state::{Attempt, Chair, Closed, Queue, Run, Stage, Team};
use crate::domain::{CameTo, Cap, Fact, FoundAttempt, Name, Outcome, Recovery, State};
use std::collections::BTreeSet;

pub(super) fn opened(state: &mut State, fact: &Fact, e: &RunOpened) {
    state.run.header = e.header.clone();
    state.run.opened_at_ms = fact.at_ms;
}

pub(super) fn closed(state: &mut State, fact: &Fact, e: &RunClosed) {
    state.run.closed = Some(Closed { reason: e.reason, elapsed_ms: fact.elapsed_ms, at_ms: fact.at_ms });
}

/// A run that goes on has another chance, so `--fail-fast` counts anew.
pub(super) fn resumed(state: &mut State) {
    state.run.closed = None;
    state.run.stopping = false;
    for team in state.teams.values_mut().filter(|t| t.capped == Some(Cap::FailFast)) {
        team.capped = None;
    }
}

pub(super) fn recovered(state: &mut State, fact: &Fact, e: &Recovered, last_at_ms: u64) {
    state.run.recoveries += 1;
    state.run.stopping = false;
    for attempt in state.live.values_mut() {
        if attempt.human && attempt.looking > 0 && !e.checked.contains(&attempt.id) {
            // Its checks are not run a fourth time: the person offers it again.
            attempt.offered = None;
        }
        // Looks that were going on went with the former owner.
        attempt.looking = 0;
        attempt.crashes += u32::from(e.checked.contains(&attempt.id));
    }
    let unread = |team: &Team| team.mail.unread.values().map(BTreeSet::len).sum::<usize>();
    let live_teams = state.teams.values().filter(|team| !team.stage.is_ended());
    state.run.recovery = Some(Box::new(Recovery {
        seq: fact.seq,
        elapsed_ms: fact.elapsed_ms,
        at_ms: fact.at_ms,
        last_at_ms,
        found: e.found.clone(),
        attempts: state.live.values().map(|attempt| found(attempt, e)).collect(),
        unread: live_teams.map(unread).sum(),
    }));
}

/// As it was found; how one that was interrupted ended is told by its end, in the same commit.
fn found(attempt: &Attempt, e: &Recovered) -> FoundAttempt {
    let came_to = if e.interrupted.contains(&attempt.id) {
        CameTo::Ended { outcome: Outcome::Interrupted, again: false }
    } else if e.checked.contains(&attempt.id) {
        CameTo::Checked
    } else {
        CameTo::GoesOn
    };
    FoundAttempt {
        id: attempt.id,
        team: attempt.team,
        member: attempt.member.clone(),
        purpose: attempt.purpose,
        nth: attempt.nth,
        came_to,
    }
}

/// How an attempt ended that recovery interrupted. What went on may end later: that is not recovery's.
pub(super) fn found_ended(run: &mut Run, e: &AttemptEnded) {
    let Some(recovery) = &mut run.recovery else { return };
    let mut attempts = recovery.attempts.iter_mut();
    if let Some(FoundAttempt { came_to: CameTo::Ended { outcome, again }, .. }) =
        attempts.find(|found| found.id == e.attempt)
    {
        (*outcome, *again) = (e.outcome, e.again);
    }
}

pub(super) fn dissolve_asked(team: &mut Team, fact: &Fact) {
    team.stage = Stage::Dissolving { since_ms: fact.elapsed_ms };
}

pub(super) fn dissolved(team: &mut Team, fact: &Fact, e: &TeamDissolved) {
    team.stage = Stage::Ended { completed: e.completed, elapsed_ms: fact.elapsed_ms };
    team.queue = Queue::default();
    for member in team.members.values_mut() {
        member.chair = Chair::Closed;
    }
}

pub(super) fn paused(team: &mut Team, member: Option<&Name>, paused: bool) {
    match member {
        None => team.paused = paused,
        Some(name) => team.with_member(name, |m| m.paused = paused),
    }
}

pub(super) fn limits_set(team: &mut Team, e: &LimitsSet) {
    team.limits = e.limits.clone();
    if matches!(team.capped, Some(Cap::Time | Cap::Money)) {
        team.capped = None;
    }
}
