//! Writing a store: one owner, one durable transaction a commit.

use std::sync::Arc;

use redb::{ReadableTable, ReadableTableMetadata, WriteTransaction};

use super::backup;
use super::base::{Access, Base, Fault};
use super::blob::Blob;
use super::check;
use super::codec::{self, Record};
use super::digest::Digest;
use super::error::{Refusal, StoreError};
use super::limit;
use super::owner::Owner;
use super::reader::{self, Reader, Tip};
use super::run::RunDir;
use super::schema::{BLOBS, Birth, LOG, Meta, SNAPSHOTS};
use super::snapshot::{self, NewSnapshot};
use super::witness::WitnessFile;

/// A run's store, open for its one owner.
#[derive(Debug)]
pub struct Store {
    base: Arc<Base>,
    meta: Meta,
    tip: Tip,
    /// The row being written; kept for its memory.
    row: Vec<u8>,
    /// A commit failed: what is on disk is not known until it is loaded again.
    stale: bool,
    /// The file is closed.
    ended: bool,
    /// What is acknowledged, beside the file; none before it may be written.
    witness: Option<WitnessFile>,
    /// Given back last, after the file is closed.
    owner: Option<Owner>,
}

/// A commit that is on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Committed {
    /// The seq of the first record.
    pub first_seq: u64,
    /// The seq of the last record.
    pub last_seq: u64,
    /// The hash of the commit's row.
    pub hash: Digest,
}

impl Store {
    /// Makes the store of a run that has none.
    pub fn create(owner: Owner, birth: &Birth) -> Result<Self, StoreError> {
        let run = owner.run();
        let base = Base::create_file(run.store_path(), &run.unborn_path(), birth)?;
        let meta = Meta { format: super::schema::FORMAT, birth: birth.clone() };
        let mut store = Self::over(base, meta, Some(owner))?;
        store.begin()?;
        Ok(store)
    }

    /// Opens the store of a run, after a crash as well; what is damaged, not ours, or newer, is refused untouched.
    pub fn open(owner: Owner) -> Result<Self, StoreError> {
        let (base, meta) = check::open(owner.run(), Access::Write)?;
        let mut store = Self::over(base, meta, Some(owner))?;
        store.begin()?;
        Ok(store)
    }

    /// From now on the file is written: until then a store that was opened to be looked at first is left as it is.
    pub fn begin(&mut self) -> Result<(), StoreError> {
        self.base.begin()?;
        let Tip { last_seq, hash, .. } = self.tip;
        let file = |owner: &Owner| WitnessFile::open(owner.run(), &self.meta.birth, last_seq, hash);
        self.witness = self.owner.as_ref().map(file);
        Ok(())
    }

    pub(crate) fn over(base: Base, meta: Meta, owner: Option<Owner>) -> Result<Self, StoreError> {
        let tip = reader::tip(&base)?;
        let base = Arc::new(base);
        Ok(Self { base, meta, tip, row: Vec::new(), stale: false, ended: false, witness: None, owner })
    }

    /// What the store says about itself.
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// The last committed seq; 0 in an empty log.
    pub fn last_seq(&self) -> u64 {
        self.tip.last_seq
    }

    /// The owner's lock, to change its note.
    pub fn owner_mut(&mut self) -> Option<&mut Owner> {
        self.owner.as_mut()
    }

    /// The folder of the run, where the output logs are.
    pub fn run(&self) -> Option<&RunDir> {
        self.owner.as_ref().map(Owner::run)
    }

    /// A reader of what is committed, for any thread, for as long as this store is open.
    pub fn reader(&self) -> Reader {
        Reader::beside(Arc::clone(&self.base), self.meta.clone())
    }

    /// Puts the records, the blobs they name and the state they lead to on the disk, all or nothing.
    ///
    /// The records get the seqs after [`Store::last_seq`]; the snapshot is the state after the last of them.
    /// [`StoreError::Refused`]: nothing was tried. [`StoreError::NotStored`]: nothing is acknowledged, and the
    /// handle wants [`Store::reload`].
    pub fn commit(
        &mut self,
        records: &[Record],
        blobs: &[Blob<'_>],
        snapshot: Option<NewSnapshot<'_>>,
    ) -> Result<Committed, StoreError> {
        self.check_fresh()?;
        let (first_seq, last_seq) = self.seqs_of(records)?;
        let hash =
            codec::encode(&mut self.row, first_seq, self.tip.hash, records).map_err(StoreError::Refused)?;
        check_blobs(blobs).map_err(StoreError::Refused)?;
        let snapshot = framed(last_seq, hash, snapshot)?;
        let row = self.row.as_slice();
        let outcome = self.base.write(|tx| {
            put_row(tx, first_seq, row)?;
            put_blobs(tx, blobs)?;
            put_snapshot(tx, last_seq, snapshot.as_deref())
        });
        self.settle(outcome)?;
        self.tip = Tip { commits: self.tip.commits.saturating_add(1), last_seq, hash };
        self.attest(false);
        Ok(Committed { first_seq, last_seq, hash })
    }

    /// Keeps the state at the last committed seq, as at a clean close; in an empty log there is none.
    pub fn keep_snapshot(&mut self, snapshot: NewSnapshot<'_>) -> Result<(), StoreError> {
        self.check_fresh()?;
        let Tip { last_seq, hash, .. } = self.tip;
        if last_seq == 0 {
            return Ok(());
        }
        let snapshot = framed(last_seq, hash, Some(snapshot))?;
        let outcome = self.base.write(|tx| put_snapshot(tx, last_seq, snapshot.as_deref()));
        self.settle(outcome)
    }

    /// Opens the file again after a failed commit; gives the last seq that is on the disk.
    ///
    /// Everything acknowledged is there. The failed commit may be there too, whole, when the disk took it but
    /// could not say so: the caller folds what it finds from its own last seq on.
    pub fn reload(&mut self) -> Result<u64, StoreError> {
        self.stale = true;
        self.base.reopen()?;
        let tip = reader::tip(&self.base)?;
        if tip.last_seq < self.tip.last_seq {
            let what = format!("it ends at seq {}, and seq {} was stored", tip.last_seq, self.tip.last_seq);
            return Err(StoreError::Damaged { path: self.base.path().to_owned(), what });
        }
        self.tip = tip;
        self.stale = false;
        self.attest(false);
        Ok(self.tip.last_seq)
    }

    /// What the disk has, where [`Store::reload`] cannot write what it must: nothing of the file is changed.
    pub fn look(&self) -> Result<Reader, StoreError> {
        let (base, meta) = Base::open_file(self.base.path().to_owned(), Access::Read)?;
        Ok(Reader::beside(Arc::new(base), meta))
    }

    /// Closes the file, leaving it clean, keeps a backup of what is new in it, then gives the run back.
    pub fn close(mut self) -> Result<(), StoreError> {
        self.end()
    }

    /// Closes the file as it is, to be restored: what was read of it does not hold.
    pub fn into_owner(mut self) -> Option<Owner> {
        self.stale = true;
        // What it says is nothing new.
        let _ = self.end();
        self.owner.take()
    }

    fn end(&mut self) -> Result<(), StoreError> {
        if std::mem::replace(&mut self.ended, true) {
            return Ok(());
        }
        self.base.close()?;
        if self.stale || self.witness.is_none() {
            return Ok(());
        }
        self.attest(true);
        if let Some(owner) = &self.owner {
            // Without it the next one is made from more.
            let _ = backup::copy(owner.run(), self.tip.last_seq);
        }
        Ok(())
    }

    fn attest(&mut self, closed: bool) {
        if let Some(witness) = &mut self.witness {
            witness.say(self.tip.last_seq, self.tip.hash, closed);
        }
    }

    fn check_fresh(&self) -> Result<(), StoreError> {
        if self.stale { Err(StoreError::Stale { path: self.base.path().to_owned() }) } else { Ok(()) }
    }

    fn seqs_of(&self, records: &[Record]) -> Result<(u64, u64), StoreError> {
        let last_seq = self.tip.last_seq.checked_add(records.len() as u64);
        match (self.tip.last_seq.checked_add(1), last_seq) {
            (Some(first), Some(last)) => Ok((first, last)),
            _ => Err(StoreError::Refused(Refusal::SeqsUsedUp)),
        }
    }

    /// After a transaction that failed nothing is known of the disk until it is loaded again.
    fn settle(&mut self, outcome: Result<(), StoreError>) -> Result<(), StoreError> {
        outcome.map_err(|cause| {
            self.stale = true;
            StoreError::NotStored(Box::new(cause))
        })
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // Before the lock is given back. `close` says what went wrong; here nobody would hear it, and what is
        // committed is on the disk either way.
        let _ = self.end();
    }
}

fn check_blobs(blobs: &[Blob<'_>]) -> Result<(), Refusal> {
    match blobs.iter().map(|blob| blob.bytes().len()).find(|bytes| *bytes > limit::BLOB_BYTES) {
        Some(bytes) => Err(Refusal::Bytes { what: "a blob", bytes, limit: limit::BLOB_BYTES }),
        None => Ok(()),
    }
}

fn framed(seq: u64, hash: Digest, snapshot: Option<NewSnapshot<'_>>) -> Result<Option<Vec<u8>>, StoreError> {
    let bytes = snapshot.map(|snapshot| snapshot::encode(seq, hash, &snapshot)).transpose();
    bytes.map_err(StoreError::Refused)
}

/// Adds a row where none is: the log only grows, also when redb misleads on a damaged file.
fn put_row(tx: &WriteTransaction, first_seq: u64, row: &[u8]) -> Result<(), Fault> {
    let mut log = tx.open_table(LOG)?;
    let taken = log.insert(first_seq, row)?.is_some();
    if taken { Err(StoreError::ChainBroken { at_seq: first_seq }.into()) } else { Ok(()) }
}

/// Adds what is not there yet; equal names are equal bytes.
fn put_blobs(tx: &WriteTransaction, blobs: &[Blob<'_>]) -> Result<(), Fault> {
    if blobs.is_empty() {
        return Ok(());
    }
    let mut table = tx.open_table(BLOBS)?;
    for blob in blobs {
        let digest = blob.digest();
        if table.get(digest.as_bytes())?.is_none() {
            table.insert(digest.as_bytes(), blob.bytes())?;
        }
    }
    Ok(())
}

/// Adds a snapshot and drops the oldest ones.
fn put_snapshot(tx: &WriteTransaction, seq: u64, bytes: Option<&[u8]>) -> Result<(), Fault> {
    let Some(bytes) = bytes else { return Ok(()) };
    let mut table = tx.open_table(SNAPSHOTS)?;
    table.insert(seq, bytes)?;
    while table.len()? > limit::SNAPSHOTS_KEPT as u64 {
        table.pop_first()?;
    }
    Ok(())
}
