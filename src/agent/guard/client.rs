//! The owner's handle of its guard: asks, and hands each answer to whoever waits for it.
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, PoisonError};

use rustix::net::{SendFlags, Shutdown};
use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe;
use tokio::sync::{oneshot, watch};

use super::board::{Board, Started};
use super::child::{Child, Exiting, Sig, Spawn, SpawnError, Stdin};
use super::limit::REPLY_MAX;
use super::packet::{self, Outgoing};
use super::protocol::{Cause, Program, Refusal, Reply, Request};
use super::sweep;

/// A guard process and the socket to it. Clones share it; when the last one is dropped the guard ends every
/// process it started, and itself.
#[derive(Debug, Clone)]
pub struct Guard(Arc<Owner>);

/// Closes the way to the guard when no handle is left.
#[derive(Debug)]
struct Owner(Arc<Link>);

impl Drop for Owner {
    fn drop(&mut self) {
        self.0.hang_up();
    }
}

#[derive(Debug)]
struct Link {
    /// The socket, to send on. Not known to the runtime: being told each time that there is room again costs
    /// a wake-up per request.
    socket: OwnedFd,
    /// The same socket, to wait for packets and to read them: replies bring no descriptors.
    replies: pipe::Receiver,
    pid: u32,
    board: std::sync::Mutex<Board>,
    /// True once the guard is gone and what it left was swept.
    gone: watch::Sender<bool>,
}

impl Guard {
    /// Starts a guard: `exe` is this binary, best as `/proc/self/exe`, which an upgrade on disk does not change.
    ///
    /// Must be called inside a tokio runtime; the guard is served by a task of it.
    pub fn start(exe: &Path) -> io::Result<Self> {
        let (ours, theirs) = packet::pair()?;
        rustix::io::ioctl_fionbio(&ours, true)?;
        let mut command = tokio::process::Command::new(exe);
        command.arg("guard").stdin(theirs).stdout(Stdio::null()).stderr(Stdio::null());
        let process = command.spawn()?;
        // The command still holds the guard's end, which would hide the guard's death.
        drop(command);
        let link = Arc::new(Link {
            replies: pipe::Receiver::from_owned_fd_unchecked(ours.try_clone()?)?,
            socket: ours,
            pid: process.id().unwrap_or_default(),
            board: std::sync::Mutex::default(),
            gone: watch::Sender::new(false),
        });
        tokio::spawn(Arc::clone(&link).listen(process));
        Ok(Self(Arc::new(Owner(link))))
    }

    /// Process id of the guard.
    pub fn pid(&self) -> u32 {
        self.0.0.pid
    }

    /// The guard is there. False once its death was noticed: start another.
    pub fn alive(&self) -> bool {
        !self.0.0.board(|board| board.is_lost())
    }

    /// Starts a program. Returns when it runs or was refused.
    ///
    /// If the caller stops waiting, the program is ended as soon as it is known to run.
    pub async fn spawn(&self, spawn: Spawn) -> Result<Child, SpawnError> {
        let name = spawn.argv.first().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let cwd = spawn.cwd.to_string_lossy().into_owned();
        let attempt = spawn.attempt;
        self.0.0.start(spawn).await.map_err(|fault| match fault {
            Fault::Lost => SpawnError::GuardLost { program: name },
            Fault::Refused(refusal) => worded(refusal, name, cwd, attempt),
            Fault::Io(error) => SpawnError::Failed { program: name, reason: error.to_string() },
        })
    }

    /// Sends a signal to every process of the attempt; one that is gone, or a guard that is gone, is no error.
    pub async fn signal(&self, attempt: u64, sig: Sig) {
        // Losing the guard ends the processes as well.
        let _ = self.0.0.ask(Request::Signal { attempt, sig }).await;
    }

    /// Kills every process of the attempt, and returns how many when none is left (or none that can be killed,
    /// after [`SWEEP_TIME`](super::limit::SWEEP_TIME)).
    pub async fn sweep(&self, attempt: u64) -> u32 {
        let (told, count) = oneshot::channel();
        self.0.0.board(|board| board.await_sweep(attempt, told));
        if self.0.0.ask(Request::Sweep { attempt }).await.is_err() {
            return 0;
        }
        count.await.unwrap_or_default()
    }

    /// How many processes live under the guard; 0 if it is gone.
    pub async fn count(&self) -> u32 {
        let (told, count) = oneshot::channel();
        self.0.0.board(|board| board.await_count(told));
        if self.0.0.ask(Request::Count).await.is_err() {
            return 0;
        }
        count.await.unwrap_or_default()
    }

    /// Resolves when the direct child of the attempt has ended, at once if none is running.
    pub async fn ended(&self, attempt: u64) {
        let (told, ended) = oneshot::channel();
        self.0.0.board(|board| board.await_end(attempt, told));
        // Nothing is ever sent: the board drops the other end.
        let _ = ended.await;
    }

    /// Ends the guard and every process under it, and returns when they are gone.
    pub async fn close(&self) {
        self.0.0.hang_up();
        // The sender lives in the same link: it cannot be dropped first.
        let _ = self.0.0.gone.subscribe().wait_for(|gone| *gone).await;
    }
}

/// Why a spawn came to nothing, before it is put into words.
enum Fault {
    Lost,
    Refused(Refusal),
    Io(io::Error),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        match error.raw_os_error().map(rustix::io::Errno::from_raw_os_error) {
            Some(rustix::io::Errno::PIPE | rustix::io::Errno::CONNRESET) => Self::Lost,
            Some(rustix::io::Errno::TOOBIG) => Self::Refused(Refusal { cause: Cause::TooLong, errno: 0 }),
            _ => Self::Io(error),
        }
    }
}

impl Link {
    fn board<T>(&self, act: impl FnOnce(&mut Board) -> T) -> T {
        act(&mut self.board.lock().unwrap_or_else(PoisonError::into_inner))
    }

    async fn start(self: &Arc<Self>, spawn: Spawn) -> Result<Child, Fault> {
        let (stdout, child_stdout) = output()?;
        let (stderr, child_stderr) = output()?;
        let stdin = input(&spawn.stdin)?;
        let attempt = spawn.attempt;
        let marker = spawn.marker().map(|marker| marker.as_encoded_bytes().to_vec());
        let program = Program {
            attempt,
            cwd: std::path::absolute(&spawn.cwd)?,
            argv: spawn.argv,
            env: spawn.env,
            has_stdin: stdin.is_some(),
        };
        let packet = Outgoing::new(Request::Spawn(program).encode())?;
        let (started, exit, claim) = self.claim(attempt, marker)?;
        let fds = stdin.iter().map(|(theirs, _)| theirs.as_fd());
        let fds: Vec<BorrowedFd<'_>> = fds.chain([child_stdout.as_fd(), child_stderr.as_fd()]).collect();
        self.send(&packet, &fds).await?;
        claim.keep();
        drop((child_stdout, child_stderr));
        let writer = stdin.map(|(_, ours)| ours);
        let process = started.await.map_err(|_| Fault::Lost)?.map_err(Fault::Refused)?;
        if let (Some(writer), Stdin::Bytes(bytes)) = (writer, spawn.stdin) {
            tokio::spawn(feed(writer, bytes));
        }
        Ok(Child { attempt, pid: process.pid, start_time: process.start_time, stdout, stderr, exit })
    }

    /// Takes the number on the board.
    fn claim(
        self: &Arc<Self>,
        attempt: u64,
        marker: Option<Vec<u8>>,
    ) -> Result<(oneshot::Receiver<Started>, Exiting, Claim), Fault> {
        let (told_start, started) = oneshot::channel();
        let (told_end, exit) = Exiting::new();
        self.board(|board| {
            if board.is_lost() {
                return Err(Fault::Lost);
            }
            if !board.claim(attempt, marker, told_start, told_end) {
                return Err(Fault::Refused(Refusal { cause: Cause::Busy, errno: 0 }));
            }
            Ok(())
        })?;
        Ok((started, exit, Claim { link: Arc::clone(self), attempt: Some(attempt) }))
    }

    async fn ask(&self, request: Request) -> io::Result<()> {
        self.send(&Outgoing::new(request.encode())?, &[]).await
    }

    async fn send(&self, packet: &Outgoing, fds: &[BorrowedFd<'_>]) -> io::Result<()> {
        loop {
            match packet.send(&self.socket, fds, SendFlags::DONTWAIT) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    pipe::Sender::from_owned_fd_unchecked(self.socket.try_clone()?)?.writable().await?;
                }
                sent => return sent,
            }
        }
    }

    /// The next reply; `None` when no more can come, or what came is none.
    async fn next(&self) -> Option<Reply> {
        let mut packet = [0; REPLY_MAX];
        loop {
            self.replies.readable().await.ok()?;
            match self.replies.try_read(&mut packet) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Ok(0) | Err(_) => return None,
                Ok(length) => return Reply::decode(packet.get(..length)?).ok(),
            }
        }
    }

    /// The guard sees end of file; it ends everything, then the listening task sees its end.
    fn hang_up(&self) {
        // It fails only if the guard is gone already.
        let _ = rustix::net::shutdown(&self.socket, Shutdown::Write);
    }

    /// Hands out answers until the guard is gone, then clears up behind it.
    async fn listen(self: Arc<Self>, mut process: tokio::process::Child) {
        while let Some(reply) = self.next().await {
            if let Some(abandoned) = self.board(|board| board.settle(reply)) {
                let _ = self.ask(Request::Sweep { attempt: abandoned }).await;
            }
        }
        // A guard that is not understood sees end of file here, and does what it does then.
        self.hang_up();
        let was_orderly = process.wait().await.is_ok_and(|status| status.success());
        let lost = self.board(Board::lose);
        if !was_orderly && !lost.is_empty() {
            let (roots, markers) = (lost.roots(), lost.markers());
            // Reading all of /proc blocks. If the runtime is going down there is nobody left to tell.
            let _ = tokio::task::spawn_blocking(move || sweep::sweep_lost(&roots, &markers)).await;
        }
        drop(lost);
        self.gone.send_replace(true);
    }
}

/// Gives a number back if its request was never sent.
struct Claim {
    link: Arc<Link>,
    attempt: Option<u64>,
}

impl Claim {
    fn keep(mut self) {
        self.attempt = None;
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if let Some(attempt) = self.attempt {
            self.link.board(|board| board.release(attempt));
        }
    }
}

/// A pipe for an output: our end, the child's end.
fn output() -> io::Result<(pipe::Receiver, OwnedFd)> {
    let (ours, theirs) = io::pipe()?;
    rustix::io::ioctl_fionbio(&ours, true)?;
    Ok((pipe::Receiver::from_owned_fd_unchecked(ours.into())?, theirs.into()))
}

/// A pipe for an input of bytes: the child's end, our end.
fn input(stdin: &Stdin) -> io::Result<Option<(OwnedFd, pipe::Sender)>> {
    if *stdin == Stdin::Null {
        return Ok(None);
    }
    let (theirs, ours) = io::pipe()?;
    Ok(Some((theirs.into(), pipe::Sender::from_owned_fd(ours.into())?)))
}

async fn feed(mut to: pipe::Sender, bytes: Vec<u8>) {
    // A child that does not read all of its input is no error.
    let _ = to.write_all(&bytes).await;
}

fn worded(refusal: Refusal, program: String, cwd: String, attempt: u64) -> SpawnError {
    let reason = io::Error::from_raw_os_error(refusal.errno).to_string();
    match refusal.cause {
        Cause::NotFound => SpawnError::NotFound { program },
        Cause::Denied => SpawnError::Denied { program },
        Cause::Folder => SpawnError::Folder { program, cwd, reason },
        Cause::TooLong => SpawnError::TooLong { program },
        Cause::Busy => SpawnError::Busy { program, attempt },
        Cause::Other => SpawnError::Failed { program, reason },
    }
}
