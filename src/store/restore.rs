//! Restoring a damaged store: the newest whole backup, and what the damaged file still gives.
//!
//! # Steps, each of which a kill may cut
//!
//! 1. The store is made anew beside the damaged one, from a copy of the backup and the rows that continue it.
//! 2. A note says what came of it.
//! 3. The damaged file gets a second name, `store.redb.damaged-N`.
//! 4. The new store takes its place, by a rename.
//! 5. The witness says where the new store ends, and the note goes.
//!
//! Cut before 4, the damaged file is where it was and all begins again. Cut after it, the note fits the store, and the
//! next owner does 5.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::backup::{self, Backup, Copy};
use super::base::{Access, Base};
use super::check::{self, Inspection};
use super::error::StoreError;
use super::folder;
use super::limit;
use super::owner::Owner;
use super::reader::{self, Tip};
use super::restored::{Lost, Restored};
use super::run::RunDir;
use super::salvage::Salvage;
use super::schema::Birth;
use super::witness::{Witness, WitnessFile};
use super::writer::Store;

/// Opens the store of a run, to be written from [`Store::begin`] on; a damaged one is restored first. What was restored
/// is to be said.
pub fn open_or_restore(owner: Owner) -> Result<(Store, Option<Restored>), StoreError> {
    let mut restored = finish(owner.run());
    let (base, meta) = match check::open(owner.run(), Access::Write) {
        Err(error) if error.is_damage() => {
            restored = Some(restore(&owner, &error)?);
            check::open(owner.run(), Access::Write)?
        }
        opened => opened?,
    };
    Ok((Store::over(base, meta, Some(owner))?, restored))
}

/// Proves a store in full that nobody has open, and restores it where it is damaged: after something in it was found that
/// an opening does not look at.
pub fn mend(owner: &Owner) -> Result<Option<Restored>, StoreError> {
    if let Some(restored) = finish(owner.run()) {
        return Ok(Some(restored));
    }
    match check::prove(owner.run())? {
        Inspection::Whole(_) => Ok(None),
        Inspection::Damaged { error, .. } => restore(owner, &error).map(Some),
    }
}

/// Restores a damaged store that nobody has open. `why`: what was found. Where nothing can be restored, nothing is
/// changed: [`StoreError::Lost`].
pub fn restore(owner: &Owner, why: &StoreError) -> Result<Restored, StoreError> {
    let run = owner.run();
    let witness = Witness::read(run);
    let salvage = Salvage::search(&run.store_path())?;
    let made = make(run, witness.as_ref(), &salvage, why);
    let (backup, tip) = made.inspect_err(|_| drop(fs::remove_file(run.restoring_path())))?;
    let number = free_number(run)?;
    let is_there = run.store_path().exists();
    let restored = Restored {
        why: why.to_string(),
        salvaged: tip.last_seq.saturating_sub(backup.map_or(0, |backup| backup.seq)),
        backup,
        last_seq: tip.last_seq,
        hash: tip.hash.to_string(),
        damaged: is_there.then(|| name_of(&run.damaged_path(number))),
        lost: lost(witness.as_ref(), &salvage, &tip)?,
    };
    restored.write(run)?;
    if is_there {
        set_aside(&run.store_path(), &run.damaged_path(number))?;
    }
    let store = run.store_path();
    fs::rename(run.restoring_path(), &store).map_err(|error| StoreError::file("create", &store, error))?;
    folder::sync(run.path())?;
    settle(run)?;
    Ok(restored)
}

/// Brings a restoring to its end whose store is in place; forgets one whose store is not.
fn finish(run: &RunDir) -> Option<Restored> {
    let restored = Restored::read(run)?;
    let opened = Base::open_file(run.store_path(), Access::Read);
    let tip = opened.and_then(|(base, _)| reader::tip(&base));
    let is_placed =
        tip.is_ok_and(|tip| tip.last_seq == restored.last_seq && tip.hash.to_string() == restored.hash);
    if !is_placed {
        Restored::forget(run);
        return None;
    }
    // What cannot be settled now is said now, and settled by the next owner.
    let _ = settle(run);
    Some(restored)
}

/// The last step: what is known outside of the store is what the store has.
fn settle(run: &RunDir) -> Result<(), StoreError> {
    let (base, meta) = Base::open_file(run.store_path(), Access::Read)?;
    let tip = reader::tip(&base)?;
    WitnessFile::open(run, &meta.birth, tip.last_seq, tip.hash).say(tip.last_seq, tip.hash, true);
    Restored::forget(run);
    Ok(())
}

/// Makes the store anew beside the damaged one; gives the backup that it was made from, and where it ends.
fn make(
    run: &RunDir,
    witness: Option<&Witness>,
    salvage: &Salvage,
    why: &StoreError,
) -> Result<(Option<Backup>, Tip), StoreError> {
    let path = run.restoring_path();
    let (backup, bad) = proved(run);
    let base = match backup {
        Some(backup) => {
            backup::copy_file(&run.backup_path(backup.seq), &path)?;
            Base::open_file(path.clone(), Access::Write)?.0
        }
        None => Base::create_at(&path, &birth(run, witness))?,
    };
    let mut copy = Copy::onto(&base, reader::tip(&base)?);
    while let Some(next) = salvage.next(&copy.tip)? {
        copy.add(next.row, next.hash, next.last_seq)?;
    }
    let tip = copy.end()?;
    if tip.last_seq == 0 {
        return Err(StoreError::Lost { path: run.store_path(), why: why.to_string() });
    }
    if let Ok((damaged, _)) = Base::open_file(run.store_path(), Access::Read) {
        // What cannot be read is said by whoever asks for it.
        let _ = backup::copy_blobs(&damaged, &base);
    }
    base.close()?;
    for seq in bad {
        let path = run.backup_path(seq);
        // It is kept, and is no backup any more.
        let _ = fs::rename(&path, path.with_file_name(format!("{}.damaged", name_of(&path))));
    }
    Ok((backup, tip))
}

/// The newest backup that is whole, and the seqs of newer ones that are not.
fn proved(run: &RunDir) -> (Option<Backup>, Vec<u64>) {
    let mut bad = Vec::new();
    for backup in Backup::of(run) {
        if backup::prove(run, backup.seq).is_ok() {
            return (Some(backup), bad);
        }
        bad.push(backup.seq);
    }
    (None, bad)
}

/// What the store was told at its birth, from whatever still says it.
fn birth(run: &RunDir, witness: Option<&Witness>) -> Birth {
    let of_file = || Base::open_file(run.store_path(), Access::Read).ok().map(|(_, meta)| meta.birth);
    let unknown = || Birth {
        run_id: uuid::Uuid::nil(),
        created_at_ms: 0,
        created_by: env!("CARGO_PKG_VERSION").to_owned(),
    };
    witness.map(|witness| witness.birth.clone()).or_else(of_file).unwrap_or_else(unknown)
}

fn lost(witness: Option<&Witness>, salvage: &Salvage, tip: &Tip) -> Result<Option<Lost>, StoreError> {
    let known = salvage.last_seq().max(witness.map_or(0, |witness| witness.seq));
    let is_open = witness.is_none();
    if known <= tip.last_seq && !is_open {
        return Ok(None);
    }
    let first_seq = tip.last_seq.saturating_add(1);
    let last_seq = (known >= first_seq).then_some(known);
    Ok(Some(Lost { first_seq, last_seq, is_open, readable: salvage.behind(tip.last_seq)? }))
}

/// The number of the next damaged file: the one that the file has already, after a kill, else a free one.
fn free_number(run: &RunDir) -> Result<u64, StoreError> {
    let store = fs::metadata(run.store_path()).ok().map(|about| (about.dev(), about.ino()));
    for number in 1..=limit::DAMAGED_FILES {
        match fs::symlink_metadata(run.damaged_path(number)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(number),
            Ok(about) if store == Some((about.dev(), about.ino())) => return Ok(number),
            _ => {}
        }
    }
    Err(StoreError::Exists { path: run.damaged_path(limit::DAMAGED_FILES) })
}

/// Gives the damaged file a second name; where the file system has no such thing, a copy.
fn set_aside(store: &Path, damaged: &Path) -> Result<(), StoreError> {
    match fs::hard_link(store, damaged) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(_) => {
            let new = damaged.with_file_name(format!("{}.new", name_of(damaged)));
            backup::copy_file(store, &new)?;
            fs::rename(&new, damaged).map_err(|error| StoreError::file("create", damaged, error))?;
        }
    }
    damaged.parent().map_or(Ok(()), folder::sync)
}

fn name_of(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}
