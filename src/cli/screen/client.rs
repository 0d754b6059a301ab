//! The screen's way to its owner: in this process, or behind a socket that may come and go.
use super::{line, owner};
use crate::app::{Chunk, Loss, News, Owner};
use crate::domain::{AttemptId, Name};
use crate::runtime::{Handle, clock};
use crate::term::ScreenClient;
use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, mpsc};

/// News that wait for the screen; a full channel holds up nobody but this reader.
const NEWS: usize = 64;
/// Pieces of output that wait for the screen.
const PIECES: usize = 16;
/// Bytes of one piece.
const PIECE_BYTES: usize = 64 << 10;
/// Bytes of the end of an output that a log begins with, and lines of it.
const TAIL_BYTES: usize = 512 << 10;
const TAIL_LINES: usize = 5_000;
/// Between two looks at an output that grows.
const LOOK_TIME: Duration = Duration::from_millis(60);
/// Between two tries to reach an owner.
const RETRY_MS: u64 = 2_000;

/// A way to an owner. Clones share it.
#[derive(Clone)]
pub struct Client {
    way: Arc<Way>,
    now: Arc<Mutex<Option<Handle>>>,
    root: PathBuf,
}

/// Where the owner is.
pub enum Way {
    /// In this process.
    Here(Handle),
    /// Behind the socket of the standing run; started when nobody owns it.
    Standing(owner::Standing),
}

impl Client {
    /// Nothing is asked yet. `root`: the project, where paths begin.
    pub fn new(way: Way, root: PathBuf) -> Self {
        Self { way: Arc::new(way), now: Arc::default(), root }
    }

    async fn handle(&self) -> Result<Handle, String> {
        let mut now = self.now.lock().await;
        if let Some(handle) = &*now {
            return Ok(handle.clone());
        }
        let handle = match &*self.way {
            Way::Here(handle) => handle.clone(),
            Way::Standing(standing) => standing.connect_or_start().await?,
        };
        *now = Some(handle.clone());
        Ok(handle)
    }

    /// Follows the owner until the screen does not listen any more.
    async fn follow(self, news: mpsc::Sender<News>) {
        let mut lost = false;
        while !news.is_closed() {
            let Ok(handle) = self.handle().await else {
                if news.send(News::Lost(self.loss(true))).await.is_err() {
                    return;
                }
                lost = true;
                tokio::time::sleep(Duration::from_millis(RETRY_MS)).await;
                continue;
            };
            if self.tell(&handle, &news, lost).await.is_none() {
                return;
            }
            *self.now.lock().await = None;
            if matches!(*self.way, Way::Here(_)) {
                return;
            }
            lost = true;
            if news.send(News::Lost(self.loss(true))).await.is_err() {
                return;
            }
        }
    }

    /// A snapshot, then facts until the owner is gone. None: the screen is gone.
    async fn tell(&self, handle: &Handle, news: &mpsc::Sender<News>, lost: bool) -> Option<()> {
        let Ok(state) = handle.snapshot().await else { return Some(()) };
        let seq = state.seq;
        let owner = match handle {
            Handle::Local(_) => Owner { pid: std::process::id(), here: true },
            Handle::Remote(remote) => Owner { pid: remote.pid(), here: false },
        };
        let elapsed_ms = state.elapsed_ms;
        let at_ms = clock::wall_ms();
        let state = Box::new(Arc::unwrap_or_clone(state));
        news.send(News::Snapshot { state, elapsed_ms, at_ms, owner }).await.ok()?;
        if lost {
            news.send(News::Back { caught_up: 0 }).await.ok()?;
        }
        let Ok(mut feed) = handle.subscribe(seq).await else { return Some(()) };
        loop {
            let facts = tokio::select! {
                facts = feed.next() => facts,
                () = news.closed() => return None,
            };
            let Some(facts) = facts else { return Some(()) };
            news.send(News::Facts(facts.to_vec())).await.ok()?;
        }
    }

    fn loss(&self, gone: bool) -> Loss {
        let socket = match &*self.way {
            Way::Here(_) => String::new(),
            Way::Standing(standing) => standing.socket().display().to_string(),
        };
        Loss { gone, pid: 0, socket, retry_ms: RETRY_MS }
    }

    async fn read(self, attempt: AttemptId, pieces: mpsc::Sender<Chunk>) {
        let Ok(handle) = self.handle().await else { return };
        let Ok(tail) = handle.last_lines(attempt, TAIL_LINES, TAIL_BYTES).await else { return };
        let mut at = tail.end();
        if pieces.send(Chunk { attempt, at: tail.offset, bytes: tail.bytes }).await.is_err() {
            return;
        }
        let mut ended = false;
        loop {
            let Ok(chunk) = handle.output(attempt, at, PIECE_BYTES).await else { return };
            let (offset, empty) = (chunk.offset, chunk.bytes.is_empty());
            at = if empty { at } else { chunk.end() };
            if !empty && pieces.send(Chunk { attempt, at: offset, bytes: chunk.bytes }).await.is_err() {
                return;
            }
            if !empty {
                continue;
            }
            if ended {
                return;
            }
            ended = handle.snapshot().await.map_or(true, |state| !state.live.contains_key(&attempt));
            tokio::select! {
                () = tokio::time::sleep(LOOK_TIME) => {}
                () = pieces.closed() => return,
            }
        }
    }
}

impl ScreenClient for Client {
    fn subscribe(&self) -> mpsc::Receiver<News> {
        let (sender, receiver) = mpsc::channel(NEWS);
        tokio::spawn(self.clone().follow(sender));
        receiver
    }

    fn submit(
        &self,
        line: String,
        team: Option<Name>,
    ) -> impl Future<Output = Result<Vec<String>, String>> + Send + 'static {
        let client = self.clone();
        async move {
            let handle = client.handle().await?;
            line::perform(&handle, &client.root, &line, team).await
        }
    }

    fn output(&self, attempt: AttemptId) -> mpsc::Receiver<Chunk> {
        let (sender, receiver) = mpsc::channel(PIECES);
        tokio::spawn(self.clone().read(attempt, sender));
        receiver
    }
}
