//! A damaged store is restored from what is left, whatever cuts the way there.

use std::fs;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;

use super::*;

const CHILD: &str = "TEAMTUI_TEST_RESTORE_CHILD";

/// A run whose store was closed twice, at seq 9 and at seq 15, then killed at seq 21. Three records a commit.
fn killed_run() -> (tempfile::TempDir, RunDir) {
    let (dir, run) = closed_run(3);
    let mut store = Store::open(owner(&run)).unwrap();
    commit(&mut store, 2);
    store.close().unwrap();
    let mut store = Store::open(owner(&run)).unwrap();
    commit(&mut store, 2);
    let (left, witness) = (fs::read(run.store_path()).unwrap(), fs::read(run.witness_path()).unwrap());
    drop(store);
    fs::write(run.store_path(), left).unwrap();
    fs::write(run.witness_path(), witness).unwrap();
    fs::remove_file(run.backup_path(21)).unwrap();
    (dir, run)
}

fn commit(store: &mut Store, commits: u64) {
    for _ in 0..commits {
        let first_seq = store.last_seq() + 1;
        store.commit(&records(first_seq, 3), &[], None).unwrap();
    }
}

/// Breaks every page after the first, but for the rows in them.
fn break_tree(run: &RunDir) {
    let mut bytes = fs::read(run.store_path()).unwrap();
    // The headers of all pages: their kind and number of entries.
    for page in (4_096..bytes.len()).step_by(4_096) {
        bytes[page..page + 4].fill(0xEE);
    }
    fs::write(run.store_path(), bytes).unwrap();
}

/// Breaks every copy of the row that begins at `first_seq`.
fn break_row(run: &RunDir, first_seq: u64) {
    let needle = [&[1_u8][..], &first_seq.to_le_bytes()].concat();
    let mut bytes = fs::read(run.store_path()).unwrap();
    let found: Vec<usize> =
        bytes.windows(needle.len()).enumerate().filter(|(_, w)| **w == needle).map(|(at, _)| at).collect();
    assert!(!found.is_empty());
    found.iter().for_each(|at| bytes[at + 60] ^= 0x40);
    fs::write(run.store_path(), bytes).unwrap();
}

fn opened(run: &RunDir) -> (Vec<Record>, Option<Restored>) {
    let (mut store, restored) = open_or_restore(owner(run)).unwrap();
    store.begin().unwrap();
    (all(&store.reader()).unwrap(), restored)
}

fn names(run: &RunDir) -> Vec<String> {
    let list = fs::read_dir(run.path()).unwrap();
    let mut names: Vec<String> =
        list.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn what_follows_the_backup_is_read_from_the_damaged_file_and_nothing_is_lost() {
    let (_dir, run) = killed_run();
    break_tree(&run);
    let damaged = fs::read(run.store_path()).unwrap();
    assert!(Reader::open(&run).unwrap_err().is_damage());
    assert!(fs::read(run.store_path()).unwrap() == damaged, "looking changed it");
    let (found, restored) = opened(&run);
    let restored = restored.unwrap();
    assert_eq!(found, records(1, 21));
    assert_eq!((restored.backup.map(|b| b.seq), restored.salvaged), (Some(15), 6));
    assert_eq!(restored.lost, None);
    assert_eq!(restored.damaged.as_deref(), Some("store.redb.damaged-1"));
    assert!(fs::read(run.damaged_path(1)).unwrap() == damaged, "the original is kept");
    assert_eq!(opened(&run), (records(1, 21), None), "it is said once");
}

#[test]
fn a_row_that_is_gone_ends_the_chain_and_what_can_be_read_behind_it_is_told() {
    let (_dir, run) = killed_run();
    break_row(&run, 16);
    let (found, restored) = opened(&run);
    assert_eq!(found, records(1, 15));
    let lost = restored.unwrap().lost.unwrap();
    assert_eq!((lost.first_seq, lost.last_seq, lost.is_open, lost.count()), (16, Some(21), false, 6));
    let readable: Vec<(u64, Record)> = (19..).zip(records(19, 3)).collect();
    assert_eq!(lost.readable, readable);
}

#[test]
fn without_a_backup_the_part_that_proves_itself_is_what_is_restored() {
    let (_dir, run) = killed_run();
    for seq in run.backup_seqs() {
        fs::remove_file(run.backup_path(seq)).unwrap();
    }
    break_row(&run, 10);
    let (found, restored) = opened(&run);
    let restored = restored.unwrap();
    assert_eq!((found, restored.backup), (records(1, 9), None));
    assert_eq!(restored.lost.unwrap().last_seq, Some(21));
}

#[test]
fn a_backup_that_is_damaged_too_is_passed_over_and_kept() {
    let (_dir, run) = killed_run();
    let mut bad = fs::read(run.backup_path(15)).unwrap();
    bad.truncate(5_000);
    fs::write(run.backup_path(15), &bad).unwrap();
    break_tree(&run);
    let (found, restored) = opened(&run);
    assert_eq!(found, records(1, 21));
    assert_eq!(restored.unwrap().backup.map(|b| b.seq), Some(9));
    assert_eq!(fs::read(run.path().join("store.redb.backup-15.damaged")).unwrap(), bad);
}

#[test]
fn where_nothing_can_be_restored_nothing_is_changed() {
    let (_dir, run) = killed_run();
    for seq in run.backup_seqs() {
        fs::remove_file(run.backup_path(seq)).unwrap();
    }
    fs::write(run.store_path(), b"redb").unwrap();
    let before = names(&run);
    let error = open_or_restore(owner(&run)).unwrap_err();
    assert!(matches!(error, StoreError::Lost { .. }), "{error}");
    assert!(error.to_string().contains("store.redb") && error.to_string().contains("move the folder away"));
    assert_eq!(names(&run), before);
    assert_eq!(fs::read(run.store_path()).unwrap(), b"redb");
}

#[test]
fn a_store_that_is_gone_comes_back_from_its_backup() {
    let (_dir, run) = killed_run();
    fs::remove_file(run.store_path()).unwrap();
    assert!(run.has_store(), "it is not begun anew");
    let (found, restored) = opened(&run);
    let restored = restored.unwrap();
    assert_eq!((found, restored.damaged), (records(1, 15), None));
    assert_eq!(restored.lost.unwrap().last_seq, Some(21), "the witness knows");
}

#[test]
fn an_old_copy_is_found_by_the_witness_and_without_one_by_a_newer_backup() {
    for keeps_witness in [true, false] {
        let (_dir, run) = closed_run(3);
        let old = fs::read(run.store_path()).unwrap();
        let mut store = Store::open(owner(&run)).unwrap();
        commit(&mut store, 2);
        store.close().unwrap();
        fs::write(run.store_path(), old).unwrap();
        if !keeps_witness {
            fs::remove_file(run.witness_path()).unwrap();
        }
        let (found, restored) = opened(&run);
        assert_eq!(found, records(1, 15), "witness {keeps_witness}");
        let lost = restored.unwrap().lost;
        assert_eq!(lost.is_none(), keeps_witness, "without it nothing knows where the log ended: {lost:?}");
        assert_eq!(opened(&run).1, None);
    }
}

#[test]
fn another_programs_file_in_its_place_is_left_alone_and_a_newer_one_too() {
    let (_dir, run) = killed_run();
    fs::remove_file(run.store_path()).unwrap();
    schema::tests::create_newer(&run.store_path());
    let before = fs::read(run.store_path()).unwrap();
    assert!(matches!(open_or_restore(owner(&run)), Err(StoreError::Newer { .. })));
    assert!(fs::read(run.store_path()).unwrap() == before);
}

#[test]
fn a_disk_that_takes_nothing_leaves_the_damaged_store_as_it_is_and_is_no_error_for_a_backup() {
    let (_dir, run) = killed_run();
    break_tree(&run);
    let before = fs::read(run.store_path()).unwrap();
    fs::create_dir(run.restoring_path()).unwrap();
    assert!(open_or_restore(owner(&run)).is_err());
    assert!(fs::read(run.store_path()).unwrap() == before);
    fs::remove_dir(run.restoring_path()).unwrap();
    assert_eq!(opened(&run).0, records(1, 21));

    fs::create_dir(run.backup_unborn_path()).unwrap();
    let mut store = Store::open(owner(&run)).unwrap();
    commit(&mut store, 1);
    store.close().unwrap();
    assert_eq!(opened(&run), (records(1, 24), None));
}

/// The folder as a kill leaves it after each step.
#[test]
fn a_kill_at_any_step_of_a_restoring_is_gone_on_from() {
    let (_other, whole) = killed_run();
    break_tree(&whole);
    let (_, restored) = opened(&whole);
    let restored = restored.unwrap();
    let new = fs::read(whole.store_path()).unwrap();
    for step in 0..=5 {
        let (_dir, run) = killed_run();
        break_tree(&run);
        let damaged = fs::read(run.store_path()).unwrap();
        let size = if step == 0 { new.len() / 2 } else { new.len() };
        fs::write(run.restoring_path(), &new[..size]).unwrap();
        if step >= 2 {
            restored.write(&run).unwrap();
        }
        if step >= 3 {
            fs::hard_link(run.store_path(), run.damaged_path(1)).unwrap();
        }
        if step >= 4 {
            fs::rename(run.restoring_path(), run.store_path()).unwrap();
        }
        if step == 5 {
            let hash = Digest::from_hex(&restored.hash).unwrap();
            drop(crate::store::witness::WitnessFile::open(&run, &birth(), restored.last_seq, hash));
        }
        let (found, again) = opened(&run);
        assert_eq!(found, records(1, 21), "step {step}");
        let again = again.unwrap();
        assert_eq!(
            (again.salvaged, again.lost, again.damaged),
            (6, None, restored.damaged.clone()),
            "step {step}"
        );
        assert!(fs::read(run.damaged_path(1)).unwrap() == damaged, "step {step}");
        let left: Vec<String> = names(&run)
            .into_iter()
            .filter(|name| ["damaged-2", "restoring", "restored"].iter().any(|end| name.ends_with(end)))
            .collect();
        assert!(left.is_empty(), "step {step}: {left:?}");
        assert_eq!(opened(&run).1, None, "step {step}");
    }
}

/// The child of the test below. Without the variable it is no test.
#[test]
fn child_that_restores() {
    let Some(state) = std::env::var_os(CHILD) else { return };
    drop(open_or_restore(owner(&run_in(Path::new(&state)))));
}

#[test]
fn kill_9_while_it_is_restored_loses_nothing() {
    for step in 0..3 {
        let (dir, run) = killed_run();
        break_tree(&run);
        let awaited = [run.restoring_path(), run.note_path(), run.damaged_path(1)];
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "store::tests::restore::child_that_restores"])
            .env(CHILD, dir.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while !awaited[step].exists() && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        let _ = child.kill();
        child.wait().unwrap();
        assert_eq!(opened(&run).0, records(1, 21), "step {step}");
        assert!(!run.damaged_path(2).exists(), "step {step}");
    }
}

#[test]
fn a_close_leaves_a_backup_of_what_is_new_and_three_are_kept() {
    let (_dir, run) = closed_run(1);
    assert_eq!(run.backup_seqs(), [3]);
    for _ in 0..3 {
        let mut store = Store::open(owner(&run)).unwrap();
        commit(&mut store, 1);
        store.close().unwrap();
        Store::open(owner(&run)).unwrap().close().unwrap();
    }
    assert_eq!(run.backup_seqs(), [12, 9, 6]);
    for seq in [12, 9, 6] {
        crate::store::backup::prove(&run, seq).unwrap();
    }
}

#[test]
fn a_backup_of_a_store_that_is_written_is_whole_and_one_that_is_stopped_is_none() {
    let (_dir, run) = new_run();
    let mut store = Store::create(owner(&run), &birth()).unwrap();
    let text = Blob::new(b"a long text");
    store.commit(&records(1, 3), &[text], None).unwrap();
    commit(&mut store, 20);
    let reader = store.reader();
    assert!(!Backup::write(&run, &reader, &AtomicBool::new(true)).unwrap());
    assert!(run.backup_seqs().is_empty() && !run.backup_unborn_path().exists());
    assert!(Backup::write(&run, &reader, &AtomicBool::new(false)).unwrap());
    assert!(!Backup::write(&run, &reader, &AtomicBool::new(false)).unwrap(), "there is one");
    assert_eq!(run.backup_seqs(), [63]);
    commit(&mut store, 1);
    drop(store);
    fs::write(run.store_path(), b"").unwrap();
    fs::remove_file(run.backup_path(66)).unwrap();
    let (found, _) = opened(&run);
    assert_eq!(found, records(1, 63));
    assert_eq!(Reader::open(&run).unwrap().blob(text.digest()).unwrap().as_deref(), Some(text.bytes()));
}

#[test]
fn a_backup_before_a_migration_is_of_a_store_that_nobody_has_open() {
    let (_dir, run) = closed_run(2);
    fs::remove_file(run.backup_path(6)).unwrap();
    Backup::before_migration(&owner(&run)).unwrap();
    assert_eq!(Backup::of(&run).iter().map(|backup| backup.seq).collect::<Vec<_>>(), [6]);
}

#[test]
fn looking_at_a_store_says_what_is_damaged_and_where_and_changes_nothing() {
    let (_dir, run) = killed_run();
    let Inspection::Whole(report) = inspect(&run).unwrap() else { panic!("damaged") };
    assert_eq!((report.last_seq, report.commits), (21, 7));
    break_row(&run, 10);
    let before = (names(&run), fs::read(run.store_path()).unwrap());
    let Inspection::Damaged { table, from_seq, .. } = inspect(&run).unwrap() else { panic!("whole") };
    assert_eq!((table, from_seq), (Some("log"), 10));
    assert!((names(&run), fs::read(run.store_path()).unwrap()) == before);
}

#[test]
fn what_only_a_reader_finds_is_mended_and_a_whole_store_is_left_alone() {
    let (_dir, run) = closed_run(4);
    assert_eq!(mend(&owner(&run)).unwrap(), None);
    assert!(!run.damaged_path(1).exists());
    // A row in the middle of a large store that was closed: its end is as the witness says.
    let db = redb::Database::open(run.store_path()).unwrap();
    let tx = db.begin_write().unwrap();
    tx.open_table(schema::LOG).unwrap().insert(4, b"no row".as_slice()).unwrap();
    tx.commit().unwrap();
    drop(db);
    let reader = Reader::open(&run).unwrap();
    assert!(reader.verify_chain().unwrap_err().is_damage());
    drop(reader);
    assert_eq!(mend(&owner(&run)).unwrap().unwrap().lost, None);
    assert_eq!(opened(&run), (records(1, 12), None));
}
