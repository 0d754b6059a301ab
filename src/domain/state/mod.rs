//! The state of a run: a fold over its events, and nothing else. Changed only by `evolve`.
pub mod attempt;
pub mod mail;
pub mod run;
pub mod task;
pub mod team;

pub use attempt::{Attempt, Question};
pub use mail::{Mail, Message, MessageState};
pub use run::{Closed, Run};
pub use task::{AttemptRecord, Comment, Edge, Phase, ResultText, Review, Standing, Task};
pub use team::{Chair, Member, Queue, Stage, Team};

use super::{AttemptId, Name, Seq, TaskNo, TeamId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Everything that is so after the event `seq`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct State {
    /// The last event folded.
    pub seq: Seq,
    /// Its time.
    pub elapsed_ms: u64,
    /// Its wall clock, ms since 1970.
    #[serde(default)]
    pub at_ms: u64,
    /// The run itself.
    pub run: Run,
    /// Every team that ever was, the live ones among them.
    pub teams: BTreeMap<TeamId, Team>,
    /// Attempts, reviews and turns that have begun and not ended.
    pub live: BTreeMap<AttemptId, Attempt>,
    /// Highest attempt number given.
    pub last_attempt: AttemptId,
    /// Timers that somebody waits for, by the seq of their `TimerSet`: due time and whose.
    pub timers: BTreeMap<Seq, (u64, Option<AttemptId>)>,
    /// File writes asked and not settled.
    pub writes: BTreeMap<Seq, AttemptId>,
}

impl State {
    /// The team with that number.
    pub fn team(&self, id: TeamId) -> Option<&Team> {
        self.teams.get(&id)
    }

    /// Teams that are not ended, in order of creation.
    pub fn live_teams(&self) -> impl DoubleEndedIterator<Item = (TeamId, &Team)> {
        self.teams.iter().filter(|(_, team)| !team.stage.is_ended()).map(|(id, team)| (*id, team))
    }

    /// A task by team and number.
    pub fn task(&self, team: TeamId, number: TaskNo) -> Option<&Task> {
        self.team(team)?.task(number)
    }

    /// Live attempts of one team.
    pub fn live_of(&self, team: TeamId) -> impl Iterator<Item = (AttemptId, &Attempt)> {
        self.live.iter().filter(move |(_, a)| a.team == team).map(|(id, a)| (*id, a))
    }

    /// The live attempt of a member.
    pub fn attempt_of(&self, team: TeamId, member: &Name) -> Option<(AttemptId, &Attempt)> {
        let id = self.team(team)?.members.get(member)?.busy?;
        self.live.get(&id).map(|attempt| (id, attempt))
    }

    /// A team by name: the live one, else its history as `NAME~1` (1 is the newest that ended).
    pub fn find_team(&self, name: &Name) -> Option<(TeamId, &Team)> {
        if let Some(found) = self.live_teams().find(|(_, team)| team.name == *name) {
            return Some(found);
        }
        let (base, age) = match name.as_str().rsplit_once('~') {
            Some((base, age)) => (Name::reference(base).ok()?, age.parse::<usize>().ok()?),
            None => (name.clone(), 1),
        };
        self.teams
            .iter()
            .rev()
            .filter(|(_, team)| team.stage.is_ended() && team.name == base)
            .nth(age.checked_sub(1)?)
            .map(|(id, team)| (*id, team))
    }
}
