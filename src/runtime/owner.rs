//! Becoming the owner of a run: lock, open, recover, run the engine, serve effects; and giving it back.
use super::clock::{Clock, wall_ms};
use super::dispatch::{Dispatch, RETRY_TIME};
use super::engine::Engine;
use super::handle::{Handle, Local};
use super::stored::open;
use crate::agent::guard;
use crate::domain::found::MAX_LEFT_OVERS;
use crate::domain::{
    Actor, Asked, AttemptId, Code, Command, Found, LeftOver, OutputSeam, Rejection, RunHeader, Seq, State,
    StopCause,
};
use crate::store::{OwnerNote, Restored, RunDir, StoreError};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::thread::JoinHandle;
use std::time::Instant;

/// How a run is begun or gone on with.
pub struct Begin {
    /// Its folder.
    pub run: RunDir,
    /// The first event of a new run; none: it must be there already.
    pub header: Option<RunHeader>,
    /// The command line, for whoever is refused.
    pub command: String,
    /// Socket of the owner's clients, for the note in the lock.
    pub socket: Option<PathBuf>,
    /// Socket for members, for their environment.
    pub member_socket: Option<PathBuf>,
    /// This binary, to start the guard from.
    pub exe: PathBuf,
}

/// A run that this process owns.
pub struct Owned {
    /// The handle that everyone holds.
    pub handle: Handle,
    /// The in-process transport.
    pub local: Local,
    /// The run's time.
    pub clock: Clock,
    /// What was restored of a damaged store, to be said once.
    pub restored: Option<Restored>,
    dispatch: Dispatch,
    engine: JoinHandle<()>,
}

/// Why a run cannot be owned.
#[derive(Debug, thiserror::Error)]
pub enum OwnerError {
    /// The store cannot be opened, or somebody else owns it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The log is not of this teamtui.
    #[error("{0}")]
    Log(String),
    /// A newer teamtui wrote it; it was left as it is.
    #[error("written by teamtui {written_by} (event {kind} v{version}), this is {}; nothing was changed", env!("CARGO_PKG_VERSION"))]
    Newer {
        /// The number of the event that is not known.
        kind: u16,
        /// Its version.
        version: u16,
        /// Who wrote the store last.
        written_by: String,
    },
    /// The engine refused to begin.
    #[error("{0}")]
    Refused(Rejection),
    /// The operating system gave no thread or randomness.
    #[error("cannot start: {0}")]
    System(String),
}

impl Owned {
    /// Takes the run and starts its engine. Must be called inside a tokio runtime.
    pub async fn begin(begin: Begin) -> Result<Self, OwnerError> {
        let (run, began) = (begin.run.clone(), Instant::now());
        let (journal, state, restored) = {
            let note = note(&begin);
            let header = begin.header.clone();
            let open = tokio::task::spawn_blocking(move || open(&run, &note, header.as_ref()));
            open.await.map_err(|e| OwnerError::System(e.to_string()))??
        };
        let fresh = state.seq.0 == 0;
        // A header is for a run that has no first event yet; another may have written it since it was made.
        let begin = Begin { header: begin.header.filter(|_| fresh), ..begin };
        let marker = begin.header.as_ref().map_or(state.run.header.run.clone(), |h| h.run.clone());
        let found =
            if state.live.is_empty() { Found::default() } else { find(&begin.run, &state, &marker).await };
        let is_closed = state.run.closed.is_some();
        let is_virtual = begin.header.as_ref().map_or(state.run.header.virtual_time, |h| h.virtual_time);
        let clock =
            if is_virtual { Clock::virtual_from(state.elapsed_ms) } else { Clock::real(state.elapsed_ms) };
        let (requests, received) = std::sync::mpsc::channel();
        let local = Local {
            requests,
            reader: journal.reader(),
            run: begin.run.clone(),
            attendants: Arc::new(AtomicU64::new(1)),
            clock: clock.clone(),
            marker: Arc::from(format!("{marker}.")),
        };
        // What a former owner handed out and did not take back.
        crate::agent::clear_memory(&marker);
        let dispatch = Dispatch::new(local.clone(), clock.clone(), &begin, marker);
        let owner_clock = clock.clone();
        let engine = Engine::new(journal, state, clock, dispatch.clone(), entropy()?);
        let thread = std::thread::Builder::new().name("engine".into()).spawn(move || engine.run(&received));
        let engine = thread.map_err(|e| OwnerError::System(e.to_string()))?;
        let owned = Self {
            handle: Handle::Local(local.clone()),
            local,
            clock: owner_clock,
            restored,
            dispatch,
            engine,
        };
        let took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let lost = owned.restored.as_ref().and_then(|restored| restored.lost.as_ref());
        let lost_from = lost.map(|lost| Seq(lost.first_seq));
        let first = match begin.header {
            Some(header) => Command::OpenRun(header),
            None if is_closed => return Ok(owned),
            None => Command::Recover(Box::new(Found {
                took_ms,
                restored: owned.restored.is_some(),
                lost_from,
                ..found
            })),
        };
        failpoint!("recover.before");
        let begun = owned.system(first).await;
        failpoint!("recover.after");
        begun.map_err(OwnerError::Refused)?;
        Ok(owned)
    }

    async fn system(&self, command: Command) -> Result<crate::domain::Reply, Rejection> {
        self.local.submit(Asked { actor: Actor::System, team: None, line: None, command }).await
    }

    /// Asks every live attempt to end, and waits until all have. What a full disk does not take is asked again, until it
    /// does or all are killed.
    pub async fn interrupt(&self, cause: StopCause) {
        loop {
            match self.system(Command::InterruptAll { reason: cause }).await {
                Err(rejection) if rejection.code == Code::NotStored && !self.dispatch.is_killed() => {
                    tokio::time::sleep(RETRY_TIME).await;
                }
                // Another refusal means that nothing is live.
                _ => break,
            }
        }
        self.dispatch.idle().await;
    }

    /// Ends every process tree at once.
    pub fn kill(&self) {
        self.dispatch.kill();
    }

    /// Why nothing can be stored now, as it changes; none: it can.
    pub fn trouble(&self) -> tokio::sync::watch::Receiver<Option<String>> {
        self.dispatch.trouble()
    }

    /// How many agents run.
    pub fn running(&self) -> usize {
        self.dispatch.running()
    }

    /// Gives the run back: its agents have ended, the store is closed, the lock is free.
    pub async fn end(self) {
        self.dispatch.kill();
        self.dispatch.idle().await;
        self.local.stop().await;
        self.dispatch.close().await;
        // The engine has answered; joining it waits for the store to be closed.
        let _ = tokio::task::spawn_blocking(move || self.engine.join()).await;
    }
}

fn note(begin: &Begin) -> OwnerNote {
    OwnerNote {
        pid: std::process::id(),
        since_ms: wall_ms(),
        socket: begin.socket.as_ref().map(|p| p.to_string_lossy().into_owned()),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command: begin.command.clone(),
    }
}

/// Ends what a former owner left, and looks where the output of its attempts ends.
async fn find(run: &RunDir, state: &State, marker: &str) -> Found {
    let (prefix, run) = (format!("{marker}."), run.clone());
    let marks: Vec<(AttemptId, u64)> = state.live.values().map(|a| (a.id, a.output_bytes)).collect();
    let find = move || {
        let swept = guard::sweep_marked(&prefix);
        let live = |id: &AttemptId| marks.iter().any(|(attempt, _)| attempt == id);
        let attempt = |rest: &str| Some(AttemptId(rest.parse().ok()?)).filter(live);
        let left =
            |one: &guard::Swept| LeftOver { pid: one.pid, attempt: one.rest.as_deref().and_then(attempt) };
        let processes = swept.iter().take(MAX_LEFT_OVERS).map(left).collect();
        let seams = marks.iter().filter_map(|(id, mark)| seam(&run, *id, *mark)).collect();
        Found { processes, ended: swept.len(), seams, ..Found::default() }
    };
    // A runtime that is going down has nobody left to tell.
    tokio::task::spawn_blocking(find).await.unwrap_or_default()
}

/// Output that cannot be looked at is shown as it is, without a seam.
fn seam(run: &RunDir, attempt: AttemptId, mark: u64) -> Option<OutputSeam> {
    let seam = crate::store::output::recover(&run.attempt_path(attempt.0), mark).ok()?;
    let found = OutputSeam { attempt, past: seam.past_mark(), lost: seam.lost() };
    (found.past > 0 || found.lost > 0).then_some(found)
}

fn entropy() -> Result<u64, OwnerError> {
    let mut bytes = [0_u8; 8];
    rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())
        .map_err(|e| OwnerError::System(format!("no randomness: {e}")))?;
    Ok(u64::from_le_bytes(bytes))
}
