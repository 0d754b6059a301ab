//! The run's own part of the state.
use crate::domain::{CloseReason, Recovery, RunHeader};
use serde::{Deserialize, Serialize};

/// One store file: opened once, closed and resumed any number of times.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Run {
    /// As it was opened.
    pub header: RunHeader,
    /// Wall clock of the opening, ms since 1970.
    pub opened_at_ms: u64,
    /// Set while it is closed.
    pub closed: Option<Closed>,
    /// Its owner is ending: nothing new starts.
    pub stopping: bool,
    /// Times a new owner found it not closed.
    pub recoveries: u32,
    /// The last time.
    #[serde(default)]
    pub recovery: Option<Box<Recovery>>,
}

/// How a run closed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closed {
    /// Why.
    pub reason: CloseReason,
    /// When, in the run's time.
    pub elapsed_ms: u64,
    /// When, by the wall.
    pub at_ms: u64,
}
