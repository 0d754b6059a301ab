//! What a task can be waited for, asserted or listed as: one word of the script language.
use super::Status;
use super::state::Task;

/// What a task can be waited for, asserted or listed as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Goal {
    /// That status, held or not.
    Status(Status),
    /// Blocked by something settled.
    Held,
    /// Failed or stale.
    Settled,
}

impl Goal {
    /// Nothing more happens to it without a decision: the goal of a `wait` without `until`.
    pub const OVER: [Self; 5] = [
        Self::Status(Status::Completed),
        Self::Status(Status::Cancelled),
        Self::Status(Status::Failed),
        Self::Status(Status::Stale),
        Self::Held,
    ];

    /// Every word for one, in the order of the grammar.
    pub const WORDS: [&'static str; 10] = [
        "blocked",
        "pending",
        "in_progress",
        "in_review",
        "completed",
        "failed",
        "cancelled",
        "stale",
        "held",
        "settled",
    ];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Status(status) => status.word(),
            Self::Held => "held",
            Self::Settled => "settled",
        }
    }

    /// The goal with that word.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "held" => Some(Self::Held),
            "settled" => Some(Self::Settled),
            _ => Status::from_word(word).map(Self::Status),
        }
    }

    /// Is the task that?
    pub fn is_met(self, task: &Task) -> bool {
        match self {
            Self::Status(wanted) => wanted == task.status(),
            Self::Held => task.is_held(),
            Self::Settled => task.status().is_settled(),
        }
    }
}
