//! What is asked: by a key, a script line, an agent's tool call, or the runtime itself. Imperative, resolved to types, never trusted.
mod end;
mod replan;
mod run;

pub use end::{AttemptEnd, EndCause, StopCause};
pub use replan::{AddMember, Dependents, PlanStep, Replan, TaskChange};
pub use run::{CloseReason, ResumeRun, RunHeader};

use super::{AttemptId, Found, Name, Reviewer, Seq, TaskNo, TaskRef, TaskSpec, TeamId, TeamSpec, Token};
use crate::text::Untrusted;
use serde::{Deserialize, Serialize};

/// A command with who asks it and of which team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// Who asks.
    pub actor: Actor,
    /// `team=`, when given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<Name>,
    /// The script line that says the same, kept with the facts so that what was done can be exported as a script.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<Untrusted>,
    /// What is asked.
    pub command: Command,
}

/// Who asks or acts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    /// The person at a keyboard, in the screen or by `teamtui do`.
    Person,
    /// A script that runs the team; it may what the person may.
    Script,
    /// A member or the lead, inside an attempt or turn, with its token.
    Member {
        /// Its attempt.
        attempt: AttemptId,
        /// Its token.
        token: Token,
    },
    /// The runtime: what happened outside.
    #[default]
    System,
}

/// Everything that can be asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    // The plan.
    /// Make a team. The file has been read and checked.
    Create(Box<TeamSpec>),
    /// Add one task for someone.
    AddTask(Box<TaskSpec>),
    /// Add one member; a taken name gets `-2`.
    AddMember(Box<AddMember>),
    /// Change the plan in one step.
    Replan(Replan),
    /// Cancel a member's tasks and close the chair.
    Remove {
        /// Whose.
        member: Name,
    },
    /// Stop everyone and end the team.
    Dissolve,
    /// Title, priority, optional.
    Update {
        /// Of what.
        task: TaskRef,
        /// What changes.
        change: TaskChange,
    },
    /// Ask for reviews before it completes.
    SetReviewers {
        /// Of what.
        task: TaskRef,
        /// By whom, in turn.
        by: Vec<Reviewer>,
    },
    // Work.
    /// Finish with a result.
    Complete {
        /// None: the caller's own.
        task: Option<TaskRef>,
        /// The result.
        text: Untrusted,
    },
    /// Give up with a reason.
    Fail {
        /// None: the caller's own.
        task: Option<TaskRef>,
        /// Why.
        text: Untrusted,
    },
    /// Take a pending task nobody has.
    Claim {
        /// Which.
        task: TaskRef,
    },
    /// Give a task to someone.
    Assign {
        /// Which.
        task: TaskRef,
        /// To whom.
        to: Name,
    },
    /// Percent done and what is being done.
    Progress {
        /// 0 to 100.
        percent: u8,
        /// The step.
        text: Untrusted,
    },
    /// Note something on a task.
    Comment {
        /// Which.
        task: TaskRef,
        /// What.
        text: Untrusted,
    },
    // Decisions.
    /// Cancel tasks; hold or release what waits on them.
    Cancel {
        /// Which.
        tasks: Vec<TaskRef>,
        /// Dependents; none: by origin (R8).
        dependents: Option<Dependents>,
        /// Why.
        text: Untrusted,
    },
    /// Try settled tasks again.
    Retry {
        /// Which.
        tasks: Vec<TaskRef>,
        /// Feedback for the next attempt.
        text: Untrusted,
    },
    /// Return a task in review with feedback.
    SendBack {
        /// None: the one the caller reviews.
        task: Option<TaskRef>,
        /// Feedback.
        text: Untrusted,
    },
    /// Accept a task in review.
    Approve {
        /// None: the one the caller reviews.
        task: Option<TaskRef>,
        /// A note.
        text: Untrusted,
    },
    /// Cancel a task in review for good.
    Reject {
        /// Which.
        task: TaskRef,
        /// Why.
        text: Untrusted,
        /// Release what waits on it.
        release: bool,
    },
    /// Make a late or unconfirmed result the result.
    Adopt {
        /// Which.
        task: TaskRef,
        /// Of which attempt; none: the newest that has one.
        attempt: Option<u32>,
    },
    // Talk.
    /// Send a message.
    Send {
        /// To whom, as it was written.
        to: String,
        /// What.
        text: Untrusted,
    },
    /// Send to everyone else.
    Broadcast {
        /// What.
        text: Untrusted,
    },
    /// Read one's new messages.
    ReadInbox {
        /// Where there are none, wait that long for one.
        wait_ms: Option<u64>,
    },
    /// Read one's new messages at the end of a wait for them, which is over with it.
    ReadWaited {
        /// The timer of that wait.
        timer: Seq,
    },
    /// Ask and wait for the answer.
    Ask {
        /// Whom.
        of: Asker,
        /// What.
        text: Untrusted,
        /// Taken where nobody can answer.
        default: Option<Untrusted>,
    },
    /// Answer the open question of a task or member.
    Answer {
        /// Whose.
        of: TaskRef,
        /// The answer.
        text: Untrusted,
    },
    // Running.
    /// Start nothing new, for one member or all.
    Pause {
        /// None: the team.
        member: Option<Name>,
    },
    /// Undo pause.
    Resume {
        /// None: the team.
        member: Option<Name>,
    },
    /// End a member's attempt; its task is stale.
    Interrupt {
        /// Whose.
        member: Name,
    },
    /// A passed `expect TASK STATUS` of a task that did not complete: its end was asked for.
    AssertEnd {
        /// Which.
        task: TaskRef,
    },
    /// Wait that long: answered when the timer is due.
    Sleep {
        /// How long.
        ms: u64,
    },
    // What the runtime reports.
    /// A run begins.
    OpenRun(RunHeader),
    /// A run ends; nothing more happens in it until it is resumed.
    CloseRun {
        /// Why.
        reason: CloseReason,
    },
    /// A closed run goes on.
    ResumeRun(ResumeRun),
    /// A new owner found attempts live that no one runs: they are interrupted.
    Recover(Box<Found>),
    /// An attempt's agent ended.
    EndAttempt {
        /// Which.
        attempt: AttemptId,
        /// How.
        end: AttemptEnd,
    },
    /// Checks and outputs were looked at.
    SettleChecks {
        /// For which attempt; none: the lead's, of the whole team.
        attempt: Option<AttemptId>,
        /// Of which team, where there is no attempt.
        team: TeamId,
        /// Each refusal; empty: all hold.
        refused: Vec<Untrusted>,
        /// Declared outputs that exist, with their sizes in bytes.
        outputs: Vec<(String, u64)>,
    },
    /// Not all of its output is kept.
    LoseOutput {
        /// Whose.
        attempt: AttemptId,
        /// How much, and why.
        why: Untrusted,
    },
    /// Whoever waited for the answer to its question has gone.
    WithdrawQuestion {
        /// Whose.
        attempt: AttemptId,
    },
    /// Output was synced up to here.
    MarkOutput {
        /// Whose.
        attempt: AttemptId,
        /// Bytes since its start.
        bytes: u64,
    },
    /// A scripted member is about to write a file.
    AskWrite {
        /// Relative to the workspace.
        path: String,
        /// Hash before, hex; none: no file.
        before: Option<String>,
        /// Hash after, hex.
        after: String,
    },
    /// It did, or did not.
    SettleWrite {
        /// Seq of the `EffectAsked`.
        asked: Seq,
        /// Empty: done.
        refused: Option<Untrusted>,
    },
    /// Time went on; what is due is due.
    Tick,
    /// Every live attempt of every team is asked to end: a signal, a closed pipe.
    InterruptAll {
        /// Why.
        reason: StopCause,
    },
}

/// Whom a member asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asker {
    /// The person.
    Person,
    /// The lead.
    Lead,
}

impl Actor {
    /// The person or a script: whoever runs the teams.
    pub fn is_person(&self) -> bool {
        matches!(self, Self::Person | Self::Script)
    }
}

impl TaskRef {
    /// The number, when it is one.
    pub fn number(&self) -> Option<TaskNo> {
        match self {
            Self::Number(no) => Some(*no),
            Self::Name(_) => None,
        }
    }
}
