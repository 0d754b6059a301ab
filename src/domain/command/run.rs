//! How a run begins, ends and goes on.
use crate::domain::{Limits, TaskRef};
use crate::text::Untrusted;
use serde::{Deserialize, Serialize};

/// The first event of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RunHeader {
    /// Identity of the run, a UUID; never shown, never required.
    pub run: String,
    /// `runs/N`; none: the standing run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// What was run: the file as it was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<Untrusted>,
    /// Nobody can be asked.
    pub headless: bool,
    /// Time jumps.
    #[serde(default)]
    pub virtual_time: bool,
    /// No retries but these, where given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retries: Option<u32>,
    /// At the first required failure nothing new starts.
    #[serde(default)]
    pub fail_fast: bool,
}

/// How a closed run goes on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ResumeRun {
    /// Retry what failed or is stale, too; else what the end interrupted.
    pub failed: bool,
    /// Raised caps; none: as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
    /// Answers to open questions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<(TaskRef, Untrusted)>,
}

/// Why a run closed, in the order of section "Exit codes".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CloseReason {
    /// Every required task completed, and confirmed or accepted.
    Completed,
    /// One was not.
    RequiredFailed,
    /// The team was dissolved before that.
    Dissolved,
    /// A script line was refused or an `expect` failed.
    ScriptFailed,
    /// A cap was reached.
    Cap,
    /// A person is waited for.
    Waiting,
    /// A signal.
    Interrupted(i32),
}

impl CloseReason {
    /// The exit code.
    pub fn rc(self) -> u8 {
        match self {
            Self::Completed => 0,
            Self::RequiredFailed | Self::Dissolved | Self::ScriptFailed => 1,
            Self::Cap => 3,
            Self::Waiting => 4,
            Self::Interrupted(signal) => u8::try_from(128_i32.saturating_add(signal)).unwrap_or(u8::MAX),
        }
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::RequiredFailed => "required_failed",
            Self::Dissolved => "dissolved",
            Self::ScriptFailed => "script_failed",
            Self::Cap => "cap",
            Self::Waiting => "waiting",
            Self::Interrupted(_) => "interrupted",
        }
    }
}
