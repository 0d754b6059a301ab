//! Attempts that have begun, remembered until their end has been told: the fold forgets them at that very fact.
use super::{phrase, task};
use crate::domain::state::{Attempt, State};
use crate::domain::{AttemptId, Event, Fact, Name, Purpose, TaskNo, TeamId};
use std::collections::BTreeMap;

/// What is remembered of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Begun {
    /// Of which team.
    pub team: TeamId,
    /// Whose.
    pub member: Name,
    /// For what.
    pub purpose: Purpose,
    /// Its number in the task, or the turn's.
    pub nth: u32,
    /// The most attempts there may be.
    pub most: u32,
}

impl Begun {
    /// The task it is at; a review is at none.
    pub fn number(&self) -> Option<TaskNo> {
        match self.purpose {
            Purpose::Task(number) => Some(number),
            Purpose::Review(_) | Purpose::Turn => None,
        }
    }

    fn live(state: &State, a: &Attempt) -> Self {
        let begun =
            Self { team: a.team, member: a.member.clone(), purpose: a.purpose, nth: a.nth, most: a.nth };
        begun.counted(state, a.id)
    }

    /// With the most attempts that its task may have.
    fn counted(self, state: &State, id: AttemptId) -> Self {
        let team = state.team(self.team);
        let task = self.number().and_then(|number| team.and_then(|t| t.task(number)));
        let most = team.zip(task).map_or(self.nth, |(team, of)| {
            phrase::most(of, task::retries(state, team, of), self.nth, Some(id))
        });
        Self { most, ..self }
    }
}

/// All that are live, and the one that the last fact ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Memory {
    live: BTreeMap<AttemptId, Begun>,
    ended: Option<AttemptId>,
}

impl Memory {
    /// Of a state that one comes to in the middle of a run.
    pub fn new(state: &State) -> Self {
        Self { live: state.live.iter().map(|(id, a)| (*id, Begun::live(state, a))).collect(), ended: None }
    }

    /// Takes in one fact, with the state after it. What it ended is still known until the next one.
    pub fn learn(&mut self, fact: &Fact, after: &State) {
        if let Some(ended) = self.ended.take() {
            self.live.remove(&ended);
        }
        match &fact.event {
            Event::AttemptStarted(e) => {
                if let Some(team) = fact.team {
                    let (member, purpose, nth) = (e.member.clone(), e.purpose, e.nth);
                    let begun = Begun { team, member, purpose, nth, most: nth };
                    self.live.insert(e.attempt, begun.counted(after, e.attempt));
                }
            }
            Event::AttemptEnded(e) => self.ended = Some(e.attempt),
            _ => {}
        }
    }

    /// An attempt that is live, or that the last fact ended.
    pub fn get(&self, id: AttemptId) -> Option<&Begun> {
        self.live.get(&id)
    }
}
