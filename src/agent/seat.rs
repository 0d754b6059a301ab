//! A seat: what an agent of any driver is handed for one attempt, review or turn, and how it is run to its end.
use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::watch;

use super::gate::Gate;
use super::guard::Guard;
use super::process::env::Inherited;
use super::{process, scripted};
use crate::domain::port::{Output, Port};
use crate::domain::{AttemptEnd, AttemptId, Driver, EndCause, Job, Seq, State, StopCause, TeamId};
use crate::text::Untrusted;
use crate::verbs::Read;

/// Everything that one attempt, review or turn needs to run.
pub struct Seat {
    /// What to do, and for whom.
    pub job: Job,
    /// The owner of the log.
    pub port: Arc<dyn Port>,
    /// Where its output goes.
    pub output: Arc<dyn Output>,
    /// What the reading verbs of a scripted member show.
    pub render: Arc<dyn Render>,
    /// The last order given; a closed channel gives no more.
    pub orders: watch::Receiver<Order>,
    /// The last seq that was published.
    pub seq: watch::Receiver<Seq>,
    /// Where its files are.
    pub place: Place,
    /// What its process inherits.
    pub inherited: Arc<Inherited>,
    /// Under which its process runs; a driver without a process needs none.
    pub guard: Option<Guard>,
    /// Behind it lies what has effects: a process is made ready before, and runs once it is open.
    pub gate: Gate,
}

/// What the runtime wants of a live attempt. A later order overrules the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// Go on.
    #[default]
    Run,
    /// It has settled its task and may exit; after the grace it is stopped.
    LetGo {
        /// How long it may take; again that long between the stop signal and KILL.
        grace_ms: u64,
    },
    /// End: the agent's stop signal, the grace, KILL.
    Stop {
        /// Why.
        cause: StopCause,
        /// Between the signal and KILL.
        grace_ms: u64,
    },
}

/// Where the files of an attempt are, and how its processes are told apart. All paths absolute.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// Its inputs while the attempt is live, with its prompt, result and usage beside it under names that begin with this
    /// one's; made when a process needs it.
    pub folder: PathBuf,
    /// What is used rather than `folder`, for speed: a name of its own in [`memory`](super::memory()); empty: there is
    /// none.
    pub memory: PathBuf,
    /// Kept per member, made when a process needs it.
    pub scratch: PathBuf,
    /// Where `teamtui do` finds the owner; empty: nowhere.
    pub socket: PathBuf,
    /// Folder of this binary, last on the child's `PATH` so that `teamtui do` is found; empty: not added.
    pub exe_folder: PathBuf,
    /// What the value of [`MARKER`](super::guard::MARKER) begins with, `RUN.`; the attempt's number follows.
    pub marker: String,
    /// The run, as `--run` takes it.
    pub run: String,
}

impl Place {
    /// The mark of an attempt's processes; also of checks, under the number they run by.
    pub fn mark(&self, number: u64) -> String {
        format!("{}{number}", self.marker)
    }
}

/// The text views of the state, for members that read them.
pub trait Render: Send + Sync {
    /// Lines that answer a reading verb, harmless.
    fn read(&self, state: &State, team: TeamId, read: &Read) -> Vec<String>;

    /// Lines of the report of a team, harmless.
    fn report(&self, state: &State, team: TeamId) -> Vec<String>;
}

/// Runs one attempt, review or turn to its end, whatever its driver.
///
/// Never fails: what goes wrong is the end's cause. Dropped, it leaves a process running: order a stop instead.
pub async fn sit(seat: Seat) -> AttemptEnd {
    match &seat.job.agent.driver {
        Driver::Process { .. } => process::run(seat).await,
        Driver::Scripted(_) => scripted::run(seat).await,
        Driver::Human => not_started("a person is not started; their answer is waited for"),
    }
}

/// The end of an attempt whose agent never ran.
pub(super) fn not_started(why: impl Into<String>) -> AttemptEnd {
    AttemptEnd { cause: EndCause::NotStarted(Untrusted::from(why.into())), ..AttemptEnd::default() }
}

impl Seat {
    /// The attempt's number.
    pub(super) fn attempt(&self) -> AttemptId {
        self.job.attempt
    }
}

/// For tests: a job as `domain` would make it.
#[cfg(test)]
pub(super) mod trial {
    use crate::domain::trial::name;
    use crate::domain::{AgentSpec, AttemptId, Driver, Job, Purpose, TaskNo, TeamId, Token};

    pub fn job(driver: Driver) -> Job {
        Job {
            attempt: AttemptId(7),
            token: Token(9),
            team: TeamId(1),
            team_name: name("t"),
            member: name("a"),
            purpose: Purpose::Task(TaskNo(1)),
            nth: 1,
            label: "a".into(),
            agent: AgentSpec::new(driver),
            workspace: "/".into(),
            env: Vec::new(),
            prompt: "You are a.\n".into(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            due_ms: None,
        }
    }
}
