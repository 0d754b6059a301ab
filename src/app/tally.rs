//! How many tasks are what: the status line, and the one line that is left when there is no room.
use crate::domain::state::{Attempt, Phase, Task, Team};
use crate::domain::{State, Status, TeamId};

/// Tasks of a team, each counted once. Cancelled ones are not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// All but the cancelled.
    pub total: usize,
    /// Completed.
    pub completed: usize,
    /// Running and not asking.
    pub running: usize,
    /// Running, and waiting for an answer.
    pub asking: usize,
    /// In review.
    pub in_review: usize,
    /// Blocked by what ends by itself.
    pub blocked: usize,
    /// Ready.
    pub pending: usize,
    /// Blocked by something settled.
    pub held: usize,
    /// Failed.
    pub failed: usize,
    /// Stale.
    pub stale: usize,
    /// Ready, but its team or its member is paused.
    pub paused: usize,
}

/// What a task looks like: its status and the finer things that a glyph shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Look {
    /// `·`
    Blocked,
    /// `⊣`
    Held,
    /// `○`
    Pending,
    /// `◐`
    Running,
    /// `?`
    Asking,
    /// `◇`
    InReview,
    /// `✓`
    Completed,
    /// `✗`
    Failed,
    /// `⊘`
    Cancelled,
    /// `~`
    Stale,
    /// `‖`
    Paused,
}

impl Look {
    /// What a task looks like now.
    pub fn of(state: &State, team: &Team, task: &Task) -> Self {
        match task.phase {
            Phase::Running(id) if state.live.get(&id).is_some_and(is_asking) => Self::Asking,
            Phase::Running(_) => Self::Running,
            Phase::InReview => Self::InReview,
            Phase::Completed => Self::Completed,
            Phase::Failed => Self::Failed,
            Phase::Cancelled => Self::Cancelled,
            Phase::Stale => Self::Stale,
            Phase::Waiting if task.is_held() => Self::Held,
            Phase::Waiting if task.status() == Status::Blocked => Self::Blocked,
            Phase::Waiting if is_paused(team, task) => Self::Paused,
            Phase::Waiting => Self::Pending,
        }
    }

    /// How much it wants to be seen: the most urgent is the greatest.
    pub fn urgency(self) -> u8 {
        match self {
            Self::Completed => 0,
            Self::Cancelled => 1,
            Self::Pending => 2,
            Self::Blocked => 3,
            Self::Paused => 4,
            Self::Running => 5,
            Self::InReview => 6,
            Self::Held => 7,
            Self::Stale => 8,
            Self::Failed => 9,
            Self::Asking => 10,
        }
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Blocked => "blocked",
            Self::Held => "held",
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Asking => "asking",
            Self::InReview => "in review",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Stale => "stale",
            Self::Paused => "paused",
        }
    }
}

/// Does an attempt wait for an answer, or is it a person's?
pub fn is_asking(attempt: &Attempt) -> bool {
    attempt.human || attempt.question.is_some()
}

fn is_paused(team: &Team, task: &Task) -> bool {
    let member = task.assignee.as_ref().and_then(|name| team.members.get(name));
    team.paused || team.capped.is_some() || member.is_some_and(|member| member.paused)
}

impl Tally {
    /// Counts a team.
    pub fn of(state: &State, id: TeamId) -> Self {
        let mut tally = Self::default();
        let Some(team) = state.team(id) else { return tally };
        for task in &team.tasks {
            tally.count(Look::of(state, team, task));
        }
        tally
    }

    fn count(&mut self, look: Look) {
        self.total += usize::from(look != Look::Cancelled);
        match look {
            Look::Blocked => self.blocked += 1,
            Look::Held => self.held += 1,
            Look::Pending => self.pending += 1,
            Look::Running => self.running += 1,
            Look::Asking => self.asking += 1,
            Look::InReview => self.in_review += 1,
            Look::Completed => self.completed += 1,
            Look::Failed => self.failed += 1,
            Look::Cancelled => {}
            Look::Stale => self.stale += 1,
            Look::Paused => self.paused += 1,
        }
    }

    /// The counts that are not zero, in the order of the status line, but for the completed.
    pub fn parts(&self) -> impl Iterator<Item = (Look, usize)> {
        let all = [
            (Look::Running, self.running),
            (Look::Asking, self.asking),
            (Look::InReview, self.in_review),
            (Look::Blocked, self.blocked),
            (Look::Pending, self.pending),
            (Look::Held, self.held),
            (Look::Failed, self.failed),
            (Look::Stale, self.stale),
            (Look::Paused, self.paused),
        ];
        all.into_iter().filter(|(_, count)| *count > 0)
    }
}
