//! The output of live attempts: bytes to files, a mark at most once a second, everything safe at the end.
use super::clock::Clock;
use super::handle::Local;
use crate::domain::limits::MAX_OUTPUT_BYTES;
use crate::domain::port::{Channel, Later, Output, Port};
use crate::domain::{Actor, Asked, AttemptId, Command, Rejection, Reply, State};
use crate::store::output::{OutputLog, Stream};
use crate::store::{RunDir, StoreError};
use crate::text::quantity;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// Between two marks of an attempt's output.
const MARK_TIME: Duration = Duration::from_secs(1);
/// Between two writes of gathered output to its file, so that watchers see it.
const FLUSH_TIME: Duration = Duration::from_millis(50);

/// Where one attempt writes.
struct Sink {
    dir: std::path::PathBuf,
    clock: Clock,
    log: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    log: Option<OutputLog>,
    /// Bytes that the disk did not take, and why the last ones were not.
    lost: u64,
    fault: Option<String>,
}

impl Kept {
    fn take(&mut self, dir: &Path, at: u64, stream: Stream, bytes: &[u8]) -> Result<u64, StoreError> {
        if self.log.is_none() {
            self.log = Some(OutputLog::create(dir, MAX_OUTPUT_BYTES)?);
        }
        let Some(log) = &mut self.log else { return Ok(0) };
        log.append(at, stream, bytes)?;
        Ok(log.total())
    }
}

impl Sink {
    fn new(run: &RunDir, attempt: AttemptId, clock: Clock) -> Self {
        Self { dir: run.attempt_path(attempt.0), clock, log: Mutex::default() }
    }

    /// Puts everything so far on the disk; gives the bytes so far, or none where the disk did not take them all: that is
    /// no mark then. Nothing written costs nothing.
    fn sync(&self) -> Option<u64> {
        let mut safe = None;
        self.with(|kept| {
            let bytes = kept.log.as_mut().map_or(Ok(0), OutputLog::sync)?;
            safe = Some(bytes);
            Ok(bytes)
        });
        safe
    }

    /// Bytes so far.
    fn total(&self) -> u64 {
        self.with(|kept| Ok(kept.log.as_ref().map_or(0, OutputLog::total)))
    }

    /// What is not kept, once everything was synced; none: all is.
    fn lost(&self) -> Option<String> {
        let mut kept = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let synced = kept.log.as_mut().map_or(Ok(0), OutputLog::sync);
        // What to do about it is said where the run pauses.
        let what = |why: &str| why.split("; ").next().unwrap_or_default().to_owned();
        match (synced, &kept.fault, kept.lost) {
            (_, Some(why), lost) if lost > 0 => {
                Some(format!("{} were not kept: {}", quantity::size(lost), what(why)))
            }
            (Err(error), ..) => Some(format!("its end may not be kept: {}", what(&error.to_string()))),
            _ => None,
        }
    }

    fn flush(&self) -> u64 {
        self.with(|kept| kept.log.as_mut().map_or(Ok(0), |log| log.flush().map(|()| log.total())))
    }

    fn with(&self, act: impl FnOnce(&mut Kept) -> Result<u64, StoreError>) -> u64 {
        let mut kept = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        match act(&mut kept) {
            Ok(bytes) => bytes,
            Err(error) => {
                kept.fault = Some(error.to_string());
                kept.log.as_ref().map_or(0, OutputLog::total)
            }
        }
    }
}

impl Output for Sink {
    fn write(&self, channel: Channel, bytes: &[u8]) {
        let at = self.clock.elapsed_ms();
        let stream = if channel == Channel::Err { Stream::Stderr } else { Stream::Stdout };
        self.with(|kept| {
            let taken = kept.take(&self.dir, at, stream, bytes);
            if taken.is_err() {
                kept.lost = kept.lost.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
            }
            taken
        });
    }
}

/// Flushes what is gathered and marks what is safe, until the attempt has ended and this is dropped.
async fn keep_marking(sink: Arc<Sink>, local: Local, attempt: AttemptId) {
    let mut marked = 0;
    let mut seen = 0;
    let mut since_mark = Duration::ZERO;
    loop {
        tokio::time::sleep(FLUSH_TIME).await;
        since_mark += FLUSH_TIME;
        let total = sink.flush();
        if total == seen && total == marked {
            continue;
        }
        seen = total;
        if since_mark < MARK_TIME {
            continue;
        }
        since_mark = Duration::ZERO;
        let syncing = Arc::clone(&sink);
        failpoint!("mark.before");
        let Ok(bytes) = tokio::task::spawn_blocking(move || syncing.sync()).await else { return };
        failpoint!("mark.after");
        if let Some(bytes) = bytes.filter(|bytes| *bytes > marked) {
            marked = bytes;
            // A refused mark is one of an attempt that has ended; its end has the bytes.
            let _ = local.submit(mark(attempt, bytes)).await;
        }
    }
}

fn mark(attempt: AttemptId, bytes: u64) -> Asked {
    Asked { actor: Actor::System, team: None, line: None, command: Command::MarkOutput { attempt, bytes } }
}

/// The output of one attempt, and the owner as its agent sees it: before it settles, what it wrote is marked.
pub(super) struct Marked {
    sink: Arc<Sink>,
    local: Local,
    tokio: tokio::runtime::Handle,
    attempt: AttemptId,
    marking: OnceLock<tokio::task::AbortHandle>,
}

impl Marked {
    /// Nothing is written yet. Must be called inside a tokio runtime.
    pub fn new(local: &Local, clock: &Clock, attempt: AttemptId) -> Self {
        Self {
            sink: Arc::new(Sink::new(&local.run, attempt, clock.clone())),
            local: local.clone(),
            tokio: tokio::runtime::Handle::current(),
            attempt,
            marking: OnceLock::new(),
        }
    }

    /// Everything is on the disk; gives the bytes, and what is not kept.
    pub async fn finish(&self) -> (u64, Option<String>) {
        let Some(marking) = self.marking.get() else { return (0, None) };
        marking.abort();
        let sink = Arc::clone(&self.sink);
        failpoint!("output.before");
        let finish = move || {
            // What is not safe is said to be lost.
            sink.sync();
            (sink.total(), sink.lost())
        };
        let finished = tokio::task::spawn_blocking(finish).await;
        failpoint!("output.after");
        finished.unwrap_or_default()
    }
}

impl Output for Marked {
    fn write(&self, channel: Channel, bytes: &[u8]) {
        self.sink.write(channel, bytes);
        self.marking.get_or_init(|| {
            let task = keep_marking(Arc::clone(&self.sink), self.local.clone(), self.attempt);
            self.tokio.spawn(task).abort_handle()
        });
    }
}

impl Port for Marked {
    fn submit(&self, asked: Asked) -> Later<Result<Reply, Rejection>> {
        let settles = matches!(asked.command, Command::Complete { .. } | Command::Fail { .. });
        if !settles || self.marking.get().is_none() {
            return Port::submit(&self.local, asked);
        }
        let (sink, local, attempt) = (Arc::clone(&self.sink), self.local.clone(), self.attempt);
        Box::pin(async move {
            let bytes = tokio::task::spawn_blocking(move || sink.sync()).await.unwrap_or_default();
            let Some(bytes) = bytes else { return local.submit(asked).await };
            // Both are decided in one batch; the mark is not waited for.
            let marked = local.submit(mark(attempt, bytes));
            let (_, reply) = tokio::join!(marked, local.submit(asked));
            reply
        })
    }

    fn hang(&self, attempt: AttemptId) -> Later<()> {
        self.local.hang(attempt)
    }

    fn snapshot(&self) -> Later<Arc<State>> {
        Port::snapshot(&self.local)
    }
}
