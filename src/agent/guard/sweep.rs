//! Ends what a lost guard left behind: at the start of an owner, and when a guard is killed under it.
//!
//! Here the processes are descendants of nobody in particular, so they are found by the marker in their
//! environment, and by the identity of the direct children where it is still known.
#[cfg(target_os = "linux")]
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Instant,
};

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
pub fn sweep_marked(prefix: &str) -> Vec<Swept> {
    #[cfg(target_os = "linux")]
    {
        let ended = end(&[], |marker| !prefix.is_empty() && marker.starts_with(prefix.as_bytes()));
        let rest = |marker: Option<Vec<u8>>| marker?.strip_prefix(prefix.as_bytes()).map(<[u8]>::to_vec);
        let rest = |marker| String::from_utf8(rest(marker)?).ok();
        ended.into_iter().map(|(one, marker)| Swept { pid: one.pid, rest: rest(marker) }).collect()
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = prefix;
        Vec::new()
    }
}

/// A process that was ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Swept {
    /// Its process id.
    pub pid: u32,
    /// What follows the prefix in its marker, or in that of the process it descends from.
    pub rest: Option<String>,
}

/// Ends the trees of `roots` and of every process with one of these markers; blocks like [`sweep_marked`].
#[cfg(target_os = "linux")]
pub(super) fn sweep_lost(roots: &[Process], markers: &[Vec<u8>]) {
    end(roots, |marker| markers.iter().any(|one| one == marker));
}

#[cfg(target_os = "linux")]
fn end(roots: &[Process], is_ours: impl Fn(&[u8]) -> bool) -> Marked {
    let spared = ancestry();
    let deadline = Instant::now() + SWEEP_TIME;
    let mut killed = Marked::new();
    loop {
        let left = find(roots, &is_ours, &spared);
        let is_last = left.is_empty() || Instant::now() >= deadline;
        killed.extend(left.into_iter().filter(|(one, _)| procfs::signal(*one, Signal::KILL)));
        if is_last {
            return killed;
        }
        std::thread::sleep(ROUND_PAUSE);
    }
}

/// Processes, each with its marker or that of the one it descends from.
#[cfg(target_os = "linux")]
type Marked = BTreeMap<Process, Option<Vec<u8>>>;

/// The roots that still live, the marked processes, and all below them.
#[cfg(target_os = "linux")]
fn find(roots: &[Process], is_ours: impl Fn(&[u8]) -> bool, spared: &BTreeSet<u32>) -> Marked {
    let known = roots.iter().filter_map(|root| procfs::stat(root.pid).filter(|stat| stat.process == *root));
    let marked = procfs::all().into_iter().filter_map(|pid| {
        let marker = procfs::marker(pid).filter(|marker| is_ours(marker))?;
        Some((procfs::stat(pid)?, Some(marker)))
    });
    let tops: Vec<_> = marked.chain(known.map(|stat| (stat, None))).collect();
    let mut found: Marked = tops.iter().map(|(stat, marker)| (stat.process, marker.clone())).collect();
    for (stat, marker) in tops.into_iter().filter(|(stat, _)| !spared.contains(&stat.process.pid)) {
        for below in tree::with_descendants(vec![stat]) {
            found.entry(below.process).or_insert_with(|| marker.clone());
        }
    }
    found.retain(|one, _| !spared.contains(&one.pid) && procfs::stat(one.pid).is_some_and(|now| !now.dead));
    found
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
        assert!(ended.iter().any(|one| one.pid == ours.id()), "{ended:?}");
        assert!(ended.len() >= 2, "{ended:?}");
        assert!(ended.iter().all(|one| one.rest.as_deref() == Some("7")), "{ended:?}");
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
