//! The start of one program, in two steps: what takes time is done first, then one packet starts it.
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use rustix::io::Errno;
use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe;
use tokio::sync::oneshot;

use super::board::Started;
use super::child::{Child, ChildOutput, Ended, Exiting, Spawn, SpawnError, Stdin};
use super::client::Link;
use super::packet::Outgoing;
use super::protocol::{Cause, Program, Refusal, Reply, Request};

/// A program that is ready to be started; dropped, it never is.
pub struct Launch {
    link: Arc<Link>,
    packet: Outgoing,
    attempt: u64,
    marker: Option<Vec<u8>>,
    /// The child's ends of its streams, in order.
    fds: Vec<OwnedFd>,
    told_start: oneshot::Sender<Started>,
    told_end: oneshot::Sender<Ended>,
}

/// A program that starts once its [`Launch`] goes.
pub struct Starting {
    attempt: u64,
    /// The program, and the folder it starts in, to speak of them.
    name: String,
    cwd: String,
    started: oneshot::Receiver<Started>,
    exit: Exiting,
    stdout: ChildOutput,
    stderr: ChildOutput,
    stdin: Option<Feed>,
}

pub(super) fn ready(link: &Arc<Link>, spawn: Spawn) -> Result<(Launch, Starting), SpawnError> {
    let name = spawn.argv.first().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let cwd = spawn.cwd.to_string_lossy().into_owned();
    let failed = |error: io::Error, program: String| match errno(&error) {
        Some(Errno::TOOBIG) => SpawnError::TooLong { program },
        _ => SpawnError::Failed { program, reason: error.to_string() },
    };
    match prepared(link, spawn, (name.clone(), cwd)) {
        Ok(both) => Ok(both),
        Err(error) => Err(failed(error, name)),
    }
}

fn prepared(link: &Arc<Link>, spawn: Spawn, (name, cwd): (String, String)) -> io::Result<(Launch, Starting)> {
    let (stdout, child_stdout) = output()?;
    let (stderr, child_stderr) = output()?;
    let (child_stdin, stdin) = input(spawn.stdin.clone())?.unzip();
    let attempt = spawn.attempt;
    let marker = spawn.marker().map(|marker| marker.as_encoded_bytes().to_vec());
    let program = Program {
        attempt,
        cwd: std::path::absolute(&spawn.cwd)?,
        argv: spawn.argv,
        env: spawn.env,
        has_stdin: child_stdin.is_some(),
    };
    let packet = Outgoing::new(Request::Spawn(program).encode())?;
    let (told_start, started) = oneshot::channel();
    let (told_end, exit) = Exiting::new();
    let fds = child_stdin.into_iter().chain([child_stdout, child_stderr]).collect();
    let launch = Launch { link: Arc::clone(link), packet, attempt, marker, fds, told_start, told_end };
    Ok((launch, Starting { attempt, name, cwd, started, exit, stdout, stderr, stdin }))
}

impl Launch {
    /// Starts it, from any thread, without waiting. What comes of it is told to its [`Starting`].
    pub fn go(self) {
        let Self { link, packet, attempt, marker, fds, told_start, told_end } = self;
        if !link.board(|board| board.claim(attempt, marker, told_start, told_end)) {
            return;
        }
        failpoint!("launch.before");
        match link.try_send(&packet, &borrowed(&fds)) {
            Ok(()) => {
                failpoint!("launch.after");
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                let waiting = Arc::clone(&link);
                link.runtime.spawn(async move {
                    if let Err(error) = waiting.send(&packet, &borrowed(&fds)).await {
                        not_asked(&waiting, attempt, &error);
                    }
                });
            }
            Err(error) => not_asked(&link, attempt, &error),
        }
    }
}

fn borrowed(fds: &[OwnedFd]) -> Vec<BorrowedFd<'_>> {
    fds.iter().map(AsFd::as_fd).collect()
}

/// The number is given back, and whoever waits is told.
fn not_asked(link: &Link, attempt: u64, error: &io::Error) {
    let errno = errno(error);
    link.board(|board| match errno {
        Some(Errno::PIPE | Errno::CONNRESET) | None => board.release(attempt),
        Some(errno) => {
            let refusal = Refusal { cause: Cause::Other, errno: errno.raw_os_error() };
            // It gives no attempt back: nothing was started.
            let _ = board.settle(Reply::SpawnFailed { attempt, refusal });
        }
    });
}

fn errno(error: &io::Error) -> Option<Errno> {
    error.raw_os_error().map(Errno::from_raw_os_error)
}

impl Starting {
    /// Waits until the program runs or was refused.
    pub async fn child(self) -> Result<Child, SpawnError> {
        let pid = match self.started.await {
            Ok(Ok(pid)) => pid,
            Ok(Err(refusal)) => return Err(worded(refusal, self.name, self.cwd, self.attempt)),
            Err(_) => return Err(SpawnError::GuardLost { program: self.name }),
        };
        if let Some((writer, bytes)) = self.stdin {
            tokio::spawn(feed(writer, bytes));
        }
        Ok(Child { attempt: self.attempt, pid, stdout: self.stdout, stderr: self.stderr, exit: self.exit })
    }
}

/// A pipe for an output: our end, the child's end.
fn output() -> io::Result<(pipe::Receiver, OwnedFd)> {
    let (ours, theirs) = io::pipe()?;
    rustix::io::ioctl_fionbio(&ours, true)?;
    Ok((pipe::Receiver::from_owned_fd_unchecked(ours.into())?, theirs.into()))
}

/// What a child is to read, and our end of the pipe it reads from.
type Feed = (pipe::Sender, Vec<u8>);

/// A pipe for an input of bytes: the child's end, our end with the bytes.
fn input(stdin: Stdin) -> io::Result<Option<(OwnedFd, Feed)>> {
    let Stdin::Bytes(bytes) = stdin else { return Ok(None) };
    let (theirs, ours) = io::pipe()?;
    Ok(Some((theirs.into(), (pipe::Sender::from_owned_fd(ours.into())?, bytes))))
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
