//! What `resume` says first: the run, and what is kept of it; of one whose owner died, what was found and done (R35).
use super::call::{Call, Done, Failed};
use super::look;
use super::place;
use crate::domain::Seq;
use crate::domain::state::State;
use crate::domain::view::{Columns, Line, RecoveryView, RunView, TaskView, TeamView, Tint, recovery};
use crate::script::report::text;
use crate::store::{RunDir, RunName};
use crate::text::quantity::duration;
use std::time::{SystemTime, UNIX_EPOCH};

/// Says it on standard error. `before`: as it was found; `after`: as its new owner has it.
pub fn head(
    call: &mut Call<'_>,
    run: &RunDir,
    before: &State,
    after: &State,
    flags: &str,
) -> Result<(), Failed> {
    if before.run.closed.is_some() {
        let (page, view) = (call.terminal.err, RunView::of(after, after.elapsed_ms));
        for team in view.teams.iter().filter(|team| !team.stage.is_ended()) {
            // What stderr does not take is not said.
            let _ = text::opening(call.err, &page, &view, team);
        }
        return Ok(());
    }
    let down_ms = now_ms().checked_sub(before.at_ms).filter(|_| before.at_ms > 0);
    call.say(&found(run, (before.seq, before.elapsed_ms), before.at_ms, down_ms));
    let recovered = RecoveryView::of(after).filter(|view| view.last_seq >= before.seq);
    let view = RunView::of(before, before.elapsed_ms);
    for team in view.teams.iter().filter(|team| !team.stage.is_ended()) {
        let columns = Columns::table(team.tasks.iter());
        let rows = team.tasks.iter().filter_map(|task| row(&columns, team, task, recovered.as_ref()));
        let lines: Vec<Line> = rows.collect();
        say(call, &lines);
    }
    if let Some(recovered) = recovered {
        say(call, &recovered.aside());
        choices(call, run, (&recovered, false), flags);
    }
    Ok(())
}

/// `status --recovery`: the report of the last recovery, again.
pub async fn report(call: &mut Call<'_>) -> Done {
    let project = call.project()?;
    let look = look::seen(call, &project).await?;
    let Some(view) = RecoveryView::of(&look.state) else {
        let run = look::title(look.run.name());
        if look.handle.is_none() && !look.state.live.is_empty() {
            call.say(&format!("warning: {run} was not closed and is not recovered yet: nothing of it runs"));
            call.say(&format!(
                "help: recover it, and go on: `teamtui resume {}{}`",
                look.run.name(),
                project.flags
            ));
            return Ok(0);
        }
        call.lines(&[
            Line::new().and(Tint::Plain, format!("{run} was never found unclosed: nothing was recovered"))
        ])?;
        return Ok(0);
    };
    let head = found(&look.run, (view.last_seq, view.elapsed_ms), view.last_at_ms, view.down_ms());
    let mut lines = vec![Line::new().and(Tint::Plain, head)];
    lines.extend(view.lines(&recovery::columns(&view)));
    call.lines(&lines)?;
    let is_closed = look.state.run.closed.is_some();
    choices(call, &look.run, (&view, is_closed), &project.flags);
    Ok(0)
}

fn say(call: &mut Call<'_>, lines: &[Line]) {
    for line in lines {
        let line = call.terminal.err.paint(line);
        call.say(&line);
    }
}

/// What there is to decide, and how.
fn choices(call: &mut Call<'_>, run: &RunDir, (view, is_closed): (&RecoveryView, bool), flags: &str) {
    let choices = view.choices();
    let Some((reference, label)) = choices.first() else { return };
    if let (true, RunName::Numbered(n)) = (is_closed, run.name()) {
        return call
            .say(&format!("help: try again what failed or is stale: `teamtui resume {n} --failed{flags}`"));
    }
    let (more, again) = match choices.len() {
        1 => (String::new(), "it"),
        n => (format!(" (and {} more)", n - 1), "them"),
    };
    let (at, after) = match run.name() {
        RunName::Standing => (flags.to_owned(), String::new()),
        RunName::Numbered(n) => (
            format!(" --run {n}{flags}"),
            format!("; try {again} when this ends: `teamtui resume {n} --failed{flags}`"),
        ),
    };
    call.say(&format!("help: run {label} again now: `teamtui do{at} retry {reference}`{more}{after}"));
}

fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}

/// `recovered run 48: not closed; last fact seq 71 at 1m05s (19:41:05), down 4m12s`.
fn found(run: &RunDir, (last, elapsed_ms): (Seq, u64), last_at_ms: u64, down_ms: Option<u64>) -> String {
    let when = down_ms.map(|ms| format!(" ({}), down {}", place::clock(last_at_ms), duration(ms)));
    format!(
        "recovered {}: not closed; last fact seq {} at {}{}",
        look::title(run.name()),
        last.0,
        duration(elapsed_ms),
        when.unwrap_or_default()
    )
}

/// What is kept, and what was in flight.
fn row(
    columns: &Columns,
    team: &TeamView,
    task: &TaskView,
    recovered: Option<&RecoveryView>,
) -> Option<Line> {
    let is_live = task.shown.as_ref().is_some_and(|shown| shown.outcome.is_none());
    if is_live {
        let row = recovered?.row_of(team.id, task.number)?;
        return Some(columns.row_as(task, row.word, Tint::Warn, &row.done));
    }
    task.vouched.then(|| columns.row_as(task, task.word(), task.tint(), "kept"))
}
