//! What a new owner of a run that was not closed found in the world, before anything was scheduled (R33, R35).
use super::{AttemptId, Name, Outcome, Purpose, Seq, TeamId};
use serde::{Deserialize, Serialize};

/// Left-over processes that are named in the log; the rest is counted. Reason: an attempt may have made any number.
pub const MAX_LEFT_OVERS: usize = 1_000;

/// What is found outside the log.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Found {
    /// The store was damaged, and was restored.
    pub restored: bool,
    /// From this seq on its facts are lost; none: nothing is.
    pub lost_from: Option<Seq>,
    /// Processes that a former owner left, ended since: the first [`MAX_LEFT_OVERS`].
    pub processes: Vec<LeftOver>,
    /// How many there were.
    pub ended: usize,
    /// Output that does not end where it was last marked.
    pub seams: Vec<OutputSeam>,
    /// Time from taking the run to this command, in ms.
    pub took_ms: u64,
}

/// A process that a former owner left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LeftOver {
    /// Its process id.
    pub pid: u32,
    /// Whose process it was; none: of a check, or of an attempt that had ended.
    pub attempt: Option<AttemptId>,
}

/// Where the output of an attempt ends, against its last mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputSeam {
    /// Whose output.
    pub attempt: AttemptId,
    /// Bytes after the mark: kept, behind a seam line.
    pub past: u64,
    /// Bytes before the mark that are gone.
    pub lost: u64,
}

/// The last recovery of a run: what its report says (R35).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recovery {
    /// The event that began it; the one before is the last of the former owner.
    pub seq: Seq,
    /// The run's time.
    pub elapsed_ms: u64,
    /// The wall clock, ms since 1970.
    pub at_ms: u64,
    /// The wall clock of the last event of the former owner.
    pub last_at_ms: u64,
    /// What was found outside the log.
    pub found: Found,
    /// What was live, in order.
    pub attempts: Vec<FoundAttempt>,
    /// Messages that nobody had read yet.
    pub unread: usize,
}

/// An attempt, review or turn that was live when its owner ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundAttempt {
    /// Its number in the run.
    pub id: AttemptId,
    /// Of which team.
    pub team: TeamId,
    /// Of which member.
    pub member: Name,
    /// For what.
    pub purpose: Purpose,
    /// Its number in the task, or the turn's number.
    pub nth: u32,
    /// What it came to.
    pub came_to: CameTo,
}

/// What an attempt that was live came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CameTo {
    /// It goes on: a person does it, who lost nothing.
    GoesOn,
    /// It had ended and said what it leaves: its checks run again.
    Checked,
    /// It has ended.
    Ended {
        /// How.
        outcome: Outcome,
        /// The next attempt starts by itself.
        again: bool,
    },
}
