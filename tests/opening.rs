//! What it costs to open a large store after its owner was killed: by hand, in a release build.
//!
//! ```text
//! cargo test --release --test opening -- --ignored --nocapture
//! ```
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    missing_docs
)]
use redb::{ReadableDatabase, TableDefinition};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;
use teamtui::domain::event::{OutputMarked, RunOpened};
use teamtui::domain::{AttemptId, By, Event, Fact, RunHeader, Seq, State};
use teamtui::runtime::read_run;
use teamtui::store::{Birth, Owner, OwnerNote, Record, RunDir, StateDir, Store, open_or_restore};

const STEP: &str = "TEAMTUI_TEST_OPENING";
const PLACE: &str = "TEAMTUI_TEST_OPENING_AT";
const BATCH: u64 = 32;
const ROUNDS: usize = 5;

fn events() -> u64 {
    std::env::var("TEAMTUI_TEST_OPENING_EVENTS").map_or(1_000_000, |text| text.parse().unwrap())
}

#[test]
#[ignore = "a measurement"]
fn t1_a_killed_store_of_a_million_facts_is_checked_in_full_and_opened() {
    if let Some(step) = std::env::var_os(STEP) {
        return child(step.to_str().unwrap());
    }
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for _ in 0..ROUNDS {
        small(tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap().path());
    }
    let kept = folder.path().join("kept");
    step("write", folder.path());
    let run = run(folder.path());
    std::fs::copy(run.store_path(), &kept).unwrap();
    println!("{} events, {} bytes", events(), std::fs::metadata(&kept).unwrap().len());
    for _ in 0..ROUNDS {
        for name in ["bare", "own", "look"] {
            std::fs::copy(&kept, run.store_path()).unwrap();
            println!("{name:5} {}", step(name, folder.path()));
        }
    }
}

fn step(name: &str, folder: &Path) -> String {
    let out = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "t1_a_killed_store_of_a_million_facts_is_checked_in_full_and_opened"])
        .args(["--ignored", "--nocapture"])
        .env(STEP, name)
        .env(PLACE, folder)
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    text.lines().find(|line| line.contains(" ms")).unwrap_or_default().to_owned()
}

fn run(folder: &Path) -> RunDir {
    StateDir::new(folder.join("state")).project(folder).unwrap().standing().unwrap()
}

fn owner(run: &RunDir) -> Owner {
    let note = OwnerNote {
        pid: std::process::id(),
        since_ms: 0,
        socket: None,
        version: "0.1.0".to_owned(),
        command: "teamtui resume".to_owned(),
    };
    Owner::take(run, &note).unwrap()
}

fn child(step: &str) {
    let folder = std::env::var_os(PLACE).unwrap();
    let run = run(Path::new(&folder));
    let begun = Instant::now();
    let seq = match step {
        "write" => return write(&run),
        "bare" => bare(&run.store_path()),
        "look" => read_run(&run).unwrap().seq.0,
        // As an owner does it: everything is proved, then folded, before a byte is written.
        _ => {
            let (mut store, restored) = open_or_restore(owner(&run)).unwrap();
            assert_eq!(restored, None);
            let state = fold(store.reader().commits(0).unwrap().map(|commit| {
                let commit = commit.unwrap();
                (commit.first_seq, commit.records)
            }));
            store.begin().unwrap();
            state.seq.0
        }
    };
    let took = begun.elapsed();
    assert_eq!(seq, events());
    println!("\n{} ms, peak {} KiB", took.as_millis(), peak_kib());
    // What was measured is over: nothing is closed.
    std::process::exit(0);
}

fn write(run: &RunDir) {
    let birth = Birth { run_id: uuid::Uuid::nil(), created_at_ms: 0, created_by: "0.1.0".to_owned() };
    let mut store = Store::create(owner(run), &birth).unwrap();
    while store.last_seq() < events() {
        let first = store.last_seq() + 1;
        let last = (first + BATCH - 1).min(events());
        let records: Vec<Record> = (first..=last).map(record).collect();
        store.commit(&records, &[], None).unwrap();
    }
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
}

fn record(seq: u64) -> Record {
    let event = if seq == 1 {
        Event::RunOpened(RunOpened { header: RunHeader::default() })
    } else {
        Event::OutputMarked(OutputMarked { attempt: AttemptId(seq % 1_000), bytes: seq * 100 })
    };
    let (kind, version) = event.kind();
    let fact = Fact {
        seq: Seq(seq),
        elapsed_ms: seq * 7,
        at_ms: 1_700_000_000_000,
        team: None,
        by: By::System,
        line: None,
        event,
    };
    Record { kind, version, flags: 0, body: fact.encode().unwrap() }
}

fn fold(rows: impl Iterator<Item = (u64, Vec<Record>)>) -> State {
    let mut state = State::default();
    for (first_seq, records) in rows {
        for (seq, record) in (first_seq..).zip(records) {
            state.evolve(&Fact::decode(Seq(seq), record.kind, record.version, &record.body).unwrap());
        }
    }
    state
}

/// redb alone, and the fold: no hash and no link is looked at.
fn bare(path: &Path) -> u64 {
    const LOG: TableDefinition<u64, &[u8]> = TableDefinition::new("log");
    let db = redb::Builder::new().set_cache_size(8 << 20).open(path).unwrap();
    let tx = db.begin_read().unwrap();
    let log = tx.open_table(LOG).unwrap();
    let rows = redb::ReadableTable::range::<u64>(&log, ..).unwrap().map(|row| {
        let (key, row) = row.unwrap();
        (key.value(), parted(row.value()))
    });
    fold(rows).seq.0
}

fn parted(row: &[u8]) -> Vec<Record> {
    let (count, mut rest) = row[41..row.len() - 32].split_first_chunk::<4>().unwrap();
    let mut records = Vec::new();
    for _ in 0..u32::from_le_bytes(*count) {
        let (head, body) = rest.split_first_chunk::<9>().unwrap();
        let (body, next) = body.split_at(u32::from_le_bytes(head[5..9].try_into().unwrap()) as usize);
        let word = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
        records.push(Record { kind: word(0), version: word(2), flags: head[4], body: body.to_vec() });
        rest = next;
    }
    records
}

fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").trim().parse().unwrap()
}

/// A run of 200 commits: what its close costs with its backup, and what it costs to open and close it again.
fn small(folder: &Path) {
    let run = run(folder);
    let birth = Birth { run_id: uuid::Uuid::nil(), created_at_ms: 0, created_by: "0.1.0".to_owned() };
    let mut store = Store::create(owner(&run), &birth).unwrap();
    let begun = Instant::now();
    for seq in 1..=200 {
        store.commit(&[record(seq)], &[], None).unwrap();
    }
    let commits = begun.elapsed() / 200;
    let begun = Instant::now();
    store.close().unwrap();
    let closed = begun.elapsed();
    let begun = Instant::now();
    let (mut store, _) = open_or_restore(owner(&run)).unwrap();
    store.begin().unwrap();
    let opened = begun.elapsed();
    let begun = Instant::now();
    store.close().unwrap();
    let again = begun.elapsed();
    let begun = Instant::now();
    drop(redb::Builder::new().set_cache_size(8 << 20).open(run.store_path()).unwrap());
    let bare = begun.elapsed();
    println!(
        "small: a commit {commits:?}, close {closed:?}, open {opened:?}, close unchanged {again:?}; redb alone open and close {bare:?}"
    );
}
