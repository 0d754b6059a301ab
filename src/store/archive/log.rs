//! The log of a run that is taken in: rows made anew from the records, which come out with the hashes they had.

use super::ArchiveError;
use crate::store::base::Base;
use crate::store::codec::{self, Record};
use crate::store::digest::Digest;
use crate::store::schema::LOG;
use crate::store::{StoreError, limit};

/// Bytes of rows in one transaction: each costs a sync.
const BATCH_BYTES: usize = 16 << 20;

/// The log of the new store, commit by commit.
pub(super) struct Log {
    pub base: Base,
    pub commits: u64,
    /// The last seq.
    pub seq: u64,
    pub tip: Digest,
    /// The commit that is being read: its hash and its records.
    open: Option<(Digest, Vec<Record>, usize)>,
    /// The first seq of the first commit that did not come out with its hash.
    pub stray: Option<u64>,
    rows: Vec<(u64, Vec<u8>)>,
    row_bytes: usize,
}

impl Log {
    /// Over a store without facts.
    pub fn new(base: Base) -> Self {
        let rows = Vec::new();
        Self { base, commits: 0, seq: 0, tip: Digest::ZERO, open: None, stray: None, rows, row_bytes: 0 }
    }

    /// Takes a record of the commit with that hash.
    pub fn push(&mut self, record: Record, commit: Digest) -> Result<(), ArchiveError> {
        if self.open.as_ref().is_some_and(|(open, _, _)| *open != commit) {
            self.close()?;
        }
        let (_, records, bytes) = self.open.get_or_insert_with(|| (commit, Vec::new(), 0));
        *bytes = bytes.saturating_add(record.body.len());
        if *bytes > limit::ROW_BYTES || records.len() >= limit::COMMIT_RECORDS {
            return Err(ArchiveError::refused(format!("the commit at seq {} is too large", self.seq)));
        }
        records.push(record);
        self.seq = self.seq.saturating_add(1);
        Ok(())
    }

    /// The commit that was read is whole.
    fn close(&mut self) -> Result<(), ArchiveError> {
        let Some((said, records, _)) = self.open.take() else { return Ok(()) };
        let count = u64::try_from(records.len()).unwrap_or(u64::MAX);
        let first = self.seq.saturating_sub(count).saturating_add(1);
        let mut row = Vec::new();
        let hash = codec::encode(&mut row, first, self.tip, &records).map_err(StoreError::Refused)?;
        if hash != said && self.stray.is_none() {
            self.stray = Some(first);
        }
        self.tip = hash;
        self.commits += 1;
        self.row_bytes = self.row_bytes.saturating_add(row.len());
        self.rows.push((first, row));
        if self.row_bytes >= BATCH_BYTES { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<(), ArchiveError> {
        let rows = std::mem::take(&mut self.rows);
        self.row_bytes = 0;
        self.base.write(|tx| {
            let mut log = tx.open_table(LOG)?;
            for (first, row) in &rows {
                log.insert(*first, row.as_slice())?;
            }
            Ok(())
        })?;
        Ok(())
    }

    /// There are no more.
    pub fn end(&mut self) -> Result<(), ArchiveError> {
        self.close()?;
        self.write()
    }
}
