//! The command line: one file a subcommand, each a client of `runtime::Handle`.
pub mod args;
mod headless;
mod place;
mod screen;
mod serve;
mod signal;

use args::Cli;
use clap::Parser;
use std::io::Write;
use std::process::ExitCode;

/// Reads the arguments, does what they say, and gives the exit code.
pub fn main() -> ExitCode {
    let mut out = std::io::stdout().lock();
    let mut err = std::io::stderr();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return ExitCode::from(usage(&error, &mut err)),
    };
    if cli.version {
        return ExitCode::from(u8::from(writeln!(out, "teamtui {}", env!("CARGO_PKG_VERSION")).is_err()));
    }
    let tokio = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let tokio = match tokio {
        Ok(tokio) => tokio,
        Err(why) => return ExitCode::from(headless::refuse(&mut err, &format!("cannot start: {why}"), &[])),
    };
    let rc = tokio.block_on(run(&cli, &mut out, &mut err));
    tokio.shutdown_background();
    ExitCode::from(rc)
}

async fn run(cli: &Cli, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    match (&cli.script, &cli.command) {
        (Some(file), None) => headless::headless(cli, file, out, err).await,
        (None, None) => screen::screen(cli, err).await,
        (None, Some(args::Command::Serve)) => serve::serve(cli, err).await,
        _ => headless::refuse(err, "that is not here yet", &[]),
    }
}

fn usage(error: &clap::Error, err: &mut dyn Write) -> u8 {
    let text = error.to_string();
    // What stderr does not take is not said.
    let _ = write!(err, "{text}");
    2
}
