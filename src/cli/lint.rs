//! `teamtui lint FILE..`: all that can be said of a file without running it.
use super::args::Format;
use super::call::{Call, Done, Failed};
use super::headless;
use crate::config::{self, Finding};
use crate::script::load;
use std::path::PathBuf;

/// Prints what it finds; exit code 2 if an error is among it.
pub fn lint(call: &mut Call<'_>, files: &[PathBuf]) -> Done {
    let here = std::env::current_dir();
    let here = here.map_err(|e| Failed::usage(format!("the current folder cannot be read: {e}")))?;
    let choices =
        headless::choices(&call.cli.run, &config::project_root(&here), false).map_err(Failed::usage)?;
    let findings: Vec<Finding> = files.iter().flat_map(|file| load::load(file, &choices).findings).collect();
    let json = matches!(call.cli.print.format, Some(Format::Json | Format::Ndjson));
    for finding in &findings {
        let text = if json { finding.json() + "\n" } else { finding.text(call.terminal.out.width) };
        call.text(&text)?;
    }
    call.flush()?;
    call.say(&config::summary(&findings));
    Ok(if config::has_error(&findings) { 2 } else { 0 })
}
