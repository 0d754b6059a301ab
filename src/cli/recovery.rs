//! What `resume` says first: the run, and what is kept of it; of one whose owner died, what was found.
use super::call::{Call, Failed};
use super::look;
use super::place;
use crate::domain::state::{Phase, State};
use crate::domain::view::{Columns, Line, RunView, TaskView, TeamView, Tint};
use crate::domain::{Outcome, Seq, TaskNo, TeamId};
use crate::runtime::read_facts;
use crate::script::report::text;
use crate::store::RunDir;
use crate::text::quantity::duration;
use std::time::{SystemTime, UNIX_EPOCH};

/// When the last fact of a run was recorded, ms since 1970; none where that cannot be read.
pub async fn last_at_ms(run: &RunDir, last: Seq) -> Option<u64> {
    let run = run.clone();
    let read = tokio::task::spawn_blocking(move || {
        let mut at_ms = None;
        let read = read_facts(&run, last, |facts| {
            at_ms = facts.last().map(|fact| fact.at_ms).or(at_ms);
            true
        });
        read.ok().and(at_ms)
    });
    read.await.ok().flatten()
}

/// Says it on standard error. `before`: as it was found; `after`: as its new owner has it.
pub fn head(
    call: &mut Call<'_>,
    run: &RunDir,
    before: &State,
    after: &State,
    last_at_ms: Option<u64>,
) -> Result<(), Failed> {
    if before.run.closed.is_some() {
        let (page, view) = (call.terminal.err, RunView::of(after, after.elapsed_ms));
        for team in view.teams.iter().filter(|team| !team.stage.is_ended()) {
            // What stderr does not take is not said.
            let _ = text::opening(call.err, &page, &view, team);
        }
        return Ok(());
    }
    call.say(&found(run, before, last_at_ms));
    let view = RunView::of(before, before.elapsed_ms);
    for team in view.teams.iter().filter(|team| !team.stage.is_ended()) {
        let columns = Columns::table(team.tasks.iter());
        for line in team.tasks.iter().filter_map(|task| row(&columns, team, task, after)) {
            let line = call.terminal.err.paint(&line);
            call.say(&line);
        }
    }
    Ok(())
}

/// `recovered run 48: not closed; last fact seq 71 at 1m05s (19:41:05), down 4m12s`.
fn found(run: &RunDir, before: &State, last_at_ms: Option<u64>) -> String {
    let now_ms = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let down = |at_ms| duration(u64::try_from(now_ms).unwrap_or(u64::MAX).saturating_sub(at_ms));
    let when = last_at_ms.map(|at_ms| format!(" ({}), down {}", place::clock(at_ms), down(at_ms)));
    format!(
        "recovered {}: not closed; last fact seq {} at {}{}",
        look::title(run.name()),
        before.seq.0,
        duration(before.elapsed_ms),
        when.unwrap_or_default()
    )
}

/// What is kept, and what was in flight.
fn row(columns: &Columns, team: &TeamView, task: &TaskView, after: &State) -> Option<Line> {
    match &task.shown {
        Some(shown) if shown.outcome.is_none() => {
            let (word, detail) = came_to(after, team.id, task.number, shown.nth)?;
            Some(columns.row_as(task, word, Tint::Warn, &detail))
        }
        Some(_) if task.vouched => Some(columns.row_as(task, task.word(), task.tint(), "kept")),
        _ => None,
    }
}

/// What an attempt that was live came to when the run was recovered. A person's goes on.
fn came_to(after: &State, team: TeamId, number: TaskNo, nth: u32) -> Option<(&'static str, String)> {
    let task = after.task(team, number)?;
    let outcome = task.attempts.iter().find(|record| record.nth == nth)?.outcome;
    // The next attempt may be over by now.
    let again = task.begun > nth || task.phase == Phase::Waiting;
    Some(match outcome {
        Outcome::Unknown => ("unknown", "may or may not have finished: stale, your choice".to_owned()),
        _ if again => ("interrupted", format!("safe: starts again, as attempt {}", nth.saturating_add(1))),
        _ => ("interrupted", "stale, your choice".to_owned()),
    })
}
