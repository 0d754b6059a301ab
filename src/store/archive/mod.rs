//! A run as one file: a tar archive under zstd, to be kept, sent, read by other programs, and imported again.
//!
//! Nothing here knows what a record means, so a run of a newer teamtui goes out as it is. The text for people is
//! [`README`], the first file of each archive; then come `run.json` (what the store says of itself), `events.ndjson`,
//! the output logs, the texts that were handed in, and `manifest.json` with the size and the hash of each of them.

mod entry;
mod event;
mod log;
mod mask;
mod read;
mod stream;
mod write;

pub use mask::Secrets;
pub(crate) use read::sweep;
pub use read::{Imported, import};
pub use write::{Exported, Text, export};

use super::error::StoreError;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

/// The format that is written, and the newest that is read.
pub const FORMAT: u32 = 1;
/// Most files in an archive; one with more is refused. A run of 100,000 attempts has about as many.
pub const FILES: usize = 500_000;
/// Most bytes of an archive when it is unpacked; one with more is refused, and so is a bomb.
pub const UNPACKED_BYTES: u64 = 16 << 30;
/// Most bytes of one file of an output log; above it is refused. One attempt keeps 64 MiB unless it was told more.
pub const LOG_BYTES: u64 = 1 << 30;
/// Most bytes of `run.json`, `README.md` and a text; refused above.
pub const TEXT_BYTES: u64 = 256 << 20;
/// Most bytes of `manifest.json`: about 200 for each file.
pub const MANIFEST_BYTES: u64 = 128 << 20;
/// Most bytes that a decoder keeps of what it has unpacked; refused above. What is written needs far less.
pub const WINDOW_BYTES: u64 = 64 << 20;

/// What an archive is, for whoever opens one.
pub const README: &str = include_str!("README.md");

/// `run.json`: what the store said of itself, so that it can be made again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Head {
    pub format: u32,
    pub teamtui: String,
    /// Its number; none: the standing run.
    pub run: Option<u64>,
    pub run_id: uuid::Uuid,
    pub created_at_ms: u64,
    pub created_by: String,
}

/// `manifest.json`: what must be there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub format: u32,
    pub commits: u64,
    pub events: u64,
    /// Hash of the last commit, before anything was redacted.
    pub commit: String,
    pub redacted: Redacted,
    pub files: Vec<Listed>,
}

/// What was taken out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Redacted {
    /// Different values that were found.
    pub secrets: u64,
    /// Events that were changed.
    pub events: u64,
    /// Output logs that were changed.
    pub logs: u64,
}

/// One file of an archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Listed {
    pub name: String,
    pub bytes: u64,
    pub sha256: String,
}

/// Why an archive was not written, or not taken in.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The run cannot be read, or the new one not be made.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file could not be used.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There is a file of that name.
    #[error("{} exists", path.display())]
    Exists {
        /// Its name.
        path: PathBuf,
    },
    /// It is no archive of ours, or not as it was written.
    #[error("{0}")]
    Refused(String),
}

impl ArchiveError {
    pub(crate) fn file(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self::File { action, path: path.to_owned(), source }
    }

    pub(crate) fn refused(why: impl Into<String>) -> Self {
        Self::Refused(why.into())
    }
}

#[cfg(test)]
mod tests;
