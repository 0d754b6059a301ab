//! One task: its declaration, its edges, its attempts, and where it stands.
use crate::domain::{
    AttemptId, By, Name, Needs, Outcome, Reviewer, Status, TaskNo, TaskSpec, Token, Verdict,
};
use crate::text::Untrusted;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// One unit of work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// `#12`.
    pub number: TaskNo,
    /// Name, texts, outputs, checks, reviewers. `depends_on` and `assignee` here are as declared; see `edges` and `assignee`.
    pub spec: Arc<TaskSpec>,
    /// Declared in a file or a replan, or added later (R4).
    pub added: bool,
    /// It is the brief of its assignee.
    pub brief: bool,
    /// Who does it now.
    pub assignee: Option<Name>,
    /// The member that gave it, while it is outstanding (R27).
    pub giver: Option<Name>,
    /// What it waits for.
    pub edges: Vec<Edge>,
    /// What waits for it: each number once per edge.
    pub dependents: Vec<TaskNo>,
    /// Edges not satisfied.
    pub open: u32,
    /// Edges that nothing but a decision will satisfy.
    pub holding: u32,
    /// Where it is in its life.
    pub phase: Phase,
    /// When the phase began, in the run's time.
    pub since_ms: u64,
    /// When it was added.
    pub added_ms: u64,
    /// Ended attempts, oldest first.
    pub attempts: Vec<AttemptRecord>,
    /// Attempts begun.
    pub begun: u32,
    /// Retries by itself that it has used up.
    pub retried: u32,
    /// Interrupted attempts, which use up no retry.
    pub interrupted: u32,
    /// The result, once there is one to show.
    pub result: Option<ResultText>,
    /// What the next attempt is told: feedback of a retry or a review.
    pub feedback: Option<Untrusted>,
    /// The review that is going on.
    pub review: Review,
    /// Times sent back.
    pub sent_back: u32,
    /// Notes.
    pub comments: Vec<Comment>,
    /// Percent and step, of the live or last attempt.
    pub progress: Option<(u8, Untrusted)>,
    /// Why it failed, is stale or was cancelled.
    pub reason: Untrusted,
    /// A replan put this one in its place.
    pub replaced_by: Option<TaskNo>,
    /// A passed `expect` asserted its end.
    pub asserted: bool,
}

/// An edge into a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    /// Upstream.
    pub on: TaskNo,
    /// What it must come to.
    pub needs: Needs,
    /// It counts as satisfied.
    pub waived: bool,
}

/// Where a task is in its life. `blocked`, `pending` and `held` follow from its edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Not started, or its next attempt is not.
    Waiting,
    /// An attempt is live.
    Running(AttemptId),
    /// Someone must accept what was done.
    InReview,
    /// Final.
    Completed,
    /// Settled.
    Failed,
    /// Final.
    Cancelled,
    /// Settled.
    Stale,
}

/// What a task means to those that wait for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It may still complete by itself.
    Open,
    /// It is completed.
    Completed,
    /// It is over, or waits for a decision: nothing comes of it by itself.
    Over,
}

/// An attempt that has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptRecord {
    /// Its number in the run, for its output.
    pub id: AttemptId,
    /// Its number in the task.
    pub nth: u32,
    /// Whose it was.
    pub member: Name,
    /// Its token: a late result is told from a forged one by it.
    pub token: Token,
    /// When it began, in the run's time.
    pub started_ms: u64,
    /// How long it took, without waits for a person.
    pub took_ms: u64,
    /// How it ended.
    pub outcome: Outcome,
    /// In words.
    pub reason: Untrusted,
    /// Exit code of its process.
    pub exit: Option<i32>,
    /// Bytes of output.
    pub output_bytes: u64,
    /// Not all of its output is kept: why.
    #[serde(default)]
    pub output_lost: Option<Untrusted>,
    /// What it left; an orphan unless it is the task's result.
    pub result: Option<Untrusted>,
    /// Declared outputs it wrote, with sizes.
    pub outputs: Vec<(String, u64)>,
    /// Micro-dollars.
    pub spent_micros: u64,
}

/// A result and where it is from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultText {
    /// The text.
    pub text: Untrusted,
    /// Which attempt at the task it is of; 0: none, a person gave it.
    pub nth: u32,
    /// Its member said `complete`, its process exited well, or someone accepted it.
    pub confirmed: bool,
    /// Declared outputs, with sizes.
    pub outputs: Vec<(String, u64)>,
}

/// Where the review of a task is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Review {
    /// Reviewers that have approved this result.
    pub approved: u32,
    /// A review attempt that is live.
    pub live: Option<AttemptId>,
    /// The reviewer whose turn it is ended without a verdict; the lead or the person decides.
    pub stuck: bool,
    /// Everything that was said, oldest first.
    pub said: Vec<(Reviewer, Verdict, Untrusted)>,
}

/// A note on a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    /// Whose.
    pub by: By,
    /// When, in the run's time.
    pub elapsed_ms: u64,
    /// What.
    pub text: Untrusted,
}

impl Task {
    /// The status that everyone sees.
    pub fn status(&self) -> Status {
        match self.phase {
            Phase::Waiting if self.open > 0 => Status::Blocked,
            Phase::Waiting => Status::Pending,
            Phase::Running(_) => Status::InProgress,
            Phase::InReview => Status::InReview,
            Phase::Completed => Status::Completed,
            Phase::Failed => Status::Failed,
            Phase::Cancelled => Status::Cancelled,
            Phase::Stale => Status::Stale,
        }
    }

    /// Blocked by something settled: it needs a decision.
    pub fn is_held(&self) -> bool {
        self.phase == Phase::Waiting && self.holding > 0
    }

    /// What it means to those that wait for it.
    pub fn standing(&self) -> Standing {
        match self.phase {
            Phase::Completed => Standing::Completed,
            Phase::Failed | Phase::Stale | Phase::Cancelled => Standing::Over,
            Phase::Waiting if self.holding > 0 => Standing::Over,
            Phase::Waiting | Phase::Running(_) | Phase::InReview => Standing::Open,
        }
    }

    /// Its name, else its title cut short, else `#12`.
    pub fn label(&self) -> String {
        match (&self.spec.name, &self.spec.title) {
            (Some(name), _) => name.to_string(),
            (None, Some(title)) => title.line().into_owned(),
            (None, None) => format!("#{}", self.number),
        }
    }

    /// The team is not completed without it.
    pub fn is_required(&self) -> bool {
        !self.spec.optional && self.replaced_by.is_none() && !self.asserted
    }

    /// Completed: confirmed, accepted by someone, or accepted because its agent says `unconfirmed = "accept"` (R15).
    pub fn is_vouched(&self) -> bool {
        self.phase == Phase::Completed
    }

    /// Is that the reviewer whose turn it is?
    pub fn is_turn_of(&self, reviewer: &Reviewer) -> bool {
        self.next_reviewer() == Some(reviewer)
    }

    /// Who reviews next; none: the list is at its end.
    pub fn next_reviewer(&self) -> Option<&Reviewer> {
        self.spec.review.get(usize::try_from(self.review.approved).ok()?)
    }

    /// Is that member one of its reviewers?
    pub fn is_reviewed_by(&self, name: &Name) -> bool {
        self.spec.review.contains(&Reviewer::Member(name.clone()))
    }

    /// The edge from that upstream.
    pub fn edge(&self, on: TaskNo) -> Option<&Edge> {
        self.edges.get(self.edges.binary_search_by_key(&on, |e| e.on).ok()?)
    }

    /// Neither final nor settled.
    pub fn is_outstanding(&self) -> bool {
        matches!(self.phase, Phase::Waiting | Phase::Running(_) | Phase::InReview)
    }
}

impl Edge {
    /// Is it satisfied, and does it hold its task, while its upstream stands so?
    pub fn effect(&self, upstream: Standing) -> (bool, bool) {
        let satisfied = match (self.needs, upstream) {
            (_, Standing::Completed) | (Needs::Finished, Standing::Over) => true,
            (_, Standing::Open) | (Needs::Completed, Standing::Over) => self.waived,
        };
        let holds = !satisfied && self.needs == Needs::Completed && upstream == Standing::Over;
        (satisfied, holds)
    }
}
