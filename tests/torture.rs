//! A share of the proofs that nothing is lost; `cargo bench --bench torture` runs all of them at their full number.
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
