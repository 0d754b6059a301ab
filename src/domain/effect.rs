//! What must be done to the world. An effect is outstanding until an event names its end.
use super::{AgentSpec, AttemptId, Name, Purpose, StopCause, TaskNo, TeamId, Token};
use crate::text::Untrusted;
use serde::{Deserialize, Serialize};

/// Asked for by `react`, done by the runtime.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Run an agent. Ends with `AttemptEnded`.
    Start(Box<Job>),
    /// End it: ask, wait until the grace is over, then by force. Ends with `AttemptEnded`.
    Stop {
        /// Which.
        attempt: AttemptId,
        /// Why.
        cause: StopCause,
        /// Between asking and force.
        grace_ms: u64,
    },
    /// It settled its task by itself and may exit; after the grace its tree is ended.
    LetGo {
        /// Which.
        attempt: AttemptId,
        /// How long it may take.
        grace_ms: u64,
    },
    /// Look at outputs and run checks. Ends with `ChecksSettled`.
    Check(Box<CheckJob>),
    /// Outputs and checks were looked at: whoever asked to complete is told.
    Checked {
        /// Whose.
        attempt: AttemptId,
        /// Empty: they hold.
        refused: Vec<Untrusted>,
    },
    /// Mail came for a live attempt that may be waiting for it.
    Mail(AttemptId),
    /// A question was answered.
    Answered {
        /// Whose.
        attempt: AttemptId,
        /// The answer.
        text: Untrusted,
    },
    /// A timer that somebody waits for is due.
    Due(super::Seq),
}

/// Everything a driver needs to run one attempt, review or turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// Its number.
    pub attempt: AttemptId,
    /// Its token.
    pub token: Token,
    /// Of which team.
    pub team: TeamId,
    /// The team's name.
    pub team_name: Name,
    /// Whose.
    pub member: Name,
    /// For what.
    pub purpose: Purpose,
    /// Its number in the task, or the turn's.
    pub nth: u32,
    /// Task label, or the member's name for a turn.
    pub label: String,
    /// How to run it.
    pub agent: AgentSpec,
    /// Absolute path.
    pub workspace: String,
    /// Environment: team, agent and member added up.
    pub env: Vec<String>,
    /// What a model would get: goal, brief, inputs and mail, quoted.
    pub prompt: String,
    /// Results of upstream tasks.
    pub inputs: Vec<Input>,
    /// Files it must write, relative to the workspace.
    pub outputs: Vec<String>,
    /// When its wall clock ends, in the run's time.
    pub due_ms: Option<u64>,
}

/// One upstream of a task, as its dependent gets it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// Its number.
    pub number: TaskNo,
    /// Its label.
    pub label: String,
    /// Its status word; `held` where it is.
    pub status: String,
    /// The attempt its result is of.
    pub attempt: u32,
    /// Its result; none: it is missing.
    pub text: Option<Untrusted>,
    /// Confirmed, or only its last words.
    pub confirmed: bool,
}

/// Outputs and checks to look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckJob {
    /// For which attempt; none: the lead's, of the whole team.
    pub attempt: Option<AttemptId>,
    /// Of which team.
    pub team: TeamId,
    /// Its name.
    pub team_name: Name,
    /// Absolute path.
    pub workspace: String,
    /// Environment, as for the member.
    pub env: Vec<String>,
    /// Files relative to the workspace.
    pub outputs: Vec<String>,
    /// Shell lines.
    pub checks: Vec<String>,
}
