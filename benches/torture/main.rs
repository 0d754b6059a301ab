//! Every proof that nothing is lost, at its full number:
//! `cargo bench [--features failpoints] --bench torture [-- NAME... [--count N] [--seed S]]`.
//!
//! A line a proof with its seed, its counts and its time; exit code 1 if any broke. `tests/torture` has the proofs.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, missing_docs)]
#[path = "../../tests/torture/damage.rs"]
mod damage;
mod power;
#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "../../tests/torture/mod.rs"]
mod torture;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::Instant;
use torture::Counts;

/// A proof: its name, how many rounds it is at its full number, and what runs it.
struct Proof {
    name: &'static str,
    count: u64,
    run: fn(u64, u64) -> Counts,
}

const fn proof(name: &'static str, count: u64, run: fn(u64, u64) -> Counts) -> Proof {
    Proof { name, count, run }
}

/// Seed of the first round, if none is given.
const SEED: u64 = 1;

const PROOFS: &[Proof] = &[
    #[cfg(target_os = "linux")]
    proof("kill", 2_000, torture::kill::run),
    #[cfg(target_os = "linux")]
    proof("points", 460, torture::points::run),
    #[cfg(target_os = "linux")]
    proof("trees", 480, torture::trees::run),
    #[cfg(target_os = "linux")]
    proof("starts", 20, torture::starts::run),
    #[cfg(target_os = "linux")]
    proof("refusal", 400, torture::starts::refusal),
    proof("core", 100_000, torture::core::run),
    proof("mailbox", 100_000, torture::core::mailbox::run),
    #[cfg(target_os = "linux")]
    proof("full", 300, torture::full::run),
    proof("update", 500, torture::update::run),
    proof("power", 10_000, power::run),
    proof("damage", 2_000, damaged),
];

/// Damaged files: what must not be is not, and nearly all are whole again or their loss is named.
fn damaged(seed: u64, count: u64) -> Counts {
    let found = damage::run(seed, u32::try_from(count).unwrap_or(u32::MAX));
    assert_eq!((found.wrong, found.panics, found.not_kept), (0, 0, 0), "{found:?}");
    assert!(found.restored() * 100 >= found.cases * 99, "{found:?}");
    let mut counts = Counts::default();
    for (what, n) in [
        ("damaged files", found.cases),
        ("harmless", found.harmless),
        ("whole again", found.whole),
        ("whole, and said that more may be lost", found.unsure),
        ("loss named", found.named),
        ("loss without a known end", found.open),
        ("refused", found.refused),
    ] {
        counts.add(what, u64::from(n));
    }
    counts
}

fn main() -> ExitCode {
    let (mut names, mut count, mut seed) = (Vec::new(), None, SEED);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let number = |word: Option<String>| word.and_then(|word| word.parse::<u64>().ok());
        match word.as_str() {
            // `cargo bench` adds it.
            "--bench" => {}
            "--count" => count = Some(number(words.next()).unwrap()),
            "--seed" => seed = number(words.next()).unwrap(),
            name if PROOFS.iter().any(|proof| proof.name == name) => names.push(word),
            _ => return usage(),
        }
    }
    let mut broke = false;
    for proof in PROOFS.iter().filter(|proof| names.is_empty() || names.iter().any(|n| n == proof.name)) {
        broke |= !holds(proof, seed, count.unwrap_or(proof.count));
    }
    ExitCode::from(u8::from(broke))
}

fn usage() -> ExitCode {
    let names: Vec<&str> = PROOFS.iter().map(|proof| proof.name).collect();
    eprintln!("usage: torture [NAME...] [--count N] [--seed S]; names: {}", names.join(" "));
    ExitCode::from(2)
}

fn holds(proof: &Proof, seed: u64, count: u64) -> bool {
    let begun = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| (proof.run)(seed, count)));
    let took = begun.elapsed().as_secs_f64();
    match outcome {
        Ok(ref counts) => println!("{:9} holds  seed {seed}: {counts}; {took:.1} s", proof.name),
        Err(_) => println!("{:9} BROKE  seeds from {seed}; {took:.1} s", proof.name),
    }
    outcome.is_ok()
}
