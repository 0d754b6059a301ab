//! Which command takes which option: one that would be ignored is refused, since whoever gave it meant something.
use super::args::{Cli, Command};
use super::call::Failed;

/// How `teamtui --script FILE` is named here; the screen has no name.
const SCRIPT: &str = "--script FILE";

/// Every option that not every command takes, and who takes it.
const TAKEN: &[(&str, &[&str])] = &[
    ("--set", &[SCRIPT, "lint"]),
    ("--limit", &[SCRIPT, "lint", "resume"]),
    ("--only", &[SCRIPT, "lint"]),
    ("--retries", &[SCRIPT, "lint"]),
    ("--fail-fast", &[SCRIPT]),
    ("--keep-going", &[SCRIPT]),
    ("--virtual-time", &[SCRIPT]),
    ("--format", &[SCRIPT, "resume", "lint", "report", "verify", "replay"]),
    ("--junit", &[SCRIPT, "resume"]),
    ("--tail", &[SCRIPT, "resume", "log"]),
    ("--verbose", &[SCRIPT, "resume", "status"]),
    ("--run", &["status", "log", "why", "report", "export", "do"]),
];

/// Refuses the first option that the command does not take.
pub fn belong(cli: &Cli) -> Result<(), Failed> {
    let command = name(cli);
    let runs = cli.run.given();
    let given = runs.iter().copied().chain(cli.print.given()).chain(cli.at.given());
    let Some(option) = given.into_iter().find(|option| !takes(command, option)) else { return Ok(()) };
    if runs.contains(&option) {
        return Err(Failed::usage(format!("`{option}` says how a file is run, and no file is run here"))
            .help(format!("`teamtui --script FILE {option} ..`")));
    }
    let commands: Vec<String> = takers(option).iter().map(|name| format!("`teamtui {name}`")).collect();
    let shown = format!("teamtui {command}");
    Err(Failed::usage(format!("`{}` takes no `{option}`", shown.trim_end()))
        .help(format!("it is for {}", commands.join(", "))))
}

/// Does the command take the option? `--state` and `--color` are for all.
pub fn takes(command: &str, option: &str) -> bool {
    let is_listed = TAKEN.iter().any(|(name, _)| *name == option);
    !is_listed || takers(option).contains(&command)
}

fn takers(option: &str) -> &'static [&'static str] {
    TAKEN.iter().find(|(name, _)| *name == option).map_or(&[], |(_, commands)| *commands)
}

/// The command as it is typed.
fn name(cli: &Cli) -> &'static str {
    let Some(command) = &cli.command else { return if cli.script.is_some() { SCRIPT } else { "" } };
    match command {
        Command::Serve => "serve",
        Command::Resume { .. } => "resume",
        Command::Lint { .. } => "lint",
        Command::Do { .. } => "do",
        Command::Status { .. } => "status",
        Command::Log { .. } => "log",
        Command::Why { .. } => "why",
        Command::Runs { .. } => "runs",
        Command::Report => "report",
        Command::Export { .. } => "export",
        Command::Import { .. } => "import",
        Command::Verify { .. } => "verify",
        Command::Replay { .. } => "replay",
        Command::Init { .. } => "init",
        Command::Help { .. } => "help",
        Command::Completions { .. } => "completions",
        Command::Man => "man",
    }
}
