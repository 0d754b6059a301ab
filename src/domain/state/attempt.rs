//! A live attempt, review or turn.
use crate::domain::{Asker, AttemptId, Name, Purpose, StopCause, TeamId, Token};
use crate::text::Untrusted;
use serde::{Deserialize, Serialize};

/// It has begun and not ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// Its number in the run.
    pub id: AttemptId,
    /// Of which team.
    pub team: TeamId,
    /// Of which member.
    pub member: Name,
    /// A person does it.
    pub human: bool,
    /// For what.
    pub purpose: Purpose,
    /// Its number in the task, or the turn's number.
    pub nth: u32,
    /// Who holds it may write in its name.
    pub token: Token,
    /// When it began, in the run's time.
    pub started_ms: u64,
    /// When its wall clock ends; none: never, or its clocks stand still.
    pub due_ms: Option<u64>,
    /// When its silence is noted; none: it has been, or its clocks stand still.
    pub stall_due_ms: Option<u64>,
    /// Time it stood still.
    pub still_ms: u64,
    /// When its clocks stopped.
    pub still_since_ms: Option<u64>,
    /// It was asked to end; from then on it is fenced.
    pub stop: Option<StopCause>,
    /// What it says is done, while outputs and checks are looked at.
    pub offered: Option<(Untrusted, Option<i32>)>,
    /// Owners that ended while its checks ran.
    #[serde(default)]
    pub crashes: u32,
    /// Looks at outputs and checks that were asked and not answered: the last one decides.
    pub looking: u32,
    /// They hold, or there are none: it completes when its agent has ended.
    pub settled: bool,
    /// It said that its task is not done; it fails when its agent has ended.
    pub failing: Option<Untrusted>,
    /// The question it waits for.
    pub question: Option<Question>,
    /// Bytes of output at the last mark.
    pub output_bytes: u64,
    /// When output was last marked.
    pub output_ms: u64,
    /// Not all of its output is kept: why.
    #[serde(default)]
    pub output_lost: Option<Untrusted>,
    /// Micro-dollars reserved.
    pub reserved_micros: u64,
    /// Percent and step.
    pub progress: Option<(u8, Untrusted)>,
    /// Declared outputs that its checks found.
    pub outputs: Vec<(String, u64)>,
}

/// An open question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Who is asked.
    pub of: Asker,
    /// What.
    pub text: Untrusted,
    /// Taken where nobody can answer.
    pub default: Option<Untrusted>,
    /// When it was asked.
    pub asked_ms: u64,
}

impl Attempt {
    /// Its writes are refused and its result is an orphan.
    pub fn is_fenced(&self) -> bool {
        self.stop.is_some()
    }

    /// There is no agent that could be asked to end: a person does it, or its process has exited.
    pub fn is_alone(&self) -> bool {
        self.human || self.offered.as_ref().is_some_and(|(_, exit)| exit.is_some())
    }

    /// How long it has run, without waits for a person.
    pub fn took_ms(&self, now_ms: u64) -> u64 {
        let standing = self.still_since_ms.map_or(0, |since| now_ms.saturating_sub(since));
        now_ms.saturating_sub(self.started_ms).saturating_sub(self.still_ms).saturating_sub(standing)
    }
}
