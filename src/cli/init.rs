//! `teamtui init [FILE]`: a team file that runs.
use super::call::{Call, Done, Failed};
use crate::config;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;

/// Writes it, over nothing.
pub fn init(call: &mut Call<'_>, file: Option<&Path>) -> Done {
    let path = file.unwrap_or_else(|| Path::new("team.toml"));
    let name = path.to_string_lossy();
    let name = crate::text::sanitise::line(&name).into_owned();
    let opened = OpenOptions::new().write(true).create_new(true).open(path);
    let written = opened.and_then(|mut file| file.write_all(config::init_file().as_bytes()));
    match written {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            return Err(Failed::usage(format!("{name} exists")).help("another name: teamtui init NAME.toml"));
        }
        Err(error) => return Err(Failed::usage(format!("could not write {name}: {error}"))),
    }
    let pasted = crate::text::shell_word(&name).unwrap_or(name.clone());
    call.whole(&format!("wrote {name}"))?;
    call.flush()?;
    call.say(&format!("help: run it: `teamtui --script {pasted}`"));
    Ok(0)
}
