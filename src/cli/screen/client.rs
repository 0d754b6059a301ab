//! The screen's way to its owner: in this process, or behind a socket that may come and go.
use super::{line, owner};
use crate::app::{Chunk, Loss, News, Owner};
use crate::domain::{AttemptId, Name, Seq};
use crate::runtime::{Feed, Handle, clock};
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
/// Between an answer of the owner and the next question whether it lives.
const BEAT_TIME: Duration = Duration::from_secs(1);
/// An answer that takes longer is overdue. Reason: an owner answers in milliseconds, a loaded machine in tenths.
const ANSWER_TIME: Duration = Duration::from_secs(2);

/// A way to an owner. Clones share it.
#[derive(Clone)]
pub struct Client {
    way: Arc<Way>,
    now: Arc<Mutex<Option<Handle>>>,
    root: PathBuf,
    /// Where it is noted which recovery was shown.
    seen: PathBuf,
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
    pub fn new(way: Way, root: PathBuf, seen: PathBuf) -> Self {
        Self { way: Arc::new(way), now: Arc::default(), root, seen }
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
        let mut pid = 0;
        while !news.is_closed() {
            let Ok(handle) = self.handle().await else {
                if news.send(News::Lost(self.loss(pid))).await.is_err() {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(RETRY_MS)).await;
                continue;
            };
            pid = owner(&handle).pid;
            if self.tell(&handle, &news).await.is_none() {
                return;
            }
            *self.now.lock().await = None;
            if matches!(*self.way, Way::Here(_)) {
                return;
            }
            if news.send(News::Lost(self.loss(pid))).await.is_err() {
                return;
            }
        }
    }

    /// A snapshot, then facts until the owner is gone. None: the screen is gone.
    async fn tell(&self, handle: &Handle, news: &mpsc::Sender<News>) -> Option<()> {
        let Ok(state) = self.answer(handle, news, handle.snapshot()).await? else { return Some(()) };
        let seq = state.seq;
        let elapsed_ms = state.elapsed_ms;
        let at_ms = clock::wall_ms();
        let state = Box::new(Arc::unwrap_or_clone(state));
        news.send(News::Snapshot { state, elapsed_ms, at_ms, owner: owner(handle) }).await.ok()?;
        let Ok(feed) = self.answer(handle, news, handle.subscribe(seq)).await? else { return Some(()) };
        tokio::select! {
            told = facts(feed, news) => told,
            told = self.beat(handle, news) => told,
            () = news.closed() => None,
        }
    }

    /// Asks the owner behind a socket again and again whether it lives, until it is gone.
    async fn beat(&self, handle: &Handle, news: &mpsc::Sender<News>) -> Option<()> {
        if matches!(handle, Handle::Local(_)) {
            // It is this process.
            return std::future::pending().await;
        }
        loop {
            tokio::time::sleep(BEAT_TIME).await;
            let Ok(elapsed_ms) = self.answer(handle, news, handle.elapsed_ms()).await? else {
                return Some(());
            };
            news.send(News::Beat { elapsed_ms, at_ms: clock::wall_ms() }).await.ok()?;
        }
    }

    /// What the owner answers; once that is overdue, the screen says that it is silent. None: the screen is gone.
    async fn answer<T>(
        &self,
        handle: &Handle,
        news: &mpsc::Sender<News>,
        asked: impl Future<Output = T>,
    ) -> Option<T> {
        let mut asked = std::pin::pin!(asked);
        if let Ok(answer) = tokio::time::timeout(ANSWER_TIME, &mut asked).await {
            return Some(answer);
        }
        let loss = Loss { gone: false, ..self.loss(owner(handle).pid) };
        news.send(News::Lost(loss)).await.ok()?;
        tokio::select! {
            answer = asked => Some(answer),
            () = news.closed() => None,
        }
    }

    /// How the owner is lost: while somebody holds the run, that one is silent.
    fn loss(&self, pid: u32) -> Loss {
        let (socket, holder) = match &*self.way {
            Way::Here(_) => (String::new(), None),
            Way::Standing(standing) => (standing.socket().display().to_string(), standing.holder()),
        };
        Loss { gone: holder.is_none(), pid: holder.unwrap_or(pid), socket, retry_ms: RETRY_MS }
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

fn owner(handle: &Handle) -> Owner {
    match handle {
        Handle::Local(_) => Owner { pid: std::process::id(), here: true },
        Handle::Remote(remote) => Owner { pid: remote.pid(), here: false },
    }
}

/// Facts until the owner is gone. None: the screen is gone.
async fn facts(mut feed: Feed, news: &mpsc::Sender<News>) -> Option<()> {
    loop {
        let Some(facts) = feed.next().await else { return Some(()) };
        news.send(News::Facts(facts.to_vec())).await.ok()?;
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

    fn seen(&self, recovery: Seq) {
        let path = self.seen.clone();
        // Not noted, it is shown once more.
        drop(tokio::task::spawn_blocking(move || std::fs::write(path, recovery.0.to_string())));
    }

    fn output(&self, attempt: AttemptId) -> mpsc::Receiver<Chunk> {
        let (sender, receiver) = mpsc::channel(PIECES);
        tokio::spawn(self.clone().read(attempt, sender));
        receiver
    }
}
