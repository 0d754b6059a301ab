//! Damaged, newer and read-only stores, as the commands meet them.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod support;

use redb::TableDefinition;
use std::fs;
use std::path::{Path, PathBuf};
use support::{Ran, Sandbox};
use teamtui::store::{NewSnapshot, Owner, OwnerNote, Reader, Record, RunDir, StateDir, Store};

const TEAM: &str = "name = \"ci\"\n[members]\na = { run = \"echo a > a.txt\" }\nb = { run = \"echo b\", depends_on = [\"a\"] }\n";

/// A project whose run 1 has ended well.
fn finished() -> Sandbox {
    let sandbox = Sandbox::with(&[("ci.toml", TEAM)]);
    let ran = sandbox.run(&["--script", "ci.toml"]);
    assert_eq!(ran.rc, 0, "{ran:?}");
    sandbox
}

fn run_of(sandbox: &Sandbox) -> RunDir {
    let state = sandbox.root().parent().unwrap().join("state/teamtui");
    StateDir::new(state).project(&sandbox.root().canonicalize().unwrap()).unwrap().run(1).unwrap()
}

fn owner(run: &RunDir) -> Owner {
    let note = OwnerNote {
        pid: 1,
        since_ms: 0,
        socket: None,
        version: "0.1.0".to_owned(),
        command: "teamtui serve".to_owned(),
    };
    Owner::take(run, &note).unwrap()
}

fn zero_pages(store: &Path) {
    let mut bytes = fs::read(store).unwrap();
    bytes.iter_mut().skip(4_096).step_by(64).for_each(|byte| *byte = 0xEE);
    fs::write(store, bytes).unwrap();
}

fn files(run: &RunDir) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(run.path()).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    files
}

fn restores(ran: &Ran) -> usize {
    ran.err.lines().filter(|line| line.starts_with("restored run 1 from the backup of ")).count()
}

#[test]
fn each_command_that_opens_a_damaged_run_restores_it_and_says_so_once() {
    let commands: [&[&str]; 6] = [
        &["status", "--run", "1"],
        &["report", "--run", "1"],
        &["log", "--run", "1"],
        &["why", "b", "--run", "1"],
        &["do", "--run", "1", "status"],
        &["resume", "1", "--failed"],
    ];
    let sandbox = finished();
    let run = run_of(&sandbox);
    for (number, command) in (1..).zip(commands) {
        let before = sandbox.run(command);
        zero_pages(&run.store_path());
        let damaged = fs::read(run.store_path()).unwrap();
        let first = sandbox.run(command);
        assert_eq!(restores(&first), 1, "{command:?}: {first:?}");
        let kept = format!("; the damaged file is kept: runs/1/store.redb.damaged-{number}\n");
        assert!(first.err.contains(&kept), "{first:?}");
        assert!(first.err.contains("\nlost: nothing; the log goes to seq "), "{first:?}");
        assert!(fs::read(run.path().join(format!("store.redb.damaged-{number}"))).unwrap() == damaged);
        assert_eq!((&first.out, first.rc), (&before.out, before.rc), "{command:?}");
        let again = sandbox.run(command);
        assert_eq!((restores(&again), &again.out), (0, &before.out), "{again:?}");
    }
}

#[test]
fn what_is_lost_is_named_by_its_seqs_and_by_what_can_still_be_read_of_it() {
    let sandbox = finished();
    let run = run_of(&sandbox);
    for file in files(&run).iter().filter(|path| path.to_string_lossy().contains("backup-")) {
        fs::remove_file(file).unwrap();
    }
    let commits: Vec<(u64, u64)> = {
        let reader = Reader::open(&run).unwrap();
        reader
            .commits(0)
            .unwrap()
            .map(|commit| commit.map(|c| (c.first_seq, c.last_seq())).unwrap())
            .collect()
    };
    let [.., (broken, upto), (_, last)] = commits[..] else { panic!("{commits:?}") };
    // Every copy of that row, and so the page it is in.
    let needle = [&[1_u8][..], &broken.to_le_bytes()].concat();
    let mut bytes = fs::read(run.store_path()).unwrap();
    let found: Vec<usize> = (0..bytes.len() - 9).filter(|at| bytes[*at..*at + 9] == needle[..]).collect();
    found.iter().for_each(|at| bytes[at + 60] ^= 0x40);
    fs::write(run.store_path(), bytes).unwrap();
    let ran = sandbox.run(&["status", "--run", "1"]);
    let lines: Vec<&str> = ran.err.lines().collect();
    assert_eq!(
        lines[0],
        format!(
            "restored run 1 from what of it is whole (seq 1 to {}); there was no backup; \
             the damaged file is kept: runs/1/store.redb.damaged-1",
            broken - 1
        )
    );
    assert_eq!(lines[1], format!("lost: seq {broken} to {last}, {} facts", last - broken + 1), "{ran:?}");
    assert!(lines[2].starts_with("  "), "what can be read: {ran:?}");
    let unread = upto - broken + 1;
    assert!(
        lines.iter().any(|line| line.starts_with(&format!("  {unread} of them cannot be read: "))),
        "{ran:?}"
    );
    assert_eq!(ran.rc, 0, "{ran:?}");
}

#[test]
fn damage_in_what_only_the_log_reads_is_restored_when_the_log_is_read() {
    const LOG: TableDefinition<u64, &[u8]> = TableDefinition::new("log");
    /// As the engine has it: a snapshot of another fold is not read.
    const FOLD: u32 = 3;
    let sandbox = finished();
    let run = run_of(&sandbox);
    let before = sandbox.run(&["log", "--run", "1"]);
    // As after many facts: the state is read from a snapshot, and what came before it is not.
    let body = serde_json::to_vec(&teamtui::runtime::read_run(&run).unwrap()).unwrap();
    let mut store = Store::open(owner(&run)).unwrap();
    store.keep_snapshot(NewSnapshot { fold_version: FOLD, body: &body }).unwrap();
    store.close().unwrap();
    let db = redb::Database::open(run.store_path()).unwrap();
    let tx = db.begin_write().unwrap();
    tx.open_table(LOG).unwrap().insert(1, b"no row".as_slice()).unwrap();
    tx.commit().unwrap();
    drop(db);
    assert_eq!(sandbox.run(&["status", "--run", "1"]).err, "");
    let ran = sandbox.run(&["log", "--run", "1"]);
    assert_eq!(ran.rc, 2, "{ran:?}");
    assert!(ran.err.starts_with("error: damaged: the commit at seq 1 is damaged: "), "{ran:?}");
    assert!(
        ran.err.contains("help: ask again: it is restored by now\nhelp: restored run 1 from "),
        "{ran:?}"
    );
    assert!(ran.err.contains("help: lost: nothing; "), "{ran:?}");
    let again = sandbox.run(&["log", "--run", "1"]);
    assert_eq!((again.rc, again.out, again.err), (0, before.out, String::new()));
}

#[test]
fn what_can_be_restored_by_nobody_is_refused_by_its_name_and_left_as_it_is() {
    let sandbox = finished();
    let run = run_of(&sandbox);
    for file in files(&run).iter().filter(|path| path.to_string_lossy().contains("backup-")) {
        fs::remove_file(file).unwrap();
    }
    fs::write(run.store_path(), [0xEE; 9_000]).unwrap();
    let before = files(&run);
    for command in [["status", "--run", "1"], ["report", "--run", "1"]] {
        let ran = sandbox.run(&command);
        assert_eq!(ran.rc, 2, "{ran:?}");
        assert!(ran.err.starts_with("error: damaged: nothing of "), "{ran:?}");
        assert!(ran.err.contains("store.redb can be restored: "), "{ran:?}");
        assert_eq!(files(&run), before);
        assert_eq!(fs::read(run.store_path()).unwrap(), [0xEE; 9_000]);
    }
}

#[test]
fn a_log_with_an_event_that_is_not_known_is_newer_and_left_as_it_is() {
    let sandbox = finished();
    let run = run_of(&sandbox);
    let mut store = Store::open(owner(&run)).unwrap();
    let body = b"{\"t\":1,\"a\":1}\n{\"budget\":[1,2]}".to_vec();
    store.commit(&[Record { kind: 9_001, version: 1, flags: 0, body }], &[], None).unwrap();
    store.close().unwrap();
    let before = (files(&run), fs::read(run.store_path()).unwrap());
    for command in [&["status", "--run", "1"][..], &["log", "--run", "1"], &["resume", "1", "--failed"]] {
        let ran = sandbox.run(command);
        assert_eq!(ran.rc, 2, "{ran:?}");
        let own = env!("CARGO_PKG_VERSION");
        assert_eq!(
            ran.err,
            format!(
                "error: newer: run 1 was written by teamtui {own} (event 9001 v1), this is {own}; nothing was changed\n\
                 help: take it out as it is: `teamtui export --run 1 run-1.tar.zst`\n"
            )
        );
    }
    let runs = sandbox.run(&["runs"]);
    assert!(runs.out.contains("newer"), "{runs:?}");
    assert!((files(&run), fs::read(run.store_path()).unwrap()) == before);
    // The library's owner refuses it as the readers do, before a byte of it changes.
    let header = teamtui::domain::RunHeader::default();
    let begin = teamtui::runtime::Begin {
        run: run.clone(),
        header: Some(header),
        command: "teamtui resume 1".to_owned(),
        socket: None,
        member_socket: None,
        exe: PathBuf::from("/nowhere"),
    };
    let tokio = tokio::runtime::Runtime::new().unwrap();
    let refused =
        tokio.block_on(async { teamtui::runtime::Owned::begin(begin).await.map(drop).unwrap_err() });
    assert!(refused.to_string().contains("(event 9001 v1)"), "{refused}");
    assert!((files(&run), fs::read(run.store_path()).unwrap()) == before);
}

#[test]
fn an_event_that_may_be_skipped_is() {
    let sandbox = finished();
    let run = run_of(&sandbox);
    let before = sandbox.run(&["status", "--run", "1"]);
    let mut store = Store::open(owner(&run)).unwrap();
    let body = b"{\"t\":1,\"a\":1}\n{}".to_vec();
    store.commit(&[Record { kind: 9_001, version: 1, flags: 1, body }], &[], None).unwrap();
    store.close().unwrap();
    let after = sandbox.run(&["status", "--run", "1"]);
    assert_eq!((after.out, after.rc), (before.out, 0));
}

/// The folder of the project's runs, mounted again so that nothing in it can be written; unmounted when dropped.
struct ReadOnly(PathBuf);

impl ReadOnly {
    /// None where this process may not mount.
    fn mount(path: &Path) -> Option<Self> {
        let mount = |words: &[&str]| {
            let mut command = std::process::Command::new("mount");
            command.args(words).arg(path).stderr(std::process::Stdio::null());
            command.status().is_ok_and(|status| status.success())
        };
        let at = path.to_str()?;
        if !mount(&["--bind", at]) {
            return None;
        }
        let this = Self(path.to_owned());
        mount(&["-o", "remount,bind,ro"]).then_some(this)
    }
}

impl Drop for ReadOnly {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn on_media_that_cannot_be_written_reading_works_and_owning_is_refused() {
    let sandbox = finished();
    let run = run_of(&sandbox);
    let commands = [["status", "--run", "1"], ["report", "--run", "1"], ["log", "--run", "1"]];
    let before = commands.map(|command| sandbox.run(&command));
    let project = run.path().parent().unwrap().parent().unwrap();
    let Some(_mounted) = ReadOnly::mount(project) else {
        eprintln!("skipped: this process may not mount");
        return;
    };
    for (command, before) in commands.iter().zip(before) {
        let ran = sandbox.run(command);
        assert_eq!((ran.rc, ran.out, ran.err), (before.rc, before.out, before.err), "{command:?}");
    }
    assert_eq!(sandbox.run(&["runs"]).rc, 0);
    for command in [&["resume", "1", "--failed"][..], &["--script", "ci.toml"]] {
        let ran = sandbox.run(command);
        assert_eq!(ran.rc, 2, "{ran:?}");
        assert!(ran.err.starts_with("error: "), "{ran:?}");
    }
}
