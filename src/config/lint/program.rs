//! Programs and folders that are not there: the attempt would fail.

use std::path::Path;

use crate::config::declare::AgentDecl;
use crate::config::report::Report;
use crate::config::resolve::{Chair, Context, Work};
use crate::config::shell::pipelines;
use crate::config::string::Text;

/// Members find this program on their PATH, wherever it is.
const OWN: &str = "teamtui";

/// Commands that a POSIX shell has itself.
const BUILTINS: [&str; 34] = [
    ".", ":", "[", "alias", "bg", "break", "cd", "continue", "echo", "eval", "exit", "export", "false", "fg",
    "getopts", "hash", "jobs", "kill", "local", "printf", "pwd", "read", "readonly", "return", "set",
    "shift", "source", "test", "times", "trap", "true", "type", "umask", "unset",
];

/// Warns of each program of a task that is not there.
pub(super) fn check_programs(work: &Work, context: &Context<'_>, report: &mut Report<'_>) {
    let Some(agent) = &work.agent else { return };
    let would = if work.decl.optional { " (optional) would fail" } else { " would fail" };
    let place = Place { label: &work.label, would, folder: &work.folder, is_first: work.edges.is_empty() };
    check(agent, &work.decl.checks, &place, context, report);
}

/// Warns of each program of a member without a task of its own: it is started for a review, or for what it is assigned.
pub(super) fn check_chair(chair: &Chair, context: &Context<'_>, report: &mut Report<'_>) {
    let cwd = chair.agent.cwd.as_ref().map(|cwd| context.path(&cwd.value));
    let folder = cwd.unwrap_or_else(|| context.workspace.clone());
    let label = chair.name.as_str();
    let place = Place { label, would: " would fail", folder: &folder, is_first: false };
    check(&chair.agent, &[], &place, context, report);
}

/// Where programs are looked for, and whose they are.
struct Place<'a> {
    label: &'a str,
    would: &'a str,
    folder: &'a str,
    /// It waits for nobody who could still make a program.
    is_first: bool,
}

fn check(
    agent: &AgentDecl,
    checks: &[Text],
    place: &Place<'_>,
    context: &Context<'_>,
    report: &mut Report<'_>,
) {
    // Its own PATH is not this one.
    if agent.env.iter().any(|entry| entry.value.starts_with("PATH=")) {
        return;
    }
    let look = |text: &Text, range: std::ops::Range<usize>, report: &mut Report<'_>| {
        let program = text.value.get(range.clone()).unwrap_or_default();
        let Some(missing) = missing(program, place, context) else { return };
        let message = format!("{missing}; {}{}", place.label, place.would);
        report.warning("missing_program", &text.range(range), &message, &[]);
    };
    if let Some(program) = agent.argv.as_ref().and_then(|argv| argv.value.first()) {
        look(program, 0..program.value.len(), report);
    }
    for line in agent.run.iter().chain(checks) {
        for pipeline in pipelines(&line.value) {
            let programs = pipeline.commands.iter().filter_map(|command| command.words.first());
            for program in programs.filter(|word| word.plain && !BUILTINS.contains(&word.text.as_str())) {
                // A quoted program is not looked at: its place in the line is not its name.
                if line.value.get(program.at.clone()) == Some(program.text.as_str()) {
                    look(line, program.at.clone(), report);
                }
            }
        }
    }
}

/// Warns of a folder to work in that is not there.
pub(super) fn check_folder(agent: &AgentDecl, chair: &str, context: &Context<'_>, report: &mut Report<'_>) {
    let Some(cwd) = &agent.cwd else { return };
    let folder = context.path(&cwd.value);
    if !context.options.probe.is_folder(Path::new(&folder)) {
        let message = format!("`{folder}` is no folder here; {chair} would fail");
        report.warning("missing_folder", &cwd.at, &message, &[]);
    }
}

/// What is missing, in words. A path in the workspace of a task that waits for others may still be made by these.
fn missing(program: &str, place: &Place<'_>, context: &Context<'_>) -> Option<String> {
    let is_path = program.contains('/');
    let may_be_made = is_path && !program.starts_with('/') && !place.is_first;
    if program.is_empty()
        || program == OWN
        || program.contains('\0')
        || may_be_made
        || context.options.probe.has_program(program, Path::new(place.folder))
    {
        return None;
    }
    Some(if is_path {
        format!("`{program}` is no program here")
    } else {
        format!("`{program}` is not on PATH here")
    })
}
