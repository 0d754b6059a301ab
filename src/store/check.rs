//! Looking closely: what must hold of a store before it is believed.
//!
//! A store that was closed cleanly is believed when it ends where its witness says; each row that is read proves
//! itself. After any other end every page is proved by its checksum and every row by its hash and its link, in one
//! pass each, before a byte of the file changes. A store that ends before what was acknowledged is damaged, however
//! whole it looks.
//!
//! What cannot be told: an old copy of the whole folder, since nothing in it knows better.

use std::path::Path;

use redb::{Database, ReadableDatabase, ReadableTable};

use super::backup;
use super::base::{Access, Base, Care, Fault, Mending};
use super::codec;
use super::digest::Digest;
use super::error::StoreError;
use super::limit;
use super::owner::ReadLock;
use super::reader::{self, ChainReport, Tip};
use super::run::RunDir;
use super::salvage::Salvage;
use super::schema::{BLOBS, LOG, Meta, SNAPSHOTS};
use super::witness::Witness;

/// Opens the store of a run; one that does not hold is an error, and left as it is.
pub(crate) fn open(run: &RunDir, access: Access) -> Result<(Base, Meta), StoreError> {
    let witness = Witness::read(run);
    let opened = open_as(run, access, witness.as_ref());
    opened.map_err(|error| second_look(run, error, witness.is_some()))
}

fn open_as(run: &RunDir, access: Access, witness: Option<&Witness>) -> Result<(Base, Meta), StoreError> {
    let path = run.store_path();
    let closed = witness.filter(|witness| witness.closed);
    let Some(closed) = closed else {
        let proof = |db: &Database, mending| prove_all(run, db, mending, witness);
        return Base::open_proved(path, access, Care::Full, &proof);
    };
    if std::fs::metadata(&path).is_ok_and(|about| about.len() <= limit::SMALL_STORE_BYTES) {
        // With the gate shut: it writes nothing, so it waits for no disk.
        drop(Base::open_proved(path.clone(), Access::Read, Care::Full, &|_, mending| whole(&path, mending))?);
    }
    let proof = |db: &Database, mending| {
        let tip = reader::tip_at(&db.begin_read()?)?;
        if tip.last_seq == closed.seq && tip.hash == closed.hash {
            return Ok(());
        }
        prove_all(run, db, mending, Some(closed))
    };
    Base::open_proved(path.clone(), access, Care::Quick, &proof)
}

/// A file that is no store of ours, or newer, where one of ours is known to have been: it is damaged, unless its pages
/// prove that it is what it says.
fn second_look(run: &RunDir, error: StoreError, is_known: bool) -> StoreError {
    let is_known = is_known || !run.backup_seqs().is_empty();
    let what = match &error {
        StoreError::Missing { .. } => "it is gone",
        StoreError::Foreign { .. } => "it does not begin as a store",
        StoreError::Newer { .. } => "what it says of itself does not prove itself",
        _ => return error,
    };
    if !is_known || is_proved(&run.store_path()) {
        return error;
    }
    StoreError::Damaged { path: run.store_path(), what: what.to_owned() }
}

/// Whether every page of a file proves itself, whatever it holds.
fn is_proved(path: &Path) -> bool {
    let opened = Base::open_proved(path.to_owned(), Access::Read, Care::Full, &|_, _| Ok(()));
    match opened {
        Ok(_) | Err(StoreError::Newer { .. }) => true,
        // A redb file of another program is opened before it is refused.
        Err(StoreError::Foreign { why, .. }) => why == super::schema::OTHERS,
        Err(_) => false,
    }
}

fn whole(path: &Path, mending: Mending) -> Result<(), Fault> {
    if mending == Mending::FellBack {
        return Err(damaged(path, "its last commit does not prove itself".to_owned()));
    }
    Ok(())
}

fn damaged(path: &Path, what: String) -> Fault {
    StoreError::Damaged { path: path.to_owned(), what }.into()
}

/// Every row, every link, and that nothing that was acknowledged is missing at the end.
fn prove_all(run: &RunDir, db: &Database, mending: Mending, witness: Option<&Witness>) -> Result<(), Fault> {
    let path = run.store_path();
    if witness.is_none() {
        // Without a witness a commit that is rolled back may have been acknowledged.
        whole(&path, mending)?;
    }
    let tip = chain(db, witness)?;
    if let Some(witness) = witness.filter(|witness| witness.seq > tip.last_seq) {
        let what = format!("it ends at seq {}, and seq {} was stored", tip.last_seq, witness.seq);
        return Err(damaged(&path, what));
    }
    match backup::newer_than(run, tip.last_seq) {
        Some(seq) => Err(damaged(&path, format!("it ends at seq {}, and its backup at {seq}", tip.last_seq))),
        None => Ok(()),
    }
}

/// Reads the whole log in order; gives its end. One row is in memory at a time.
pub(crate) fn chain(db: &Database, witness: Option<&Witness>) -> Result<Tip, Fault> {
    let tx = db.begin_read()?;
    let end = reader::tip_at(&tx)?;
    let log = tx.open_table(LOG)?;
    let mut tip = Tip::EMPTY;
    for row in log.range::<u64>(..)? {
        let (key, row) = row?;
        let first_seq = key.value();
        let read = codec::prove(first_seq, row.value())
            .map_err(|fault| StoreError::Row { seq: first_seq, fault })?;
        if first_seq != tip.last_seq.saturating_add(1) || read.previous != tip.hash {
            return Err(StoreError::ChainBroken { at_seq: first_seq }.into());
        }
        let last_seq = tip.last_seq.saturating_add(u64::from(read.count));
        tip = Tip { commits: tip.commits.saturating_add(1), last_seq, hash: read.hash };
        let is_other = |w: &&Witness| w.seq > 0 && w.seq >= first_seq && w.seq <= last_seq;
        if let Some(witness) = witness.filter(is_other)
            && (witness.seq != last_seq || witness.hash != tip.hash)
        {
            // Its rows are whole, and not those that were acknowledged.
            return Err(StoreError::ChainBroken { at_seq: first_seq }.into());
        }
    }
    if tip == end {
        Ok(tip)
    } else {
        Err(StoreError::ChainBroken { at_seq: tip.last_seq.saturating_add(1) }.into())
    }
}

/// What a store is, looked at and left as it is.
#[derive(Debug)]
pub enum Inspection {
    /// Every page, row and link holds.
    Whole(ChainReport),
    /// It does not.
    Damaged {
        /// What was found first.
        error: StoreError,
        /// The table it is in, where that is known.
        table: Option<&'static str>,
        /// Commits from this seq on cannot be read in order, or cannot be trusted.
        from_seq: u64,
    },
}

/// Proves a whole store that nobody owns, and changes nothing. `Err`: it could not be looked at, is foreign or newer.
pub fn inspect(run: &RunDir) -> Result<Inspection, StoreError> {
    if !run.has_store() {
        return Err(StoreError::Missing { path: run.path().to_owned() });
    }
    let _lock = ReadLock::share(run)?;
    prove(run)
}

/// The same under a lock that the caller holds.
pub(crate) fn prove(run: &RunDir) -> Result<Inspection, StoreError> {
    let witness = Witness::read(run);
    let proof = |db: &Database, mending| {
        if witness.as_ref().is_none_or(|witness| witness.closed) {
            whole(&run.store_path(), mending)?;
        }
        prove_all(run, db, mending, witness.as_ref())
    };
    let opened = Base::open_proved(run.store_path(), Access::Read, Care::Full, &proof);
    let error = match opened {
        Ok((base, _)) => return Ok(Inspection::Whole(reader::tip(&base)?)),
        Err(error) => second_look(run, error, witness.is_some()),
    };
    if !error.is_damage() {
        return Err(error);
    }
    let (table, from_seq) = place(&run.store_path(), &error);
    Ok(Inspection::Damaged { error, table, from_seq })
}

/// The same of a file that redb does not open: by the rows in it that prove themselves.
fn unopened(path: &Path) -> (Option<&'static str>, u64) {
    let Ok(rows) = Salvage::search(path) else { return (None, 1) };
    let mut tip = Tip::EMPTY;
    while let Ok(Some(next)) = rows.next(&tip) {
        tip = Tip { commits: tip.commits.saturating_add(1), last_seq: next.last_seq, hash: next.hash };
    }
    ((tip.last_seq < rows.last_seq()).then_some("log"), tip.last_seq.saturating_add(1))
}

/// In which table a damage is, and from which seq on the log cannot be trusted.
fn place(path: &Path, error: &StoreError) -> (Option<&'static str>, u64) {
    let Ok((base, _)) = Base::open_file(path.to_owned(), Access::Read) else { return unopened(path) };
    let mut tip = (0, Digest::ZERO);
    let log = base.read(|tx| {
        for row in tx.open_table(LOG)?.range::<u64>(..)? {
            let (key, row) = row?;
            let commit = reader::prove(key.value(), row.value())?;
            let read = codec::prove(key.value(), row.value());
            if key.value() != tip.0 + 1 || read.is_ok_and(|read| read.previous != tip.1) {
                return Err(StoreError::ChainBroken { at_seq: key.value() }.into());
            }
            tip = (commit.last_seq(), commit.hash);
        }
        Ok(())
    });
    let from_seq = tip.0.saturating_add(1);
    if log.is_err() || matches!(error, StoreError::Row { .. } | StoreError::ChainBroken { .. }) {
        return (Some("log"), from_seq);
    }
    let snapshots = base.read(|tx| {
        for row in tx.open_table(SNAPSHOTS)?.range::<u64>(..)? {
            row?;
        }
        Ok(())
    });
    if snapshots.is_err() {
        return (Some("snapshots"), from_seq);
    }
    let blobs = base.read(|tx| {
        for row in tx.open_table(BLOBS)?.iter()? {
            let (name, bytes) = row?;
            let digest = Digest::from_bytes(*name.value());
            if Digest::of(bytes.value()) != digest {
                return Err(StoreError::Blob { digest }.into());
            }
        }
        Ok(())
    });
    (blobs.is_err().then_some("blobs"), from_seq)
}
