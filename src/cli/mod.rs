//! The command line: one file a subcommand, each a client of `runtime::Handle`.
pub mod args;
mod call;
mod completions;
mod r#do;
mod export;
mod headless;
mod help;
mod history;
mod import;
mod init;
mod lint;
mod log;
mod look;
mod man;
mod option;
mod place;
mod prune;
mod recovery;
mod replay;
mod report;
mod restored;
mod resume;
mod runs;
mod screen;
mod serve;
mod signal;
mod start;
mod status;
mod usage;
mod verdict;
mod verify;
mod why;

use args::{Cli, Command, RunsCommand};
use call::{Call, Done, Failed};
use clap::Parser;
use clap::error::ErrorKind;
use std::process::ExitCode;

/// Reads the arguments, does what they say, and gives the exit code.
pub fn main() -> ExitCode {
    let mut out = std::io::stdout().lock();
    let mut err = std::io::stderr();
    let (cli, asked) = match Cli::try_parse() {
        Ok(cli) => (cli, None),
        Err(error) => (Cli::default(), Some(error)),
    };
    let mut call = Call::new(&cli, &mut out, &mut err);
    if let Some(error) = asked {
        let done = not_run(&mut call, &error);
        return ExitCode::from(call.end(done));
    }
    // One worker beside this thread: what it does is short, and a second one costs wake-ups at every start and end.
    let tokio = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let tokio = match tokio {
        Ok(tokio) => tokio,
        Err(why) => return ExitCode::from(call.end(Err(Failed::usage(format!("cannot start: {why}"))))),
    };
    let done = tokio.block_on(run(&mut call));
    let rc = call.end(done);
    tokio.shutdown_background();
    ExitCode::from(rc)
}

/// Help and version are printed; anything else is wrong with the arguments.
fn not_run(call: &mut Call<'_>, error: &clap::Error) -> Done {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let whole = || error.to_string();
            let text = match error.kind() {
                ErrorKind::DisplayHelp => std::env::args().skip(1).find_map(|word| help::subcommand(&word)),
                _ => None,
            };
            call.whole(text.unwrap_or_else(whole).trim_end())?;
            Ok(0)
        }
        _ => Err(usage::failed(error)),
    }
}

async fn run(call: &mut Call<'_>) -> Done {
    let cli = call.cli;
    if cli.script.is_none() || cli.command.is_none() {
        option::belong(cli)?;
    }
    match (&cli.script, &cli.command) {
        (Some(file), None) => Ok(headless::headless(cli, file, call.err).await),
        (Some(_), Some(_)) => {
            Err(Failed::usage("`--script FILE` and a command are two things").help("give one of them"))
        }
        (None, None) => Ok(screen::screen(cli, call.err).await),
        (None, Some(command)) => subcommand(call, command).await,
    }
}

async fn subcommand(call: &mut Call<'_>, command: &Command) -> Done {
    match command {
        Command::Serve => serve::serve(call).await,
        Command::Resume { run, failed, answers, approves, sends_back } => {
            let how = resume::How { failed: *failed, answers, approves, sends_back };
            resume::resume(call, run, how).await
        }
        Command::Do { words } => r#do::run(call, words).await,
        Command::Status { recovery: true, .. } => recovery::report(call).await,
        Command::Status { watch, .. } => status::status(call, *watch).await,
        Command::Log { member, follow, plain } => log::log(call, member.as_deref(), *follow, *plain).await,
        Command::Why { task } => why::why(call, task).await,
        Command::Runs { what: None } => runs::runs(call).await,
        Command::Runs { what: Some(RunsCommand::Prune { yes, older }) } => {
            prune::prune(call, *yes, older).await
        }
        Command::Report => report::report(call).await,
        Command::Export { script: true, .. } => export::script(call).await,
        Command::Export { words, force, .. } => export::export(call, words, *force).await,
        Command::Import { file } => import::import(call, file).await,
        Command::Verify { run } => verify::verify(call, run).await,
        Command::Replay { run, at } => replay::replay(call, run, at).await,
        Command::Lint { files } => lint::lint(call, files),
        Command::Init { file } => init::init(call, file.as_deref()),
        Command::Help { topic } => help::help(call, topic.as_deref()),
        Command::Completions { shell } => completions::completions(call, *shell),
        Command::Man => man::man(call),
    }
}
