//! The folder of one run: which file is where, and what it weighs.

use std::fmt;
use std::path::{Path, PathBuf};

use super::error::StoreError;

/// Before the seq in a backup's name.
const BACKUP: &str = "store.redb.backup-";
/// Before the number in a damaged file's name.
const DAMAGED: &str = "store.redb.damaged-";

/// Which run of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RunName {
    /// The standing run.
    Standing,
    /// A headless run, by number.
    Numbered(u64),
}

impl fmt::Display for RunName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Standing => f.write_str("standing"),
            Self::Numbered(number) => write!(f, "{number}"),
        }
    }
}

/// The folder of one run; made by [`super::ProjectDir`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunDir {
    path: PathBuf,
    name: RunName,
}

/// What a run takes on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunSize {
    /// Bytes of the store; `None` while the run has none (its maker died before its first commit).
    pub store_bytes: Option<u64>,
    /// Bytes of its backups, and of damaged files that were set aside.
    pub kept_bytes: u64,
    /// Bytes of the output of its attempts.
    pub output_bytes: u64,
}

impl RunSize {
    /// All of it.
    pub fn bytes(&self) -> u64 {
        self.store_bytes.unwrap_or_default().saturating_add(self.kept_bytes).saturating_add(self.output_bytes)
    }
}

impl RunDir {
    pub(crate) fn new(path: PathBuf, name: RunName) -> Self {
        Self { path, name }
    }

    /// Which run it is.
    pub fn name(&self) -> RunName {
        self.name
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The redb file.
    pub fn store_path(&self) -> PathBuf {
        self.path.join("store.redb")
    }

    /// The redb file while it is being made; it is renamed when its first commit is on disk.
    pub(crate) fn unborn_path(&self) -> PathBuf {
        self.path.join("store.redb.new")
    }

    /// What is known of the store outside of it.
    pub(crate) fn witness_path(&self) -> PathBuf {
        self.path.join("store.redb.witness")
    }

    /// The backup that ends at `seq`.
    pub(crate) fn backup_path(&self, seq: u64) -> PathBuf {
        self.path.join(format!("{BACKUP}{seq}"))
    }

    /// A backup while it is being made.
    pub(crate) fn backup_unborn_path(&self) -> PathBuf {
        self.path.join("store.redb.backup.new")
    }

    /// The damaged file with this number, set aside.
    pub(crate) fn damaged_path(&self, number: u64) -> PathBuf {
        self.path.join(format!("{DAMAGED}{number}"))
    }

    /// The store that is made of what is left.
    pub(crate) fn restoring_path(&self) -> PathBuf {
        self.path.join("store.redb.restoring")
    }

    /// What was restored, from when it is known until it is in place.
    pub(crate) fn note_path(&self) -> PathBuf {
        self.path.join("store.redb.restored")
    }

    /// The seqs of the backups there are, the newest first. What is not named as one is none.
    pub(crate) fn backup_seqs(&self) -> Vec<u64> {
        let Ok(list) = std::fs::read_dir(&self.path) else { return Vec::new() };
        let seq = |name: &str| {
            let digits = name.strip_prefix(BACKUP)?;
            digits.parse().ok().filter(|seq: &u64| seq.to_string() == digits)
        };
        let names = list.flatten().map(|entry| entry.file_name());
        let mut seqs: Vec<u64> = names.filter_map(|name| name.to_str().and_then(seq)).collect();
        seqs.sort_unstable_by(|a, b| b.cmp(a));
        seqs
    }

    /// The lock of the owner.
    pub fn lock_path(&self) -> PathBuf {
        self.path.join("owner.lock")
    }

    /// The folder of the output of attempt `number`; made when there is output.
    pub fn attempt_path(&self, number: u64) -> PathBuf {
        self.path.join("attempts").join(number.to_string())
    }

    /// Puts the output of attempts after `last` aside, which a restored log does not know: their numbers are given again.
    pub fn set_aside_attempts(&self, last: u64) -> Result<(), StoreError> {
        for path in folders(&self.path.join("attempts"))? {
            let number =
                path.file_name().and_then(|name| name.to_str()).and_then(|name| name.parse::<u64>().ok());
            let Some(number) = number.filter(|number| *number > last) else { continue };
            let free = (1..=super::limit::DAMAGED_FILES)
                .map(|nth| path.with_file_name(format!("{number}.lost-{nth}")))
                .find(|free| !free.exists());
            let to = free.ok_or_else(|| StoreError::Exists { path: path.clone() })?;
            std::fs::rename(&path, &to).map_err(|error| StoreError::file("rename", &path, error))?;
        }
        Ok(())
    }

    /// Whether there is a store in it, or what is left of one: it is never begun anew then.
    pub fn has_store(&self) -> bool {
        let was_told = || super::witness::Witness::read(self).is_some_and(|witness| witness.seq > 0);
        self.store_path().exists() || !self.backup_seqs().is_empty() || was_told()
    }

    /// What it takes on the disk; files that go away meanwhile do not count.
    pub fn size(&self) -> Result<RunSize, StoreError> {
        let store_bytes = std::fs::metadata(self.store_path()).ok().map(|store| store.len());
        let is_kept = |path: &Path| {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            name.is_some_and(|name| name.starts_with(BACKUP) || name.starts_with(DAMAGED))
        };
        let kept = entries(&self.path)?;
        let kept_bytes = kept.iter().filter(|(path, _)| is_kept(path)).map(|(_, about)| about.len()).sum();
        let mut output_bytes = 0;
        for attempt in folders(&self.path.join("attempts"))? {
            output_bytes += bytes_in(&attempt)?;
        }
        Ok(RunSize { store_bytes, kept_bytes, output_bytes })
    }
}

/// The folders in a folder; none when it is not there. Links are not followed.
fn folders(path: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let entries = entries(path)?;
    Ok(entries.into_iter().filter(|(_, meta)| meta.is_dir()).map(|(path, _)| path).collect())
}

/// The bytes of the files in a folder.
fn bytes_in(path: &Path) -> Result<u64, StoreError> {
    Ok(entries(path)?.iter().filter(|(_, meta)| meta.is_file()).map(|(_, meta)| meta.len()).sum())
}

fn entries(path: &Path) -> Result<Vec<(PathBuf, std::fs::Metadata)>, StoreError> {
    let list = match std::fs::read_dir(path) {
        Ok(list) => list,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(StoreError::file("list", path, error)),
    };
    let mut entries = Vec::new();
    for entry in list {
        let entry = entry.map_err(|error| StoreError::file("list", path, error))?;
        if let Ok(meta) = entry.metadata() {
            entries.push((entry.path(), meta));
        }
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use crate::store::digest::Digest;
    use crate::store::tests::{birth, new_run};
    use crate::store::witness::WitnessFile;

    #[test]
    fn a_store_that_is_gone_and_was_acknowledged_is_never_begun_anew() {
        let (_dir, run) = new_run();
        let mut witness = WitnessFile::open(&run, &birth(), 0, Digest::ZERO);
        assert!(!run.has_store(), "nothing was ever stored");
        witness.say(5, Digest::of(b"5"), false);
        assert!(run.has_store());
    }
}
