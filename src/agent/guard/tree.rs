//! Which of the guard's descendants belong to which attempt.
//!
//! An attempt's tree is its direct child with all descendants, and every orphan that came back to the guard
//! (the subreaper) and is the attempt's: by process group or session, by its marker, or, an orphan that hides
//! all of these, because no other attempt is left that it could belong to.
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use super::procfs::{self, Stat};

/// What the guard remembers of an attempt while any process of it may be left.
#[derive(Debug)]
pub struct Job {
    /// The direct child; its pid is also the process group it was started in.
    pub pid: u32,
    /// Value of the marker in its environment.
    pub marker: Option<Vec<u8>>,
    /// The direct child has ended.
    pub ended: bool,
}

/// All attempts the guard remembers, by number.
pub type Jobs = BTreeMap<u64, Job>;

/// The guard's own children: cheap to list, and exact, since only the guard itself takes entries away.
#[derive(Debug)]
pub struct Own {
    me: u32,
    children: Option<File>,
}

impl Own {
    /// The children of this single-threaded process.
    pub fn new() -> Self {
        let me = std::process::id();
        let children = File::open(format!("/proc/{me}/task/{me}/children"));
        Self { me, children: children.ok() }
    }

    /// Pids of all children, ended ones that were not collected included.
    pub fn list(&self) -> Vec<u32> {
        let listed = self.children.as_ref().map(read_whole);
        match listed {
            Some(Ok(bytes)) => procfs::pids(&bytes).collect(),
            Some(Err(_)) | None => procfs::children_by_scan(self.me),
        }
    }

    /// Living children that are no direct child of an attempt.
    ///
    /// One that dies after it was listed hands its own children to the guard, unlisted: so list again until
    /// nobody new is found dead.
    fn orphans(&self, jobs: &Jobs) -> Vec<Stat> {
        let mut known_dead = BTreeSet::new();
        loop {
            let mut pids = self.list();
            pids.retain(|pid| !jobs.values().any(|job| !job.ended && job.pid == *pid));
            let stats: Vec<Stat> = pids.iter().copied().filter_map(procfs::stat).collect();
            let (dead, living): (Vec<Stat>, Vec<Stat>) = stats.into_iter().partition(|stat| stat.dead);
            let before = known_dead.len();
            known_dead.extend(dead.iter().map(|stat| stat.process));
            if known_dead.len() == before {
                return living;
            }
        }
    }

    /// An orphan of this attempt lives. Where there is no orphan at all this costs one read.
    pub fn has_orphan(&self, jobs: &Jobs, attempt: u64) -> bool {
        self.orphans(jobs).iter().any(|orphan| belongs(orphan, jobs, attempt))
    }

    /// The living processes of an attempt, the direct child first.
    pub fn tree(&self, jobs: &Jobs, attempt: u64) -> Vec<Stat> {
        let direct = jobs.get(&attempt).filter(|job| !job.ended).and_then(|job| procfs::stat(job.pid));
        let orphans = self.orphans(jobs).into_iter().filter(|orphan| belongs(orphan, jobs, attempt));
        with_descendants(direct.into_iter().chain(orphans).collect())
    }

    /// All living descendants.
    pub fn everything(&self) -> Vec<Stat> {
        with_descendants(self.list().into_iter().filter_map(procfs::stat).collect())
    }
}

/// Reading from offset 0 makes the kernel write the list anew; a piece much shorter than asked is the last.
fn read_whole(file: &File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let length = file.read_at(&mut piece, bytes.len() as u64)?;
        bytes.extend(piece.iter().take(length));
        if length < piece.len() / 2 {
            return Ok(bytes);
        }
    }
}

fn belongs(orphan: &Stat, jobs: &Jobs, attempt: u64) -> bool {
    match attempt_of(orphan, jobs) {
        Some(known) => known == attempt,
        None => jobs.len() == 1 && jobs.contains_key(&attempt),
    }
}

/// The attempt an orphan shows itself to be of.
fn attempt_of(orphan: &Stat, jobs: &Jobs) -> Option<u64> {
    let same_group = |job: &Job| orphan.group == job.pid || orphan.session == job.pid;
    if let Some((attempt, _)) = jobs.iter().find(|(_, job)| same_group(job)) {
        return Some(*attempt);
    }
    let marker = procfs::marker(orphan.process.pid)?;
    jobs.iter().find(|(_, job)| job.marker.as_ref() == Some(&marker)).map(|(attempt, _)| *attempt)
}

/// The roots and all living processes below them; ended ones are left out, what is below them is not.
pub fn with_descendants(roots: Vec<Stat>) -> Vec<Stat> {
    let mut seen: BTreeSet<u32> = roots.iter().map(|root| root.process.pid).collect();
    let mut found = roots;
    let mut next = 0;
    while let Some(stat) = found.get(next).copied() {
        next += 1;
        for child in procfs::children(stat.process.pid) {
            if seen.insert(child) {
                found.extend(procfs::stat(child));
            }
        }
    }
    found.retain(|stat| !stat.dead);
    found
}

#[cfg(test)]
mod tests {
    use super::super::procfs::Process;
    use super::*;

    fn job(pid: u32, marker: &str) -> Job {
        Job { pid, marker: Some(marker.as_bytes().to_vec()), ended: true }
    }

    /// An orphan with a pid that no process has, so that no marker can be read.
    fn orphan(group: u32, session: u32) -> Stat {
        let process = Process { pid: u32::MAX, start_time: 1 };
        Stat { process, parent: 1, group, session, dead: false, in_exec: false }
    }

    #[test]
    fn an_orphan_is_known_by_its_group_or_session() {
        let jobs = Jobs::from([(1, job(100, "r.1")), (2, job(200, "r.2"))]);
        assert!(belongs(&orphan(200, 7), &jobs, 2));
        assert!(!belongs(&orphan(200, 7), &jobs, 1));
        assert!(belongs(&orphan(9, 100), &jobs, 1));
    }

    #[test]
    fn an_orphan_nobody_knows_belongs_to_the_last_attempt_only() {
        let mut jobs = Jobs::from([(1, job(100, "r.1")), (2, job(200, "r.2"))]);
        assert!(!belongs(&orphan(9, 9), &jobs, 1));
        jobs.remove(&2);
        assert!(belongs(&orphan(9, 9), &jobs, 1));
        assert!(!belongs(&orphan(9, 9), &jobs, 2));
    }

    #[test]
    fn an_orphan_is_known_by_its_marker() {
        let mut child =
            std::process::Command::new("sleep").arg("60").env(super::super::MARKER, "r.2").spawn();
        let child = child.as_mut().unwrap();
        let jobs = Jobs::from([(1, job(u32::MAX - 1, "r.1")), (2, job(u32::MAX - 2, "r.2"))]);
        let stat = procfs::stat(child.id()).unwrap();
        assert!(belongs(&stat, &jobs, 2));
        assert!(!belongs(&stat, &jobs, 1));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
