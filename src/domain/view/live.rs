//! What is live now, for a block that is redrawn in place: attempts, waits, and the way that is left.
use super::{RunView, TaskView, TeamView, Wait, plan, team};
use crate::domain::state::{State, Task};
use crate::domain::{AttemptId, Status, TaskNo, TeamId};
use std::collections::BTreeMap;

/// What the tasks of an earlier, completed run of the same file took.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Estimate {
    /// That run.
    pub run: u64,
    /// By label: time of the attempt that completed it, and of all its attempts.
    pub took_ms: BTreeMap<String, (u64, u64)>,
}

/// A team that is at work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveView {
    /// The run's time.
    pub elapsed_ms: u64,
    /// The team's name.
    pub team: String,
    /// Tasks that are over, and tasks that are counted.
    pub ended: (usize, usize),
    /// Counts of what is not over, as `3 live`.
    pub counts: Vec<String>,
    /// Live attempts at tasks: those on the critical path first, then the longest.
    pub attempts: Vec<LiveAttempt>,
    /// Who waits for a person, and for what.
    pub waits: Vec<(String, String)>,
    /// Labels of the critical path that are not over.
    pub path: Vec<String>,
    /// What is left of it in ms, by which run.
    pub left: Option<(u64, u64)>,
}

/// One live attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveAttempt {
    /// Its number in the run, for its output.
    pub id: AttemptId,
    /// Label of its task.
    pub label: String,
    /// `1/2`.
    pub fraction: String,
    /// How long it has taken.
    pub took_ms: u64,
    /// It is on the critical path.
    pub critical: bool,
    /// It waits for an answer.
    pub asks: bool,
}

impl Estimate {
    /// From a run that completed; none from any other.
    pub fn of(view: &RunView) -> Option<Self> {
        let run = view.run.filter(|_| view.rc() == 0)?;
        let took = |t: &TaskView| t.shown.as_ref().map(|a| (t.label.clone(), (a.took_ms, t.total_ms)));
        Some(Self { run, took_ms: view.teams.iter().flat_map(TeamView::counted).filter_map(took).collect() })
    }
}

impl LiveView {
    /// Of one team at `now_ms`; none if there is no such team.
    pub fn of(state: &State, id: TeamId, now_ms: u64, estimate: Option<&Estimate>) -> Option<Self> {
        let of = state.team(id)?;
        let view = TeamView::of(state, id, of, now_ms);
        let known = |t: &TaskView| estimate.and_then(|e| e.took_ms.get(&t.label)).copied();
        let before = |t: &Task| estimate.and_then(|e| e.took_ms.get(&t.label())).map(|(_, all)| *all);
        let left = plan::path(state, of, now_ms, before).left;
        let path: Vec<&TaskView> = left.into_iter().filter_map(|n| view.task(n)).collect();
        let on_path = |n: TaskNo| path.iter().any(|t| t.number == n);
        let left =
            estimate.filter(|_| path.iter().all(|t| known(t).is_some()) && !path.is_empty()).map(|e| {
                let of_task = |t: &&TaskView| {
                    let took = t.shown.as_ref().filter(|a| a.outcome.is_none()).map_or(0, |a| a.took_ms);
                    known(t).map_or(0, |(one, _)| one).saturating_sub(took)
                };
                (path.iter().map(of_task).fold(0, u64::saturating_add), e.run)
            });
        let waits: Vec<(String, String)> =
            team::waiting(&view).map(|(who, what)| (who.to_owned(), what)).collect();
        // Whoever waits on a person has a line of its own that says for what.
        let is_told = |a: &LiveAttempt| a.asks && waits.first().is_some_and(|(who, _)| *who == a.label);
        let attempts = view.tasks.iter().filter_map(|t| live(t, on_path(t.number)));
        let mut attempts: Vec<LiveAttempt> = attempts.filter(|a| !is_told(a)).collect();
        attempts.sort_by_key(|a| (!a.critical, std::cmp::Reverse(a.took_ms)));
        Some(Self {
            elapsed_ms: now_ms,
            ended: (view.counted().filter(|t| is_over(t)).count(), view.counts.total),
            counts: counts(&view),
            attempts,
            waits,
            path: path.iter().map(|t| t.label.clone()).collect(),
            left,
            team: view.name,
        })
    }
}

fn live(task: &TaskView, critical: bool) -> Option<LiveAttempt> {
    let attempt = task.shown.as_ref().filter(|a| a.outcome.is_none())?;
    Some(LiveAttempt {
        id: attempt.id,
        label: task.label.clone(),
        fraction: attempt.fraction(),
        took_ms: attempt.took_ms,
        critical,
        asks: matches!(task.waits, Some(Wait::Question(..))),
    })
}

fn is_over(task: &TaskView) -> bool {
    task.status.is_final() || task.status.is_settled()
}

fn counts(view: &TeamView) -> Vec<String> {
    let live = view.counted().filter(|t| t.status == Status::InProgress).count();
    let mut parts = Vec::new();
    if live > 0 {
        parts.push(format!("{live} live"));
    }
    let over = [
        "completed",
        "failed",
        "failed_optional",
        "failed_expected",
        "stale",
        "stale_optional",
        "stale_expected",
        "cancelled",
        "in_progress",
        "waiting",
    ];
    parts.extend(view.counts.phrases(&over));
    parts
}
