//! Does the effects: seats agents, passes orders on, runs checks, and reports how each ended.
use super::clock::Clock;
use super::engine::Effects;
use super::handle::Local;
use super::output::{Sink, keep_marking};
use super::owner::Begin;
use super::render::Views;
use crate::agent::guard::Guard;
use crate::agent::{Baseline, Checks, Inherited, Looked, Order, Place, Seat, check, memory, sit};
use crate::domain::limits::CHECK_TIME_MS;
use crate::domain::port::{Channel, Later, Output, Port};
use crate::domain::{
    Actor, Asked, AttemptEnd, AttemptId, CheckJob, Code, Command, Driver, Effect, EndCause, Job, Rejection,
    Reply, Seq, State, StopCause,
};
use crate::text::Untrusted;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, watch};

/// Between two tries to report what was not stored.
const RETRY_TIME: Duration = Duration::from_millis(500);
/// Checks run under numbers of their own, above every attempt's.
const FIRST_CHECK: u64 = 1 << 62;

/// Everyone who sits, and how to reach them. Clones share it.
#[derive(Clone)]
pub(super) struct Dispatch(Arc<Inner>);

struct Inner {
    local: Local,
    clock: Clock,
    tokio: tokio::runtime::Handle,
    inherited: Arc<Inherited>,
    seq: watch::Sender<Seq>,
    marker: String,
    member_socket: PathBuf,
    exe: PathBuf,
    /// Where it really is, for the PATH of members.
    exe_folder: PathBuf,
    seats: Mutex<BTreeMap<u64, Seated>>,
    next_check: AtomicU64,
    /// Where files of live attempts are, when a process needed them; none: on the disk.
    memory: OnceLock<Option<PathBuf>>,
    guard: tokio::sync::Mutex<Option<Guard>>,
    emptied: Notify,
    is_killed: AtomicBool,
}

struct Seated {
    orders: watch::Sender<Order>,
    /// Checks end with the attempt that they are for.
    checks: Option<AttemptId>,
    baseline: Arc<OnceLock<Baseline>>,
}

impl Dispatch {
    /// Nobody sits yet. Must be called inside a tokio runtime.
    pub fn new(local: Local, clock: Clock, begin: &Begin, marker: String) -> Self {
        Self(Arc::new(Inner {
            local,
            clock,
            tokio: tokio::runtime::Handle::current(),
            inherited: Arc::new(Inherited::of_process()),
            seq: watch::Sender::new(Seq(0)),
            marker,
            member_socket: begin.member_socket.clone().unwrap_or_default(),
            exe: begin.exe.clone(),
            exe_folder: folder_of(&begin.exe),
            seats: Mutex::default(),
            next_check: AtomicU64::new(FIRST_CHECK),
            memory: OnceLock::new(),
            guard: tokio::sync::Mutex::default(),
            emptied: Notify::new(),
            is_killed: AtomicBool::new(false),
        }))
    }

    /// How many agents and checks run.
    pub fn running(&self) -> usize {
        self.0.seats().len()
    }

    /// Resolves when no agent and no check runs.
    pub async fn idle(&self) {
        loop {
            let emptied = self.0.emptied.notified();
            if self.running() == 0 {
                return;
            }
            emptied.await;
        }
    }

    /// Ends everything at once. What is not stored then is left to the next owner's recovery.
    pub fn kill(&self) {
        self.0.is_killed.store(true, Ordering::Relaxed);
        for seated in self.0.seats().values() {
            seated.orders.send_replace(Order::Stop { cause: StopCause::Signal, grace_ms: 0 });
        }
    }

    /// Ends the guard, and takes away what was handed out.
    pub async fn close(&self) {
        if let Some(guard) = self.0.guard.lock().await.take() {
            guard.close().await;
        }
        if let Some(Some(memory)) = self.0.memory.get() {
            // Every attempt took its own away; what is left goes with the next owner.
            let _ = std::fs::remove_dir_all(memory);
        }
    }
}

impl Effects for Dispatch {
    fn perform(&self, effect: Effect) {
        let inner = Arc::clone(&self.0);
        match effect {
            Effect::Start(job) => {
                let (orders, received) = watch::channel(Order::Run);
                let baseline = Arc::new(OnceLock::new());
                let seated = Seated { orders, checks: None, baseline: Arc::clone(&baseline) };
                inner.seats().insert(job.attempt.0, seated);
                self.0.tokio.spawn(async move { inner.seat(*job, received, baseline).await });
            }
            Effect::Stop { attempt, cause, grace_ms } => {
                inner.order(attempt, Order::Stop { cause, grace_ms })
            }
            Effect::LetGo { attempt, grace_ms } => inner.order(attempt, Order::LetGo { grace_ms }),
            Effect::Check(job) => {
                let number = self.0.next_check.fetch_add(1, Ordering::Relaxed);
                let (orders, received) = watch::channel(Order::Run);
                let baseline =
                    job.attempt.and_then(|id| inner.seats().get(&id.0).map(|s| Arc::clone(&s.baseline)));
                inner
                    .seats()
                    .insert(number, Seated { orders, checks: job.attempt, baseline: Arc::default() });
                self.0.tokio.spawn(async move { inner.check(*job, number, received, baseline).await });
            }
            // These are answers; the engine gives them.
            Effect::Checked { .. } | Effect::Mail(_) | Effect::Answered { .. } | Effect::Due(_) => {}
        }
    }

    fn published(&self, seq: Seq) {
        self.0.seq.send_replace(seq);
    }
}

impl Inner {
    fn seats(&self) -> MutexGuard<'_, BTreeMap<u64, Seated>> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn order(&self, attempt: AttemptId, order: Order) {
        let seats = self.seats();
        if let Some(seated) = seats.get(&attempt.0) {
            seated.orders.send_replace(order);
        }
        let ends = matches!(order, Order::Stop { .. });
        for (_, seated) in seats.range(FIRST_CHECK..).filter(|(_, s)| ends && s.checks == Some(attempt)) {
            seated.orders.send_replace(order);
        }
    }

    fn leave(&self, number: u64) {
        let mut seats = self.seats();
        seats.remove(&number);
        if seats.is_empty() {
            self.emptied.notify_waiters();
        }
    }

    /// Runs one attempt, review or turn, and reports its end.
    async fn seat(
        self: Arc<Self>,
        job: Job,
        orders: watch::Receiver<Order>,
        baseline: Arc<OnceLock<Baseline>>,
    ) {
        let attempt = job.attempt;
        look(&job, &baseline).await;
        let sink = Arc::new(Sink::new(&self.local.run, attempt, self.clock.clone()));
        let output = Arc::new(Marked {
            sink: Arc::clone(&sink),
            inner: Arc::clone(&self),
            attempt,
            marking: OnceLock::new(),
        });
        let mut end = match self.guard_for(&job.agent.driver).await {
            Ok(guard) => {
                let seat = Seat {
                    port: Arc::clone(&output) as Arc<dyn Port>,
                    output: Arc::clone(&output) as Arc<dyn Output>,
                    render: Arc::new(Views),
                    orders,
                    seq: self.seq.subscribe(),
                    place: self.place(&job),
                    inherited: Arc::clone(&self.inherited),
                    guard,
                    job,
                };
                sit(seat).await
            }
            Err(error) => AttemptEnd {
                cause: EndCause::NotStarted(Untrusted::from(format!(
                    "the process guard did not start: {error}"
                ))),
                ..AttemptEnd::default()
            },
        };
        let (bytes, lost) = output.finish().await;
        end.output_bytes = bytes;
        if let Some(why) = lost {
            self.report(Command::LoseOutput { attempt, why: why.into() }).await;
        }
        let command = Command::EndAttempt { attempt, end };
        self.report(command).await;
        self.leave(attempt.0);
    }

    async fn guard_for(&self, driver: &Driver) -> io::Result<Option<Guard>> {
        match driver {
            Driver::Process { .. } => self.guard().await.map(Some),
            Driver::Scripted(_) | Driver::Human => Ok(None),
        }
    }

    /// The guard; another one if it was lost.
    async fn guard(&self) -> io::Result<Guard> {
        let mut guard = self.guard.lock().await;
        match &*guard {
            Some(alive) if alive.alive() => Ok(alive.clone()),
            _ => {
                let started = Guard::start(&self.exe)?;
                *guard = Some(started.clone());
                Ok(started)
            }
        }
    }

    /// A folder in memory for what a process is handed: cheaper than a disk, and gone with the run. Empty: there is none.
    fn memory(&self, job: &Job) -> PathBuf {
        if !matches!(job.agent.driver, Driver::Process { .. }) {
            return PathBuf::new();
        }
        let root = self.memory.get_or_init(|| memory(&self.marker));
        root.as_ref().map(|root| root.join(job.attempt.to_string())).unwrap_or_default()
    }

    fn place(&self, job: &Job) -> Place {
        let run = &self.local.run;
        let member = crate::store::Digest::of(job.member.key().as_bytes()).to_string();
        let member: String = member.chars().take(16).collect();
        Place {
            folder: run.attempt_path(job.attempt.0).join("io"),
            memory: self.memory(job),
            scratch: run.path().join("scratch").join(format!("{}-{member}", job.team)),
            socket: self.member_socket.clone(),
            exe_folder: self.exe_folder.clone(),
            marker: format!("{}.", self.marker),
            run: run.name().to_string(),
        }
    }

    /// Looks at outputs and checks, and reports what was found.
    async fn check(
        self: Arc<Self>,
        job: CheckJob,
        number: u64,
        orders: watch::Receiver<Order>,
        baseline: Option<Arc<OnceLock<Baseline>>>,
    ) {
        let (attempt, team) = (job.attempt, job.team);
        let looked = match self.guard().await {
            Ok(guard) => {
                let checks = Checks {
                    place: Place {
                        socket: self.member_socket.clone(),
                        exe_folder: self.exe_folder.clone(),
                        marker: format!("{}.", self.marker),
                        run: self.local.run.name().to_string(),
                        ..Place::default()
                    },
                    baseline: baseline.and_then(|b| b.get().cloned()).unwrap_or_default(),
                    guard: Some(guard),
                    time_ms: CHECK_TIME_MS,
                    number,
                    inherited: Arc::clone(&self.inherited),
                    output: Arc::new(Nowhere),
                    orders,
                    job,
                };
                check(checks).await
            }
            Err(error) => Looked {
                refused: vec![Untrusted::from(format!("no check was run: {error}"))],
                outputs: Vec::new(),
            },
        };
        let command =
            Command::SettleChecks { attempt, team, refused: looked.refused, outputs: looked.outputs };
        self.report(command).await;
        self.leave(number);
    }

    /// Reports what happened until it is stored; an engine that is gone leaves it to the next owner's recovery.
    async fn report(&self, command: Command) {
        while let Err(rejection) = self.local.submit(system(command.clone())).await {
            if rejection.code != Code::NotStored || self.is_killed.load(Ordering::Relaxed) {
                return;
            }
            tokio::time::sleep(RETRY_TIME).await;
        }
    }
}

/// What the outputs were before it began, so that it can be told whether it wrote them.
async fn look(job: &Job, baseline: &OnceLock<Baseline>) {
    if job.outputs.is_empty() {
        return;
    }
    let (workspace, outputs) = (PathBuf::from(&job.workspace), job.outputs.clone());
    if let Ok(found) = tokio::task::spawn_blocking(move || Baseline::of(&workspace, &outputs)).await {
        // Set once, before the agent begins.
        let _ = baseline.set(found);
    }
}

/// The folder of a program, not that of a link to it.
fn folder_of(exe: &Path) -> PathBuf {
    let real = std::fs::canonicalize(exe).unwrap_or_else(|_| exe.to_owned());
    real.parent().map(Path::to_owned).unwrap_or_default()
}

fn system(command: Command) -> Asked {
    Asked { actor: Actor::System, team: None, line: None, command }
}

/// What checks print is told in their refusal.
struct Nowhere;

impl Output for Nowhere {
    fn write(&self, _: Channel, _: &[u8]) {}
}

/// The output of one attempt, and the owner as its agent sees it: before it settles, what it wrote is marked.
struct Marked {
    sink: Arc<Sink>,
    inner: Arc<Inner>,
    attempt: AttemptId,
    marking: OnceLock<tokio::task::AbortHandle>,
}

impl Marked {
    /// Everything is on the disk; gives the bytes, and what is not kept.
    async fn finish(&self) -> (u64, Option<String>) {
        let Some(marking) = self.marking.get() else { return (0, None) };
        marking.abort();
        let sink = Arc::clone(&self.sink);
        tokio::task::spawn_blocking(move || (sink.sync(), sink.lost())).await.unwrap_or_default()
    }
}

impl Output for Marked {
    fn write(&self, channel: Channel, bytes: &[u8]) {
        self.sink.write(channel, bytes);
        self.marking.get_or_init(|| {
            let task = keep_marking(Arc::clone(&self.sink), self.inner.local.clone(), self.attempt);
            self.inner.tokio.spawn(task).abort_handle()
        });
    }
}

impl Port for Marked {
    fn submit(&self, asked: Asked) -> Later<Result<Reply, Rejection>> {
        let settles = matches!(asked.command, Command::Complete { .. } | Command::Fail { .. });
        if !settles || self.marking.get().is_none() {
            return Port::submit(&self.inner.local, asked);
        }
        let (sink, local, attempt) = (Arc::clone(&self.sink), self.inner.local.clone(), self.attempt);
        Box::pin(async move {
            let bytes = tokio::task::spawn_blocking(move || sink.sync()).await.unwrap_or_default();
            // Both are decided in one batch; the mark is not waited for.
            let marked = local.submit(system(Command::MarkOutput { attempt, bytes }));
            let (_, reply) = tokio::join!(marked, local.submit(asked));
            reply
        })
    }

    fn hang(&self, attempt: AttemptId) -> Later<()> {
        self.inner.local.hang(attempt)
    }

    fn snapshot(&self) -> Later<Arc<State>> {
        Port::snapshot(&self.inner.local)
    }
}
