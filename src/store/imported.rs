//! The mark of a run that came from an archive: it is read, and never owned.

use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};

use super::error::StoreError;
use super::folder;
use super::run::RunDir;

/// Most bytes of the mark that are read.
const NOTE_BYTES: u64 = 4_096;

/// What is known of where a run came from, one JSON line in the file `imported`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportNote {
    /// Wall time in milliseconds since 1970 at which it was imported.
    pub at_ms: u64,
    /// The number it had; none: it was a standing run.
    pub from_run: Option<u64>,
    /// Secrets that were redacted when it was exported.
    pub secrets: u64,
    /// Events that were changed by that: without one, the chain of hashes is the first one's.
    pub redacted_events: u64,
}

impl ImportNote {
    /// Its chain of hashes is that of the run it was exported from.
    pub fn is_proved(&self) -> bool {
        self.redacted_events == 0
    }
}

impl RunDir {
    /// It came from an archive.
    pub fn is_imported(&self) -> bool {
        self.imported_path().exists()
    }

    /// Where it came from; none: it was run here. A note that cannot be read says nothing.
    pub fn import_note(&self) -> Option<ImportNote> {
        let mut line = Vec::new();
        let file = std::fs::File::open(self.imported_path()).ok()?;
        file.take(NOTE_BYTES).read_to_end(&mut line).ok()?;
        Some(serde_json::from_slice(&line).unwrap_or_default())
    }

    /// Marks it: nobody will own it from now on.
    pub(crate) fn mark_imported(&self, note: &ImportNote) -> Result<(), StoreError> {
        let path = self.imported_path();
        let failed = |error: io::Error| StoreError::file("write", &path, error);
        let mut line = serde_json::to_vec(note).map_err(|error| failed(error.into()))?;
        line.push(b'\n');
        let mut file = folder::file_options().create_new(true).open(&path).map_err(failed)?;
        file.write_all(&line).and_then(|()| file.sync_all()).map_err(failed)
    }

    fn imported_path(&self) -> std::path::PathBuf {
        self.path().join("imported")
    }
}
