//! Ends what a lost guard left behind: at the start of an owner, and when a guard is killed under it.
//!
//! Here the processes are descendants of nobody in particular, so they are found by the marker in their
//! environment, and by the identity of the direct children where it is still known.
#[cfg(target_os = "linux")]
use std::{collections::BTreeSet, time::Instant};

#[cfg(target_os = "linux")]
use rustix::process::Signal;

#[cfg(target_os = "linux")]
use super::{
    limit::{ROUND_PAUSE, SWEEP_TIME},
    procfs::{self, Process},
    tree,
};

/// Ends every process whose marker begins with `prefix`, with all descendants, and gives their pids.
///
/// A prefix ends where a marker's part ends (`<run>.`), or run 1 would sweep run 11. An empty prefix sweeps
/// nothing, and the caller itself and what it descends from are never ended. Takes up to
/// [`SWEEP_TIME`]; blocks. Where there is no `/proc` (macOS) nothing is found.
pub fn sweep_marked(prefix: &str) -> Vec<u32> {
    #[cfg(target_os = "linux")]
    return end(&[], |marker| !prefix.is_empty() && marker.starts_with(prefix.as_bytes()));
    #[cfg(not(target_os = "linux"))]
    {
        let _ = prefix;
        Vec::new()
    }
}

/// Ends the trees of `roots` and of every process with one of these markers; blocks like [`sweep_marked`].
#[cfg(target_os = "linux")]
pub(super) fn sweep_lost(roots: &[Process], markers: &[Vec<u8>]) -> Vec<u32> {
    end(roots, |marker| markers.iter().any(|one| one == marker))
}

#[cfg(target_os = "linux")]
fn end(roots: &[Process], is_ours: impl Fn(&[u8]) -> bool) -> Vec<u32> {
    let spared = ancestry();
    let deadline = Instant::now() + SWEEP_TIME;
    let mut killed: BTreeSet<Process> = BTreeSet::new();
    loop {
        let left = find(roots, &is_ours, &spared);
        killed.extend(left.iter().filter(|one| procfs::signal(**one, Signal::KILL)));
        if left.is_empty() || Instant::now() >= deadline {
            return killed.iter().map(|one| one.pid).collect();
        }
        std::thread::sleep(ROUND_PAUSE);
    }
}

/// The roots that still live, the marked processes, and all below them.
#[cfg(target_os = "linux")]
fn find(roots: &[Process], is_ours: impl Fn(&[u8]) -> bool, spared: &BTreeSet<u32>) -> Vec<Process> {
    let known = roots.iter().filter_map(|root| procfs::stat(root.pid).filter(|stat| stat.process == *root));
    let marked = procfs::all().into_iter().filter(|pid| procfs::marker(*pid).is_some_and(|m| is_ours(&m)));
    let found = known.chain(marked.filter_map(procfs::stat));
    let found = tree::with_descendants(found.filter(|stat| !spared.contains(&stat.process.pid)).collect());
    found.iter().map(|stat| stat.process).filter(|one| !spared.contains(&one.pid)).collect()
}

/// This process and all it descends from.
#[cfg(target_os = "linux")]
fn ancestry() -> BTreeSet<u32> {
    let mut line = BTreeSet::new();
    let mut next = Some(std::process::id());
    while let Some(pid) = next.filter(|pid| line.insert(*pid)) {
        next = procfs::stat(pid).map(|stat| stat.parent);
    }
    line
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn what_is_marked_is_ended_with_its_unmarked_descendants_and_nothing_else_is() {
        let run = format!("sweep-{}.", std::process::id());
        let marker = |run: &str| format!("{run}7");
        let mut ours = Command::new("sh");
        ours.args(["-c", "env -i sleep 60 & wait"]).env(super::super::MARKER, marker(&run));
        let mut ours = ours.stdout(Stdio::null()).spawn().unwrap();
        let other = format!("sweep-{}0.", std::process::id());
        let mut stranger =
            Command::new("sleep").arg("60").env(super::super::MARKER, marker(&other)).spawn().unwrap();
        let shell = ours.id();
        while !procfs::children(shell).iter().any(|pid| procfs::marker(*pid).is_none()) {
            std::thread::yield_now();
        }
        let ended = sweep_marked(&run);
        assert!(ended.contains(&ours.id()));
        assert!(ended.len() >= 2, "{ended:?}");
        assert!(!ours.wait().unwrap().success());
        assert!(stranger.try_wait().unwrap().is_none());
        assert!(sweep_marked(&run).is_empty());
        stranger.kill().unwrap();
        stranger.wait().unwrap();
    }

    #[test]
    fn an_empty_prefix_sweeps_nothing() {
        assert!(sweep_marked("").is_empty());
    }
}
