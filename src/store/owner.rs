//! The one owner of a run: a lock the system takes back when its holder dies, kill -9 included.
//!
//! The lock decides; the note in the file only says who holds it, and is read only after a refusal. A reader
//! shares the lock with other readers and empties the note first, so that a dead owner's note never speaks.

use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::error::StoreError;
use super::folder;
use super::limit;
use super::run::RunDir;

const RETRY: Duration = Duration::from_millis(5);

/// What an owner says about itself, one JSON line in `owner.lock`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnerNote {
    /// Its process id.
    pub pid: u32,
    /// Wall time in milliseconds since 1970 at which it took the lock.
    pub since_ms: u64,
    /// The socket it serves, where it serves one.
    pub socket: Option<String>,
    /// Its version of teamtui.
    pub version: String,
    /// The command line it was started with.
    pub command: String,
}

impl std::fmt::Display for OwnerNote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { pid, version, command, .. } = self;
        let since = i64::try_from(self.since_ms).ok();
        match since.and_then(|since_ms| jiff::Timestamp::from_millisecond(since_ms).ok()) {
            Some(since) => write!(f, "owned by process {pid} since {since} (`{command}`, version {version})"),
            None => write!(f, "owned by process {pid} (`{command}`, version {version})"),
        }
    }
}

/// The exclusive right to write a run; given back when dropped or when the process dies.
#[derive(Debug)]
pub struct Owner {
    run: RunDir,
    file: File,
}

impl Owner {
    /// Takes the run, or says who has it: [`StoreError::Owned`], in at most about 100 ms. An imported run has no owner.
    pub fn take(run: &RunDir, note: &OwnerNote) -> Result<Self, StoreError> {
        if run.is_imported() {
            return Err(StoreError::Imported { path: run.path().to_owned() });
        }
        let path = run.lock_path();
        let mut file = open(&path)?;
        for _ in 0..limit::LOCK_TRIES {
            if lock(&file, &path, FlockOperation::NonBlockingLockExclusive)? {
                write_note(&mut file, note).map_err(|error| StoreError::file("write", &path, error))?;
                return Ok(Self { run: run.clone(), file });
            }
            refuse_if_named(&mut file, run)?;
            std::thread::sleep(RETRY);
        }
        Err(StoreError::InUse { path: run.path().to_owned() })
    }

    /// The run it is the owner of.
    pub fn run(&self) -> &RunDir {
        &self.run
    }

    /// Says something else about itself, such as the socket it came to serve.
    pub fn rename(&mut self, note: &OwnerNote) -> Result<(), StoreError> {
        write_note(&mut self.file, note)
            .map_err(|error| StoreError::file("write", &self.run.lock_path(), error))
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        // The note has no meaning without the lock; a failure here changes nothing.
        let _ = self.file.set_len(0);
    }
}

/// The right to read a run that nobody owns, shared with other readers. Without a file there is no lock, and nobody who
/// could write one.
#[derive(Debug)]
pub(crate) struct ReadLock {
    _file: Option<File>,
}

impl ReadLock {
    /// Shares the run, or says who owns it.
    pub(crate) fn share(run: &RunDir) -> Result<Self, StoreError> {
        let path = run.lock_path();
        let (mut file, may_write) = match open(&path) {
            Ok(file) => (file, true),
            Err(error) if folder::is_read_only(&error) => match File::open(&path) {
                Ok(file) => (file, false),
                Err(why) if why.kind() == std::io::ErrorKind::NotFound => return Ok(Self { _file: None }),
                Err(why) => return Err(StoreError::file("open", &path, why)),
            },
            Err(error) => return Err(error),
        };
        for _ in 0..limit::LOCK_TRIES {
            if may_write && lock(&file, &path, FlockOperation::NonBlockingLockExclusive)? {
                file.set_len(0).map_err(|error| StoreError::file("write", &path, error))?;
            }
            if lock(&file, &path, FlockOperation::NonBlockingLockShared)? {
                return Ok(Self { _file: Some(file) });
            }
            refuse_if_named(&mut file, run)?;
            std::thread::sleep(RETRY);
        }
        Err(StoreError::InUse { path: run.path().to_owned() })
    }
}

/// Who owns a run now, by its own words; none when nobody does. The run is left as it is.
pub fn owner_of(run: &RunDir) -> Result<Option<OwnerNote>, StoreError> {
    let path = run.lock_path();
    let mut file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(StoreError::file("open", &path, error)),
    };
    for _ in 0..limit::LOCK_TRIES {
        if lock(&file, &path, FlockOperation::NonBlockingLockShared)? {
            return Ok(None);
        }
        match refuse_if_named(&mut file, run) {
            Err(StoreError::Owned { owner, .. }) => return Ok(Some(*owner)),
            named => named?,
        }
        std::thread::sleep(RETRY);
    }
    Err(StoreError::InUse { path: run.path().to_owned() })
}

fn open(path: &Path) -> Result<File, StoreError> {
    folder::file_options()
        .create(true)
        .truncate(false)
        .open(path)
        .map_err(|error| StoreError::file("open", path, error))
}

/// Takes the lock in this way; `false` when another holds it.
fn lock(file: &File, path: &Path, how: FlockOperation) -> Result<bool, StoreError> {
    loop {
        match flock(file, how) {
            Ok(()) => return Ok(true),
            Err(Errno::WOULDBLOCK) => return Ok(false),
            Err(Errno::INTR) => {}
            Err(error) => return Err(StoreError::file("lock", path, error.into())),
        }
    }
}

fn write_note(file: &mut File, note: &OwnerNote) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(note)?;
    line.push(b'\n');
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(&line)
}

/// After a refusal: the holder's name as an error, or nothing when it has not said it (yet).
fn refuse_if_named(file: &mut File, run: &RunDir) -> Result<(), StoreError> {
    let mut line = Vec::new();
    let read = file.rewind().and_then(|()| file.take(limit::OWNER_NOTE_BYTES).read_to_end(&mut line));
    read.map_err(|error| StoreError::file("read", &run.lock_path(), error))?;
    match serde_json::from_slice(&line) {
        Ok(note) => Err(StoreError::Owned { path: run.path().to_owned(), owner: Box::new(note) }),
        Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::StateDir;

    fn note(pid: u32) -> OwnerNote {
        OwnerNote {
            pid,
            since_ms: 1_700_000_000_000,
            socket: Some("/run/user/0/teamtui.sock".into()),
            version: "0.1.0".into(),
            command: "teamtui serve".into(),
        }
    }

    fn run() -> (tempfile::TempDir, RunDir) {
        let dir = tempfile::tempdir().unwrap();
        let run = StateDir::new(dir.path()).project(dir.path()).unwrap().standing().unwrap();
        (dir, run)
    }

    #[test]
    fn a_second_owner_is_refused_with_the_first_ones_note() {
        let (_dir, run) = run();
        let first = Owner::take(&run, &note(41)).unwrap();
        let Err(StoreError::Owned { owner, .. }) = Owner::take(&run, &note(42)) else {
            panic!("not refused")
        };
        assert_eq!(*owner, note(41));
        let said = owner.to_string();
        assert_eq!(said, "owned by process 41 since 2023-11-14T22:13:20Z (`teamtui serve`, version 0.1.0)");
        drop(first);
        assert_eq!(Owner::take(&run, &note(42)).unwrap().run(), &run);
    }

    #[test]
    fn readers_share_and_keep_a_writer_out_without_a_dead_owners_name() {
        let (_dir, run) = run();
        std::fs::write(run.lock_path(), serde_json::to_vec(&note(9)).unwrap()).unwrap();
        let one = ReadLock::share(&run).unwrap();
        let two = ReadLock::share(&run).unwrap();
        assert!(matches!(Owner::take(&run, &note(41)), Err(StoreError::InUse { .. })));
        drop((one, two));
        let owner = Owner::take(&run, &note(41)).unwrap();
        assert!(matches!(ReadLock::share(&run), Err(StoreError::Owned { .. })));
        drop(owner);
    }

    #[test]
    fn an_owner_can_say_where_it_came_to_listen() {
        let (_dir, run) = run();
        let mut owner = Owner::take(&run, &OwnerNote { socket: None, ..note(41) }).unwrap();
        owner.rename(&note(41)).unwrap();
        let Err(StoreError::Owned { owner: said, .. }) = Owner::take(&run, &note(42)) else { panic!() };
        assert_eq!(said.socket, note(41).socket);
    }
}
