//! What is asked: by a key, a script line, an agent's tool call, or the runtime itself. Imperative, resolved to types, never trusted.
use super::{
    AttemptId, Limits, MemberSpec, Name, Needs, Outcome, Reviewer, Revision, Seq, TaskNo, TaskRef, TaskSpec,
    TeamId, TeamSpec, Token,
};
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
    AddMember(Box<MemberSpec>),
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
    Recover,
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

/// Change a plan in one step, all or nothing (R18 to R20).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Replan {
    /// In the order given.
    pub steps: Vec<PlanStep>,
    /// Refused if the plan has moved since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Revision>,
    /// Show the difference, change nothing.
    #[serde(default)]
    pub dry_run: bool,
}

/// One step of a replan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanStep {
    /// Cancel tasks.
    Cancel {
        /// Which.
        tasks: Vec<TaskRef>,
        /// Dependents; none: by origin.
        dependents: Option<Dependents>,
    },
    /// Add a member with its brief.
    Add(Box<AddMember>),
    /// Give a task these upstreams, and no others.
    Rewire {
        /// Which.
        task: TaskRef,
        /// All its edges.
        after: Vec<super::EdgeSpec>,
    },
    /// Give a task that has not started another prompt.
    Prompt {
        /// Which.
        task: TaskRef,
        /// The text.
        text: Untrusted,
    },
    /// Put a new member's brief in the place of a task.
    Replace {
        /// The old.
        old: TaskRef,
        /// The new, added in the same replan.
        new: Name,
    },
}

/// A member to be added by a replan: what was written, and what it comes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddMember {
    /// The member and its brief. Empty parts of the brief are inherited in a `Replace`.
    pub member: MemberSpec,
    /// Use the agent of this member or of the team's `[agents]` table; resolved by `decide`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub like: Option<Name>,
    /// Which brief keys were written; the others may be inherited.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<String>,
}

/// What happens to those that wait on a cancelled task (R8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dependents {
    /// They are held.
    Hold,
    /// The edge is waived.
    Release,
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

/// What `update` changes. None: stays.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TaskChange {
    /// Shown in place of the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Untrusted>,
    /// Higher starts first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<i32>,
    /// May fail without failing the team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optional: Option<bool>,
}

/// How an agent ended, as the supervisor saw it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AttemptEnd {
    /// What it says of itself.
    pub cause: EndCause,
    /// What it leaves: result file, last text, or the end of its output.
    #[serde(default)]
    pub result: Untrusted,
    /// Bytes of output in all.
    #[serde(default)]
    pub output_bytes: u64,
    /// Micro-dollars it reported.
    #[serde(default)]
    pub cost_micros: Option<u64>,
}

/// Why an agent ended.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndCause {
    /// Its process exited.
    Exit(i32),
    /// Its process was ended by a signal that nobody here sent.
    Signal(i32),
    /// It could not be started.
    NotStarted(Untrusted),
    /// A scripted member came to the end of its lines.
    #[default]
    Silent,
    /// A scripted member crashed, or a line of it was refused.
    Broken(Untrusted),
    /// It was ended as asked.
    Stopped,
    /// Its guard was lost: nobody knows what it did.
    Lost,
}

/// What made the owner ask an attempt to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopCause {
    /// `interrupt`.
    Interrupt,
    /// `dissolve`.
    Dissolve,
    /// A cap of the team.
    Cap,
    /// Its task was cancelled, replaced or its chair closed.
    Cancel,
    /// Its own wall clock.
    Time,
    /// It was silent, and `stall_action = "fail"`.
    Stall,
    /// It has settled its task; its process is let go.
    Done,
    /// A signal to the owner.
    Signal,
    /// Standard output was closed.
    Pipe,
}

/// The first event of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RunHeader {
    /// Identity of the run, a UUID; never shown, never required.
    pub run: String,
    /// `runs/N`; none: the standing run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// What was run: the file as it was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<Untrusted>,
    /// Nobody can be asked.
    pub headless: bool,
    /// Time jumps.
    #[serde(default)]
    pub virtual_time: bool,
    /// No retries but these, where given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retries: Option<u32>,
    /// At the first required failure nothing new starts.
    #[serde(default)]
    pub fail_fast: bool,
}

/// How a closed run goes on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ResumeRun {
    /// Retry what failed or is stale, too; else what the end interrupted.
    pub failed: bool,
    /// Raised caps; none: as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
    /// Answers to open questions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<(TaskRef, Untrusted)>,
}

/// Why a run closed, in the order of section "Exit codes".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CloseReason {
    /// Every required task completed, and confirmed or accepted.
    Completed,
    /// One was not.
    RequiredFailed,
    /// The team was dissolved before that.
    Dissolved,
    /// A script line was refused or an `expect` failed.
    ScriptFailed,
    /// A cap was reached.
    Cap,
    /// A person is waited for.
    Waiting,
    /// A signal.
    Interrupted(i32),
}

impl CloseReason {
    /// The exit code.
    pub fn rc(self) -> u8 {
        match self {
            Self::Completed => 0,
            Self::RequiredFailed | Self::Dissolved | Self::ScriptFailed => 1,
            Self::Cap => 3,
            Self::Waiting => 4,
            Self::Interrupted(signal) => u8::try_from(128_i32.saturating_add(signal)).unwrap_or(u8::MAX),
        }
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::RequiredFailed => "required_failed",
            Self::Dissolved => "dissolved",
            Self::ScriptFailed => "script_failed",
            Self::Cap => "cap",
            Self::Waiting => "waiting",
            Self::Interrupted(_) => "interrupted",
        }
    }
}

impl Actor {
    /// The person or a script: whoever runs the teams.
    pub fn is_person(&self) -> bool {
        matches!(self, Self::Person | Self::Script)
    }
}

impl Needs {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Finished => "finished",
        }
    }
}

impl StopCause {
    /// Does the task lose what the attempt did, through no fault of its own?
    pub fn outcome(self) -> Outcome {
        match self {
            Self::Time | Self::Stall => Outcome::Failed,
            _ => Outcome::Interrupted,
        }
    }

    /// The word for it in a reason.
    pub fn word(self) -> &'static str {
        match self {
            Self::Interrupt => "interrupted",
            Self::Dissolve => "cut off by dissolve",
            Self::Cap => "interrupted by a cap",
            Self::Cancel => "cancelled",
            Self::Time => "over its time",
            Self::Stall => "stalled",
            Self::Done => "let go",
            Self::Signal => "interrupted",
            Self::Pipe => "interrupted",
        }
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
