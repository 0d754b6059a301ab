//! The owner's handle of its guard: asks, and hands each answer to whoever waits for it.
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, PoisonError};

use rustix::net::{SendFlags, Shutdown};
use tokio::net::unix::pipe;
use tokio::sync::{oneshot, watch};

use super::board::Board;
use super::child::{Child, Sig, Spawn, SpawnError};
use super::launch::{self, Launch, Starting};
use super::limit::ANSWERS_MAX;
use super::packet::{self, Outgoing};
use super::protocol::{Reply, Request};
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
pub(super) struct Link {
    /// The socket, to send on. Not known to the runtime: being told each time that there is room again costs
    /// a wake-up per request.
    socket: OwnedFd,
    /// The same socket, to wait for packets and to read them: replies bring no descriptors.
    replies: pipe::Receiver,
    pid: u32,
    /// Where what has to wait for the guard waits.
    pub(super) runtime: tokio::runtime::Handle,
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
            runtime: tokio::runtime::Handle::current(),
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
        let (launch, starting) = self.ready(spawn)?;
        launch.go();
        starting.child().await
    }

    /// Makes everything ready to start a program, and starts nothing yet.
    pub fn ready(&self, spawn: Spawn) -> Result<(Launch, Starting), SpawnError> {
        launch::ready(&self.0.0, spawn)
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

impl Link {
    /// What is waited for, for a moment.
    pub(super) fn board<T>(&self, act: impl FnOnce(&mut Board) -> T) -> T {
        act(&mut self.board.lock().unwrap_or_else(PoisonError::into_inner))
    }

    async fn ask(&self, request: Request) -> io::Result<()> {
        self.send(&Outgoing::new(request.encode())?, &[]).await
    }

    /// Sends it, or says that there is no room for it now (`WouldBlock`).
    pub(super) fn try_send(&self, packet: &Outgoing, fds: &[BorrowedFd<'_>]) -> io::Result<()> {
        packet.send(&self.socket, fds, SendFlags::DONTWAIT)
    }

    pub(super) async fn send(&self, packet: &Outgoing, fds: &[BorrowedFd<'_>]) -> io::Result<()> {
        loop {
            match self.try_send(packet, fds) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    pipe::Sender::from_owned_fd_unchecked(self.socket.try_clone()?)?.writable().await?;
                }
                sent => return sent,
            }
        }
    }

    /// The next replies; `None` when no more can come, or what came is none.
    async fn next(&self) -> Option<Vec<Reply>> {
        let mut packet = [0; ANSWERS_MAX];
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
        while let Some(replies) = self.next().await {
            for reply in replies {
                if let Some(abandoned) = self.board(|board| board.settle(reply)) {
                    let _ = self.ask(Request::Sweep { attempt: abandoned }).await;
                }
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
