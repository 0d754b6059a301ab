//! The report of a run as text: its table, the output of what failed, the summary, and what to do next.
use crate::domain::view::{Columns, Ending, Line, RunView, TaskView, TeamView, Tint, ending, phrase};
use crate::script::output::{self, OutputTail};
use crate::script::page::Page;
use crate::text::{self, quantity};
use std::io::{self, Write};

/// Lines of a longer result below the table; the rest is counted.
pub const RESULT_LINES: usize = 40;
/// Tasks whose output is shown; further ones are named. Reason: a person reads the first few.
pub const MAX_BLOCKS: usize = 50;

/// The first line of a run: `run 41: ci, 7 tasks, parallel 4, time cap 30m`.
pub fn opening(out: &mut dyn Write, page: &Page, view: &RunView, team: &TeamView) -> io::Result<()> {
    let tasks = phrase::plural(team.counts.total, "task", "tasks");
    let mut line = format!("{}: {}, {tasks}, parallel {}", view.title(), team.name, team.parallel);
    if let Some(ms) = team.time_ms {
        line.push_str(&format!(", time cap {}", phrase::terse(ms)));
    }
    if let Some(micros) = team.money_micros {
        line.push_str(&format!(", money cap {} USD", quantity::money(micros)));
    }
    page.line(out, &Line::from(line))
}

/// The report: for each team a head line, a row per task, and the longer results of tasks nothing depends on.
pub fn report(out: &mut dyn Write, page: &Page, view: &RunView) -> io::Result<()> {
    let is_alone = view.teams.len() == 1;
    for team in &view.teams {
        // Alone it has the time of the run, as the summary does.
        let took = quantity::duration(if is_alone { view.elapsed_ms } else { team.took_ms });
        let tint = if team.is_complete() { Tint::Good } else { Tint::Bad };
        let head = Line::new()
            .and(Tint::Plain, format!("{}: {}, ", view.title(), team.name))
            .and(tint, team.headline())
            .and(Tint::Plain, format!(", {took}"));
        page.line(out, &head)?;
        let columns = Columns::table(team.tasks.iter());
        for task in &team.tasks {
            page.line(out, &columns.row(task))?;
        }
        for task in team.counted().filter(|t| t.is_leaf) {
            result(out, page, view, task)?;
        }
    }
    Ok(())
}

fn result(out: &mut dyn Write, page: &Page, view: &RunView, task: &TaskView) -> io::Result<()> {
    let Some(text) = task.long_result() else { return Ok(()) };
    let block = text.block();
    let total = block.trim_end().lines().count();
    for line in block.lines().take(total.min(RESULT_LINES)) {
        prefixed(out, page, &task.label, &text::cut(line, output::MAX_COLUMNS))?;
    }
    if total > RESULT_LINES {
        let all = quantity::count(u64::try_from(total).unwrap_or(u64::MAX));
        let whole = whole(view, task, "");
        prefixed(
            out,
            page,
            &task.label,
            &format!("(the first {RESULT_LINES} of {all} lines; all of it: `{whole}`)"),
        )?;
    }
    Ok(())
}

/// The end of the output of each task that failed or is stale, required ones first.
pub fn failed_output(
    out: &mut dyn Write,
    page: &Page,
    view: &RunView,
    tails: &dyn OutputTail,
    rows: usize,
    flags: &str,
) -> io::Result<()> {
    let tasks = failed(view);
    for task in tasks.iter().take(MAX_BLOCKS) {
        let Some(attempt) = task.attempts.last() else { continue };
        page.line(out, &Line::from(format!("{}:", output::heading(task, attempt))))?;
        for row in output::rows(tails, attempt.id, rows, &whole(view, task, flags)) {
            prefixed(out, page, &task.label, &row)?;
        }
    }
    match tasks.get(MAX_BLOCKS..) {
        Some(rest) if !rest.is_empty() => {
            let labels: Vec<String> = rest.iter().map(|t| t.label.clone()).collect();
            page.line(out, &Line::from(format!("output is left out of {}", phrase::list(&labels))))
        }
        _ => Ok(()),
    }
}

/// Tasks that failed or are stale and have output, required ones first, then by team and number.
pub fn failed(view: &RunView) -> Vec<&TaskView> {
    let mut tasks: Vec<&TaskView> =
        view.teams.iter().flat_map(|t| &t.tasks).filter(|t| ending::has_failed(t)).collect();
    tasks.sort_by_key(|t| !t.required);
    tasks
}

/// The command that prints all output of a task's member.
pub fn whole(view: &RunView, task: &TaskView, flags: &str) -> String {
    format!("teamtui log {}{}{flags}", task.reference, view.run_flag())
}

/// `summary:` and `help:` lines, and the command that goes on where there is one.
pub fn end(out: &mut dyn Write, page: &Page, view: &RunView, flags: &str) -> io::Result<()> {
    let ending = Ending::of(view, flags);
    page.line(out, &Line::from(format!("summary: {}", ending.summary)))?;
    for help in &ending.help {
        page.whole(out, &Line::from(format!("help: {help}")))?;
    }
    match &ending.command {
        Some(command) => page.whole(out, &Line::from(command.as_str())),
        None => Ok(()),
    }
}

fn prefixed(out: &mut dyn Write, page: &Page, name: &str, row: &str) -> io::Result<()> {
    page.line(out, &Line::new().and(Tint::Name, name).and(Tint::Plain, format!(" | {row}")))
}
