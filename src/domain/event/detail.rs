//! What events are made of.
use crate::domain::{EdgeSpec, Name, Needs, TaskNo};
use serde::{Deserialize, Serialize};

/// An edge in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EdgeFact {
    /// Upstream.
    pub on: TaskNo,
    /// What it must come to.
    pub needs: Needs,
    /// It counts as satisfied, whatever the upstream comes to.
    #[serde(default)]
    pub waived: bool,
}

/// What an attempt is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// To do a task.
    Task(TaskNo),
    /// To review one.
    Review(TaskNo),
    /// To read mail and events.
    Turn,
}

/// A cap of a team.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cap {
    /// Team time.
    Time,
    /// Money.
    Money,
    /// The first required failure, with `--fail-fast`.
    FailFast,
}

/// One end of a message.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Party {
    /// Whoever runs the team.
    Person,
    /// A chair, the lead's among them.
    Member(Name),
    /// teamtui itself.
    System,
}

/// Why a message was not delivered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageRefusal {
    /// The chair is closed.
    Stopped,
    /// A cap; its text.
    Cap(String),
}

/// What a reviewer says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It may complete.
    Approved,
    /// It goes back to work.
    SentBack,
    /// It is cancelled for good.
    Rejected,
    /// The reviewer ended without one.
    None,
}

impl EdgeFact {
    /// From a declared edge whose upstream is known.
    pub fn new(on: TaskNo, edge: &EdgeSpec) -> Self {
        Self { on, needs: edge.needs, waived: false }
    }
}

impl Cap {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Money => "money",
            Self::FailFast => "fail-fast",
        }
    }
}
