//! What a team file says, resolved: the shape that is frozen in `TeamCreated`. Texts are spliced, paths absolute, agents
//! looked up; nothing here refers to a file any more.
use super::{Limits, Name, TaskNo, limits};
use crate::text::Untrusted;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A whole team as declared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TeamSpec {
    /// Unique among live teams.
    pub name: Name,
    /// Shown in place of the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Untrusted>,
    /// Shown, and given to every member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<Untrusted>,
    /// The team file, as it was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<Untrusted>,
    /// Absolute path of the folder that members work in.
    pub workspace: String,
    /// Environment for every member: `NAME`, `PREFIX_*` or `NAME=value`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
    /// Caps, defaults filled in.
    #[serde(default)]
    pub limits: Limits,
    /// The lead's chair; without it the team is led by whoever runs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lead: Option<LeadSpec>,
    /// `[agents.*]` that can sit in a chair by themselves: for members that are added later.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub agents: BTreeMap<Name, Arc<AgentSpec>>,
    /// In the order of the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<MemberSpec>,
    /// `[tasks.*]`, in the order of the file, after the members' briefs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<Arc<TaskSpec>>,
}

/// The `[lead]` table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeadSpec {
    /// How the lead runs.
    pub agent: AgentSpec,
    /// What its first turn gets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Untrusted>,
    /// Files that must exist before the team is completed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<String>,
    /// Commands that must exit 0 before the team is completed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<String>,
}

/// A chair and who sits in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberSpec {
    /// Unique in the team, tasks included.
    pub name: Name,
    /// Shown beside the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Untrusted>,
    /// The agent file or table it was made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_name: Option<Name>,
    /// How it runs: the agent's keys with the member's own on top.
    pub agent: AgentSpec,
    /// The member's own task, if it declares one. It has the member's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brief: Option<Arc<TaskSpec>>,
}

/// How an agent runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentSpec {
    /// What runs it.
    pub driver: Driver,
    /// Given to the agent above the goal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<Untrusted>,
    /// Environment for this member alone: `NAME`, `PREFIX_*` or `NAME=value`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
    /// Folder to work in, absolute; the team's workspace without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Wall clock of one attempt; `None`: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<u64>,
    /// Silence after which it is shown stalled; 0: never.
    pub stall_ms: u64,
    /// What a stall does.
    #[serde(default)]
    pub stall_action: StallAction,
    /// The signal that asks it to stop.
    #[serde(default)]
    pub stop: StopSignal,
    /// Steps of one attempt or turn.
    pub steps: u32,
    /// What a restart of the owner does with an attempt that ran.
    #[serde(default)]
    pub rerun: Rerun,
    /// Attempts after a failed one that start by themselves.
    #[serde(default)]
    pub retries: u32,
    /// Micro-dollars reserved for one attempt.
    #[serde(default)]
    pub cost_micros: u64,
    /// Exit codes that complete; empty means 0 alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exit: Vec<i32>,
    /// What ending without `complete` means.
    #[serde(default)]
    pub unconfirmed: Unconfirmed,
}

/// The keys of a member that say what runs it: one at most, and taken whole from its agent or from itself.
pub const WAYS: [&str; 4] = ["run", "argv", "script", "driver"];

/// What sits in the chair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Driver {
    /// A process, started once an attempt.
    Process {
        /// `run` (one shell line) or `argv`.
        line: Line,
        /// What its standard input is.
        stdin: Stdin,
    },
    /// Lines of the script language: one list per attempt or turn, the last repeats.
    Scripted(Vec<Vec<String>>),
    /// The person at the keyboard.
    Human,
}

/// What a process is started from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// One line for `sh -c`.
    Run(String),
    /// A program and its arguments, without a shell.
    Argv(Vec<String>),
}

/// Standard input of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stdin {
    /// /dev/null.
    #[default]
    Null,
    /// The bytes of the prompt file.
    Prompt,
}

/// What a stall does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StallAction {
    /// Shown, and the lead told once.
    #[default]
    Tell,
    /// The attempt is ended and fails.
    Fail,
}

/// The signal that asks a process to stop, before KILL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum StopSignal {
    /// SIGTERM.
    #[default]
    Term,
    /// SIGINT.
    Int,
    /// SIGHUP.
    Hup,
    /// SIGQUIT.
    Quit,
}

/// What a restart of the owner does with an attempt that ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rerun {
    /// The task is stale; retry is a choice.
    #[default]
    Ask,
    /// The next attempt starts by itself.
    Safe,
}

/// What ending without `complete` means for a driver that has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unconfirmed {
    /// In review, marked.
    #[default]
    Review,
    /// The last text is the result, marked.
    Accept,
}

/// One unit of work as declared.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TaskSpec {
    /// A brief has its member's name, `[tasks.*]` their key, an added task none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
    /// Shown in place of the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Untrusted>,
    /// What is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Untrusted>,
    /// Who does it; none: whoever claims it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<Name>,
    /// What it waits for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<EdgeSpec>,
    /// Higher starts first.
    #[serde(default)]
    pub priority: i32,
    /// May fail without failing the team.
    #[serde(default)]
    pub optional: bool,
    /// Files it must write, relative to the workspace.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<String>,
    /// Commands that must exit 0 before it is completed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<String>,
    /// Who reviews it, in turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub review: Vec<Reviewer>,
    /// For a person: the answer headless runs take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Untrusted>,
}

/// One edge as declared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeSpec {
    /// The upstream task.
    pub on: TaskRef,
    /// What it must come to.
    #[serde(default)]
    pub needs: Needs,
}

/// What an edge needs of its upstream (R6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Needs {
    /// Its result.
    #[default]
    Completed,
    /// Only that it is over.
    Finished,
}

/// Who reviews a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reviewer {
    /// The person at the keyboard.
    Person,
    /// The lead.
    Lead,
    /// A member of the team.
    Member(Name),
}

/// How a task is referred to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskRef {
    /// `#12` or, where nothing has that name, `12`.
    Number(TaskNo),
    /// By its own name; `12` may be a name too.
    Name(Name),
}

impl std::fmt::Display for TaskRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(no) => write!(f, "#{no}"),
            Self::Name(name) => write!(f, "{name}"),
        }
    }
}

impl AgentSpec {
    /// An agent of that driver with every default.
    pub fn new(driver: Driver) -> Self {
        let time_ms = (driver != Driver::Human).then_some(limits::ATTEMPT_TIME_MS);
        let stall_ms = if driver == Driver::Human { 0 } else { limits::STALL_MS };
        Self {
            driver,
            instructions: None,
            env: Vec::new(),
            cwd: None,
            time_ms,
            stall_ms,
            stall_action: StallAction::default(),
            stop: StopSignal::default(),
            steps: limits::STEPS,
            rerun: Rerun::default(),
            retries: 0,
            cost_micros: 0,
            exit: Vec::new(),
            unconfirmed: Unconfirmed::default(),
        }
    }

    /// Does that exit code complete?
    pub fn accepts(&self, code: i32) -> bool {
        if self.exit.is_empty() { code == 0 } else { self.exit.contains(&code) }
    }
}

impl Driver {
    /// The word for it in files and on screens.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Process { .. } => "process",
            Self::Scripted(_) => "scripted",
            Self::Human => "human",
        }
    }
}
