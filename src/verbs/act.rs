//! What a line asks for, resolved to types.
use super::verb::Verb;
use crate::domain::{Command, Name, TaskRef};

pub use crate::domain::Goal;

/// A line that was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parsed {
    /// Its row of the table.
    pub verb: &'static Verb,
    /// `team=`, when given.
    pub team: Option<Name>,
    /// What it asks for.
    pub act: Act,
}

/// What a line asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// A command, decided by the core. Paths in it (`cwd=`) are as written: who submits it makes them absolute.
    Ask(Command),
    /// Make a team from a file.
    Create {
        /// The file, relative to where the line stands.
        path: String,
        /// Variables: name and value.
        set: Vec<(String, String)>,
        /// The name of the team; none: that of the file.
        as_name: Option<Name>,
    },
    /// A question that changes nothing.
    Read(Read),
    /// Go on when it is so.
    Wait(Wait),
    /// End the script unless it is so.
    Expect(Check),
    /// Print or write the report.
    Report {
        /// None: print it.
        path: Option<String>,
    },
    /// Write the run out.
    Export {
        /// None: the usual place.
        path: Option<String>,
        /// The person's commands as a script instead of the run.
        script: bool,
    },
    /// Wait that long.
    Sleep {
        /// Milliseconds.
        ms: u64,
    },
    /// What only a member inside an attempt can do.
    Member(MemberAct),
    /// Read new messages.
    Inbox {
        /// Wait that many milliseconds for one; none: do not wait.
        wait_ms: Option<u64>,
    },
}

/// A question that changes nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Read {
    /// The team and its tasks.
    Status,
    /// Tasks, filtered.
    List {
        /// Any of these; empty: every status.
        status: Vec<Goal>,
        /// Any of these; empty: everyone's and nobody's.
        assignee: Vec<Name>,
    },
    /// One task with result and history.
    Get(TaskRef),
    /// Why a task is not done.
    Why(TaskRef),
}

/// A wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wait {
    /// For what.
    pub on: WaitOn,
    /// At most that many milliseconds.
    pub within_ms: Option<u64>,
}

/// What a wait is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WaitOn {
    /// No attempt or turn is live or due, and each task is final, settled or held.
    All,
    /// Each of these tasks is one of these.
    Tasks {
        /// Which tasks.
        tasks: Vec<TaskRef>,
        /// What each must come to; without `until` it is [`Goal::OVER`].
        until: Vec<Goal>,
    },
}

/// What `expect` asserts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Check {
    /// A task has a status.
    Status {
        /// Which.
        task: TaskRef,
        /// What.
        is: Goal,
    },
    /// Each of these is among what holds a task.
    HeldBy {
        /// Which.
        task: TaskRef,
        /// By which.
        by: Vec<TaskRef>,
    },
    /// A task is someone's.
    Assigned {
        /// Which.
        task: TaskRef,
        /// Whose.
        to: Name,
    },
    /// The result of a task has a text in it.
    Result {
        /// Which.
        task: TaskRef,
        /// The text.
        contains: String,
    },
    /// How many messages went from one to another.
    Messages {
        /// From whom.
        from: Name,
        /// To whom.
        to: Name,
        /// Compared how.
        cmp: Cmp,
        /// With what.
        n: u64,
    },
    /// What the team has cost.
    Cost {
        /// Compared how.
        cmp: Cmp,
        /// With what, in micro-dollars.
        micros: u64,
    },
}

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cmp {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `=`
    Equal,
    /// `>=`
    AtLeast,
    /// `>`
    More,
}

impl Cmp {
    /// All, longer signs before those they begin with.
    pub const ALL: [Self; 5] = [Self::AtMost, Self::AtLeast, Self::Less, Self::Equal, Self::More];

    /// Its sign.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Equal => "=",
            Self::AtLeast => ">=",
            Self::More => ">",
        }
    }

    /// Does it hold between these?
    pub fn holds(self, left: u64, right: u64) -> bool {
        match self {
            Self::Less => left < right,
            Self::AtMost => left <= right,
            Self::Equal => left == right,
            Self::AtLeast => left >= right,
            Self::More => left > right,
        }
    }
}

/// What only a member inside an attempt can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemberAct {
    /// Show a line to whoever watches.
    Say(String),
    /// Write a file, guarded by its hash.
    Write {
        /// Relative to the workspace.
        path: String,
        /// All its content.
        text: String,
    },
    /// Read a file.
    Read {
        /// Relative to the workspace.
        path: String,
    },
    /// Print exactly this, in UTF-8, without an end of line.
    Emit(String),
    /// Never end.
    Hang,
    /// Die.
    Crash {
        /// When the log has come to that seq; none: now.
        at: Option<u64>,
    },
}
