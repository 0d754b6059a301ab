//! A command refused: what, why, and the next step, in words that a person or a model can act on.
use serde::{Deserialize, Serialize};

/// Nothing was stored, nothing was started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{}", self.headline())]
pub struct Rejection {
    /// The kind, for machines.
    pub code: Code,
    /// What, and why: lower case, one sentence, no full stop.
    pub what: String,
    /// At most three next steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub help: Vec<String>,
}

/// Kinds of refusal. The code stands before the text with blanks, in JSON with underscores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// No task, member or team has that name.
    NotFound,
    /// The chair is closed, or its tasks are over: what was sent is kept, nobody reads it.
    Stopped,
    /// An upstream is not satisfied.
    Blocked,
    /// The attempt has ended, or another has the task.
    StaleToken,
    /// Members may not.
    LeadOnly,
    /// Only the caller's own, or only a member inside an attempt.
    NotYours,
    /// Completed and cancelled are final.
    Final,
    /// The status does not allow it.
    WrongStatus,
    /// The name is taken, or reserved, or not a name.
    BadName,
    /// The graph would have a loop.
    Cycle,
    /// An edge, a step or an argument does not fit.
    BadPlan,
    /// The plan has moved since.
    OldRevision,
    /// R27, word for word.
    AtCapacity,
    /// A limit of `limits.rs`.
    OverLimit,
    /// The team is dissolving or has ended.
    TeamEnded,
    /// Which team is meant is not clear.
    WhichTeam,
    /// The run is closed.
    RunClosed,
    /// A question is open already, or there is none.
    Question,
    /// The store did not take it.
    NotStored,
    /// The owner of the run has ended.
    OwnerGone,
}

impl Code {
    /// The code as JSON has it.
    pub fn word(self) -> &'static str {
        match self {
            Self::NotFound => "not_found",
            Self::Stopped => "stopped",
            Self::Blocked => "blocked",
            Self::StaleToken => "stale_token",
            Self::LeadOnly => "lead_only",
            Self::NotYours => "not_yours",
            Self::Final => "final",
            Self::WrongStatus => "wrong_status",
            Self::BadName => "bad_name",
            Self::Cycle => "cycle",
            Self::BadPlan => "bad_plan",
            Self::OldRevision => "old_revision",
            Self::AtCapacity => "at_capacity",
            Self::OverLimit => "over_limit",
            Self::TeamEnded => "team_ended",
            Self::WhichTeam => "which_team",
            Self::RunClosed => "run_closed",
            Self::Question => "question",
            Self::NotStored => "not_stored",
            Self::OwnerGone => "owner_gone",
        }
    }
}

impl Rejection {
    /// A refusal without a next step.
    pub fn new(code: Code, what: impl Into<String>) -> Self {
        Self { code, what: what.into(), help: Vec::new() }
    }

    /// With one more next step.
    #[must_use]
    pub fn help(mut self, step: impl Into<String>) -> Self {
        self.help.push(step.into());
        self
    }

    /// Code and text on one line. The capacity text stands alone: agents have learned it word for word.
    pub fn headline(&self) -> String {
        if self.code == Code::AtCapacity {
            return self.what.clone();
        }
        // Its text is the loop, and begins with the word.
        if self.code == Code::Cycle && self.what.starts_with("cycle: ") {
            return self.what.clone();
        }
        format!("{}: {}", self.code.word().replace('_', " "), self.what)
    }
}
