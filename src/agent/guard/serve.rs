//! The guard process: one loop over the owner's socket and the ends of children.
//!
//! Single-threaded and blocking by design: it must be small, cheap to wake, and never fail to notice that its
//! owner is gone. The terminal's signals are caught and ignored, so that a Ctrl-C is the owner's to decide;
//! caught, not set to ignore, because children inherit what is ignored.
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::SendFlags;
use rustix::process::{Signal, WaitOptions, WaitStatus, getpid, set_child_subreaper, setsid, wait};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

use super::child::{Exit, Sig};
use super::limit::{
    ANSWER_MAX, ANSWERS_MAX, LAST_SWEEP_TIME, PACKET_MAX, ROUND_PAUSE, SWEEP_TIME, TURN_REQUESTS,
};
use super::packet::{self, Incoming, Outgoing};
use super::procfs::{self, Process};
use super::protocol::{Cause, Program, Refusal, Reply, Request};
use super::spawn::{self, Streams};
use super::tree::{Job, Jobs, Own};

/// Runs the guard on the socket that is its standard input, until the owner is gone and all descendants are
/// ended. Code 2: the guard could not be set up.
pub fn main() -> ExitCode {
    let served = Serve::set_up().and_then(|mut serve| serve.run());
    if served.is_ok() { ExitCode::SUCCESS } else { ExitCode::from(2) }
}

struct Serve {
    socket: OwnedFd,
    /// Room for one packet.
    packet: Box<[u8; PACKET_MAX]>,
    /// Gets a byte when a child ended.
    wake: UnixStream,
    null: File,
    own: Own,
    jobs: Jobs,
    sweeps: Vec<Sweep>,
    /// Answers of this turn: they travel together, so that the owner wakes once for them.
    answers: Vec<u8>,
    /// The owner is gone: an answer must not wait for it.
    closing: bool,
}

/// A sweep under way.
struct Sweep {
    attempt: u64,
    killed: BTreeSet<Process>,
    deadline: Instant,
}

impl Serve {
    fn set_up() -> io::Result<Self> {
        // Whatever the owner was started with open (a log, a CI's pipe) is not for the children.
        close_fds::set_fds_cloexec(3, &[]);
        let socket = rustix::io::fcntl_dupfd_cloexec(io::stdin(), 3)?;
        let (wake, waker) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        signal_hook::low_level::pipe::register(SIGCHLD, waker)?;
        let ignored = Arc::new(AtomicBool::new(false));
        for signal in [SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2] {
            signal_hook::flag::register(signal, Arc::clone(&ignored))?;
        }
        // Refused only to a process group leader, which then has a session of its own already or none to lose.
        let _ = setsid();
        set_child_subreaper(Some(getpid()))?;
        std::env::set_current_dir("/")?;
        let null = File::open("/dev/null")?;
        let (packet, jobs, own) = (Box::new([0; PACKET_MAX]), Jobs::new(), Own::new());
        let (sweeps, answers) = (Vec::new(), Vec::new());
        Ok(Self { socket, packet, wake, null, own, jobs, sweeps, answers, closing: false })
    }

    fn run(&mut self) -> io::Result<()> {
        while self.turn()? {}
        self.end_everything()
    }

    /// Waits for the next things and does them; false when the owner is gone.
    fn turn(&mut self) -> io::Result<bool> {
        let (asked, ended) = self.wait((!self.sweeps.is_empty()).then_some(ROUND_PAUSE))?;
        if asked && !self.listen() {
            return Ok(false);
        }
        if ended {
            self.collect();
        }
        self.sweep();
        self.flush();
        Ok(true)
    }

    /// Does what is asked now; false when the owner is gone or not understood.
    fn listen(&mut self) -> bool {
        for _ in 0..TURN_REQUESTS {
            match packet::receive(&self.socket, &mut self.packet) {
                Ok(Some(incoming)) => {
                    if !self.answer(incoming) {
                        return false;
                    }
                }
                Ok(None) => return false,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return true,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return false,
            }
        }
        true
    }

    /// True for a message (or end of file) on the socket, and for ended children.
    fn wait(&self, limit: Option<Duration>) -> io::Result<(bool, bool)> {
        let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
        let mut fds = [PollFd::new(&self.socket, PollFlags::IN), PollFd::new(&self.wake, PollFlags::IN)];
        match poll(&mut fds, limit.as_ref()) {
            Ok(_) => {
                let [socket, wake] = &fds;
                Ok((!socket.revents().is_empty(), !wake.revents().is_empty()))
            }
            // Mostly SIGCHLD itself: look at once instead of polling again.
            Err(Errno::INTR) => Ok((false, true)),
            Err(error) => Err(error.into()),
        }
    }

    /// Does what was asked; false if it was not understood.
    fn answer(&mut self, incoming: Incoming) -> bool {
        match Request::decode(&incoming.bytes) {
            Ok(Request::Spawn(program)) => self.spawn(&program, incoming.fds),
            Ok(Request::Signal { attempt, sig }) => self.signal(attempt, sig),
            Ok(Request::Sweep { attempt }) => {
                let deadline = Instant::now() + SWEEP_TIME;
                self.sweeps.push(Sweep { attempt, killed: BTreeSet::new(), deadline });
            }
            Ok(Request::Count) => {
                let count = self.own.everything().len() as u32;
                self.say(Reply::Counted { count });
            }
            Err(_) => return false,
        }
        true
    }

    fn spawn(&mut self, program: &Program, fds: Vec<OwnedFd>) {
        let attempt = program.attempt;
        let reply = match self.start(program, fds) {
            Ok(pid) => {
                failpoint!("guard.started");
                let marker = program.env.iter().rev().find(|(name, _)| name == super::MARKER);
                let marker = marker.map(|(_, value)| value.as_encoded_bytes().to_vec());
                self.jobs.insert(attempt, Job { pid, marker, ended: false });
                Reply::Spawned { attempt, pid }
            }
            Err(refusal) => Reply::SpawnFailed { attempt, refusal },
        };
        self.say(reply);
    }

    fn start(&self, program: &Program, fds: Vec<OwnedFd>) -> Result<u32, Refusal> {
        if self.jobs.contains_key(&program.attempt) {
            return Err(Refusal { cause: Cause::Busy, errno: 0 });
        }
        // The kernel drops descriptors that do not fit into the table of open files.
        let streams = Streams::from_fds(program.has_stdin, fds)
            .ok_or(Refusal { cause: Cause::Other, errno: Errno::MFILE.raw_os_error() })?;
        spawn::start(program, streams, &self.null)
    }

    fn signal(&self, attempt: u64, sig: Sig) {
        for stat in self.own.tree(&self.jobs, attempt) {
            procfs::signal(stat.process, sig.to_signal());
        }
    }

    /// Collects every ended child and reports the direct ones.
    fn collect(&mut self) {
        let mut drain = [0; 256];
        while matches!((&self.wake).read(&mut drain), Ok(length) if length == drain.len()) {}
        let mut ended = Vec::new();
        while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
            let pid = pid.as_raw_nonzero().get().cast_unsigned();
            let direct = self.jobs.iter_mut().find(|(_, job)| !job.ended && job.pid == pid);
            if let Some((attempt, job)) = direct {
                job.ended = true;
                ended.push((*attempt, exit_of(status)));
            }
        }
        for (attempt, exit) in ended {
            failpoint!("guard.exited");
            let left = self.own.has_orphan(&self.jobs, attempt);
            if !left {
                self.jobs.remove(&attempt);
            }
            self.say(Reply::Exited { attempt, exit, left });
        }
    }

    /// One round of every sweep under way; a finished one is answered.
    fn sweep(&mut self) {
        for mut sweep in std::mem::take(&mut self.sweeps) {
            let tree = self.own.tree(&self.jobs, sweep.attempt);
            for stat in &tree {
                if procfs::signal(stat.process, Signal::KILL) {
                    sweep.killed.insert(stat.process);
                }
            }
            if !tree.is_empty() && Instant::now() < sweep.deadline {
                self.sweeps.push(sweep);
                continue;
            }
            if self.jobs.get(&sweep.attempt).is_some_and(|job| job.ended) {
                self.jobs.remove(&sweep.attempt);
            }
            self.say(Reply::Swept { attempt: sweep.attempt, count: sweep.killed.len() as u32 });
        }
    }

    /// Kills all descendants until the system says that no child is left, alive or to be collected. Every
    /// descendant becomes a child when its parents are gone, so that is the end of the whole tree.
    fn end_everything(&mut self) -> io::Result<()> {
        self.closing = true;
        let deadline = Instant::now() + LAST_SWEEP_TIME;
        while Instant::now() < deadline {
            for stat in self.own.everything() {
                procfs::signal(stat.process, Signal::KILL);
            }
            self.collect();
            self.flush();
            if self.own.list().is_empty() {
                break;
            }
            let pause = Timespec::try_from(ROUND_PAUSE).ok();
            match poll(&mut [PollFd::new(&self.wake, PollFlags::IN)], pause.as_ref()) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn say(&mut self, reply: Reply) {
        reply.encode(&mut self.answers);
        if self.answers.len() > ANSWERS_MAX - ANSWER_MAX {
            self.flush();
        }
    }

    /// An owner that cannot be told is gone or going: the socket's end of file says so next.
    fn flush(&mut self) {
        if self.answers.is_empty() {
            return;
        }
        let flags = if self.closing { SendFlags::DONTWAIT } else { SendFlags::empty() };
        let Ok(packet) = Outgoing::new(std::mem::take(&mut self.answers)) else { return };
        while let Err(error) = packet.send(self.socket.as_fd(), &[], flags) {
            if error.kind() != io::ErrorKind::Interrupted {
                return;
            }
        }
    }
}

fn exit_of(status: WaitStatus) -> Exit {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, Some(signal)) => Exit::Signal(signal),
        (None, None) => Exit::GuardLost,
    }
}
