//! What the store could not do, why, and what to do next.

use std::io;
use std::path::{Path, PathBuf};

use super::codec::RowFault;
use super::digest::Digest;
use super::owner::OwnerNote;

/// Why the store did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A folder or file of the state could not be used: which one, and what the system said.
    #[error("cannot {action} {}: {source}; make it writable, or name another folder with --state DIR", path.display())]
    File {
        /// What was tried, as a verb with its object: `create the folder`.
        action: &'static str,
        /// The folder or file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There is nothing at this path.
    #[error("there is no run at {}; `teamtui runs` lists those there are", path.display())]
    Missing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// A store is there already, and creating one would lose it.
    #[error("there is a store at {} already; open it, or make a new run", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Another process owns this run.
    #[error("{} is {owner}; attach to it, or wait until it ends", path.display())]
    Owned {
        /// The run's folder.
        path: PathBuf,
        /// What the owner wrote about itself.
        owner: Box<OwnerNote>,
    },
    /// The run came from an archive, and is only read.
    #[error("{} was imported: it is read-only, and nothing of it goes on; run its file again", path.display())]
    Imported {
        /// The run's folder.
        path: PathBuf,
    },
    /// Another process reads or opens this run and has not said who it is.
    #[error("{} is in use by another process that does not say who it is; try again in a moment", path.display())]
    InUse {
        /// The run's folder or file.
        path: PathBuf,
    },
    /// The file is not a store, and was left as it is.
    #[error("{} is not a store of teamtui ({why}); it was not touched: move it away, or name another folder with --state DIR", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What it is instead.
        why: &'static str,
    },
    /// The file was made by a newer teamtui, and was left as it is.
    #[error("{} is newer than this teamtui: format {format}, known is {known}, made by {created_by}; it was not touched: use that version", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// The file's format.
        format: u32,
        /// The newest format this build reads.
        known: u32,
        /// Who made the file.
        created_by: String,
    },
    /// The file is damaged.
    #[error("{} is damaged: {what}; `teamtui verify` says what is lost", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was found, or how redb gave up.
        what: String,
    },
    /// A row of the log does not prove itself.
    #[error("the commit at seq {seq} is damaged: {fault}; `teamtui verify` says what is lost")]
    Row {
        /// First seq of the commit.
        seq: u64,
        /// What is wrong with it.
        fault: RowFault,
    },
    /// The chain of hashes does not hold here: a commit before this one was changed, added or taken away.
    #[error(
        "the log is broken at seq {at_seq}: it does not continue the commit before it; `teamtui verify` says what is lost"
    )]
    ChainBroken {
        /// First seq of the commit that does not fit the one before it.
        at_seq: u64,
    },
    /// Nothing of a damaged store can be restored; nothing was changed.
    #[error("nothing of {} can be restored: {why}, no backup is whole, and no commit in it proves itself; nothing was changed: put a copy of it there, or move the folder away", path.display())]
    Lost {
        /// The file.
        path: PathBuf,
        /// What was found.
        why: String,
    },
    /// A blob's bytes are not those of its name.
    #[error("the stored text {digest} is damaged; `teamtui verify` says what is lost")]
    Blob {
        /// The name it was asked by.
        digest: Digest,
    },
    /// What was to be stored is refused, and nothing was tried; the handle goes on.
    #[error("refused to store: {0}")]
    Refused(Refusal),
    /// A commit failed; nothing of it is acknowledged. The handle wants a reload before it goes on.
    #[error("not stored: {0}; nothing acknowledged is lost")]
    NotStored(#[source] Box<StoreError>),
    /// A commit failed before this one, and the store was not loaded again.
    #[error("the store at {} must be loaded again after a failed commit", path.display())]
    Stale {
        /// The file.
        path: PathBuf,
    },
    /// The store behind this reader was closed.
    #[error("the store at {} is closed; open it again", path.display())]
    Closed {
        /// The file.
        path: PathBuf,
    },
    /// The disk is full.
    #[error("the disk is full at {}; free some space and the run goes on", path.display())]
    DiskFull {
        /// The file that could not grow.
        path: PathBuf,
    },
    /// redb could not, for any other reason.
    #[error("cannot use {}: {source}", path.display())]
    Redb {
        /// The file.
        path: PathBuf,
        /// What redb said.
        source: Box<redb::Error>,
    },
}

/// What a commit may not be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A commit without records has no seq.
    #[error("a commit needs at least one record")]
    Empty,
    /// Too many records for one commit.
    #[error("{count} records in one commit, at most {limit}; commit them in parts")]
    Records {
        /// How many there were.
        count: usize,
        /// How many there may be.
        limit: usize,
    },
    /// Something is longer than its limit.
    #[error("{what} of {bytes} bytes, at most {limit}")]
    Bytes {
        /// What is too long: `a record`, `a commit`, `a blob`, `a snapshot`.
        what: &'static str,
        /// Its bytes.
        bytes: usize,
        /// The limit, in bytes.
        limit: usize,
    },
    /// No seq is left.
    #[error("the log is at its last seq")]
    SeqsUsedUp,
}

impl StoreError {
    /// A failed use of a folder or file.
    pub(crate) fn file(action: &'static str, path: &Path, source: io::Error) -> Self {
        if is_full(&source) {
            return Self::DiskFull { path: path.to_owned() };
        }
        Self::File { action, path: path.to_owned(), source }
    }

    /// What redb said about the file at `path`, in our words.
    pub(crate) fn redb(path: &Path, error: impl Into<redb::Error>) -> Self {
        let path = path.to_owned();
        match error.into() {
            redb::Error::Io(source) if is_full(&source) => Self::DiskFull { path },
            redb::Error::Io(source) if is_damage(&source) => Self::Damaged { path, what: source.to_string() },
            redb::Error::Io(source) => Self::File { action: "use", path, source },
            redb::Error::Corrupted(what) => Self::Damaged { path, what },
            redb::Error::DatabaseAlreadyOpen | redb::Error::LockProtocolMismatch => Self::InUse { path },
            redb::Error::DatabaseClosed => Self::Closed { path },
            redb::Error::UpgradeRequired(_) => Self::Foreign { path, why: "a redb file of an old format" },
            other => Self::Redb { path, source: Box::new(other) },
        }
    }

    /// The kind of error in one word, for the line `error: WORD: ...` and for machines.
    pub fn word(&self) -> &'static str {
        match self {
            Self::File { .. } | Self::Redb { .. } => "state",
            Self::Missing { .. } => "missing",
            Self::Exists { .. } => "exists",
            Self::Owned { .. } | Self::InUse { .. } => "owned",
            Self::Imported { .. } => "imported",
            Self::Foreign { .. } => "foreign",
            Self::Newer { .. } => "newer",
            Self::Damaged { .. }
            | Self::Row { .. }
            | Self::ChainBroken { .. }
            | Self::Blob { .. }
            | Self::Lost { .. } => "damaged",
            Self::Refused(_) => "refused",
            Self::NotStored(_) | Self::Stale { .. } => "not stored",
            Self::Closed { .. } => "closed",
            Self::DiskFull { .. } => "disk full",
        }
    }

    /// Whether a file is not as it was written: it is restored by whoever may write it.
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Damaged { .. } | Self::Row { .. } | Self::ChainBroken { .. } | Self::Blob { .. })
    }

    /// Whether space on the disk is what is missing: the run pauses, and goes on when there is some.
    pub fn is_disk_full(&self) -> bool {
        match self {
            Self::DiskFull { .. } => true,
            Self::NotStored(cause) => cause.is_disk_full(),
            _ => false,
        }
    }
}

/// Whether a read met something other than what was written: a file cut short, or bytes that make no sense.
fn is_damage(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData)
}

/// Whether the system said that there is no space, for the disk or for this user.
fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    )
}
