use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::store::limit;

#[test]
fn commits_read_back_in_order_with_their_seqs_and_links() {
    let (_dir, run) = new_run();
    let mut store = Store::create(owner(&run), &birth()).unwrap();
    assert_eq!(store.last_seq(), 0);
    let one = store.commit(&records(1, 2), &[], None).unwrap();
    let two = store.commit(&records(3, 1), &[], None).unwrap();
    assert_eq!((one.first_seq, one.last_seq, two.first_seq, two.last_seq), (1, 2, 3, 3));
    let reader = store.reader();
    let commits: Vec<Commit> = reader.commits(0).unwrap().map(Result::unwrap).collect();
    assert_eq!(commits[0], Commit { first_seq: 1, hash: one.hash, records: records(1, 2) });
    assert_eq!(commits[1], Commit { first_seq: 3, hash: two.hash, records: records(3, 1) });
    let report = reader.verify_chain().unwrap();
    assert_eq!(report, ChainReport { commits: 2, last_seq: 3, hash: two.hash });
}

#[test]
fn reading_begins_with_the_commit_that_holds_the_seq() {
    let (_dir, run) = closed_run(4);
    let reader = Reader::open(&run).unwrap();
    let firsts = |seq| reader.commits(seq).unwrap().map(|c| c.unwrap().first_seq).collect::<Vec<_>>();
    assert_eq!(firsts(0), [1, 4, 7, 10]);
    assert_eq!(firsts(6), [4, 7, 10]);
    assert_eq!(firsts(7), [7, 10]);
    assert_eq!(firsts(12), [10]);
    assert_eq!(reader.last_seq().unwrap(), 12);
}

#[test]
fn a_store_opened_again_goes_on_with_its_chain() {
    let (_dir, run) = closed_run(2);
    let mut store = Store::open(owner(&run)).unwrap();
    assert_eq!(store.meta(), &Meta { format: schema::FORMAT, birth: birth() });
    assert_eq!(store.commit(&records(7, 1), &[], None).unwrap().first_seq, 7);
    assert_eq!(store.reader().verify_chain().unwrap().commits, 3);
}

#[test]
fn a_reader_sees_what_was_committed_when_it_began_and_hears_that_the_store_closed() {
    let (_dir, run) = new_run();
    let mut store = Store::create(owner(&run), &birth()).unwrap();
    store.commit(&records(1, 1), &[], None).unwrap();
    let reader = store.reader();
    let before = reader.commits(0).unwrap();
    store.commit(&records(2, 1), &[], None).unwrap();
    assert_eq!(before.count(), 1);
    assert_eq!(reader.commits(0).unwrap().count(), 2);
    store.close().unwrap();
    assert!(matches!(reader.last_seq(), Err(StoreError::Closed { .. })));
    assert!(Owner::take(&run, &note()).is_ok(), "a leftover reader keeps nobody out");
}

#[test]
fn blobs_are_stored_once_with_the_commit_that_names_them() {
    let (_dir, run) = new_run();
    let mut store = Store::create(owner(&run), &birth()).unwrap();
    let text = vec![b't'; 100_000];
    let blob = Blob::new(&text);
    store.commit(&records(1, 1), &[blob, blob], None).unwrap();
    store.commit(&records(2, 1), &[blob], None).unwrap();
    let reader = store.reader();
    assert_eq!(reader.blob(blob.digest()).unwrap().as_deref(), Some(text.as_slice()));
    assert_eq!(reader.blob(Digest::of(b"never stored")).unwrap(), None);
}

#[test]
fn the_newest_fitting_snapshot_is_found_and_two_are_kept() {
    let (_dir, run) = new_run();
    let mut store = Store::create(owner(&run), &birth()).unwrap();
    for number in 1..=4u64 {
        let body = format!("state after {}", number * 2);
        let snapshot = NewSnapshot { fold_version: 3, body: body.as_bytes() };
        store.commit(&records(number * 2 - 1, 2), &[], Some(snapshot)).unwrap();
    }
    store.commit(&records(9, 1), &[], None).unwrap();
    let reader = store.reader();
    let at = |seq, version| reader.snapshot_at(seq, version).unwrap().map(|snapshot| snapshot.seq);
    assert_eq!(at(9, 3), Some(8));
    assert_eq!(at(7, 3), Some(6));
    assert_eq!(at(5, 3), None, "the older ones were dropped");
    assert_eq!(at(9, 4), None, "another fold never reads it");
    assert_eq!(reader.snapshot_at(9, 3).unwrap().unwrap().body, b"state after 8");
    store.keep_snapshot(NewSnapshot { fold_version: 4, body: b"closing" }).unwrap();
    assert_eq!(at(9, 4), Some(9));
    assert_eq!(at(9, 3), Some(8));
}

#[test]
fn an_empty_log_keeps_no_snapshot() {
    let (_dir, run) = new_run();
    let mut store = Store::create(owner(&run), &birth()).unwrap();
    store.keep_snapshot(NewSnapshot { fold_version: 1, body: b"nothing yet" }).unwrap();
    assert_eq!(store.reader().snapshot_at(u64::MAX, 1).unwrap(), None);
    assert_eq!(store.reader().verify_chain().unwrap().commits, 0);
}

#[test]
fn a_refused_commit_changes_nothing_and_the_handle_goes_on() {
    let (_dir, run) = new_run();
    let mut store = Store::create(owner(&run), &birth()).unwrap();
    assert!(matches!(store.commit(&[], &[], None), Err(StoreError::Refused(Refusal::Empty))));
    let long = Record { body: vec![0; limit::RECORD_BYTES + 1], ..record(1) };
    let refused = store.commit(&[long], &[], None);
    assert!(matches!(refused, Err(StoreError::Refused(Refusal::Bytes { .. }))));
    assert_eq!(store.commit(&records(1, 1), &[], None).unwrap().first_seq, 1);
}

#[test]
fn one_store_a_run_and_none_out_of_nothing() {
    let (_dir, run) = new_run();
    assert!(matches!(Store::open(owner(&run)), Err(StoreError::Missing { .. })));
    assert!(matches!(Reader::open(&run), Err(StoreError::Missing { .. })));
    drop(Store::create(owner(&run), &birth()).unwrap());
    assert!(matches!(Store::create(owner(&run), &birth()), Err(StoreError::Exists { .. })));
    assert!(!run.unborn_path().exists());
    assert!(run.has_store());
}

#[test]
fn a_half_made_store_is_made_anew() {
    let (_dir, run) = new_run();
    std::fs::write(run.unborn_path(), b"half a store").unwrap();
    let mut store = Store::create(owner(&run), &birth()).unwrap();
    assert_eq!(store.commit(&records(1, 1), &[], None).unwrap().first_seq, 1);
}

#[test]
fn two_owners_are_one_too_many_and_readers_count_as_none() {
    let (_dir, run) = closed_run(1);
    let readers = (Reader::open(&run).unwrap(), Reader::open(&run).unwrap());
    assert_eq!(all(&readers.0).unwrap(), all(&readers.1).unwrap());
    drop(readers);
    let store = Store::open(owner(&run)).unwrap();
    assert!(matches!(Owner::take(&run, &note()), Err(StoreError::Owned { .. })));
    let Err(StoreError::Owned { owner, .. }) = Reader::open(&run) else { panic!("read under an owner") };
    assert_eq!(owner.pid, std::process::id());
    drop(store);
    assert!(Reader::open(&run).is_ok());
}

#[test]
fn files_are_only_for_their_user_and_weighed() {
    let (_dir, run) = new_run();
    assert_eq!(run.size().unwrap(), RunSize { store_bytes: None, kept_bytes: 0, output_bytes: 0 });
    let store = Store::create(owner(&run), &birth()).unwrap();
    let mut log = output::OutputLog::create(&run.attempt_path(1), limit::OUTPUT_BYTES).unwrap();
    log.append(0, output::Stream::Stdout, b"hello").unwrap();
    log.sync().unwrap();
    for path in [run.store_path(), run.witness_path(), run.lock_path(), run.attempt_path(1).join("out")] {
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", path.display());
    }
    let size = run.size().unwrap();
    assert!(size.store_bytes > Some(0));
    assert_eq!(size.output_bytes, 5 + 24);
    drop(store);
}
