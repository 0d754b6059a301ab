//! What a command that was accepted answers.
use super::{MessageId, Party, PlanDiff, Seq, TaskNo};
use crate::text::Untrusted;
use serde::{Deserialize, Serialize};

/// An accepted command: where it is in the log, and what to say of it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Reply {
    /// The last event of its commit; the state's, if it made none.
    pub seq: Seq,
    /// What to print, a line each, past tense.
    pub lines: Vec<String>,
    /// What to compute with.
    #[serde(default)]
    pub data: Data,
}

/// The part of a reply that is more than text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Data {
    /// Nothing more.
    #[default]
    None,
    /// What was added, under the name it got.
    Added {
        /// The name.
        name: String,
        /// The task, if there is one.
        number: Option<TaskNo>,
    },
    /// What a replan changes, or would.
    Plan(Box<PlanDiff>),
    /// Mail that is read with this reply.
    Inbox(Vec<Letter>),
    /// Answered later: when this timer is due.
    Timer(Seq),
    /// Answered later: when mail comes for the caller's attempt, or this timer is due.
    InboxTimer(Seq),
    /// Answered later: when the question of the caller's attempt is.
    Question,
    /// Answered later: when outputs and checks of the caller's attempt were looked at.
    Checking,
    /// An answer.
    Answer(Untrusted),
    /// A file may be written; settle it under this number.
    Write(Seq),
}

/// A message as its reader gets it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Letter {
    /// Its number.
    pub id: MessageId,
    /// From whom.
    pub from: Party,
    /// When it was sent, in the run's time.
    pub sent_ms: u64,
    /// Messages between members that led to it.
    pub hop: u32,
    /// What.
    pub text: Untrusted,
}

impl Reply {
    /// One line of text.
    pub fn say(line: impl Into<String>) -> Self {
        Self { lines: vec![line.into()], ..Self::default() }
    }

    /// With one more line.
    #[must_use]
    pub fn and(mut self, line: impl Into<String>) -> Self {
        self.lines.push(line.into());
        self
    }

    /// With data.
    #[must_use]
    pub fn with(mut self, data: Data) -> Self {
        self.data = data;
        self
    }
}
