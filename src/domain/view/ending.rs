//! How a run ends in words: the summary, what to do next, and the command that goes on.
use super::{RunView, TaskView, TeamView, Wait, phrase};
use crate::domain::{Cap, CloseReason, Status};
use crate::text::quantity;

/// The last lines of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// After `summary: `.
    pub summary: String,
    /// After `help: ` each; at most three.
    pub help: Vec<String>,
    /// The command that goes on; after rc 3, 4 and 128+n it is the last line, alone.
    pub command: Option<String>,
}

impl Ending {
    /// Of a run; `flags` are those that were given before, as they are pasted: ` --state DIR`.
    pub fn of(view: &RunView, flags: &str) -> Self {
        let command = next(view).map(|c| format!("{c}{flags}"));
        let alone = matches!(view.rc(), 3 | 4 | 128..);
        let help = match view.reason {
            CloseReason::Waiting => answer_help(view, flags),
            CloseReason::Completed | CloseReason::Cap | CloseReason::Interrupted(_) => Vec::new(),
            _ => failed_help(view, command.as_deref(), flags),
        };
        Self { summary: summary(view), help, command: command.filter(|_| alone) }
    }
}

/// `4 completed, 1 failed; 3m14s, 6m19s of work; critical path build, test-2`.
pub fn summary(view: &RunView) -> String {
    let counts: Vec<String> = match view.teams.as_slice() {
        [team] => told(team),
        teams => teams.iter().map(|t| format!("{}: {}", t.name, told(t).join(", "))).collect(),
    };
    let separator = if view.teams.len() > 1 { "; " } else { ", " };
    let counts = if counts.is_empty() { "no tasks".to_owned() } else { counts.join(separator) };
    let took = quantity::duration(view.elapsed_ms);
    match view.reason {
        CloseReason::Cap => format!("{counts}; cap: {}; {took}", cap(view).map_or("time", Cap::word)),
        CloseReason::Interrupted(_) => format!("{counts}; interrupted; {took}"),
        CloseReason::Waiting => format!("{counts}; {took}"),
        _ => format!(
            "{counts}; {took}, {} of work{}{}",
            quantity::duration(view.work_ms()),
            cost(view),
            path(view)
        ),
    }
}

/// The command that goes on with the run; none where nothing does.
pub fn next(view: &RunView) -> Option<String> {
    let retry = || tried_again(view).next().is_some();
    let Some(run) = view.run else {
        let names: Vec<&str> = tried_again(view).map(|t| t.reference.as_str()).collect();
        return retry().then(|| format!("teamtui do retry {}", names.join(",")));
    };
    match view.reason {
        CloseReason::Completed | CloseReason::Dissolved => None,
        CloseReason::RequiredFailed | CloseReason::ScriptFailed => {
            retry().then(|| format!("teamtui resume {run} --failed"))
        }
        CloseReason::Cap => Some(format!("teamtui resume {run}{}", raised(view))),
        CloseReason::Waiting | CloseReason::Interrupted(_) => Some(format!("teamtui resume {run}")),
    }
}

/// Tasks that a retry takes up: failed and stale ones, not the replaced.
fn tried_again(view: &RunView) -> impl Iterator<Item = &TaskView> {
    let settled = |t: &&TaskView| t.status.is_settled();
    view.teams.iter().filter(|t| !t.stage.is_ended()).flat_map(TeamView::counted).filter(settled)
}

fn told(team: &TeamView) -> Vec<String> {
    let mut counts = team.counts.phrases(&[]);
    if let (Some(first), 1..) = (counts.first_mut(), team.counts.flaky) {
        let flaky = quantity::count(u64::try_from(team.counts.flaky).unwrap_or(u64::MAX));
        first.push_str(&format!(" ({flaky} after a retry)"));
    }
    counts
}

fn cost(view: &RunView) -> String {
    match view.cost_micros() {
        0 => String::new(),
        micros => format!(", {} USD", quantity::money(micros)),
    }
}

fn path(view: &RunView) -> String {
    let [team] = view.teams.as_slice() else { return String::new() };
    let path = team.path_done();
    if path.is_empty() { String::new() } else { format!("; critical path {}", shortened(&path)) }
}

/// A path of many tasks by its ends.
fn shortened(path: &[String]) -> String {
    const ENDS: usize = 8;
    let (Some(head), Some(tail)) = (path.get(..ENDS), path.get(path.len().saturating_sub(ENDS)..)) else {
        return path.join(", ");
    };
    let left_out = path.len().saturating_sub(2 * ENDS);
    if left_out == 0 {
        return path.join(", ");
    }
    format!("{}, .. {left_out} more .., {}", head.join(", "), tail.join(", "))
}

fn cap(view: &RunView) -> Option<Cap> {
    view.teams.iter().find_map(|t| t.capped)
}

/// The cap that was reached, doubled, as an option.
fn raised(view: &RunView) -> String {
    let capped = view.teams.iter().find(|t| matches!(t.capped, Some(Cap::Time | Cap::Money)));
    let raised = capped.and_then(|team| match team.capped? {
        Cap::Time => {
            Some(format!(" --limit time={}", phrase::terse(team.time_ms?.max(1_000).saturating_mul(2))))
        }
        Cap::Money => Some(format!(
            " --limit money={}",
            quantity::money(team.money_micros?.max(10_000).saturating_mul(2))
        )),
        Cap::FailFast => None,
    });
    raised.unwrap_or_default()
}

fn failed_help(view: &RunView, command: Option<&str>, flags: &str) -> Vec<String> {
    let mut help = Vec::new();
    let with_output = |t: &&TaskView| !t.attempts.is_empty();
    let mut first: Vec<&TaskView> = tried_again(view).filter(with_output).collect();
    first.sort_by_key(|t| !t.required);
    let which = view.run_flag();
    if let Some(task) = first.first() {
        help.push(format!("see what failed: `teamtui log {}{which}{flags}`", task.reference));
    }
    if let Some(command) = command {
        let labels: Vec<String> = tried_again(view).map(|t| t.label.clone()).collect();
        let labels = phrase::list(&labels);
        help.push(format!("try {labels} again, keeping what completed: `{command}`"));
    }
    let waits = |t: &&TaskView| t.is_against() && !t.status.is_settled() && !t.status.is_final();
    let stuck = view.teams.iter().flat_map(TeamView::counted).find(waits);
    if let (true, Some(task)) = (help.is_empty(), stuck) {
        help.push(format!("see what it waits for: `teamtui why {}{which}{flags}`", task.reference));
    }
    help
}

fn answer_help(view: &RunView, flags: &str) -> Vec<String> {
    let Some(run) = view.run else { return Vec::new() };
    let tasks = || view.teams.iter().flat_map(TeamView::counted);
    let asks = tasks().find(|t| matches!(t.waits, Some(Wait::Question(..))));
    let reviewed = tasks().find(|t| t.waits == Some(Wait::Review));
    let mut help = Vec::new();
    if let Some(task) = asks {
        help.push(format!(
            "without a terminal: `teamtui resume {run} --answer {}=yes{flags}`; for good: give the question a `default`",
            task.reference
        ));
    }
    if let Some(TaskView { reference: name, .. }) = reviewed {
        help.push(format!("accept {name}: `teamtui resume {run} --approve {name}{flags}`"));
        help.push(format!("return it: `teamtui resume {run} --send-back {name}=\"FEEDBACK\"{flags}`"));
    }
    help
}

/// Is it a task that failed or is stale, and has output to show?
pub fn has_failed(task: &TaskView) -> bool {
    matches!(task.status, Status::Failed | Status::Stale)
        && task.replaced_by.is_none()
        && !task.attempts.is_empty()
}
