//! After a crash: what lies beyond the last mark, and what should lie before it and does not.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::part;
use crate::store::error::StoreError;
use crate::store::folder;

/// Where a recovery found an attempt's output to end, against the last mark that was committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seam {
    /// The last mark: bytes known to be printed, and safe.
    pub mark: u64,
    /// The bytes there were.
    pub total: u64,
}

impl Seam {
    /// Bytes after the mark: they were printed, and are shown behind a seam line.
    pub fn past_mark(self) -> u64 {
        self.total.saturating_sub(self.mark)
    }

    /// Bytes before the mark that are gone: a loss to be stated.
    pub fn lost(self) -> u64 {
        self.mark.saturating_sub(self.total)
    }
}

/// Compares the output in `dir` with its last mark and records the seam; done twice, it changes nothing.
pub fn recover(dir: &Path, mark: u64) -> Result<Seam, StoreError> {
    let total = part::list(dir)?.last().map_or(0, |last| last.end());
    let seam = Seam { mark, total };
    if total != mark && dir.is_dir() && read(dir)? != Some(seam) {
        write(dir, seam)?;
    }
    Ok(seam)
}

/// The seam a recovery recorded.
pub(super) fn read(dir: &Path) -> Result<Option<Seam>, StoreError> {
    let path = path(dir);
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(StoreError::file("read", &path, error)),
    };
    let Ok(bytes) = <[u8; 16]>::try_from(bytes) else { return Ok(None) };
    let (mark, total) = bytes.split_at(8);
    let number = |bytes: &[u8]| bytes.try_into().map(u64::from_le_bytes).unwrap_or_default();
    Ok(Some(Seam { mark: number(mark), total: number(total) }))
}

fn write(dir: &Path, seam: Seam) -> Result<(), StoreError> {
    let (new, path) = (dir.join("seam.new"), path(dir));
    let failed = |error| StoreError::file("write", &path, error);
    let mut file = folder::file_options().create(true).truncate(true).open(&new).map_err(failed)?;
    file.write_all(&seam.mark.to_le_bytes()).map_err(failed)?;
    file.write_all(&seam.total.to_le_bytes()).map_err(failed)?;
    file.sync_data().map_err(failed)?;
    std::fs::rename(&new, &path).map_err(failed)?;
    folder::sync(dir)
}

fn path(dir: &Path) -> PathBuf {
    dir.join("seam")
}
