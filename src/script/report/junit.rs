//! The report as JUnit XML: a suite per team, a case per task.
//!
//! A `failure` or `error` exists if and only if a required task stands against exit code 0. As nextest has it, the first
//! attempt of a failed task is its `failure` and later ones are `rerunFailure`; failed attempts of a completed one are
//! `flakyFailure`. Source: <https://github.com/testmoapp/junitxml> and Surefire's `surefire-test-report.xsd`.
use super::text::whole;
use crate::domain::view::{AttemptView, RunView, TaskView, TeamView, moment};
use crate::domain::{Outcome, Status};
use crate::script::output::{self, OutputTail};
use quick_junit::{
    NonSuccessKind, Property, Report, SerializeError, TestCase, TestCaseStatus, TestRerun, TestSuite,
};
use std::io;
use std::time::Duration;

/// Writes the report. `rows` is how many rows of output each attempt that failed shows.
///
/// # Errors
/// What the writer came to.
pub fn write(
    out: &mut dyn io::Write,
    view: &RunView,
    tails: &dyn OutputTail,
    rows: usize,
) -> Result<(), SerializeError> {
    let mut report = Report::new(format!("teamtui {}", view.title()));
    report.set_time(Duration::from_millis(view.elapsed_ms));
    let shelf = Shelf { view, tails, rows };
    for team in &view.teams {
        report.add_test_suite(shelf.suite(team));
    }
    report.serialize(out)
}

/// What every case is made with.
struct Shelf<'a> {
    view: &'a RunView,
    tails: &'a dyn OutputTail,
    rows: usize,
}

impl Shelf<'_> {
    fn suite(&self, team: &TeamView) -> TestSuite {
        let mut suite = TestSuite::new(team.name.as_str());
        suite.set_time(Duration::from_millis(team.took_ms));
        suite.extra.insert("timestamp".into(), moment::rfc3339(self.view.opened_at_ms).as_str().into());
        let strict = !team.counted().any(is_blamed);
        for task in team.counted() {
            suite.add_test_case(self.case(team, task, strict));
        }
        if !team.lead_holds {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_type("lead").set_message(team.refused.join("; "));
            let mut case = TestCase::new("lead", status);
            case.set_classname(team.name.as_str());
            suite.add_test_case(case);
        }
        suite
    }

    /// `strict`: no task of the team is blamed by itself, so those that only wait are.
    fn case(&self, team: &TeamView, task: &TaskView, strict: bool) -> TestCase {
        let failed: Vec<&AttemptView> =
            task.attempts.iter().filter(|a| a.outcome == Some(Outcome::Failed)).collect();
        let is_failure = task.status == Status::Failed && task.required;
        let (status, shown) = if is_failure {
            (self.failure(task, &failed), failed.first().copied().or(task.shown.as_ref()))
        } else {
            (self.other(task, &failed, strict), task.shown.as_ref())
        };
        let mut case = TestCase::new(task.label.as_str(), status);
        case.set_classname(team.name.as_str());
        if let Some(attempt) = shown {
            case.set_time(Duration::from_millis(attempt.took_ms));
        }
        if task.unconfirmed {
            case.add_property(Property::new("unconfirmed", "true"));
        }
        case
    }

    /// A required task that failed: its first failed attempt, and the later ones beside it.
    fn failure(&self, task: &TaskView, failed: &[&AttemptView]) -> TestCaseStatus {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        let Some((first, later)) = failed.split_first() else {
            status.set_type("failed").set_message(task.reason.as_deref().unwrap_or("failed"));
            return status;
        };
        status.set_type(kind(first)).set_message(message(first)).set_description(self.output(task, first));
        status.add_reruns(later.iter().map(|a| self.rerun(task, a)));
        status
    }

    fn other(&self, task: &TaskView, failed: &[&AttemptView], strict: bool) -> TestCaseStatus {
        if task.status == Status::Completed && !task.is_against() {
            let mut status = TestCaseStatus::success();
            status.add_reruns(failed.iter().map(|a| self.rerun(task, a)));
            return status;
        }
        if is_blamed(task) || (strict && task.is_against()) {
            return self.error(task);
        }
        let mut status = TestCaseStatus::skipped();
        status.set_message(skipped(task));
        status
    }

    /// Stale, unconfirmed, or not ended: nobody says that it failed, and it stands against exit code 0.
    fn error(&self, task: &TaskView) -> TestCaseStatus {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        let Some(attempt) = &task.shown else {
            status.set_type(task.word()).set_message(skipped(task));
            return status;
        };
        let detail = task.detail();
        let why = if detail.is_empty() { task.word() } else { &detail };
        status.set_type(task.word()).set_message(format!("attempt {}: {why}", attempt.fraction()));
        if task.status == Status::Stale {
            status.set_description(self.output(task, attempt));
        }
        status
    }

    fn rerun(&self, task: &TaskView, attempt: &AttemptView) -> TestRerun {
        let mut rerun = TestRerun::new(NonSuccessKind::Failure);
        rerun
            .set_type(kind(attempt))
            .set_message(message(attempt))
            .set_time(Duration::from_millis(attempt.took_ms))
            .set_system_out(self.output(task, attempt));
        rerun
    }

    fn output(&self, task: &TaskView, attempt: &AttemptView) -> String {
        output::rows(self.tails, attempt.id, self.rows, &whole(self.view, task, "")).join("\n")
    }
}

/// It stands against exit code 0 by itself, not by what it waits for or by a decision to call it off.
fn is_blamed(task: &TaskView) -> bool {
    let waits = task.status.is_waiting() || task.status == Status::Cancelled;
    task.is_against() && !waits
}

/// `exit`, or that it failed otherwise.
fn kind(attempt: &AttemptView) -> &'static str {
    if attempt.exit.is_some_and(|code| code != 0) { "exit" } else { "failed" }
}

fn message(attempt: &AttemptView) -> String {
    format!("attempt {}: {}", attempt.fraction(), attempt.reason.as_deref().unwrap_or("failed"))
}

/// `held by test-2 (failed)`, `optional, failed: exit 1`, `blocked`.
fn skipped(task: &TaskView) -> String {
    let optional = if task.optional { "optional, " } else { "" };
    match task.because() {
        Some(by) if task.is_held() => format!("{optional}held {by}"),
        Some(why) => format!("{optional}{}: {why}", task.word()),
        None => format!("{optional}{}", task.word()),
    }
}
