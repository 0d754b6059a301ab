//! The output of live attempts: bytes to files, a mark at most once a second, everything safe at the end.
use super::clock::Clock;
use super::handle::Local;
use crate::domain::limits::MAX_OUTPUT_BYTES;
use crate::domain::port::{Channel, Output};
use crate::domain::{Actor, Asked, AttemptId, Command};
use crate::store::output::{OutputLog, Stream};
use crate::store::{RunDir, StoreError};
use crate::text::quantity;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Between two marks of an attempt's output.
const MARK_TIME: Duration = Duration::from_secs(1);
/// Between two writes of gathered output to its file, so that watchers see it.
const FLUSH_TIME: Duration = Duration::from_millis(50);

/// Where one attempt writes.
pub(super) struct Sink {
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
    pub fn new(run: &RunDir, attempt: AttemptId, clock: Clock) -> Self {
        Self { dir: run.attempt_path(attempt.0), clock, log: Mutex::default() }
    }

    /// Everything so far is on the disk; gives the bytes so far. Nothing written costs nothing.
    pub fn sync(&self) -> u64 {
        self.with(|kept| kept.log.as_mut().map_or(Ok(0), OutputLog::sync))
    }

    /// What is not kept, once everything was synced; none: all is.
    pub fn lost(&self) -> Option<String> {
        let mut kept = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let synced = kept.log.as_mut().map_or(Ok(0), OutputLog::sync);
        match (synced, &kept.fault, kept.lost) {
            (_, Some(why), lost) if lost > 0 => {
                Some(format!("{} were not kept: {why}", quantity::size(lost)))
            }
            (Err(error), ..) => Some(format!("its end may not be kept: {error}")),
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
pub(super) async fn keep_marking(sink: std::sync::Arc<Sink>, local: Local, attempt: AttemptId) {
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
        let syncing = std::sync::Arc::clone(&sink);
        let Ok(bytes) = tokio::task::spawn_blocking(move || syncing.sync()).await else { return };
        if bytes > marked {
            marked = bytes;
            let command = Command::MarkOutput { attempt, bytes };
            // A refused mark is one of an attempt that has ended; its end has the bytes.
            let _ = local.submit(Asked { actor: Actor::System, team: None, line: None, command }).await;
        }
    }
}
