//! The owner behind its socket: a connection for each question, and one for each subscription.
use super::feed::Facts;
use super::handle::{Gone, gone};
use super::wire::{self, Ask, Hello, MAX_ANSWER_BYTES, PROTOCOL, Told};
use crate::domain::{Asked, Code, Fact, Rejection, Reply, Seq, State};
use crate::store::RunDir;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::io::BufReader;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

/// Why a command was not stored for sure: its owner had gone before it could be asked.
pub const UNSENT: &str = "the owner of the run has ended before it was asked; nothing was stored";

/// An owner in another process.
#[derive(Clone, Debug)]
pub struct Remote {
    socket: Arc<PathBuf>,
    run: Arc<RunDir>,
    hello: Arc<Hello>,
}

/// Why an owner cannot be reached.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// Nobody listens, or the socket is gone.
    #[error("cannot reach the owner at {path}: {why}")]
    Io {
        /// The socket.
        path: PathBuf,
        /// What the system said.
        why: io::Error,
    },
    /// It is another teamtui.
    #[error(
        "the owner (pid {pid}) is teamtui {theirs} with protocol {protocol}, this is {ours} with protocol {PROTOCOL}"
    )]
    Version {
        /// The owner's.
        pid: u32,
        /// Its version.
        theirs: String,
        /// Its protocol.
        protocol: u32,
        /// Our version.
        ours: &'static str,
    },
    /// It does not talk to this process.
    #[error("{}", .0.headline())]
    Refused(Box<Rejection>),
}

struct Line {
    read: BufReader<OwnedReadHalf>,
    write: OwnedWriteHalf,
}

impl Remote {
    /// Greets the owner behind a socket.
    pub async fn connect(socket: &Path, run: &RunDir) -> Result<Self, ConnectError> {
        let (_, hello) = greet(socket).await?;
        Ok(Self { socket: Arc::new(socket.to_owned()), run: Arc::new(run.clone()), hello: Arc::new(hello) })
    }

    /// Process id of the owner.
    pub fn pid(&self) -> u32 {
        self.hello.pid
    }

    /// The run's folder.
    pub fn run(&self) -> &RunDir {
        &self.run
    }

    pub(super) async fn submit(&self, asked: Asked) -> Result<Reply, Rejection> {
        let Some(line) = self.put(&Ask::Submit(Box::new(asked))).await else {
            return Err(Rejection::new(Code::NotStored, UNSENT).help("ask again"));
        };
        match told(line).await {
            Some(Told::Reply(reply)) => reply,
            Some(Told::Refused(why)) => Err(Rejection { what: why, ..gone() }),
            _ => Err(gone()),
        }
    }

    pub(super) async fn snapshot(&self) -> Result<Arc<State>, Gone> {
        match self.ask(&Ask::Snapshot).await {
            Some(Told::State(state)) => Ok(Arc::from(state)),
            _ => Err(Gone),
        }
    }

    pub(super) async fn elapsed_ms(&self) -> Result<u64, Gone> {
        match self.ask(&Ask::Clock).await {
            Some(Told::Clock(elapsed_ms)) => Ok(elapsed_ms),
            _ => Err(Gone),
        }
    }

    pub(super) async fn subscribe(&self, after: Seq) -> Result<RemoteFeed, Gone> {
        let (mut line, _) = greet(&self.socket).await.map_err(|_| Gone)?;
        wire::write(&mut line.write, &Ask::Subscribe(after)).await.map_err(|_| Gone)?;
        Ok(RemoteFeed { line, buffer: Vec::new() })
    }

    async fn ask(&self, ask: &Ask) -> Option<Told> {
        told(self.put(ask).await?).await
    }

    /// Asks it on a connection of its own; none: it was not asked.
    async fn put(&self, ask: &Ask) -> Option<Line> {
        let (mut line, _) = greet(&self.socket).await.ok()?;
        wire::write(&mut line.write, ask).await.ok()?;
        Some(line)
    }
}

async fn told(mut line: Line) -> Option<Told> {
    wire::read(&mut line.read, MAX_ANSWER_BYTES).await.ok()?
}

async fn greet(socket: &Path) -> Result<(Line, Hello), ConnectError> {
    let failed = |why: io::Error| ConnectError::Io { path: socket.to_owned(), why };
    let stream = UnixStream::connect(socket).await.map_err(failed)?;
    let (read, write) = stream.into_split();
    let mut line = Line { read: BufReader::new(read), write };
    wire::write(&mut line.write, &Hello::own()).await.map_err(failed)?;
    let hello: Option<Hello> = wire::read(&mut line.read, MAX_ANSWER_BYTES).await.map_err(failed)?;
    let hello = hello.ok_or_else(|| failed(io::Error::from(io::ErrorKind::UnexpectedEof)))?;
    if hello.protocol != PROTOCOL {
        let Hello { teamtui, protocol, pid, .. } = hello;
        return Err(ConnectError::Version {
            pid,
            theirs: teamtui,
            protocol,
            ours: env!("CARGO_PKG_VERSION"),
        });
    }
    match hello.refused {
        Some(rejection) => Err(ConnectError::Refused(rejection)),
        None => Ok((line, hello)),
    }
}

/// A subscription over a socket.
pub struct RemoteFeed {
    line: Line,
    /// What of a line has come: `next` may be cancelled in the middle of one.
    buffer: Vec<u8>,
}

impl RemoteFeed {
    /// The next facts; none when the owner is gone. Cancel safe.
    pub async fn next(&mut self) -> Option<Facts> {
        use tokio::io::AsyncBufReadExt;
        loop {
            let chunk = self.line.read.fill_buf().await.ok()?;
            if chunk.is_empty() {
                return None;
            }
            let end = chunk.iter().position(|b| *b == b'\n');
            let taken = end.map_or(chunk.len(), |at| at + 1);
            self.buffer.extend_from_slice(chunk.get(..taken)?);
            self.line.read.consume(taken);
            if end.is_none() {
                continue;
            }
            let line = std::mem::take(&mut self.buffer);
            let Ok(Told::Facts(facts)) = serde_json::from_slice::<Told>(&line) else { return None };
            let facts: Vec<Fact> = facts.iter().map(wire::WireFact::fact).collect::<Result<_, _>>().ok()?;
            return Some(Facts::from(facts));
        }
    }
}
