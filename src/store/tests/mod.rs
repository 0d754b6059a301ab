//! The store as its owner and its readers see it: commits, crashes, damage.

mod commit;
mod crash;
mod damage;
mod restore;

use std::path::Path;

use uuid::Uuid;

use super::*;

pub(super) fn record(number: u64) -> Record {
    let body = format!("{{\"fact\":{number},\"text\":\"{}\"}}", "x".repeat((number % 90) as usize));
    Record { kind: 7, version: 1, flags: (number % 2) as u8, body: body.into_bytes() }
}

/// The records of the commit that begins at `first_seq`.
pub(super) fn records(first_seq: u64, count: u64) -> Vec<Record> {
    (first_seq..first_seq + count).map(record).collect()
}

pub(super) fn birth() -> Birth {
    Birth { run_id: Uuid::from_u128(5), created_at_ms: 1_700_000_000_000, created_by: "0.1.0".into() }
}

pub(super) fn note() -> OwnerNote {
    OwnerNote {
        pid: std::process::id(),
        since_ms: 1_700_000_000_000,
        socket: None,
        version: "0.1.0".into(),
        command: "teamtui serve".into(),
    }
}

pub(super) fn owner(run: &RunDir) -> Owner {
    Owner::take(run, &note()).unwrap()
}

/// A new run in a folder that goes away with the first value.
pub(super) fn new_run() -> (tempfile::TempDir, RunDir) {
    let dir = tempfile::tempdir().unwrap();
    let run = run_in(dir.path());
    (dir, run)
}

pub(super) fn run_in(state: &Path) -> RunDir {
    StateDir::new(state).project(Path::new("/srv/app")).unwrap().standing().unwrap()
}

/// A run with a closed store of `commits` commits of three records each.
pub(super) fn closed_run(commits: u64) -> (tempfile::TempDir, RunDir) {
    let (dir, run) = new_run();
    let mut store = Store::create(owner(&run), &birth()).unwrap();
    for _ in 0..commits {
        let first_seq = store.last_seq() + 1;
        store.commit(&records(first_seq, 3), &[], None).unwrap();
    }
    store.close().unwrap();
    (dir, run)
}

/// All records, read and proved.
pub(super) fn all(reader: &Reader) -> Result<Vec<Record>, StoreError> {
    let mut all = Vec::new();
    for commit in reader.commits(0)? {
        all.extend(commit?.records);
    }
    Ok(all)
}
