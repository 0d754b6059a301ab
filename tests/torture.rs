//! A share of the proofs that nothing is lost; `cargo bench --bench torture` runs all of them at their full number.
#![allow(clippy::unwrap_used, clippy::print_stderr)]
#[path = "support/mod.rs"]
mod support;
#[path = "torture/mod.rs"]
mod torture;

/// Fixed, so that a test that breaks breaks again.
const SEED: u64 = 1;

#[cfg(target_os = "linux")]
#[test]
fn r33_kill_9_at_any_instant_loses_nothing_and_runs_nothing_twice() {
    let counts = torture::kill::run(SEED, 40);
    assert!(counts.get("kills") >= 40, "{counts}");
}

#[cfg(target_os = "linux")]
#[test]
fn r33_a_kill_at_any_named_place_loses_nothing_and_runs_nothing_twice() {
    let counts = torture::points::run(0, torture::points::PLACES);
    if torture::points::is_built() {
        assert!(counts.get("kills") > torture::points::PLACES / 2, "{counts}");
    } else {
        eprintln!("skipped: {counts}");
    }
}

/// With the feature: that every place is in the binary. Without: that none is.
#[cfg(target_os = "linux")]
#[test]
fn the_places_to_die_at_are_in_the_binary_of_their_feature_and_in_no_other() {
    let mut grep = std::process::Command::new("grep");
    grep.args(["-aoF", env!("CARGO_BIN_EXE_teamtui")]);
    grep.args(torture::points::names().flat_map(|name| ["-e", name]));
    let found = String::from_utf8(grep.output().unwrap().stdout).unwrap();
    let mut found: Vec<&str> = found.lines().collect();
    found.sort_unstable();
    found.dedup();
    let mut names: Vec<&str> = torture::points::names().collect();
    names.sort_unstable();
    assert_eq!(found, if torture::points::is_built() { names } else { Vec::new() });
}

#[cfg(target_os = "linux")]
#[test]
fn r21_no_process_tree_outlives_the_end_of_its_owner_its_guard_or_its_team() {
    let counts = torture::trees::run(0, torture::trees::PAIRS);
    assert_eq!(counts.get("survivors"), 0, "{counts}");
}

#[cfg(target_os = "linux")]
#[test]
fn r33_of_fifty_starts_at_once_one_owns_the_state() {
    let counts = torture::starts::run(0, 3);
    assert_eq!((counts.get("starts"), counts.get("owners"), counts.get("served")), (150, 2, 50), "{counts}");
}

#[cfg(target_os = "linux")]
#[test]
fn r33_a_lock_with_the_pid_of_a_stranger_keeps_nobody_out() {
    torture::starts::stranger();
}

#[test]
fn r30_r12_r24_the_core_holds_through_commands_crashes_and_failing_disks_of_any_seed() {
    let counts = torture::core::run(SEED, 1_000);
    assert!(counts.get("crashes") > 100 && counts.get("stale tokens refused") > 100, "{counts}");
}

#[test]
fn r24_no_message_is_lost_doubled_or_reordered_through_crashes() {
    let counts = torture::core::mailbox::run(SEED, 2_000);
    assert!(counts.get("messages") >= 2_000 && counts.get("crashes") > 2, "{counts}");
}

#[test]
fn c021_of_edits_at_once_each_is_in_the_file_or_was_told_of_a_conflict() {
    let counts = torture::update::run(SEED, 40);
    assert!(counts.get("edits acknowledged") > 0 && counts.get("told of a conflict") > 0, "{counts}");
}

#[cfg(target_os = "linux")]
#[test]
fn c033_a_disk_that_is_full_for_a_while_loses_nothing_and_tears_no_file() {
    let counts = torture::full::run(SEED, 12);
    if torture::full::is_possible() {
        assert!(counts.get("disks filled") >= 12, "{counts}");
    } else {
        eprintln!("skipped: {counts}");
    }
}
