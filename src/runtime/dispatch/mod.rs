//! Does the effects: seats agents, passes orders on, runs checks, and reports how each ended.
mod place;

use super::clock::Clock;
use super::engine::Effects;
use super::handle::Local;
use super::output::Marked;
use super::owner::Begin;
use super::render::Views;
use crate::agent::guard::Guard;
use crate::agent::{Baseline, Checks, Gate, Inherited, Looked, Order, Place, Seat, check, sit};
use crate::domain::limits::CHECK_TIME_MS;
use crate::domain::port::{Channel, Output, Port};
use crate::domain::{
    Actor, Asked, AttemptEnd, AttemptId, CheckJob, Code, Command, Driver, Effect, EndCause, Job, Seq,
    StopCause,
};
use crate::text::Untrusted;
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, watch};

/// Between two tries to report what was not stored.
pub(super) const RETRY_TIME: Duration = Duration::from_millis(500);
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
    /// Why nothing can be stored now.
    trouble: watch::Sender<Option<String>>,
    marker: String,
    member_socket: PathBuf,
    exe: PathBuf,
    /// Where it really is, for the PATH of members.
    exe_folder: PathBuf,
    seats: Mutex<BTreeMap<u64, Seated>>,
    /// Processes made ready for a start that is being committed, by attempt.
    waiting: Mutex<BTreeMap<u64, Waiting>>,
    /// Numbers the folders of what is handed out: an attempt whose start was not stored may be made ready twice.
    handed_out: AtomicU64,
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
    /// Its owner died: nobody hears of it any more.
    dead: bool,
}

/// One that sits already, behind a closed gate.
struct Waiting {
    seated: Seated,
    gate: Gate,
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
            trouble: watch::Sender::new(None),
            marker,
            member_socket: begin.member_socket.clone().unwrap_or_default(),
            exe: begin.exe.clone(),
            exe_folder: place::folder_of(&begin.exe),
            seats: Mutex::default(),
            waiting: Mutex::default(),
            handed_out: AtomicU64::new(1),
            next_check: AtomicU64::new(FIRST_CHECK),
            memory: OnceLock::new(),
            guard: tokio::sync::Mutex::default(),
            emptied: Notify::new(),
            is_killed: AtomicBool::new(false),
        }))
    }

    /// Everything was ended at once.
    pub fn is_killed(&self) -> bool {
        self.0.is_killed.load(Ordering::Relaxed)
    }

    /// Why nothing can be stored now; none: it can.
    pub fn trouble(&self) -> watch::Receiver<Option<String>> {
        self.0.trouble.subscribe()
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

    /// Somebody sits down, and begins once the gate is open.
    fn seat(&self, job: Job) -> Waiting {
        let inner = Arc::clone(&self.0);
        let (orders, received) = watch::channel(Order::Run);
        let (baseline, gate) = (Arc::new(OnceLock::new()), Gate::closed());
        let seated = Seated { orders, checks: None, baseline: Arc::clone(&baseline), dead: false };
        let passing = gate.clone();
        self.0.tokio.spawn(async move { inner.seat(job, received, baseline, passing).await });
        Waiting { seated, gate }
    }

    /// Those who wait behind a closed gate, by attempt.
    fn waiting(&self) -> MutexGuard<'_, BTreeMap<u64, Waiting>> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
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
    fn prepare(&self, effects: &[Effect]) {
        let jobs = effects.iter().filter_map(|effect| match effect {
            Effect::Start(job) if matches!(job.agent.driver, Driver::Process { .. }) => Some(job),
            _ => None,
        });
        let mut waiting = self.waiting();
        for job in jobs {
            waiting.insert(job.attempt.0, self.seat(Job::clone(job)));
        }
    }

    fn forget(&self) {
        let waiting = std::mem::take(&mut *self.waiting());
        waiting.values().for_each(|waiting| waiting.gate.shut());
    }

    fn crash(&self) {
        for seated in self.0.seats().values_mut() {
            seated.dead = true;
            seated.orders.send_replace(Order::Stop { cause: StopCause::Signal, grace_ms: 0 });
        }
    }

    fn perform(&self, effect: Effect) {
        let inner = Arc::clone(&self.0);
        match effect {
            Effect::Start(job) => {
                let attempt = job.attempt.0;
                let waiting = self.waiting().remove(&attempt);
                let Waiting { seated, gate } = waiting.unwrap_or_else(|| self.seat(*job));
                inner.seats().insert(attempt, seated);
                gate.open();
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
                inner.seats().insert(
                    number,
                    Seated { orders, checks: job.attempt, baseline: Arc::default(), dead: false },
                );
                self.0.tokio.spawn(async move { inner.check(*job, number, received, baseline).await });
            }
            // These are answers; the engine gives them.
            Effect::Checked { .. } | Effect::Mail(_) | Effect::Answered { .. } | Effect::Due(_) => {}
        }
    }

    fn published(&self, seq: Seq) {
        self.0.seq.send_replace(seq);
    }

    fn trouble(&self, why: Option<&str>) {
        self.0.trouble.send_replace(why.map(str::to_owned));
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

    /// It sat under an owner that has died since.
    fn is_dead(&self, number: u64) -> bool {
        self.seats().get(&number).is_some_and(|seated| seated.dead)
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
        gate: Gate,
    ) {
        let attempt = job.attempt;
        look(&job, &baseline).await;
        let output = Arc::new(Marked::new(&self.local, &self.clock, attempt));
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
                    gate: gate.clone(),
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
        if !gate.passed().await {
            // It never was an attempt.
            return;
        }
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
        if !self.is_dead(number) {
            self.report(command).await;
        }
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

fn system(command: Command) -> Asked {
    Asked { actor: Actor::System, team: None, line: None, command }
}

/// What checks print is told in their refusal.
struct Nowhere;

impl Output for Nowhere {
    fn write(&self, _: Channel, _: &[u8]) {}
}
