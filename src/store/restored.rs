//! What was restored of a damaged store, and what was lost.

use std::fs;

use serde::{Deserialize, Serialize};

use super::backup::Backup;
use super::codec::Record;
use super::error::StoreError;
use super::folder;
use super::run::RunDir;

/// What came of a damaged store. It is put down before anything is moved, so that whoever goes on after a kill knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Restored {
    /// What was found.
    pub why: String,
    /// The backup it was restored from; none: from what of the file proves itself.
    pub backup: Option<Backup>,
    /// Records that were read from the damaged file, and continue the backup without a gap.
    pub salvaged: u64,
    /// The last seq there is now.
    pub last_seq: u64,
    /// The hash of its commit, 64 hex digits.
    pub hash: String,
    /// Name of the damaged file in the run's folder; none: it was gone.
    pub damaged: Option<String>,
    /// What is lost; none: nothing that was acknowledged.
    pub lost: Option<Lost>,
}

/// What is lost of a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lost {
    /// The first seq that is lost.
    pub first_seq: u64,
    /// The last seq that is known to have been stored; none: none is known, and there may have been some.
    pub last_seq: Option<u64>,
    /// Nothing says where the log ended: more may be lost.
    pub is_open: bool,
    /// The lost records that can still be read behind the gap, with their seqs; the first of them, where they are many.
    pub readable: Vec<(u64, Record)>,
}

impl Lost {
    /// How many records are known to be lost.
    pub fn count(&self) -> u64 {
        self.last_seq.map_or(0, |last| last.saturating_add(1).saturating_sub(self.first_seq))
    }
}

impl Restored {
    /// The note of a restoring that was not brought to its end; one that makes no sense is none.
    pub(crate) fn read(run: &RunDir) -> Option<Self> {
        serde_json::from_slice(&fs::read(run.note_path()).ok()?).ok()
    }

    /// Puts it on the disk.
    pub(crate) fn write(&self, run: &RunDir) -> Result<(), StoreError> {
        let path = run.note_path();
        let new = path.with_extension("restored.new");
        let failed = |error| StoreError::file("write", &path, error);
        let text = serde_json::to_vec(self).map_err(|error| failed(error.into()))?;
        let written = folder::file_options().create(true).truncate(true).open(&new).and_then(|mut file| {
            std::io::Write::write_all(&mut file, &text)?;
            file.sync_all()
        });
        written.and_then(|()| fs::rename(&new, &path)).map_err(failed)?;
        folder::sync(run.path())
    }

    /// It is in place.
    pub(crate) fn forget(run: &RunDir) {
        // One that stays fits no store that has gone on, and is dropped then.
        let _ = fs::remove_file(run.note_path());
    }
}
