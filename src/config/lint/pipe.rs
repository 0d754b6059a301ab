//! A pipe hides a failure: the shell takes the exit of its last command alone.

use crate::config::report::Report;
use crate::config::shell::{Command, Pipeline, pipelines};
use crate::config::string::Text;

/// Commands that have nothing to fail at.
const HARMLESS: [&str; 4] = ["echo", "printf", ":", "true"];
/// Filters that take the file they read as their last argument.
const TAKES_FILE: [&str; 16] = [
    "awk", "cat", "cut", "egrep", "fgrep", "grep", "head", "jq", "less", "nl", "rg", "sed", "sort", "tac",
    "tail", "wc",
];
/// Longest second command that help repeats whole, in characters.
const MAX_SHOWN: usize = 24;

/// Warns of the first pipe of a line whose exit counts and hides that of another command.
pub(super) fn check_pipes(label: &str, run: &Text, report: &mut Report<'_>) {
    if run.value.contains("pipefail") {
        return;
    }
    let pipelines = pipelines(&run.value);
    let hiding =
        pipelines.iter().find(|pipeline| matches!(pipeline.end, "" | "&&") && hidden(pipeline).is_some());
    let Some((pipeline, first)) = hiding.and_then(|pipeline| Some((pipeline, hidden(pipeline)?))) else {
        return;
    };
    let (Some(last), Some(second)) = (program(pipeline.commands.last()), pipeline.commands.get(1)) else {
        return;
    };
    let Some(start) = first.words.first() else { return };
    let (shown, end) = head(first);
    let message = if pipeline.end.is_empty() {
        format!("a pipe hides a failure: the exit of {label} is that of `{last}`")
    } else {
        format!("a pipe hides a failure: whether {label} goes on is decided by `{last}` alone")
    };
    let more = if first.words.len() > shown.split(' ').count() { " ..." } else { "" };
    let then = if pipeline.commands.len() > 2 { " | ..." } else { "" };
    // Every filter reads its standard input; few take the name of a file.
    let takes_file = program(Some(second)).is_some_and(|word| TAKES_FILE.contains(&word));
    let from = if takes_file && !second.words.iter().any(|word| word.text == "-") { "" } else { "< " };
    let help = format!(
        "let `{}` write to a file first, so that its exit counts: `{shown}{more} > f && {} {from}f{then}`",
        start.text,
        rest(second, &run.value)
    );
    report.warning("pipe", &run.range(start.at.start..end), &message, &[help]);
}

/// The first command of a pipe whose failure is hidden.
fn hidden(pipeline: &Pipeline) -> Option<&Command> {
    let (_, before) = pipeline.commands.split_last()?;
    let first = before.first()?;
    let all_harmless =
        before.iter().all(|command| program(Some(command)).is_some_and(|word| HARMLESS.contains(&word)));
    (!all_harmless).then_some(first)
}

fn program(command: Option<&Command>) -> Option<&str> {
    command?.words.first().map(|word| word.text.as_str())
}

/// The program and its subcommand, and where they end.
fn head(command: &Command) -> (String, usize) {
    let mut words = command.words.iter();
    let Some(first) = words.next() else { return (String::new(), 0) };
    let second =
        words.next().filter(|word| word.plain && word.text.starts_with(|c: char| c.is_ascii_alphabetic()));
    match second {
        Some(second) => (format!("{} {}", first.text, second.text), second.at.end),
        None => (first.text.clone(), first.at.end),
    }
}

fn rest(command: &Command, line: &str) -> String {
    let (Some(first), Some(last)) = (command.words.first(), command.words.last()) else {
        return String::new();
    };
    let whole = line.get(first.at.start..last.at.end).unwrap_or_default();
    if whole.chars().count() <= MAX_SHOWN { whole.to_owned() } else { format!("{} ...", first.text) }
}
