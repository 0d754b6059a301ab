//! The report under GitHub Actions: output in groups that cannot be read as commands, annotations, a step summary.
use super::text::{MAX_BLOCKS, failed, whole};
use crate::domain::Status;
use crate::domain::view::{RunView, TaskView, TeamView, ending};
use crate::script::output::{self, OutputTail};
use crate::text::{ci, quantity};
use std::io::{self, Write};

/// Annotations of one kind; GitHub shows no more of a step.
pub const MAX_ANNOTATIONS: usize = 10;
/// Rows of the table in a step summary; the rest is counted. Reason: GitHub takes 1 MiB a step.
pub const MAX_SUMMARY_ROWS: usize = 1_000;

/// The end of the output of each task that failed or is stale, each in a group between stop-commands.
///
/// `token` is random: without it no line of the output ends the stop.
pub fn failed_output(
    out: &mut dyn Write,
    view: &RunView,
    tails: &dyn OutputTail,
    rows: usize,
    token: &str,
    flags: &str,
) -> io::Result<()> {
    for task in failed(view).into_iter().take(MAX_BLOCKS) {
        let Some(attempt) = task.attempts.last() else { continue };
        writeln!(out, "::group::{}", data(&output::heading(task, attempt)))?;
        writeln!(out, "::stop-commands::{token}")?;
        for row in output::rows(tails, attempt.id, rows, &whole(view, task, flags)) {
            let line = format!("{} | {row}", task.label);
            writeln!(out, "{}", ci::neutralise(&line).trim_end())?;
        }
        writeln!(out, "::{token}::")?;
        writeln!(out, "::endgroup::")?;
    }
    Ok(())
}

/// One annotation per failed, stale or held task: errors for required ones, then warnings, at most 10 of each.
pub fn annotations(out: &mut dyn Write, view: &RunView) -> io::Result<()> {
    let tasks = || view.teams.iter().flat_map(|team| team.counted().map(move |t| (team, t)));
    let wrong = |t: &TaskView| t.status.is_settled() || t.is_held();
    for (kind, required) in [("error", true), ("warning", false)] {
        let of_kind = tasks().filter(|(_, t)| wrong(t) && t.required == required);
        for (team, task) in of_kind.take(MAX_ANNOTATIONS) {
            let optional = if task.optional { " (optional)" } else { "" };
            let title = property(&format!("{} {}{optional}", task.label, task.word()));
            let message = data(&format!("{}: {}", team.name, message(task)));
            writeln!(out, "::{kind} title={title}::{message}")?;
        }
    }
    Ok(())
}

/// The message of one of our commands: nothing in it is another.
fn data(text: &str) -> String {
    ci::escape_data(&ci::neutralise(text))
}

/// The value of a property of one of our commands.
fn property(text: &str) -> String {
    ci::escape_property(&ci::neutralise(text))
}

/// `attempt 2/2, exit 100 after 46.1s`, or what holds it.
fn message(task: &TaskView) -> String {
    let because = task.because().unwrap_or_else(|| task.word().to_owned());
    match &task.shown {
        Some(attempt) if !task.is_held() => {
            let took = quantity::duration(attempt.took_ms);
            format!("attempt {}, {because} after {took}", attempt.fraction())
        }
        _ => because,
    }
}

/// The step summary, in Markdown.
pub fn step_summary(out: &mut dyn Write, view: &RunView, flags: &str) -> io::Result<()> {
    for team in &view.teams {
        writeln!(out, "### {}: {}", escaped(&team.name), escaped(&team.headline()))?;
    }
    writeln!(out, "{}", escaped(&ending::summary(view)))?;
    for team in &view.teams {
        writeln!(out)?;
        table(out, team)?;
    }
    writeln!(out)?;
    let title = view.run.map_or_else(|| "The standing run.".to_owned(), |n| format!("Run {n}."));
    match ending::next(view) {
        Some(command) => {
            let what = if command.ends_with("--failed") { "Try the failed tasks again" } else { "Go on" };
            writeln!(out, "{title} {what}: `{command}{flags}`")
        }
        None => writeln!(out, "{title}"),
    }
}

fn table(out: &mut dyn Write, team: &TeamView) -> io::Result<()> {
    writeln!(out, "| # | task | status | attempt | took | |")?;
    writeln!(out, "|--:|---|---|---|--:|---|")?;
    for task in team.tasks.iter().take(MAX_SUMMARY_ROWS) {
        writeln!(out, "{}", row(task))?;
    }
    match team.tasks.len().checked_sub(MAX_SUMMARY_ROWS) {
        Some(more @ 1..) => writeln!(out, "\nand {more} more tasks"),
        _ => Ok(()),
    }
}

fn row(task: &TaskView) -> String {
    let bad = matches!(task.status, Status::Failed | Status::Stale) || task.is_held();
    let word = task.word();
    let cells = [
        task.number.to_string(),
        escaped(&task.label),
        if bad && task.is_against() { format!("**{}**", escaped(word)) } else { escaped(word) },
        task.shown.as_ref().map(|a| a.fraction()).unwrap_or_default(),
        task.shown.as_ref().map(|a| quantity::duration(a.took_ms)).unwrap_or_default(),
        escaped(&task.detail()),
    ];
    let cell = |text: &String| if text.is_empty() { " |".to_owned() } else { format!(" {text} |") };
    format!("|{}", cells.iter().map(cell).collect::<String>())
}

/// Text that Markdown reads as text, also in a table: nothing of it becomes a link, a tag or an image.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '$' => out.extend(['\\', c]),
            _ => out.push(c),
        }
    }
    out.replace("://", ":&#8203;//").replace('@', "&#64;")
}
