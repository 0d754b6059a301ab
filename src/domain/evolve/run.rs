//! Runs, and the life of a team.
use crate::domain::event::{LimitsSet, RunClosed, RunOpened, TeamDissolved};
use crate::domain::state::{Chair, Closed, Queue, Stage, Team};
use crate::domain::{Cap, Fact, Name, State};

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

pub(super) fn recovered(state: &mut State) {
    state.run.recoveries += 1;
    state.run.stopping = false;
    // Looks that were going on went with the former owner.
    state.live.values_mut().for_each(|a| a.looking = 0);
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
