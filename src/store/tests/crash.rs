//! Nothing acknowledged is lost: kill -9, a failed sync at every place, a full disk.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::*;
use crate::store::base::{Access, Base, Medium, create_database};
use crate::store::fault::{Disk, patterns};

const CHILD: &str = "TEAMTUI_TEST_STORE_CHILD";
const KILLS: u64 = 10;

/// The child of the test below: commits for ever and says so. Without the variable it is no test.
#[test]
fn child_that_commits_until_it_is_killed() {
    let Some(state) = std::env::var_os(CHILD) else { return };
    let run = run_in(Path::new(&state));
    let owner = owner(&run);
    let mut store =
        if run.has_store() { Store::open(owner).unwrap() } else { Store::create(owner, &birth()).unwrap() };
    loop {
        let first_seq = store.last_seq() + 1;
        let committed = store.commit(&records(first_seq, 1 + first_seq % 5), &[], None).unwrap();
        println!("\nack {}", committed.last_seq);
    }
}

#[test]
fn kill_9_loses_nothing_acknowledged_and_gives_the_run_back() {
    let dir = tempfile::tempdir().unwrap();
    let run = run_in(dir.path());
    let mut acked = 0;
    for kill in 0..KILLS {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "store::tests::crash::child_that_commits_until_it_is_killed", "--nocapture"])
            .env(CHILD, dir.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut acks = lines
            .by_ref()
            .filter_map(|line| line.unwrap().strip_prefix("ack ").map(|seq| seq.parse::<u64>().unwrap()));
        acked = acks.by_ref().take(3 + (kill * 7 % 20) as usize).last().unwrap().max(acked);
        let Err(StoreError::Owned { owner, .. }) = Owner::take(&run, &note()) else { panic!("not owned") };
        assert_eq!(owner.pid, child.id());
        child.kill().unwrap();
        child.wait().unwrap();
        acked = acks.last().unwrap_or(acked);

        let before = std::fs::read(run.store_path()).unwrap();
        let reader = Reader::open(&run).unwrap();
        let found = all(&reader).unwrap();
        drop(reader);
        assert!(std::fs::read(run.store_path()).unwrap() == before, "reading changed the file");
        assert!(found.len() as u64 >= acked, "{} of {acked}", found.len());
        assert!(found.len() as u64 <= acked + 5, "more than one commit was not acknowledged");
        assert_eq!(found, records(1, found.len() as u64));

        let store = Store::open(super::owner(&run)).unwrap();
        assert_eq!(store.last_seq(), found.len() as u64);
        assert_eq!(all(&store.reader()).unwrap(), found);
        acked = store.last_seq();
    }
}

fn medium(disk: &Disk) -> Medium {
    let disk = disk.clone();
    Box::new(move || Ok(Box::new(disk.clone())))
}

fn open(disk: &Disk) -> Result<Store, StoreError> {
    let (base, meta) = Base::open(PathBuf::from("disk"), medium(disk), Access::Write)?;
    Store::over(base, meta, None)
}

fn new_disk() -> Disk {
    let disk = Disk::default();
    drop(create_database(Path::new("disk"), disk.clone(), &birth()).unwrap());
    Disk::holding(disk.bytes())
}

/// Commits until the disk fails; gives the last acknowledged seq, or `None` when it never failed.
fn commit_until_it_fails(store: &mut Store) -> Option<u64> {
    for _ in 0..12 {
        let first_seq = store.last_seq() + 1;
        let text = vec![first_seq as u8; 9_000];
        let snapshot = NewSnapshot { fold_version: 1, body: b"state" };
        let outcome = store.commit(&records(first_seq, 3), &[Blob::new(&text)], Some(snapshot));
        if let Err(error) = outcome {
            assert!(error.is_disk_full(), "{error}");
            return Some(store.last_seq());
        }
    }
    None
}

/// Whole commits from the first on: all that was acknowledged, and at most the one that failed.
fn check_whole(store: &Store, acked: u64, when: &str) {
    let found = all(&store.reader()).unwrap();
    let count = found.len() as u64;
    assert!(count == acked || count == acked + 3, "{when}: {count} found, {acked} acknowledged");
    assert_eq!(found, records(1, count), "{when}");
    for first_seq in (1..=count).step_by(3) {
        let digest = Digest::of(&vec![first_seq as u8; 9_000]);
        assert!(store.reader().blob(digest).unwrap().is_some(), "{when}: the text of {first_seq}");
    }
}

#[test]
fn a_sync_that_fails_at_any_place_loses_nothing_acknowledged_even_with_the_power() {
    let start = new_disk().bytes();
    let mut failed = 0;
    for number in 1..40 {
        let disk = Disk::holding(start.clone());
        let mut store = open(&disk).unwrap();
        disk.fail_at_sync(number);
        let Some(acked) = commit_until_it_fails(&mut store) else { break };
        failed += 1;
        assert!(matches!(store.commit(&records(1, 1), &[], None), Err(StoreError::Stale { .. })));
        for (pattern, kept) in patterns(4) {
            let left = Disk::holding(disk.after_power_loss(kept));
            let when = format!("sync {number}, power loss {pattern}");
            check_whole(&open(&left).unwrap(), acked, &when);
        }
        disk.heal();
        assert!(store.reload().unwrap() >= acked);
        check_whole(&store, acked, &format!("sync {number}, loaded again"));
        let first_seq = store.last_seq() + 1;
        assert_eq!(store.commit(&records(first_seq, 1), &[], None).unwrap().first_seq, first_seq);
        store.reader().verify_chain().unwrap();
    }
    assert!(failed >= 12, "only {failed} places were tried");
}

#[test]
fn a_full_disk_says_so_and_space_returning_goes_on() {
    let disk = new_disk();
    let mut store = open(&disk).unwrap();
    store.commit(&records(1, 1), &[], None).unwrap();
    disk.fill();
    let text = vec![b'x'; 4 << 20];
    let error = store.commit(&records(2, 1), &[Blob::new(&text)], None).unwrap_err();
    assert!(error.is_disk_full(), "{error}");
    assert!(error.to_string().contains("free some space"), "{error}");
    disk.heal();
    assert_eq!(store.reload().unwrap(), 1);
    store.commit(&records(2, 1), &[Blob::new(&text)], None).unwrap();
    assert_eq!(all(&store.reader()).unwrap(), records(1, 2));
}

#[test]
fn a_disk_still_full_at_reload_is_an_error_and_not_the_end() {
    let disk = new_disk();
    let mut store = open(&disk).unwrap();
    store.commit(&records(1, 1), &[], None).unwrap();
    disk.fail_at_sync(1);
    assert!(store.commit(&records(2, 1), &[], None).is_err());
    assert!(store.reload().is_err());
    assert!(matches!(store.reader().last_seq(), Err(StoreError::Closed { .. })));
    disk.heal();
    assert!(store.reload().unwrap() >= 1);
    let next = store.last_seq() + 1;
    store.commit(&records(next, 1), &[], None).unwrap();
}
