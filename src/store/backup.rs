//! Backups of a store: made beside it, whole when they have their name, three kept.
//!
//! At a clean close the file is copied as it is. While its owner works, what a reader sees is written into a new store,
//! commit by commit, each proved: the writer goes on meanwhile, and little memory is used.

use std::fs::File;
use std::io;
use std::ops::Bound;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::UNIX_EPOCH;

use redb::ReadableTable;

use super::base::{Access, Base, Care, Fault, Mending};
use super::check;
use super::codec;
use super::digest::Digest;
use super::error::StoreError;
use super::folder;
use super::limit;
use super::owner::Owner;
use super::reader::{Reader, Tip};
use super::run::RunDir;
use super::schema::{BLOBS, LOG, Meta};

/// A backup that there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Backup {
    /// The last seq in it.
    pub seq: u64,
    /// Wall time in milliseconds since 1970 at which it was made.
    pub made_at_ms: u64,
}

impl Backup {
    /// Those of a run, the newest first; whether they are whole is not looked at.
    pub fn of(run: &RunDir) -> Vec<Self> {
        let made = |seq| {
            let made = std::fs::metadata(run.backup_path(seq)).ok()?.modified().ok()?;
            let ms = made.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
            Some(Self { seq, made_at_ms: u64::try_from(ms).unwrap_or(u64::MAX) })
        };
        run.backup_seqs().into_iter().filter_map(made).collect()
    }

    /// Keeps the store of a run as it is, before its file is changed in kind. Nobody may have it open.
    pub fn before_migration(owner: &Owner) -> Result<(), StoreError> {
        let run = owner.run();
        let (base, _) = check::open(run, Access::Read)?;
        let seq = super::reader::tip(&base)?.last_seq;
        drop(base);
        copy(run, seq)
    }

    /// Writes what `reader` sees into a new backup, while the owner goes on. `false`: there is one already, or `stop`
    /// was set on the way.
    pub fn write(run: &RunDir, reader: &Reader, stop: &AtomicBool) -> Result<bool, StoreError> {
        let seq = reader.last_seq()?;
        if seq == 0 || run.backup_seqs().contains(&seq) {
            return Ok(false);
        }
        let unborn = run.backup_unborn_path();
        let written = write_to(&unborn, reader, stop);
        let written = written.and_then(|seq| seq.map(|seq| settle(run, seq)).transpose());
        if !matches!(written, Ok(Some(()))) {
            // What is left of a trial is of no use.
            let _ = std::fs::remove_file(&unborn);
        }
        Ok(written?.is_some())
    }
}

/// Writes the whole log; gives its last seq, or none when it was stopped.
fn write_to(unborn: &Path, reader: &Reader, stop: &AtomicBool) -> Result<Option<u64>, StoreError> {
    let to = Base::create_at(unborn, &reader.meta().birth)?;
    let mut copy = Copy::onto(&to, Tip::EMPTY);
    let mut row = Vec::new();
    for commit in reader.commits(0)? {
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let commit = commit?;
        let hash = codec::encode(&mut row, commit.first_seq, copy.tip.hash, &commit.records);
        if hash.map_err(StoreError::Refused)? != commit.hash {
            return Err(StoreError::ChainBroken { at_seq: commit.first_seq });
        }
        copy.add(std::mem::take(&mut row), commit.hash, commit.last_seq())?;
    }
    let tip = copy.end()?;
    copy_blobs(reader.base(), &to)?;
    to.close()?;
    Ok(Some(tip.last_seq))
}

/// Copies a closed store whose last seq is `seq`; nothing is done where there is such a backup.
pub(crate) fn copy(run: &RunDir, seq: u64) -> Result<(), StoreError> {
    if seq == 0 || run.backup_seqs().contains(&seq) {
        return Ok(());
    }
    let unborn = run.backup_unborn_path();
    let done = copy_file(&run.store_path(), &unborn).and_then(|()| settle(run, seq));
    if done.is_err() {
        // What is left of a trial is of no use.
        let _ = std::fs::remove_file(&unborn);
    }
    done
}

/// Copies a file onto the disk, over what was there.
pub(crate) fn copy_file(from: &Path, to: &Path) -> Result<(), StoreError> {
    let mut source = File::open(from).map_err(|error| StoreError::file("open", from, error))?;
    let copied = folder::file_options().create(true).truncate(true).open(to).and_then(|mut copy| {
        io::copy(&mut source, &mut copy)?;
        copy.sync_all()
    });
    copied.map_err(|error| StoreError::file("write", to, error))
}

/// Gives a whole backup its name, and drops the oldest.
fn settle(run: &RunDir, seq: u64) -> Result<(), StoreError> {
    let (unborn, path) = (run.backup_unborn_path(), run.backup_path(seq));
    std::fs::rename(&unborn, &path).map_err(|error| StoreError::file("create", &path, error))?;
    folder::sync(run.path())?;
    let old: Vec<u64> = run.backup_seqs().into_iter().skip(limit::BACKUPS_KEPT).collect();
    // A copy of a file that has rotted unseen takes no good one's place.
    if !old.is_empty() && prove(run, seq).is_err() {
        return Ok(());
    }
    for old in old {
        // One that stays is one more.
        let _ = std::fs::remove_file(run.backup_path(old));
    }
    Ok(())
}

/// Proves a backup in full: it is whole and ends at its seq.
pub(crate) fn prove(run: &RunDir, seq: u64) -> Result<Meta, StoreError> {
    let path = run.backup_path(seq);
    let proof = |db: &redb::Database, mending: Mending| {
        let tip = check::chain(db, None)?;
        if tip.last_seq == seq && mending != Mending::FellBack {
            return Ok(());
        }
        let what = format!("it ends at seq {}, and is named {seq}", tip.last_seq);
        Err(StoreError::Damaged { path: path.clone(), what }.into())
    };
    Ok(Base::open_proved(path.clone(), Access::Read, Care::Full, &proof)?.1)
}

/// The newest whole backup that goes beyond `seq`.
pub(crate) fn newer_than(run: &RunDir, seq: u64) -> Option<u64> {
    let newer = run.backup_seqs().into_iter().take_while(|backup| *backup > seq);
    newer.into_iter().find(|backup| prove(run, *backup).is_ok())
}

/// Rows on their way into a store, a few at a time.
pub(crate) struct Copy<'a> {
    to: &'a Base,
    /// Where the rows end that were added.
    pub tip: Tip,
    rows: Vec<(u64, Vec<u8>)>,
    bytes: usize,
}

impl<'a> Copy<'a> {
    /// After what is there up to `tip`.
    pub(crate) fn onto(to: &'a Base, tip: Tip) -> Self {
        Self { to, tip, rows: Vec::new(), bytes: 0 }
    }

    /// Adds the row that follows, proved by the caller.
    pub(crate) fn add(&mut self, row: Vec<u8>, hash: Digest, last_seq: u64) -> Result<(), StoreError> {
        self.bytes = self.bytes.saturating_add(row.len());
        self.rows.push((self.tip.last_seq.saturating_add(1), row));
        self.tip = Tip { commits: self.tip.commits.saturating_add(1), last_seq, hash };
        if self.bytes >= limit::COPY_BYTES { self.flush() } else { Ok(()) }
    }

    /// Everything is on the disk.
    pub(crate) fn end(mut self) -> Result<Tip, StoreError> {
        self.flush()?;
        Ok(self.tip)
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        let rows = std::mem::take(&mut self.rows);
        self.bytes = 0;
        self.to.write(|tx| {
            let mut log = tx.open_table(LOG)?;
            for (key, row) in &rows {
                log.insert(key, row.as_slice())?;
            }
            Ok(())
        })
    }
}

/// Copies the texts that prove themselves, as far as they can be read.
pub(crate) fn copy_blobs(from: &Base, to: &Base) -> Result<(), StoreError> {
    let mut after = None;
    loop {
        let part = from.read(|tx| some_blobs(&tx.open_table(BLOBS)?, after))?;
        let Some((last, _)) = part.last() else { return Ok(()) };
        after = Some(*last);
        to.write(|tx| {
            let mut table = tx.open_table(BLOBS)?;
            for (name, bytes) in &part {
                if Digest::of(bytes).as_bytes() == name {
                    table.insert(name, bytes.as_slice())?;
                }
            }
            Ok(())
        })?;
    }
}

type BlobRow = ([u8; Digest::LEN], Vec<u8>);

fn some_blobs(
    table: &impl ReadableTable<&'static [u8; 32], &'static [u8]>,
    after: Option<[u8; Digest::LEN]>,
) -> Result<Vec<BlobRow>, Fault> {
    let (mut part, mut bytes) = (Vec::new(), 0_usize);
    let from = after.as_ref().map_or(Bound::Unbounded, Bound::Excluded);
    for row in table.range::<&[u8; 32]>((from, Bound::Unbounded))? {
        let (name, value) = row?;
        bytes = bytes.saturating_add(value.value().len());
        part.push((*name.value(), value.value().to_vec()));
        if bytes >= limit::COPY_BYTES {
            break;
        }
    }
    Ok(part)
}
