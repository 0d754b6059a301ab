//! What everyone holds: the owner of a run, in this process or behind its socket.
use super::clock::Clock;
use super::engine::Request;
use super::feed::{Facts, LocalFeed};
use super::remote::{Remote, RemoteFeed};
use crate::domain::port::{Later, Port};
use crate::domain::{Asked, AttemptId, Code, Rejection, Reply, Seq, State};
use crate::store::output::{Chunk, OutputReader};
use crate::store::{Reader, RunDir, StoreError};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use tokio::sync::oneshot;

/// The owner of a run. Both transports answer alike; one conformance suite runs over both.
#[derive(Clone)]
pub enum Handle {
    /// In this process.
    Local(Local),
    /// Behind a socket.
    Remote(Remote),
}

/// The owner is gone: it has ended, or its socket was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the owner of the run has ended")]
pub struct Gone;

impl Handle {
    /// Asks a command. Waits are answered when they are over.
    pub async fn submit(&self, asked: Asked) -> Result<Reply, Rejection> {
        match self {
            Self::Local(local) => local.submit(asked).await,
            Self::Remote(remote) => remote.submit(asked).await,
        }
    }

    /// The state after everything that was answered so far.
    pub async fn snapshot(&self) -> Result<Arc<State>, Gone> {
        match self {
            Self::Local(local) => local.snapshot().await.ok_or(Gone),
            Self::Remote(remote) => remote.snapshot().await,
        }
    }

    /// The run's time now, in ms: what is live goes on between two facts.
    pub async fn elapsed_ms(&self) -> Result<u64, Gone> {
        match self {
            Self::Local(local) => Ok(local.elapsed_ms()),
            Self::Remote(remote) => remote.elapsed_ms().await,
        }
    }

    /// Every fact after that seq.
    pub async fn subscribe(&self, after: Seq) -> Result<Feed, Gone> {
        match self {
            Self::Local(local) => Ok(Feed::Local(local.feed(after))),
            Self::Remote(remote) => remote.subscribe(after).await.map(Feed::Remote),
        }
    }

    /// Output of an attempt from an offset on, at most `max` bytes.
    pub async fn output(&self, attempt: AttemptId, from: u64, max: usize) -> Result<Chunk, StoreError> {
        let dir = self.run().attempt_path(attempt.0);
        let read = tokio::task::spawn_blocking(move || OutputReader::open(&dir)?.read(from, max));
        read.await.unwrap_or_else(|_| Ok(Chunk::default()))
    }

    /// The last lines of an attempt's output.
    pub async fn last_lines(
        &self,
        attempt: AttemptId,
        lines: usize,
        max: usize,
    ) -> Result<Chunk, StoreError> {
        let dir = self.run().attempt_path(attempt.0);
        let read = tokio::task::spawn_blocking(move || OutputReader::open(&dir)?.last_lines(lines, max));
        read.await.unwrap_or_else(|_| Ok(Chunk::default()))
    }

    /// The folder of the run.
    pub fn run(&self) -> &RunDir {
        match self {
            Self::Local(local) => &local.run,
            Self::Remote(remote) => remote.run(),
        }
    }

    /// Says that commands are still to come: virtual time does not jump meanwhile, unless it is parked.
    pub fn attend(&self) -> Attendance {
        match self {
            Self::Local(local) => local.attend(),
            Self::Remote(_) => Attendance { requests: None, who: 0 },
        }
    }
}

/// A subscription, by either transport.
pub enum Feed {
    /// In this process.
    Local(LocalFeed),
    /// Behind a socket.
    Remote(RemoteFeed),
}

impl Feed {
    /// The next facts; none when the owner is gone. Cancel safe.
    pub async fn next(&mut self) -> Option<Facts> {
        match self {
            Self::Local(feed) => feed.next().await,
            Self::Remote(feed) => feed.next().await,
        }
    }
}

/// The owner in this process.
#[derive(Clone)]
pub struct Local {
    pub(super) requests: Sender<Request>,
    pub(super) reader: Reader,
    pub(super) run: RunDir,
    pub(super) attendants: Arc<AtomicU64>,
    pub(super) clock: Clock,
    pub(super) marker: Arc<str>,
}

impl Local {
    /// Asks a command.
    pub async fn submit(&self, asked: Asked) -> Result<Reply, Rejection> {
        let (answer, later) = oneshot::channel();
        let request = Request::Submit { asked: Box::new(asked), answer };
        self.requests.send(request).map_err(|_| gone())?;
        let mut waiting = Waiting { requests: &self.requests, later, is_answered: false };
        let answered = (&mut waiting.later).await;
        waiting.is_answered = true;
        answered.unwrap_or_else(|_| Err(gone()))
    }

    /// The state after everything that was answered so far.
    pub async fn snapshot(&self) -> Option<Arc<State>> {
        let (answer, later) = oneshot::channel();
        self.requests.send(Request::Snapshot { answer }).ok()?;
        later.await.ok()
    }

    /// The engine dies as by kill -9 once that seq is committed, and recovers: what a script tests its plans with.
    pub async fn crash(&self, at: Seq) -> Result<(), Gone> {
        let (answer, later) = oneshot::channel();
        self.requests.send(Request::Crash { at, answer }).map_err(|_| Gone)?;
        later.await.map_err(|_| Gone)
    }

    /// The run's time now, in ms.
    pub fn elapsed_ms(&self) -> u64 {
        self.clock.elapsed_ms()
    }

    /// What marks the processes of this run begins with.
    pub fn marker(&self) -> &str {
        &self.marker
    }

    /// Every fact after that seq.
    pub fn feed(&self, after: Seq) -> LocalFeed {
        LocalFeed::new(self.requests.clone(), self.reader.clone(), after)
    }

    /// Closes the store and ends the engine. What is live must have ended.
    pub async fn stop(&self) {
        let (answer, later) = oneshot::channel();
        if self.requests.send(Request::Stop { answer }).is_ok() {
            // An engine that is gone has stopped.
            let _ = later.await;
        }
    }

    fn attend(&self) -> Attendance {
        let who = self.attendants.fetch_add(1, Ordering::Relaxed);
        if !self.clock.is_virtual() {
            // Real time does not jump, so the engine is not woken to hear of it.
            return Attendance { requests: None, who };
        }
        // An engine that is gone needs no pacing.
        let _ = self.requests.send(Request::Attend { who });
        Attendance { requests: Some(self.requests.clone()), who }
    }
}

/// Somebody who waits for an answer. Dropped before it comes: the engine is told that nobody waits.
struct Waiting<'a> {
    requests: &'a Sender<Request>,
    later: oneshot::Receiver<Result<Reply, Rejection>>,
    is_answered: bool,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if !self.is_answered {
            self.later.close();
            // An engine that is gone has nobody to tell.
            let _ = self.requests.send(Request::HungUp);
        }
    }
}

pub(super) fn gone() -> Rejection {
    Rejection::new(
        Code::OwnerGone,
        "the owner of the run has ended; what was asked may or may not have been stored",
    )
    .help("look: `teamtui status`")
}

impl Port for Local {
    fn submit(&self, asked: Asked) -> Later<Result<Reply, Rejection>> {
        let local = self.clone();
        Box::pin(async move { Local::submit(&local, asked).await })
    }

    fn hang(&self, attempt: AttemptId) -> Later<()> {
        let requests = self.requests.clone();
        Box::pin(async move {
            let (answer, never) = oneshot::channel();
            // It ends when the attempt does, or with the engine.
            let _ = requests.send(Request::Hang { attempt, answer });
            let _ = never.await;
        })
    }

    fn snapshot(&self) -> Later<Arc<State>> {
        let local = self.clone();
        Box::pin(async move { Local::snapshot(&local).await.unwrap_or_default() })
    }
}

/// Somebody who has commands still to give. Dropped: no more.
pub struct Attendance {
    requests: Option<Sender<Request>>,
    who: u64,
}

impl Attendance {
    /// It waits, and has seen everything up to this seq.
    pub fn park(&self, at: Seq) {
        self.tell(Request::Park { who: self.who, at });
    }

    /// It goes on.
    pub fn resume(&self) {
        self.tell(Request::Attend { who: self.who });
    }

    fn tell(&self, request: Request) {
        if let Some(requests) = &self.requests {
            // An engine that is gone needs no pacing.
            let _ = requests.send(request);
        }
    }
}

impl Drop for Attendance {
    fn drop(&mut self) {
        self.tell(Request::Leave { who: self.who });
    }
}
