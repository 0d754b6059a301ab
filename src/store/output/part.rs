//! The parts of an output log: how they are named and which bytes they hold.

use std::io;
use std::path::{Path, PathBuf};

use crate::store::error::StoreError;

/// One part as it is on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Part {
    /// Offset of its first byte.
    pub start: u64,
    /// Bytes it holds.
    pub len: u64,
}

impl Part {
    pub(super) fn end(self) -> u64 {
        self.start.saturating_add(self.len)
    }
}

/// The file of the bytes from `start` on.
pub(super) fn data_path(dir: &Path, start: u64) -> PathBuf {
    named(dir, "out", start)
}

/// The file of their index.
pub(super) fn index_path(dir: &Path, start: u64) -> PathBuf {
    named(dir, "index", start)
}

fn named(dir: &Path, word: &str, start: u64) -> PathBuf {
    if start == 0 { dir.join(word) } else { dir.join(format!("{word}.{start}")) }
}

/// How often the names are read again while they change.
const TRIES: u32 = 8;

/// The parts in order; none when nothing was ever printed.
///
/// A part is full before the next one is begun: with all names known, the lengths leave no false gap. Names are
/// read until they stay the same, since a folder that changes meanwhile may show a later part and not an earlier.
pub(super) fn list(dir: &Path) -> Result<Vec<Part>, StoreError> {
    let mut starts = names(dir)?;
    for _ in 1..TRIES {
        let again = names(dir)?;
        if again == starts {
            break;
        }
        starts = again;
    }
    // A part that went away meanwhile was the oldest one, and is not missed.
    let len = |start: u64| std::fs::metadata(data_path(dir, start)).ok().map(|meta| meta.len());
    Ok(starts.into_iter().filter_map(|start| Some(Part { start, len: len(start)? })).collect())
}

/// Where the parts begin, rising.
fn names(dir: &Path) -> Result<Vec<u64>, StoreError> {
    let failed = |error| StoreError::file("list", dir, error);
    let entries = match std::fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut starts = Vec::new();
    for entry in entries {
        starts.extend(entry.map_err(failed)?.file_name().to_str().and_then(start_of));
    }
    starts.sort_unstable();
    Ok(starts)
}

fn start_of(name: &str) -> Option<u64> {
    if name == "out" { Some(0) } else { name.strip_prefix("out.")?.parse().ok() }
}
