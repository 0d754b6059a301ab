//! From an agent's keys to how it runs: the driver, and that its keys go together.

use std::path::{Path, PathBuf};

use super::Context;
use crate::config::declare::AgentDecl;
use crate::config::report::{At, Report};
use crate::config::schema::{DRIVERS, MODEL_DRIVERS};
use crate::config::string::Text;
use crate::domain::{AgentSpec, Driver, Line};
use crate::text::nearest;

/// Reports keys of one table that contradict each other; without an error its driver may still be unsaid.
pub(super) fn check_keys(decl: &AgentDecl, report: &mut Report<'_>) {
    let lines = decl.line_keys();
    if let [(first, at), (second, second_at), ..] = lines.as_slice() {
        let message =
            format!("`{second}` and `{first}` exclude each other: `{first}` is at {}", report.line_col(at));
        report.error("conflict", second_at, &message, &["keep one of `run`, `argv` and `script`".to_owned()]);
        return;
    }
    let Some(driver) = &decl.driver else { return check_unfit(decl, report) };
    if !DRIVERS.contains(&driver.value.as_str()) {
        return refuse_driver(driver, report);
    }
    let Some((key, at)) = lines.first() else { return check_unfit(decl, report) };
    let follows = if *key == "script" { "scripted" } else { "process" };
    if driver.value != follows {
        let message = format!("driver `{}` has no `{key}`: that is for `{follows}`", driver.value);
        report.error("conflict", at, &message, &[format!("take out `{key}`, or `driver`")]);
        return;
    }
    check_unfit(decl, report);
}

/// Whose chair it is: what messages call it, and what it may do.
#[derive(Clone, Copy)]
pub(super) struct Seat<'a> {
    /// The name that messages have.
    pub name: &'a str,
    /// It may be the lead's.
    pub is_lead: bool,
}

/// How an agent runs. None: an error was reported. `at`: where its chair stands.
pub(super) fn resolve(
    decl: &AgentDecl,
    seat: Seat<'_>,
    at: &At,
    context: &Context<'_>,
    report: &mut Report<'_>,
) -> Option<AgentSpec> {
    if decl.is_broken {
        return None;
    }
    let chair = seat.name;
    let driver = driver(decl, seat, at, context, report)?;
    let defaults = AgentSpec::new(driver);
    if let Some(time) = decl.time.as_ref().filter(|time| time.value == 0) {
        report.error(
            "unmet_limit",
            &time.at,
            &format!("with `time` 0 an attempt of {chair} ends at once"),
            &[],
        );
    }
    for entry in &decl.env {
        check_env(entry, report);
    }
    let exits = decl.exit.as_ref().map(|said| said.value.clone());
    Some(AgentSpec {
        instructions: decl.instructions.as_ref().map(|text| text.value.as_str().into()),
        env: decl.env.iter().map(|text| text.value.clone()).collect(),
        cwd: decl.cwd.as_ref().map(|text| context.path(&text.value)),
        time_ms: decl.time.as_ref().map_or(defaults.time_ms, |said| Some(said.value)),
        stall_ms: decl.stall.as_ref().map_or(defaults.stall_ms, |said| said.value),
        stall_action: decl.stall_action.unwrap_or(defaults.stall_action),
        stop: decl.stop.unwrap_or(defaults.stop),
        steps: decl.steps.unwrap_or(defaults.steps),
        rerun: decl.rerun.unwrap_or(defaults.rerun),
        retries: decl.retries.unwrap_or(defaults.retries),
        cost_micros: decl.cost.as_ref().map_or(defaults.cost_micros, |said| said.value),
        exit: exits.unwrap_or_default(),
        unconfirmed: decl.unconfirmed.unwrap_or(defaults.unconfirmed),
        driver: defaults.driver,
    })
}

/// Reports an entry of `env` that is none of `NAME`, `PREFIX_*` and `NAME=value`.
pub(super) fn check_env(entry: &Text, report: &mut Report<'_>) {
    let (name, value) = match entry.value.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (entry.value.as_str(), None),
    };
    let bare = if value.is_none() { name.strip_suffix('*').unwrap_or(name) } else { name };
    let first = bare.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    let rest = bare.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !first || !rest || value.is_some_and(|value| value.contains('\0')) {
        let help = "write `NAME`, `PREFIX_*` or `NAME=value`".to_owned();
        report.error("bad_env", &entry.at, &format!("`{}` names no environment", entry.value), &[help]);
    } else if value.is_some() && name.starts_with("TEAMTUI_") {
        report.error("bad_env", &entry.at, &format!("`{name}` is given to every member already"), &[]);
    }
}

fn driver(
    decl: &AgentDecl,
    seat: Seat<'_>,
    at: &At,
    context: &Context<'_>,
    report: &mut Report<'_>,
) -> Option<Driver> {
    let chair = seat.name;
    let stdin = decl.stdin.as_ref().map(|said| said.value).unwrap_or_default();
    let needs = |what: &str, report: &mut Report<'_>| {
        let said_at = decl.driver.as_ref().map_or(at, |text| &text.at);
        report.error("missing_key", said_at, &format!("{chair} has no {what}"), &[]);
        None
    };
    match decl.driver_word() {
        Some("process") => match (&decl.run, &decl.argv) {
            (Some(run), _) => {
                check_line(run, "run", report);
                Some(Driver::Process { line: Line::Run(run.value.clone()), stdin })
            }
            (None, Some(argv)) => {
                check_argv(&argv.value, &argv.at, report);
                let words = argv.value.iter().map(|word| word.value.clone()).collect();
                Some(Driver::Process { line: Line::Argv(words), stdin })
            }
            (None, None) => needs("`run` or `argv`, and driver `process` needs one", report),
        },
        Some("scripted") => match &decl.script {
            Some(script) => {
                check_script(&script.value, &script.at, seat.is_lead, context, report);
                let lines = |list: &Vec<Text>| list.iter().map(|line| line.value.clone()).collect();
                Some(Driver::Scripted(script.value.iter().map(lines).collect()))
            }
            None => needs("`script`, and driver `scripted` needs one", report),
        },
        Some("human") => Some(Driver::Human),
        Some(_) => None,
        None => {
            let help = "say `run`, `argv`, `script`, `agent = \"NAME\"` or `driver = \"human\"`".to_owned();
            report.error("no_driver", at, &format!("nothing says how {chair} runs"), &[help]);
            None
        }
    }
}

fn check_unfit(decl: &AgentDecl, report: &mut Report<'_>) {
    if let Some(key) = &decl.model {
        let message = format!("key `{}` is for drivers with a model, and this build has none", key.value);
        report.error("no_such_driver", &key.at, &message, &[drivers()]);
    }
    let Some(word @ ("scripted" | "human")) = decl.driver_word() else { return };
    let stdin = decl.stdin.as_ref().map(|said| ("stdin", &said.at));
    let exit = decl.exit.as_ref().map(|said| ("exit", &said.at));
    for (key, at) in [stdin, exit].into_iter().flatten() {
        let message = format!("`{key}` is for processes, and this one is {word}");
        report.error("conflict", at, &message, &[format!("take out `{key}`")]);
    }
}

fn refuse_driver(driver: &Text, report: &mut Report<'_>) {
    let word = driver.value.as_str();
    if MODEL_DRIVERS.contains(&word) {
        let message = format!("driver `{word}` talks to a model, and this build has no such driver");
        let other = "run the model's own command: `run = \"...\"` with `stdin = \"prompt\"`".to_owned();
        report.error("no_such_driver", &driver.at, &message, &[drivers(), other]);
        return;
    }
    let help = match nearest(word, DRIVERS) {
        Some(near) => format!("did you mean `{near}`?"),
        None => drivers(),
    };
    report.error("unknown_driver", &driver.at, &format!("unknown driver `{word}`"), &[help]);
}

fn drivers() -> String {
    format!("there are {}", DRIVERS.join(", "))
}

fn check_line(line: &Text, key: &str, report: &mut Report<'_>) {
    if line.value.trim().is_empty() {
        report.error("empty", &line.at, &format!("`{key}` is empty"), &[]);
    } else if line.value.contains('\0') {
        let message = format!("`{key}` holds a NUL character, which no command can have");
        report.error("bad_value", &line.at, &message, &[]);
    }
}

fn check_argv(words: &[Text], at: &At, report: &mut Report<'_>) {
    match words.first() {
        None => report.error("empty", at, "`argv` is empty: its first word is the program", &[]),
        Some(program) => check_line(program, "argv", report),
    }
    for word in words.iter().skip(1).filter(|word| word.value.contains('\0')) {
        check_line(word, "argv", report);
    }
}

fn check_script(lists: &[Vec<Text>], at: &At, is_lead: bool, context: &Context<'_>, report: &mut Report<'_>) {
    if lists.iter().any(Vec::is_empty) {
        report.error("empty", at, "`script` has no lines", &["end it with `\"complete\"`".to_owned()]);
    }
    for line in lists.iter().flatten() {
        if let Err((range, why, help)) = context.options.scripts.check(&line.value, is_lead) {
            report.error("script", &line.range(range), &why, &help);
        }
    }
}

impl Context<'_> {
    /// A path of the file, absolute.
    pub fn path(&self, written: &str) -> String {
        flat(&self.folder.join(written)).to_string_lossy().into_owned()
    }
}

/// A path without `.` and `..`, by its words alone.
pub(in crate::config) fn flat(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => drop(out.pop()),
            part => out.push(part),
        }
    }
    out
}
