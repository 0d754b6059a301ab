//! One team as every face shows it: its tasks, their counts, what it has used, and how it stands.
use super::task::Around;
use super::{TaskView, Wait, phrase, plan};
use crate::domain::state::{Stage, State, Team};
use crate::domain::{Cap, Purpose, Revision, Status, TaskNo, TeamId};
use crate::text::{self, Untrusted, quantity};
use std::collections::BTreeMap;

/// A team with all its tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamView {
    /// Its number in the run.
    pub id: TeamId,
    /// Its name.
    pub name: String,
    /// Shown in place of the name, where given.
    pub title: Option<String>,
    /// Moved by adding, removing and rewiring.
    pub revision: Revision,
    /// Where it is in its life.
    pub stage: Stage,
    /// Its time: until now, or until it ended.
    pub took_ms: u64,
    /// Every task by number, replaced ones among them.
    pub tasks: Vec<TaskView>,
    /// How many tasks are what.
    pub counts: Counts,
    /// The critical path by what the tasks took; all of it, also what has not started.
    pub critical: Vec<TaskNo>,
    /// Time spent in attempts, the live ones not counted.
    pub work_ms: u64,
    /// Money spent, in micro-dollars.
    pub cost_micros: u64,
    /// Cap on money, in micro-dollars.
    pub money_micros: Option<u64>,
    /// Cap on team time.
    pub time_ms: Option<u64>,
    /// Live attempts there may be.
    pub parallel: u32,
    /// The cap that was reached.
    pub capped: Option<Cap>,
    /// Live attempts, reviews and turns.
    pub live: u32,
    /// Nothing new starts.
    pub paused: bool,
    /// Questions that a person is asked, by those without a task.
    pub questions: Vec<(String, Untrusted)>,
    /// What the lead promised and does not hold.
    pub refused: Vec<String>,
    /// The lead's outputs and checks hold, or there are none.
    pub lead_holds: bool,
}

/// How many tasks are what: each that is not replaced is counted once, the marks apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// All that are counted.
    pub total: usize,
    /// Completed.
    pub completed: usize,
    /// Failed and required.
    pub failed: usize,
    /// Failed, and may.
    pub failed_optional: usize,
    /// Failed, as an `expect` says that it was to.
    pub failed_expected: usize,
    /// Stale and required.
    pub stale: usize,
    /// Stale, and may be.
    pub stale_optional: usize,
    /// Stale, as an `expect` says that it was to be.
    pub stale_expected: usize,
    /// Held and required: they need a decision.
    pub held: usize,
    /// Held, and may be.
    pub held_optional: usize,
    /// They wait for a person.
    pub waiting: usize,
    /// In review by someone else.
    pub in_review: usize,
    /// An attempt is live.
    pub in_progress: usize,
    /// Ready, not started.
    pub pending: usize,
    /// They wait for what may still complete by itself.
    pub blocked: usize,
    /// Called off.
    pub cancelled: usize,
    /// A mark: completed after a failed attempt.
    pub flaky: usize,
}

impl TeamView {
    /// The team as it stands at `now_ms` of the run's time.
    pub fn of(state: &State, id: TeamId, team: &Team, now_ms: u64) -> Self {
        let dag = plan::dag(team);
        let causes = plan::causes(team, &dag);
        let around = Around { state, team, now_ms };
        let none: &[TaskNo] = &[];
        let tasks: Vec<TaskView> = team
            .tasks
            .iter()
            .map(|t| TaskView::of(&around, t, causes.get(&t.number).map_or(none, |c| c.as_slice())))
            .collect();
        let spent: BTreeMap<TaskNo, u64> = tasks.iter().map(|t| (t.number, t.total_ms)).collect();
        let end_ms = match team.stage {
            Stage::Ended { elapsed_ms, .. } => elapsed_ms,
            Stage::Live | Stage::Dissolving { .. } => now_ms,
        };
        Self {
            id,
            name: team.name.to_string(),
            title: team.title.as_ref().map(|t| t.line().into_owned()),
            revision: team.revision,
            stage: team.stage,
            took_ms: end_ms.saturating_sub(team.created_ms),
            counts: Counts::of(&tasks),
            tasks,
            critical: plan::critical(&dag, |n| spent.get(&n).copied().unwrap_or(0)),
            work_ms: team.work_ms,
            cost_micros: team.spent_micros,
            money_micros: team.limits.money_micros,
            time_ms: team.limits.time_ms,
            parallel: team.limits.parallel,
            capped: team.capped,
            live: team.live,
            paused: team.paused,
            questions: questions(state, id, team),
            refused: team.lead_checks.iter().flatten().map(|r| r.line().into_owned()).collect(),
            lead_holds: lead_holds(team),
        }
    }

    /// A task by number.
    pub fn task(&self, number: TaskNo) -> Option<&TaskView> {
        self.tasks.get(usize::try_from(number.0).ok()?.checked_sub(1)?)
    }

    /// Every required task is completed and vouched for, and what the lead promised holds.
    pub fn is_complete(&self) -> bool {
        self.lead_holds && !self.tasks.iter().any(TaskView::is_against)
    }

    /// Tasks that count: all but the replaced ones.
    pub fn counted(&self) -> impl Iterator<Item = &TaskView> {
        self.tasks.iter().filter(|t| t.replaced_by.is_none())
    }

    /// Labels of the critical path, as far as it was worked on.
    pub fn path_done(&self) -> Vec<String> {
        let begun = |t: &&TaskView| t.shown.is_some();
        self.critical.iter().filter_map(|n| self.task(*n)).filter(begun).map(|t| t.label.clone()).collect()
    }

    /// How the team stands, in one phrase.
    pub fn headline(&self) -> String {
        if self.is_complete() {
            return "every required task completed".to_owned();
        }
        let against = Counts::of_iter(self.tasks.iter().filter(|t| t.is_against()));
        let mut parts = against.phrases(&[]);
        if parts.is_empty() {
            let refused = phrase::list(&self.refused);
            let why = if refused.is_empty() { String::new() } else { format!(": {refused}") };
            return format!("what the lead promised does not hold{why}");
        }
        if let Some(first) = parts.first_mut() {
            let (n, word) = first.split_once(' ').unwrap_or((first, ""));
            let tasks = if n == "1" { "task" } else { "tasks" };
            *first = format!("{n} required {tasks} {word}");
        }
        phrase::list_all(&parts)
    }
}

impl Counts {
    /// Counts the tasks that are not replaced.
    pub fn of(tasks: &[TaskView]) -> Self {
        Self::of_iter(tasks.iter())
    }

    fn of_iter<'a>(tasks: impl Iterator<Item = &'a TaskView>) -> Self {
        let mut counts = Self::default();
        for task in tasks.filter(|t| t.replaced_by.is_none()) {
            *counts.place(task) += 1;
            counts.total += 1;
            counts.flaky += usize::from(task.flaky);
        }
        counts
    }

    fn place(&mut self, task: &TaskView) -> &mut usize {
        match task.status {
            _ if task.waits.is_some() => &mut self.waiting,
            _ if task.is_held() && task.optional => &mut self.held_optional,
            _ if task.is_held() => &mut self.held,
            Status::Completed => &mut self.completed,
            Status::Failed if task.required => &mut self.failed,
            Status::Failed if task.optional => &mut self.failed_optional,
            Status::Failed => &mut self.failed_expected,
            Status::Stale if task.required => &mut self.stale,
            Status::Stale if task.optional => &mut self.stale_optional,
            Status::Stale => &mut self.stale_expected,
            Status::InReview => &mut self.in_review,
            Status::InProgress => &mut self.in_progress,
            Status::Pending => &mut self.pending,
            Status::Blocked => &mut self.blocked,
            Status::Cancelled => &mut self.cancelled,
        }
    }

    /// Each count that is not 0 with its word for machines, in the order it is told.
    pub fn words(&self) -> Vec<(&'static str, usize)> {
        let all = [
            ("completed", self.completed),
            ("failed", self.failed),
            ("failed_optional", self.failed_optional),
            ("failed_expected", self.failed_expected),
            ("stale", self.stale),
            ("stale_optional", self.stale_optional),
            ("stale_expected", self.stale_expected),
            ("held", self.held),
            ("held_optional", self.held_optional),
            ("waiting", self.waiting),
            ("in_review", self.in_review),
            ("in_progress", self.in_progress),
            ("pending", self.pending),
            ("blocked", self.blocked),
            ("cancelled", self.cancelled),
        ];
        all.into_iter().filter(|(_, n)| *n > 0).collect()
    }

    /// Each count that is not 0 in words: `4 completed`, `1 failed (optional)`. Words in `leave_out` are left out.
    pub fn phrases(&self, leave_out: &[&str]) -> Vec<String> {
        let told = |(word, n): (&'static str, usize)| {
            let count = quantity::count(u64::try_from(n).unwrap_or(u64::MAX));
            match word {
                "waiting" if n == 1 => format!("{count} waits on a person"),
                "waiting" => format!("{count} wait on a person"),
                "in_review" => format!("{count} in review"),
                "in_progress" => format!("{count} in progress"),
                _ => {
                    let word = word.replace("_optional", " (optional)").replace("_expected", " (expected)");
                    format!("{count} {word}")
                }
            }
        };
        self.words().into_iter().filter(|(word, _)| !leave_out.contains(word)).map(told).collect()
    }
}

/// Does what the lead promised hold? A team that has ended says so itself.
pub fn lead_holds(team: &Team) -> bool {
    let promised = team.lead.as_ref().is_some_and(|l| !l.outputs.is_empty() || !l.checks.is_empty());
    let ended_well = matches!(team.stage, Stage::Ended { completed: true, .. });
    !promised || ended_well || team.lead_checks.as_ref().is_some_and(Vec::is_empty)
}

/// Questions to the person in turns and reviews: who asks, and what.
fn questions(state: &State, id: TeamId, team: &Team) -> Vec<(String, Untrusted)> {
    let open = state.live_of(id).filter(|(_, a)| !matches!(a.purpose, Purpose::Task(_)));
    open.filter(|(_, a)| super::task::asks_person(team, a))
        .filter_map(|(_, a)| a.question.as_ref().map(|q| (a.member.to_string(), q.text.clone())))
        .collect()
}

/// What is waited for from a person: who asks, and what.
pub fn waiting(team: &TeamView) -> impl Iterator<Item = (&str, String)> {
    let of_tasks = team.tasks.iter().filter_map(|t| t.waits.as_ref().map(|w| (t.label.as_str(), w)));
    let of_tasks = of_tasks.map(|(label, wait)| match wait {
        Wait::Question(text, _) => (label, text::cut(&text.line(), phrase::MAX_QUOTED).into_owned()),
        Wait::Review => (label, "review".to_owned()),
    });
    let of_others = team.questions.iter();
    of_tasks.chain(
        of_others.map(|(who, q)| (who.as_str(), text::cut(&q.line(), phrase::MAX_QUOTED).into_owned())),
    )
}
