//! Reading a store: commits in order, the proof of their chain, blobs and snapshots.
//!
//! A reader of its own needs a run without an owner: it shares the lock with other readers for as long as it
//! lives. After a kill -9 redb wants to repair a file before it is read (a read-only opening is refused with
//! `RepairAborted`), so the file is opened as a writer opens it, under that lock, behind a gate that keeps the
//! repair in memory: the file stays as it is.

use std::sync::Arc;

use redb::{OwnedRange, ReadTransaction, ReadableTable};

use super::base::{Access, Base, Fault, caught, discard};
use super::check;
use super::codec::{self, Record, Row};
use super::digest::Digest;
use super::error::StoreError;
use super::owner::ReadLock;
use super::run::RunDir;
use super::schema::{BLOBS, LOG, Meta, SNAPSHOTS};
use super::snapshot::{self, Snapshot};

/// Reads what is committed; cheap to clone, usable from any thread while the owner writes.
#[derive(Debug, Clone)]
pub struct Reader {
    base: Arc<Base>,
    meta: Arc<Meta>,
    _lock: Option<Arc<ReadLock>>,
}

/// One commit, proved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// The seq of its first record; the others follow by one.
    pub first_seq: u64,
    /// The hash that the next commit names.
    pub hash: Digest,
    /// Its records, at least one.
    pub records: Vec<Record>,
}

impl Commit {
    /// The seq of its last record.
    pub fn last_seq(&self) -> u64 {
        self.first_seq.saturating_add(self.records.len() as u64).saturating_sub(1)
    }
}

/// What a whole chain came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainReport {
    /// How many commits there are.
    pub commits: u64,
    /// The last seq; 0 in an empty log.
    pub last_seq: u64,
    /// The hash of the last commit; zeros in an empty log.
    pub hash: Digest,
}

/// The seq of the first record of a log.
const FIRST_SEQ: u64 = 1;

/// Where a log ends.
pub(crate) type Tip = ChainReport;

impl ChainReport {
    pub(crate) const EMPTY: Self = Self { commits: 0, last_seq: 0, hash: Digest::ZERO };
}

impl Reader {
    /// Opens a run that has no owner, to read it; a run with an owner is refused with its name.
    pub fn open(run: &RunDir) -> Result<Self, StoreError> {
        if !run.has_store() {
            return Err(StoreError::Missing { path: run.path().to_owned() });
        }
        let lock = ReadLock::share(run)?;
        let (base, meta) = check::open(run, Access::Read)?;
        Ok(Self { base: Arc::new(base), meta: Arc::new(meta), _lock: Some(Arc::new(lock)) })
    }

    /// Reads beside the owner, in its process.
    pub(crate) fn beside(base: Arc<Base>, meta: Meta) -> Self {
        Self { base, meta: Arc::new(meta), _lock: None }
    }

    /// The file that is read.
    pub(crate) fn base(&self) -> &Base {
        &self.base
    }

    /// What the store says about itself.
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// The last committed seq; 0 in an empty log.
    pub fn last_seq(&self) -> Result<u64, StoreError> {
        Ok(tip(&self.base)?.last_seq)
    }

    /// The commits in order, beginning with the one that holds `seq`, as they are committed now.
    ///
    /// One commit is in memory at a time. Each row is proved, and its link to the one before it (when that one
    /// was read too, or when it is the first of the log). After an error there is nothing more.
    pub fn commits(&self, seq: u64) -> Result<Commits, StoreError> {
        self.base.read(|tx| {
            let log = tx.open_table(LOG)?;
            let last = log.last()?.map(|(key, _)| key.value());
            // The log's start is not searched for: a search on a damaged page may end elsewhere.
            let from = if seq <= FIRST_SEQ { None } else { log.range(..=seq)?.next_back().transpose()? };
            let from = from.map_or(FIRST_SEQ, |(key, _)| key.value());
            let before = (from == FIRST_SEQ).then_some(Digest::ZERO);
            let rows = Some(log.range_owned(from.min(seq)..)?);
            let expected = Expected { first_seq: from, before, last };
            Ok(Commits { base: Arc::clone(&self.base), rows, expected })
        })
    }

    /// Reads the whole log and proves every row and every link.
    pub fn verify_chain(&self) -> Result<ChainReport, StoreError> {
        let mut report = ChainReport::EMPTY;
        for commit in self.commits(0)? {
            let commit = commit?;
            report.commits += 1;
            report.last_seq = commit.last_seq();
            report.hash = commit.hash;
        }
        Ok(report)
    }

    /// The bytes with this digest, proved; `None` when none were stored.
    pub fn blob(&self, digest: Digest) -> Result<Option<Vec<u8>>, StoreError> {
        let bytes = self.base.read(|tx| {
            let blobs = tx.open_table(BLOBS)?;
            Ok(blobs.get(digest.as_bytes())?.map(|bytes| bytes.value().to_vec()))
        })?;
        match bytes {
            Some(bytes) if Digest::of(&bytes) != digest => Err(StoreError::Blob { digest }),
            bytes => Ok(bytes),
        }
    }

    /// The newest snapshot at or before `seq` that this version of the fold made and that fits the log.
    ///
    /// A cache: whatever does not fit, damage included, is as if it were not there.
    pub fn snapshot_at(&self, seq: u64, fold_version: u32) -> Result<Option<Snapshot>, StoreError> {
        match self.base.read(|tx| find_snapshot(tx, seq, fold_version)) {
            Err(StoreError::Damaged { .. }) => Ok(None),
            found => found,
        }
    }
}

fn find_snapshot(tx: &ReadTransaction, seq: u64, fold_version: u32) -> Result<Option<Snapshot>, Fault> {
    let log = tx.open_table(LOG)?;
    for row in tx.open_table(SNAPSHOTS)?.range(..=seq)?.rev() {
        let (key, value) = row?;
        let seq = key.value();
        let Some((commit, body)) = snapshot::decode(seq, fold_version, value.value()) else { continue };
        if ends_a_commit(&log, seq, commit)? {
            return Ok(Some(Snapshot { seq, body: body.to_vec() }));
        }
    }
    Ok(None)
}

/// Whether the commit with this hash ends at this seq.
fn ends_a_commit(
    log: &impl ReadableTable<u64, &'static [u8]>,
    seq: u64,
    hash: Digest,
) -> Result<bool, Fault> {
    let Some((key, row)) = log.range(..=seq)?.next_back().transpose()? else { return Ok(false) };
    let commit = codec::decode(key.value(), row.value()).map(|row| commit_of(key.value(), row));
    Ok(commit.is_ok_and(|commit| commit.last_seq() == seq && commit.hash == hash))
}

/// The end of the log, from its last row.
pub(crate) fn tip(base: &Base) -> Result<Tip, StoreError> {
    base.read(tip_at)
}

/// The same within a transaction.
pub(crate) fn tip_at(tx: &ReadTransaction) -> Result<Tip, Fault> {
    let log = tx.open_table(LOG)?;
    let Some((key, row)) = log.last()? else { return Ok(Tip::EMPTY) };
    let commit = prove(key.value(), row.value())?;
    let commits = redb::ReadableTableMetadata::len(&log)?;
    Ok(Tip { commits, last_seq: commit.last_seq(), hash: commit.hash })
}

pub(crate) fn prove(first_seq: u64, row: &[u8]) -> Result<Commit, StoreError> {
    let row = codec::decode(first_seq, row).map_err(|fault| StoreError::Row { seq: first_seq, fault })?;
    Ok(commit_of(first_seq, row))
}

fn commit_of(first_seq: u64, row: Row) -> Commit {
    Commit { first_seq, hash: row.hash, records: row.records }
}

/// Commits in order; see [`Reader::commits`].
pub struct Commits {
    base: Arc<Base>,
    /// `None` after an error.
    rows: Option<OwnedRange<u64, &'static [u8]>>,
    expected: Expected,
}

/// What the next row must be.
#[derive(Debug, Clone, Copy)]
struct Expected {
    first_seq: u64,
    /// The hash it names; `None` while the row before it was not read.
    before: Option<Digest>,
    /// First seq of the last commit when the reading began; `None` in an empty log.
    last: Option<u64>,
}

impl Expected {
    /// The row fits the one before it.
    fn check(self, first_seq: u64, before: Digest) -> Result<(), StoreError> {
        let fits = first_seq == self.first_seq && self.before.is_none_or(|expected| expected == before);
        if fits { Ok(()) } else { Err(StoreError::ChainBroken { at_seq: first_seq }) }
    }

    /// The end of the rows is the end of the log.
    fn check_end(self) -> Result<(), StoreError> {
        match self.last {
            Some(last) if last >= self.first_seq => Err(StoreError::ChainBroken { at_seq: self.first_seq }),
            _ => Ok(()),
        }
    }
}

impl Commits {
    fn finish(&mut self) {
        if let Some(rows) = self.rows.take() {
            discard(self.base.path(), rows);
        }
    }

    fn advance(&mut self) -> Result<Option<Commit>, StoreError> {
        let Some(rows) = &mut self.rows else { return Ok(None) };
        let expected = self.expected;
        let commit = caught(self.base.path(), || {
            let Some(row) = rows.next() else { return Ok(expected.check_end().map(|()| None)?) };
            let (key, row) = row?;
            let first_seq = key.value();
            let row = codec::decode(first_seq, row.value())
                .map_err(|fault| StoreError::Row { seq: first_seq, fault })?;
            expected.check(first_seq, row.previous)?;
            Ok(Some(commit_of(first_seq, row)))
        })?;
        if let Some(commit) = &commit {
            let first_seq = commit.last_seq().saturating_add(1);
            self.expected = Expected { first_seq, before: Some(commit.hash), ..expected };
        }
        Ok(commit)
    }
}

impl Iterator for Commits {
    type Item = Result<Commit, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.advance().transpose();
        if !matches!(next, Some(Ok(_))) {
            self.finish();
        }
        next
    }
}

impl Drop for Commits {
    fn drop(&mut self) {
        self.finish();
    }
}

impl std::fmt::Debug for Commits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Commits").field("expected", &self.expected).finish_non_exhaustive()
    }
}
