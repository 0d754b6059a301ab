//! Which recovery's report a screen has shown last: a hint beside the store, no fact. Lost, a report is shown once more.
use crate::domain::Seq;
use crate::store::RunDir;
use std::path::PathBuf;

/// The file of a run that says it.
pub fn path(run: &RunDir) -> PathBuf {
    run.path().join("recovery.seen")
}

/// The last one; 0: none.
pub fn last(run: &RunDir) -> Seq {
    let text = std::fs::read_to_string(path(run)).unwrap_or_default();
    Seq(text.trim().parse().unwrap_or(0))
}
