//! What is wrong with the arguments, in the words that every error here has.
use super::args::Cli;
use super::call::Failed;
use crate::text::{self, sanitise};
use crate::verbs;
use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

/// An error of the arguments: `error: WHAT`, the nearest that there is.
pub fn failed(error: &Error) -> Failed {
    let invalid = word(error, ContextKind::InvalidArg);
    match error.kind() {
        ErrorKind::InvalidSubcommand => subcommand(&word(error, ContextKind::InvalidSubcommand)),
        ErrorKind::UnknownArgument => unknown(error, &invalid),
        ErrorKind::InvalidValue => {
            let value = word(error, ContextKind::InvalidValue);
            let (name, _) = invalid.split_once(' ').unwrap_or((&invalid, ""));
            if value.is_empty() {
                return Failed::usage(format!("`{name}` needs a value")).help(format!("`{invalid}`"));
            }
            let there_are = words(error, ContextKind::ValidValue).join(", ");
            Failed::usage(format!("`{value}` is no value of `{name}`"))
                .help(format!("there are: {there_are}"))
        }
        ErrorKind::ValueValidation => {
            let value = word(error, ContextKind::InvalidValue);
            let (name, form) = invalid.split_once(' ').unwrap_or((&invalid, ""));
            Failed::usage(format!("`{value}` is no value of `{name}`")).help(format!("`{name} {form}`"))
        }
        ErrorKind::MissingRequiredArgument => {
            let missing: Vec<String> =
                words(error, ContextKind::InvalidArg).iter().map(|arg| format!("`{arg}`")).collect();
            Failed::usage(format!("missing: {}", missing.join(", "))).help(usage_of(error))
        }
        _ => Failed::usage(first_line(error)).help("all there is: `teamtui --help`"),
    }
}

fn subcommand(word: &str) -> Failed {
    let failed = Failed::usage(format!("there is no command `{word}`"));
    if verbs::find(word).is_some() {
        return failed
            .help(format!("it is told to a live team: `teamtui do {word} ..`; `teamtui help {word}`"));
    }
    if std::path::Path::new(word).is_file() {
        let pasted = text::shell_word(word).unwrap_or_else(|_| word.to_owned());
        return failed.help(format!("run a file: `teamtui --script {pasted}`"));
    }
    let cli = Cli::command();
    match text::nearest(word, cli.get_subcommands().map(clap::Command::get_name)) {
        Some(near) => failed.help(format!("did you mean `teamtui {near}`?")),
        None => failed.help("all there is: `teamtui --help`"),
    }
}

fn unknown(error: &Error, invalid: &str) -> Failed {
    if !invalid.starts_with('-') {
        return Failed::usage(format!("`{invalid}` is one argument too many")).help(usage_of(error));
    }
    if let Some((command, form)) = owner_of(invalid) {
        return Failed::usage(format!("`{invalid}` belongs to `teamtui {command}`"))
            .help(format!("`{form}`"));
    }
    let failed = Failed::usage(format!("there is no option `{invalid}`"));
    let near = words(error, ContextKind::SuggestedArg).into_iter().next();
    match near.or_else(|| nearest_flag(invalid)) {
        Some(near) => failed.help(format!("did you mean `{near}`?")),
        None => failed.help("all there is: `teamtui --help`"),
    }
}

/// The subcommand that has this option, and how the two are written.
fn owner_of(flag: &str) -> Option<(String, String)> {
    let long = flag.strip_prefix("--")?;
    let mut cli = Cli::command();
    cli.build();
    let has = |command: &&clap::Command| {
        command.get_arguments().any(|arg| arg.get_long() == Some(long) && !arg.is_global_set())
    };
    let command = cli.get_subcommands().find(has)?;
    let arg = command.get_arguments().find(|arg| arg.get_long() == Some(long))?;
    let placed = command.get_positionals().filter(|arg| arg.is_required_set()).map(|arg| format!(" {arg}"));
    let form = format!("teamtui {}{} {arg}", command.get_name(), placed.collect::<String>());
    Some((command.get_name().to_owned(), form.replace(['<', '>'], "")))
}

fn nearest_flag(word: &str) -> Option<String> {
    let mut cli = Cli::command();
    cli.build();
    let flags: Vec<String> =
        cli.get_arguments().filter_map(clap::Arg::get_long).map(|long| format!("--{long}")).collect();
    text::nearest(word, flags.iter().map(String::as_str)).map(str::to_owned)
}

/// How the command is written: `teamtui lint FILE..`.
fn usage_of(error: &Error) -> String {
    let usage = match error.get(ContextKind::Usage) {
        Some(ContextValue::StyledStr(usage)) => usage.to_string(),
        _ => String::new(),
    };
    let usage = usage.trim().trim_start_matches("Usage:").trim();
    if usage.is_empty() {
        "all there is: `teamtui --help`".to_owned()
    } else {
        format!("`{}`", sanitise::line(usage))
    }
}

fn first_line(error: &Error) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
    sanitise::line(line).trim_end_matches('.').to_owned()
}

fn word(error: &Error, kind: ContextKind) -> String {
    words(error, kind).into_iter().next().unwrap_or_default()
}

fn words(error: &Error, kind: ContextKind) -> Vec<String> {
    let harmless = |text: &String| sanitise::shown(text).into_owned();
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![harmless(text)],
        Some(ContextValue::Strings(texts)) => texts.iter().map(harmless).collect(),
        _ => Vec::new(),
    }
}
