//! The fold: one event changes the state. It decides nothing and cannot fail; an event about something unknown changes nothing.
mod attempt;
mod mail;
mod plan;
mod run;
mod task;

use super::{Event, Fact, State, TeamId};
use crate::domain::state::Team;

impl State {
    /// Folds one fact. Facts come in order of `seq`.
    pub fn evolve(&mut self, fact: &Fact) {
        self.seq = fact.seq;
        self.elapsed_ms = fact.elapsed_ms;
        let before_ms = std::mem::replace(&mut self.at_ms, fact.at_ms);
        match &fact.event {
            Event::RunOpened(e) => run::opened(self, fact, e),
            Event::RunClosed(e) => run::closed(self, fact, e),
            Event::RunResumed(_) => run::resumed(self),
            Event::Recovered(e) => run::recovered(self, fact, e, before_ms),
            Event::RunStopping(_) => self.run.stopping = true,
            Event::TeamCreated(e) => plan::team_created(self, fact, e),
            Event::AttemptStarted(e) => attempt::started(self, fact, e),
            Event::AttemptEnded(e) => attempt::ended(self, fact, e),
            Event::StopAsked(e) => attempt::stop_asked(self, e),
            Event::CompletionAsked(e) => attempt::completion_asked(self, e),
            Event::ChecksSettled(e) => attempt::checks_settled(self, fact, e),
            Event::ProgressNoted(e) => attempt::progress_noted(self, e),
            Event::AttemptStalled(e) => attempt::stalled(self, e),
            Event::OutputMarked(e) => attempt::output_marked(self, fact, e),
            Event::OutputLost(e) => attempt::output_lost(self, e),
            Event::FailureSaid(e) => attempt::failure_said(self, e),
            Event::QuestionAsked(e) => attempt::question_asked(self, fact, e),
            Event::QuestionAnswered(e) => attempt::question_over(self, fact, e.attempt),
            Event::QuestionWithdrawn(e) => attempt::question_over(self, fact, e.attempt),
            Event::TimerSet(e) => drop(self.timers.insert(fact.seq, (e.due_ms, e.attempt))),
            Event::TimerDue(e) => drop(self.timers.remove(&e.timer)),
            Event::EffectAsked(e) => drop(self.writes.insert(fact.seq, e.attempt)),
            Event::EffectSettled(e) => drop(self.writes.remove(&e.asked)),
            _ => {
                let Some(team) = fact.team.and_then(|id| self.teams.get_mut(&id)) else { return };
                evolve_team(team, fact);
            }
        }
    }

    fn team_mut(&mut self, id: Option<TeamId>) -> Option<&mut Team> {
        self.teams.get_mut(&id?)
    }
}

/// Events that change one team and nothing else.
fn evolve_team(team: &mut Team, fact: &Fact) {
    match &fact.event {
        Event::DissolveAsked(_) => run::dissolve_asked(team, fact),
        Event::TeamDissolved(e) => run::dissolved(team, fact, e),
        Event::Paused(e) => run::paused(team, e.member.as_ref(), true),
        Event::Resumed(e) => run::paused(team, e.member.as_ref(), false),
        Event::PromiseAsked(_) => team.checking = true,
        Event::CapReached(e) => team.capped = Some(e.cap),
        Event::LimitsSet(e) => run::limits_set(team, e),
        Event::TaskAdded(e) => plan::task_added(team, fact, e),
        Event::MemberAdded(e) => plan::member_added(team, fact, e),
        Event::MemberRemoved(e) => plan::member_removed(team, e),
        Event::PlanChanged(e) => plan::changed(team, e),
        Event::TaskCancelled(e) => task::cancelled(team, fact, e),
        Event::EdgeWaived(e) => plan::edge_waived(team, e),
        Event::TaskUpdated(e) => task::updated(team, e),
        Event::TaskAssigned(e) => task::assigned(team, e),
        Event::TaskCommented(e) => task::commented(team, fact, e),
        Event::ReviewersSet(e) => task::reviewers_set(team, e),
        Event::RetryAsked(e) => task::retry_asked(team, fact, e),
        Event::ResultAdopted(e) => task::result_adopted(team, fact, e),
        Event::OrphanKept(e) => task::orphan_kept(team, e),
        Event::EndAsserted(e) => task::end_asserted(team, e),
        Event::ReviewSettled(e) => task::review_settled(team, fact, e),
        Event::MessageSent(e) => mail::sent(team, fact, e),
        Event::MessageRefused(e) => mail::refused(team, e),
        Event::MessagesRead(e) => mail::read(team, fact, e),
        Event::PairPaused(e) => mail::pair_paused(team, e),
        Event::MessagesLeft(e) => mail::left(team, e),
        _ => {}
    }
}
