//! Starting an owner: of many who want one at once, one starts it, and its last words are kept.
use std::fs::File;
use std::io::Read;

use rustix::fs::{FlockOperation, flock};

use super::error::StoreError;
use super::folder;
use super::run::RunDir;

/// Bytes of an owner's last words that are read.
const MAX_WORDS_BYTES: u64 = 64 << 10;

/// The right to start an owner of a run; given back when dropped or when the process dies.
#[derive(Debug)]
pub struct Starting {
    run: RunDir,
    _lock: File,
}

impl Starting {
    /// Takes it; none while another is starting an owner.
    pub fn take(run: &RunDir) -> Result<Option<Self>, StoreError> {
        let path = run.path().join("starting.lock");
        let opened = folder::file_options().create(true).truncate(false).open(&path);
        let file = opened.map_err(|error| StoreError::file("open", &path, error))?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(Self { run: run.clone(), _lock: file })),
            Err(rustix::io::Errno::WOULDBLOCK | rustix::io::Errno::INTR) => Ok(None),
            Err(error) => Err(StoreError::file("lock", &path, error.into())),
        }
    }

    /// An empty file for what the owner says on its standard error.
    pub fn words(&self) -> Result<File, StoreError> {
        let path = self.run.path().join("serve.log");
        let opened = folder::file_options().create(true).truncate(true).open(&path);
        opened.map_err(|error| StoreError::file("write", &path, error))
    }

    /// Why it ended: the last error it said, else its last line; none when it said nothing.
    pub fn last_word(&self) -> Option<String> {
        let mut bytes = Vec::new();
        let file = File::open(self.run.path().join("serve.log")).ok()?;
        file.take(MAX_WORDS_BYTES).read_to_end(&mut bytes).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let error = lines.clone().rfind(|line| line.starts_with("error: "));
        error.or_else(|| lines.next_back()).map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::StateDir;
    use std::io::Write;

    #[test]
    fn one_starts_an_owner_and_its_last_line_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let run = StateDir::new(dir.path()).project(dir.path()).unwrap().standing().unwrap();
        let first = Starting::take(&run).unwrap().unwrap();
        assert!(Starting::take(&run).unwrap().is_none());
        assert_eq!(first.last_word(), None);
        first.words().unwrap().write_all(b"one\nerror: two\nhelp: three\n\n").unwrap();
        assert_eq!(first.last_word().as_deref(), Some("error: two"));
        drop(first);
        assert!(Starting::take(&run).unwrap().is_some());
    }
}
