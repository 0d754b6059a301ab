//! The status of a task and the one table of its transitions (R10).
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// An edge is not satisfied.
    Blocked,
    /// Ready, not started.
    Pending,
    /// An attempt is live.
    InProgress,
    /// Somebody must accept what was done.
    InReview,
    /// Done. Final.
    Completed,
    /// Someone or some limit said that it is not done.
    Failed,
    /// Called off. Final.
    Cancelled,
    /// The attempt ended without an outcome anyone vouches for.
    Stale,
}

/// How an attempt, a review or a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Done, and said so.
    Completed,
    /// Done or not: it ended without saying so (R15).
    Unconfirmed,
    /// It, or a limit, said that it is not done.
    Failed,
    /// It was ended from outside.
    Interrupted,
    /// Nobody knows what it did.
    Unknown,
    /// A review gave its verdict, or a turn fell silent.
    Ended,
}

impl Status {
    /// Every status, in the order of the table.
    pub const ALL: [Self; 8] = [
        Self::Blocked,
        Self::Pending,
        Self::InProgress,
        Self::InReview,
        Self::Completed,
        Self::Failed,
        Self::Cancelled,
        Self::Stale,
    ];

    /// The word for it, in text and JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Blocked => "blocked",
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::InReview => "in_review",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Stale => "stale",
        }
    }

    /// The status with that word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.word() == word)
    }

    /// Nothing leaves it (R11).
    pub fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Cancelled)
    }

    /// Only a decision leaves it (R11).
    pub fn is_settled(self) -> bool {
        matches!(self, Self::Failed | Self::Stale)
    }

    /// No attempt has begun, or the next one has not.
    pub fn is_waiting(self) -> bool {
        matches!(self, Self::Blocked | Self::Pending)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl Outcome {
    /// The word for it, in text and JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Unconfirmed => "unconfirmed",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
            Self::Unknown => "unknown",
            Self::Ended => "ended",
        }
    }
}

/// One row of the table: from, to, and what moves it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Move {
    /// Before.
    pub from: Status,
    /// After.
    pub to: Status,
    /// By what.
    pub by: &'static str,
}

/// The table. `failed` and `stale` are left by `adopt` too, and all but `completed` by `cancel`: see [`allowed`].
pub const MOVES: &[Move] = &[
    Move { from: Status::Blocked, to: Status::Pending, by: "the last edge is satisfied or waived" },
    Move { from: Status::Pending, to: Status::Blocked, by: "replan" },
    Move { from: Status::Pending, to: Status::InProgress, by: "start, claim" },
    Move { from: Status::Pending, to: Status::Completed, by: "complete (claims it first)" },
    Move {
        from: Status::InProgress,
        to: Status::Completed,
        by: "complete or exit 0, and outputs and checks hold",
    },
    Move {
        from: Status::InProgress,
        to: Status::InReview,
        by: "the same with `review`; ended without complete (unconfirmed)",
    },
    Move {
        from: Status::InProgress,
        to: Status::Failed,
        by: "fail, exit, signal of its own, limit, output or check refused",
    },
    Move {
        from: Status::InProgress,
        to: Status::Stale,
        by: "interrupt, dissolve, cap, owner ended, outcome unknown",
    },
    Move { from: Status::InReview, to: Status::Completed, by: "approve (by all), adopt" },
    Move { from: Status::InReview, to: Status::Pending, by: "send_back; after 3 of them: failed" },
    Move { from: Status::InReview, to: Status::Cancelled, by: "reject" },
    Move { from: Status::Failed, to: Status::Pending, by: "retry, or a retry due" },
    Move { from: Status::Stale, to: Status::Pending, by: "retry, resume, or `rerun = \"safe\"`" },
];

/// Does the table have this move? A task that goes back to pending is blocked at once where a `finished` upstream has been
/// opened again meanwhile.
pub fn allowed(from: Status, to: Status) -> bool {
    let by_row = MOVES.iter().any(|m| m.from == from && m.to == to);
    let sent_back_too_often = from == Status::InReview && to == Status::Failed;
    let adopted = from.is_settled() && to == Status::Completed;
    let cancelled = to == Status::Cancelled && !from.is_final();
    let waits_again = to == Status::Blocked && (from == Status::InReview || from.is_settled());
    by_row || sent_back_too_often || adopted || cancelled || waits_again
}

/// The table as `teamtui help statuses` prints it.
pub fn table() -> String {
    let mut out = format!("{:<12} {:<12} {}\n", "from", "to", "by");
    for m in MOVES {
        out.push_str(&format!("{:<12} {:<12} {}\n", m.from.word(), m.to.word(), m.by));
    }
    out.push_str("failed, stale -> completed: adopt. Any but completed -> cancelled: cancel, replan, remove. All else is refused.\n");
    out
}
