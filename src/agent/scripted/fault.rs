//! Why a scripted member stops.
use super::file::FileError;
use crate::agent::beneath::PathError;
use crate::domain::Rejection;
use crate::text::Untrusted;
use crate::verbs::ParseError;

/// Why no further line is run.
#[derive(Debug)]
pub enum Over {
    /// The task, or the verdict on it, is said.
    Settled,
    /// It was ordered to end.
    Stopped,
    /// A line was refused, or it crashed.
    Broken(Untrusted),
}

/// Why a line did not do what it says.
pub enum Fault {
    /// The attempt is over.
    Over(Over),
    /// What and why, and next steps.
    Refused(String, Vec<String>),
}

impl Fault {
    /// A refusal without a next step.
    pub fn refused(what: impl std::fmt::Display) -> Self {
        Self::Refused(what.to_string(), Vec::new())
    }
}

impl From<Over> for Fault {
    fn from(over: Over) -> Self {
        Self::Over(over)
    }
}

impl From<Rejection> for Fault {
    fn from(rejection: Rejection) -> Self {
        Self::Refused(rejection.headline(), rejection.help)
    }
}

impl From<ParseError> for Fault {
    fn from(error: ParseError) -> Self {
        Self::Refused(error.what, error.help)
    }
}

impl From<FileError> for Fault {
    fn from(error: FileError) -> Self {
        Self::refused(error)
    }
}

impl From<PathError> for Fault {
    fn from(error: PathError) -> Self {
        Self::refused(error)
    }
}
