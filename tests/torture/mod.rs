//! The proofs that nothing is lost, each a function of a seed and a count: a share of each runs with the tests, all of
//! each in `cargo bench --bench torture`.
//!
//! A round has a seed of its own, which is printed when it breaks; with that seed and the count 1 it is run again.
#![allow(dead_code, reason = "the tests and the bench each use their part")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, missing_docs)]
pub mod core;
#[cfg(target_os = "linux")]
pub mod full;
#[cfg(target_os = "linux")]
pub mod kill;
pub mod ledger;
pub mod oracle;
#[cfg(target_os = "linux")]
pub mod points;
#[cfg(target_os = "linux")]
pub mod starts;
#[cfg(target_os = "linux")]
pub mod trees;
pub mod update;
pub mod world;

use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What a proof went through: how often each thing was done or found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts(BTreeMap<String, u64>);

impl Counts {
    /// That many more of it.
    pub fn add(&mut self, what: &str, more: u64) {
        *self.0.entry(what.to_owned()).or_default() += more;
    }

    /// The highest so far.
    pub fn highest(&mut self, what: &str, value: u64) {
        let highest = self.0.entry(format!("highest {what}")).or_default();
        *highest = value.max(*highest);
    }

    pub fn get(&self, what: &str) -> u64 {
        self.0.get(what).copied().unwrap_or_default()
    }

    pub fn join(&mut self, other: &Self) {
        for (what, count) in &other.0 {
            match what.strip_prefix("highest ") {
                Some(what) => self.highest(what, *count),
                None => self.add(what, *count),
            }
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let each = self.0.iter().map(|(what, count)| format!("{count} {what}"));
        f.write_str(&each.collect::<Vec<_>>().join(", "))
    }
}

/// Random numbers from a seed: SplitMix64.
#[derive(Debug, Clone)]
pub struct Dice(pub u64);

impl Dice {
    /// A number below `sides`.
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % sides
    }

    /// True that often of a hundred times.
    pub fn percent(&mut self, of_hundred: u64) -> bool {
        self.roll(100) < of_hundred
    }

    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[usize::try_from(self.roll(of.len() as u64)).unwrap()]
    }
}

/// Rounds of a proof with the seeds from `seed` on, `workers` at once. Every seed that breaks is printed; the first one
/// ends the proof when the rounds under way have ended.
pub fn rounds(
    proof: &str,
    seed: u64,
    count: u64,
    workers: usize,
    round: impl Fn(u64) -> Counts + Sync,
) -> Counts {
    let (next, broken) = (AtomicU64::new(0), AtomicBool::new(false));
    let (counts, first) = (Mutex::new(Counts::default()), Mutex::new(None));
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= count || broken.load(Ordering::Relaxed) {
                        return;
                    }
                    let seed = seed.wrapping_add(at);
                    match catch_unwind(AssertUnwindSafe(|| round(seed))) {
                        Ok(done) => counts.lock().unwrap().join(&done),
                        Err(panic) => {
                            eprintln!("{proof}: broke at seed {seed}; once more: {}", again(proof, seed));
                            broken.store(true, Ordering::Relaxed);
                            first.lock().unwrap().get_or_insert(panic);
                        }
                    }
                }
            });
        }
    });
    if let Some(panic) = first.into_inner().unwrap() {
        resume_unwind(panic);
    }
    let mut counts = counts.into_inner().unwrap();
    counts.add("rounds", count);
    counts
}

fn again(proof: &str, seed: u64) -> String {
    let features = if cfg!(feature = "failpoints") { " --features failpoints" } else { "" };
    format!("cargo bench{features} --bench torture -- {proof} --seed {seed} --count 1")
}
