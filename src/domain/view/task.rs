//! One task as every face shows it.
use super::{Tint, phrase};
use crate::domain::state::{Attempt, AttemptRecord, Phase, State, Task, Team};
use crate::domain::{Asker, AttemptId, Name, Outcome, Purpose, Reviewer, Status, TaskNo};
use crate::text::{self, Untrusted, quantity};

/// A task with the attempt that is shown for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskView {
    /// `#12`.
    pub number: TaskNo,
    /// Its name, else its title, else `#12`; harmless.
    pub label: String,
    /// How a command refers to it.
    pub reference: String,
    /// Who does it.
    pub assignee: Option<Name>,
    /// What it is.
    pub status: Status,
    /// What holds it at the end of the chain; empty unless it is held.
    pub held_by: Vec<Blocker>,
    /// It waits for an answer or a review of a person.
    pub waits: Option<Wait>,
    /// The team is not completed without it.
    pub required: bool,
    /// It may fail without failing the team.
    pub optional: bool,
    /// Completed, and confirmed or accepted.
    pub vouched: bool,
    /// Its result is only its member's last words.
    pub unconfirmed: bool,
    /// It completed after a failed attempt.
    pub flaky: bool,
    /// The attempt that is shown; none before the first.
    pub shown: Option<AttemptView>,
    /// Ended attempts, oldest first.
    pub attempts: Vec<AttemptView>,
    /// Time of all its attempts.
    pub total_ms: u64,
    /// Why it failed, is stale or was cancelled.
    pub reason: Option<String>,
    /// Its result, once completed or in review.
    pub result: Option<Untrusted>,
    /// Declared outputs with their sizes; harmless paths.
    pub outputs: Vec<(String, u64)>,
    /// Nothing depends on it.
    pub is_leaf: bool,
    /// A replan put this one in its place; it is not counted.
    pub replaced_by: Option<TaskNo>,
}

/// What holds a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocker {
    /// Its number.
    pub number: TaskNo,
    /// Its label.
    pub label: String,
    /// Its status.
    pub status: Status,
}

/// What a person is waited for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wait {
    /// An open question to the person, with the answer that is taken where nobody can be asked.
    Question(Untrusted, Option<Untrusted>),
    /// The person reviews it.
    Review,
}

/// One attempt at a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptView {
    /// Its number in the run, for its output.
    pub id: AttemptId,
    /// Its number in the task.
    pub nth: u32,
    /// The most attempts there may be, as known at this one.
    pub most: u32,
    /// How long it took, or has taken.
    pub took_ms: u64,
    /// How it ended; none: it is live.
    pub outcome: Option<Outcome>,
    /// Why it did not complete.
    pub reason: Option<String>,
    /// Exit code of its process.
    pub exit: Option<i32>,
    /// Bytes of its output.
    pub output_bytes: u64,
    /// Not all of its output is kept: why, on one line.
    pub output_lost: Option<String>,
}

/// What is known of a whole team and needed for each of its tasks.
pub(super) struct Around<'a> {
    pub state: &'a State,
    pub team: &'a Team,
    pub now_ms: u64,
}

impl TaskView {
    pub(super) fn of(around: &Around<'_>, task: &Task, causes: &[TaskNo]) -> Self {
        let team = around.team;
        let retries = retries(around.state, team, task);
        let ended = |a: &AttemptRecord| AttemptView::ended(task, retries, a);
        let attempts: Vec<AttemptView> = task.attempts.iter().map(ended).collect();
        let live = live(around.state, task);
        let live = live.map(|a| AttemptView::live(task, retries, a, around.now_ms));
        let result =
            task.result.as_ref().filter(|_| matches!(task.phase, Phase::Completed | Phase::InReview));
        let shown = live.or_else(|| shown(task, &attempts));
        let running_ms = shown.as_ref().filter(|a| a.outcome.is_none()).map_or(0, |a| a.took_ms);
        let failed_before = attempts.iter().any(|a| a.outcome == Some(Outcome::Failed));
        Self {
            number: task.number,
            label: task.label(),
            reference: phrase::reference(task),
            assignee: task.assignee.clone(),
            status: task.status(),
            held_by: causes.iter().filter_map(|n| team.task(*n)).map(Blocker::of).collect(),
            waits: waits(around.state, team, task),
            required: task.is_required(),
            optional: task.spec.optional,
            vouched: task.is_vouched(),
            unconfirmed: result.is_some_and(|r| !r.confirmed),
            flaky: task.phase == Phase::Completed && failed_before,
            total_ms: attempts.iter().fold(running_ms, |sum, a| sum.saturating_add(a.took_ms)),
            shown,
            attempts,
            reason: why_ended(team, task),
            outputs: result.map(|r| r.outputs.iter().map(harmless).collect()).unwrap_or_default(),
            result: result.map(|r| r.text.clone()).filter(|text| !text.is_empty()),
            is_leaf: task.dependents.is_empty(),
            replaced_by: task.replaced_by,
        }
    }

    /// The word of its row: the status, but `held` where it is.
    pub fn word(&self) -> &'static str {
        if self.is_held() { "held" } else { self.status.word() }
    }

    /// Blocked by something that only a decision moves.
    pub fn is_held(&self) -> bool {
        !self.held_by.is_empty()
    }

    /// What its word means.
    pub fn tint(&self) -> Tint {
        tint(self.status, self.is_held())
    }

    /// It stands against exit code 0.
    pub fn is_against(&self) -> bool {
        self.required && !self.vouched
    }

    /// `by test-2 (failed)`; empty unless it is held.
    pub fn by(&self) -> String {
        by(&self.held_by)
    }

    /// Why it is what it is: the reason, or what holds it, without what it left.
    pub fn because(&self) -> Option<String> {
        if self.is_held() { Some(self.by()) } else { self.reason.clone() }
    }

    /// What stands beside it in a table: reason or result, and its marks.
    pub fn detail(&self) -> String {
        let mut parts: Vec<String> = self.because().or_else(|| self.left()).into_iter().collect();
        match &self.waits {
            Some(Wait::Question(text, _)) => parts.push(format!("asks: {}", phrase::quoted(text))),
            Some(Wait::Review) => parts.push("waits for a person's review".to_owned()),
            None => {}
        }
        if self.unconfirmed {
            parts.push("unconfirmed".to_owned());
        }
        if self.optional {
            parts.push("optional".to_owned());
        }
        parts.join("; ")
    }

    /// Its result of one line, else its outputs with their sizes.
    pub fn left(&self) -> Option<String> {
        let files = || {
            let each = |(path, bytes): &(String, u64)| format!("{path}, {}", quantity::size(*bytes));
            let files: Vec<String> = self.outputs.iter().map(each).collect();
            (!files.is_empty()).then(|| phrase::commas(&files))
        };
        self.result.as_ref().and_then(phrase::one_line).or_else(files)
    }

    /// The result, if it is longer than its row shows.
    pub fn long_result(&self) -> Option<&Untrusted> {
        self.result.as_ref().filter(|r| phrase::one_line(r).is_none() && !r.block().trim().is_empty())
    }
}

impl Blocker {
    pub(super) fn of(task: &Task) -> Self {
        Self { number: task.number, label: task.label(), status: task.status() }
    }
}

/// `by a (failed), b (stale)`.
pub fn by(blockers: &[Blocker]) -> String {
    if blockers.is_empty() {
        return String::new();
    }
    let each: Vec<String> = blockers.iter().map(|b| format!("{} ({})", b.label, b.status)).collect();
    format!("by {}", phrase::commas(&each))
}

/// What a status means.
pub fn tint(status: Status, held: bool) -> Tint {
    match status {
        Status::Completed => Tint::Good,
        Status::Failed => Tint::Bad,
        Status::Stale => Tint::Warn,
        _ if held => Tint::Warn,
        _ => Tint::Plain,
    }
}

impl AttemptView {
    /// `1/2`.
    pub fn fraction(&self) -> String {
        format!("{}/{}", self.nth, self.most)
    }

    pub(super) fn ended(task: &Task, retries: u32, a: &AttemptRecord) -> Self {
        Self {
            id: a.id,
            nth: a.nth,
            most: phrase::most(task, retries, a.nth, None),
            took_ms: a.took_ms,
            outcome: Some(a.outcome),
            reason: phrase::end_reason(a.outcome, &a.reason),
            exit: a.exit,
            output_bytes: a.output_bytes,
            output_lost: a.output_lost.as_ref().map(|why| why.line().into_owned()),
        }
    }

    pub(super) fn live(task: &Task, retries: u32, a: &Attempt, now_ms: u64) -> Self {
        Self {
            id: a.id,
            nth: a.nth,
            most: phrase::most(task, retries, a.nth, Some(a.id)),
            took_ms: a.took_ms(now_ms),
            outcome: None,
            reason: None,
            exit: None,
            output_bytes: a.output_bytes,
            output_lost: a.output_lost.as_ref().map(|why| why.line().into_owned()),
        }
    }
}

/// Retries that the task's member has, or the run allows.
pub fn retries(state: &State, team: &Team, task: &Task) -> u32 {
    let own =
        || task.assignee.as_ref().and_then(|name| team.members.get(name)).map_or(0, |m| m.agent.retries);
    state.run.header.retries.unwrap_or_else(own)
}

/// The live attempt at a task.
pub fn live<'a>(state: &'a State, task: &Task) -> Option<&'a Attempt> {
    match task.phase {
        Phase::Running(id) => state.live.get(&id),
        _ => None,
    }
}

/// Does the task wait for a person, and for what?
pub fn waits(state: &State, team: &Team, task: &Task) -> Option<Wait> {
    if let Some(attempt) = live(state, task).filter(|a| asks_person(team, a)) {
        return attempt.question.as_ref().map(|q| Wait::Question(q.text.clone(), q.default.clone()));
    }
    let reviewing = task.phase == Phase::InReview && task.review.live.is_none();
    (reviewing && next_reviewer(team, task) == Reviewer::Person).then_some(Wait::Review)
}

/// Does the attempt wait for an answer of a person? Who asks the lead of a team without one asks whoever runs it.
pub fn asks_person(team: &Team, attempt: &Attempt) -> bool {
    attempt.question.as_ref().is_some_and(|q| q.of == Asker::Person || !team.has_lead())
}

/// Whose turn it is to review a task: the lead or whoever runs the team, where no reviewer gives a verdict.
pub fn next_reviewer(team: &Team, task: &Task) -> Reviewer {
    let at = usize::try_from(task.review.approved).unwrap_or(usize::MAX);
    let leader = if team.has_lead() { Reviewer::Lead } else { Reviewer::Person };
    task.spec.review.get(at).filter(|_| !task.review.stuck).cloned().unwrap_or(leader)
}

/// Is this attempt one at that task?
pub fn is_at(attempt: &Attempt, number: TaskNo) -> bool {
    attempt.purpose == Purpose::Task(number)
}

fn shown(task: &Task, attempts: &[AttemptView]) -> Option<AttemptView> {
    let waits_for_first = task.phase == Phase::Waiting && task.open > 0;
    if waits_for_first {
        return None;
    }
    let of_result = task.result.as_ref().filter(|_| task.phase == Phase::Completed).map(|r| r.nth);
    attempts.iter().rev().find(|a| Some(a.nth) == of_result).or_else(|| attempts.last()).cloned()
}

fn why_ended(team: &Team, task: &Task) -> Option<String> {
    if let Some(new) = task.replaced_by.and_then(|n| team.task(n)) {
        return Some(format!("replaced by {}", new.label()));
    }
    match task.phase {
        Phase::Failed | Phase::Stale | Phase::Cancelled => phrase::reason(&task.reason),
        _ => None,
    }
}

fn harmless((path, bytes): &(String, u64)) -> (String, u64) {
    (text::cut(&text::sanitise::line(path), phrase::MAX_QUOTED).into_owned(), *bytes)
}
