//! `teamtui completions SHELL`: what a shell completes.
use super::args::Cli;
use super::call::{Call, Done};
use clap::CommandFactory;

/// Prints them.
pub fn completions(call: &mut Call<'_>, shell: clap_complete::Shell) -> Done {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "teamtui", &mut script);
    call.bytes(&script)?;
    Ok(0)
}
