//! Who on the owner's side waits for which answer of the guard.
use std::collections::{BTreeMap, VecDeque};

use tokio::sync::oneshot;

use super::child::Ended;
use super::procfs::{self, Process};
use super::protocol::{Cause, Refusal, Reply};

/// The answer to a request to start a program: its process id.
pub type Started = Result<u32, Refusal>;

/// All that is waited for, by attempt.
#[derive(Debug, Default)]
pub struct Board {
    lost: bool,
    jobs: BTreeMap<u64, Job>,
    sweeps: BTreeMap<u64, VecDeque<oneshot::Sender<u32>>>,
    counts: VecDeque<oneshot::Sender<u32>>,
    /// Markers of attempts that ended and left processes, until they are swept.
    leftovers: BTreeMap<u64, Vec<u8>>,
}

/// An attempt whose direct child is starting or running.
#[derive(Debug)]
pub struct Job {
    marker: Option<Vec<u8>>,
    process: Option<Known>,
    started: Option<oneshot::Sender<Started>>,
    ended: oneshot::Sender<Ended>,
    /// Dropped with the job, which is what they wait for.
    waiting: Vec<oneshot::Sender<()>>,
}

/// A direct child by its pid, and when it was known to run, in clock ticks since boot: a process of that pid which
/// started later is a stranger. To ask the system for its start time would cost a tenth of starting it.
#[derive(Debug, Clone, Copy)]
struct Known {
    pid: u32,
    at: u64,
}

impl Known {
    fn find(self) -> Option<Process> {
        let found = procfs::stat(self.pid)?.process;
        (found.start_time <= self.at).then_some(found)
    }
}

/// What was live or waited for when the guard was lost. Dropping it tells all who wait.
#[derive(Debug)]
pub struct Lost {
    jobs: BTreeMap<u64, Job>,
    leftovers: BTreeMap<u64, Vec<u8>>,
    _sweeps: BTreeMap<u64, VecDeque<oneshot::Sender<u32>>>,
}

impl Lost {
    /// Nothing can be left in the world.
    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty() && self.leftovers.is_empty()
    }

    /// The direct children that ran and are there still.
    pub fn roots(&self) -> Vec<Process> {
        self.jobs.values().filter_map(|job| job.process?.find()).collect()
    }

    /// The markers that processes of the lost attempts carry.
    pub fn markers(&self) -> Vec<Vec<u8>> {
        self.jobs
            .values()
            .filter_map(|job| job.marker.clone())
            .chain(self.leftovers.values().cloned())
            .collect()
    }
}

impl Board {
    /// The guard is gone.
    pub fn is_lost(&self) -> bool {
        self.lost
    }

    /// Takes a number for a program about to be asked for; false, and told, if it is taken or the guard is gone.
    pub fn claim(
        &mut self,
        attempt: u64,
        marker: Option<Vec<u8>>,
        started: oneshot::Sender<Started>,
        ended: oneshot::Sender<Ended>,
    ) -> bool {
        if self.lost {
            return false;
        }
        if self.jobs.contains_key(&attempt) {
            // Nobody left to hear it is fine.
            let _ = started.send(Err(Refusal { cause: Cause::Busy, errno: 0 }));
            return false;
        }
        let job = Job { marker, process: None, started: Some(started), ended, waiting: Vec::new() };
        self.jobs.insert(attempt, job);
        true
    }

    /// Gives a number back whose program was never asked for.
    pub fn release(&mut self, attempt: u64) {
        self.jobs.remove(&attempt);
    }

    /// Drops `told` when the direct child has ended, at once if none runs.
    pub fn await_end(&mut self, attempt: u64, told: oneshot::Sender<()>) {
        if let Some(job) = self.jobs.get_mut(&attempt) {
            job.waiting.push(told);
        }
    }

    /// Tells `told` when the next sweep of the attempt is done; drops it at once if the guard is gone.
    pub fn await_sweep(&mut self, attempt: u64, told: oneshot::Sender<u32>) {
        if !self.lost {
            self.sweeps.entry(attempt).or_default().push_back(told);
        }
    }

    /// Tells `told` the next count; drops it at once if the guard is gone.
    pub fn await_count(&mut self, told: oneshot::Sender<u32>) {
        if !self.lost {
            self.counts.push_back(told);
        }
    }

    /// Hands a reply to whoever waits for it. Gives the attempt back if a program was started for someone who
    /// no longer wants it.
    pub fn settle(&mut self, reply: Reply) -> Option<u64> {
        match reply {
            Reply::Spawned { attempt, pid } => {
                let job = self.jobs.get_mut(&attempt)?;
                job.process = Some(Known { pid, at: procfs::now() });
                return job.started.take()?.send(Ok(pid)).is_err().then_some(attempt);
            }
            Reply::SpawnFailed { attempt, refusal } => {
                // Nobody left to hear it is fine.
                let _ = self.jobs.remove(&attempt)?.started?.send(Err(refusal));
            }
            Reply::Exited { attempt, exit, left } => {
                let job = self.jobs.remove(&attempt)?;
                if left && let Some(marker) = job.marker {
                    self.leftovers.insert(attempt, marker);
                }
                let _ = job.ended.send(Ended { exit, left });
            }
            Reply::Swept { attempt, count } => {
                self.leftovers.remove(&attempt);
                let waiting = self.sweeps.get_mut(&attempt)?;
                let told = waiting.pop_front();
                if waiting.is_empty() {
                    self.sweeps.remove(&attempt);
                }
                let _ = told?.send(count);
            }
            Reply::Counted { count } => {
                let _ = self.counts.pop_front()?.send(count);
            }
        }
        None
    }

    /// The guard is gone: no answer comes any more. What was live or waited for is given back.
    pub fn lose(&mut self) -> Lost {
        let before = std::mem::replace(self, Self { lost: true, ..Self::default() });
        Lost { jobs: before.jobs, leftovers: before.leftovers, _sweeps: before.sweeps }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_of_the_same_pid_that_started_later_is_a_stranger() {
        let pid = std::process::id();
        let me = Known { pid, at: procfs::now() }.find().unwrap();
        assert_eq!(Some(me), procfs::stat(pid).map(|stat| stat.process));
        assert_eq!(Known { pid, at: me.start_time }.find(), Some(me));
        assert_eq!(Known { pid, at: me.start_time - 1 }.find(), None);
        assert_eq!(Known { pid: u32::MAX, at: u64::MAX }.find(), None);
    }
}
