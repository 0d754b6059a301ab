//! How an attempt ends, and what made it end.
use crate::domain::Outcome;
use crate::text::Untrusted;
use serde::{Deserialize, Serialize};

/// How an agent ended, as the supervisor saw it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AttemptEnd {
    /// What it says of itself.
    pub cause: EndCause,
    /// What it leaves: result file, last text, or the end of its output.
    #[serde(default)]
    pub result: Untrusted,
    /// Bytes of output in all.
    #[serde(default)]
    pub output_bytes: u64,
    /// Micro-dollars it reported.
    #[serde(default)]
    pub cost_micros: Option<u64>,
}

/// Why an agent ended.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndCause {
    /// Its process exited.
    Exit(i32),
    /// Its process was ended by a signal that nobody here sent.
    Signal(i32),
    /// It could not be started.
    NotStarted(Untrusted),
    /// A scripted member came to the end of its lines.
    #[default]
    Silent,
    /// A scripted member crashed, or a line of it was refused.
    Broken(Untrusted),
    /// It was ended as asked.
    Stopped,
    /// Its guard was lost: nobody knows what it did.
    Lost,
}

/// What made the owner ask an attempt to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopCause {
    /// `interrupt`.
    Interrupt,
    /// `dissolve`.
    Dissolve,
    /// A cap of the team.
    Cap,
    /// Its task was cancelled, replaced or its chair closed.
    Cancel,
    /// Its own wall clock.
    Time,
    /// It was silent, and `stall_action = "fail"`.
    Stall,
    /// It has settled its task; its process is let go.
    Done,
    /// A signal to the owner.
    Signal,
    /// Standard output was closed.
    Pipe,
    /// The script came to its end.
    ScriptEnd,
}

impl StopCause {
    /// Does the task lose what the attempt did, through no fault of its own?
    pub fn outcome(self) -> Outcome {
        match self {
            Self::Time | Self::Stall => Outcome::Failed,
            _ => Outcome::Interrupted,
        }
    }

    /// The word for it in a reason.
    pub fn word(self) -> &'static str {
        match self {
            Self::Interrupt => "interrupted",
            Self::Dissolve => "cut off by dissolve",
            Self::Cap => "interrupted by a cap",
            Self::Cancel => "cancelled",
            Self::Time => "over its time",
            Self::Stall => "stalled",
            Self::Done => "let go",
            Self::Signal => "interrupted",
            Self::Pipe => "interrupted",
            Self::ScriptEnd => "interrupted at the end of the script",
        }
    }
}
