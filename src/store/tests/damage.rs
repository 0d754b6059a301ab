//! What is not ours is left alone; what is damaged is said, never believed and never a panic.

use std::path::Path;

use redb::{Database, ReadableTable, TableDefinition};

use super::*;
use crate::store::codec;
use crate::store::fault::patterns;
use crate::store::schema::{BLOBS, LOG, SNAPSHOTS};

/// Opening the file in `run`, to write and to read, fails as `expected` says and changes no byte.
fn refused_untouched(run: &RunDir, expected: impl Fn(&StoreError) -> bool) {
    let before = std::fs::read(run.store_path()).unwrap();
    let errors = [Store::open(owner(run)).unwrap_err(), Reader::open(run).unwrap_err()];
    for error in errors {
        assert!(expected(&error), "{error:?}");
        assert!(error.to_string().contains("not touched"), "{error}");
    }
    assert!(std::fs::read(run.store_path()).unwrap() == before, "the file was touched");
}

fn is_foreign(error: &StoreError) -> bool {
    matches!(error, StoreError::Foreign { .. })
}

const OTHER: TableDefinition<u64, &[u8]> = TableDefinition::new("users");
const OTHER_META: TableDefinition<u64, u64> = TableDefinition::new("meta");

fn foreign_commit(db: &Database) {
    let tx = db.begin_write().unwrap();
    tx.open_table(OTHER).unwrap().insert(1, b"someone".as_slice()).unwrap();
    tx.open_table(OTHER_META).unwrap().insert(1, 1).unwrap();
    tx.commit().unwrap();
}

#[test]
fn a_file_that_is_no_redb_file_is_refused_untouched() {
    for bytes in [b"".as_slice(), b"redb", &[0; 5_000], b"#!/bin/sh\necho hello\n"] {
        let (_dir, run) = new_run();
        std::fs::write(run.store_path(), bytes).unwrap();
        refused_untouched(&run, is_foreign);
    }
}

#[test]
fn another_programs_redb_file_is_refused_untouched_even_one_that_crashed() {
    let (_dir, run) = new_run();
    let other = run.path().join("other.redb");
    let db = Database::create(&other).unwrap();
    foreign_commit(&db);
    std::fs::copy(&other, run.store_path()).unwrap();
    refused_untouched(&run, is_foreign);
    drop(db);
    std::fs::copy(&other, run.store_path()).unwrap();
    refused_untouched(&run, is_foreign);
}

#[test]
fn a_newer_store_is_refused_untouched_and_names_who_made_it() {
    let (_dir, run) = new_run();
    schema::tests::create_newer(&run.store_path());
    refused_untouched(
        &run,
        |error| matches!(error, StoreError::Newer { format: 2, created_by, .. } if created_by == "9.0.0"),
    );
}

/// Changes a closed store behind its back.
fn tamper(run: &RunDir, change: impl FnOnce(&redb::WriteTransaction)) {
    let db = Database::open(run.store_path()).unwrap();
    let tx = db.begin_write().unwrap();
    change(&tx);
    tx.commit().unwrap();
}

#[test]
fn a_commit_taken_away_breaks_the_chain_at_the_next_one() {
    for (gone, at_seq) in [(1, 4), (4, 7)] {
        let (_dir, run) = closed_run(4);
        tamper(&run, |tx| drop(tx.open_table(LOG).unwrap().remove(gone).unwrap()));
        let reader = Reader::open(&run).unwrap();
        let Err(StoreError::ChainBroken { at_seq: found }) = reader.verify_chain() else { panic!("{gone}") };
        assert_eq!(found, at_seq);
    }
}

#[test]
fn a_commit_written_anew_breaks_the_chain_at_the_next_one() {
    let (_dir, run) = closed_run(4);
    tamper(&run, |tx| {
        let mut log = tx.open_table(LOG).unwrap();
        let old = codec::decode(4, log.get(4).unwrap().unwrap().value()).unwrap();
        let mut row = Vec::new();
        codec::encode(&mut row, 4, old.previous, &records(40, 3)).unwrap();
        log.insert(4, row.as_slice()).unwrap();
    });
    let reader = Reader::open(&run).unwrap();
    assert!(matches!(reader.verify_chain(), Err(StoreError::ChainBroken { at_seq: 7 })));
    assert_eq!(reader.commits(0).unwrap().count(), 3, "two commits, the error, then nothing");
}

#[test]
fn a_changed_byte_of_a_row_is_found_by_whoever_reads_it() {
    let (_dir, run) = closed_run(4);
    tamper(&run, |tx| {
        let mut log = tx.open_table(LOG).unwrap();
        let mut row = log.get(7).unwrap().unwrap().value().to_vec();
        row[60] ^= 1;
        log.insert(7, row.as_slice()).unwrap();
    });
    let reader = Reader::open(&run).unwrap();
    let fault = StoreError::Row { seq: 7, fault: RowFault::Hash }.to_string();
    assert_eq!(reader.verify_chain().unwrap_err().to_string(), fault);
    assert_eq!(reader.commits(8).unwrap().next().unwrap().unwrap_err().to_string(), fault);
    assert_eq!(reader.last_seq().unwrap(), 12, "the end is whole");
}

#[test]
fn a_snapshot_that_does_not_fit_is_as_if_it_were_not_there() {
    let (_dir, run) = new_run();
    let mut store = Store::create(owner(&run), &birth()).unwrap();
    for number in 1..=2u64 {
        let snapshot = NewSnapshot { fold_version: 1, body: b"state" };
        store.commit(&records(number, 1), &[], Some(snapshot)).unwrap();
    }
    store.close().unwrap();
    tamper(&run, |tx| {
        let mut snapshots = tx.open_table(SNAPSHOTS).unwrap();
        let mut row = snapshots.get(2).unwrap().unwrap().value().to_vec();
        *row.last_mut().unwrap() ^= 1;
        snapshots.insert(2, row.as_slice()).unwrap();
        // One that is whole, and of another history.
        let other = NewSnapshot { fold_version: 1, body: b"other" };
        let other = snapshot::encode(1, Digest::of(b"another commit"), &other).unwrap();
        snapshots.insert(1, other.as_slice()).unwrap();
    });
    assert_eq!(Reader::open(&run).unwrap().snapshot_at(2, 1).unwrap(), None);
}

#[test]
fn a_blob_that_is_not_what_its_name_says_is_an_error() {
    let (_dir, run) = new_run();
    let mut store = Store::create(owner(&run), &birth()).unwrap();
    let blob = Blob::new(b"a long text");
    store.commit(&records(1, 1), &[blob], None).unwrap();
    store.close().unwrap();
    tamper(&run, |tx| {
        let mut blobs = tx.open_table(BLOBS).unwrap();
        blobs.insert(blob.digest().as_bytes(), b"another text".as_slice()).unwrap();
    });
    let read = Reader::open(&run).unwrap().blob(blob.digest());
    assert!(matches!(read, Err(StoreError::Blob { digest }) if digest == blob.digest()));
}

/// What is read of a damaged file, or the error; a panic would end the test.
fn read_all(run: &RunDir) -> Result<Vec<Record>, StoreError> {
    let reader = Reader::open(run)?;
    let snapshot = reader.snapshot_at(u64::MAX, 1)?;
    assert!(snapshot.is_none_or(|snapshot| snapshot.body == b"state"));
    all(&reader)
}

pub(super) fn silence_caught_panics() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !is_catching() {
            hook(info);
        }
    }));
}

#[test]
fn any_damaged_file_gives_whole_commits_or_an_error_and_never_a_panic() {
    silence_caught_panics();
    let (_dir, run) = closed_run(40);
    let path: &Path = &run.store_path();
    let whole = std::fs::read(path).unwrap();
    let wanted = all(&Reader::open(&run).unwrap()).unwrap();
    let mut found = 0;
    for (number, pattern) in patterns(400) {
        let mut damaged = whole.clone();
        // Mostly in pages that are used, with a bit, a run of zeros or an end cut off.
        let at = (pattern >> 8) as usize % if number % 3 == 0 { whole.len() } else { 60_000 };
        match number % 5 {
            0 => damaged[at..(at + 64).min(whole.len())].fill(0),
            1 => damaged.truncate(at),
            _ => damaged[at] ^= 1 << (pattern & 7),
        }
        std::fs::write(path, &damaged).unwrap();
        match read_all(&run) {
            Ok(records) => assert!(wanted.starts_with(&records), "damage {number} was believed"),
            Err(_) => found += 1,
        }
    }
    assert!(found > 50, "only {found} of 400 were damage that mattered");
}
