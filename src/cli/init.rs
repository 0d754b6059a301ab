//! `teamtui init [FILE]`: a team file that runs.
use super::call::{Call, Done, Failed};
use crate::config;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Writes it, over nothing. A name without an ending gets `.toml`: by it a team file is known.
pub fn init(call: &mut Call<'_>, file: Option<&Path>) -> Done {
    let path = named(file)?;
    let name = crate::text::sanitise::line(&path.to_string_lossy()).into_owned();
    let opened = OpenOptions::new().write(true).create_new(true).open(&path);
    let written = opened.and_then(|mut file| file.write_all(config::init_file().as_bytes()));
    if let Err(error) = written {
        return Err(unwritten(&path, &name, &error));
    }
    let pasted = crate::text::shell_word(&name).unwrap_or(name.clone());
    // What begins with a dash would be taken for an option.
    let pasted = if name.starts_with('-') { format!("./{pasted}") } else { pasted };
    call.whole(&format!("wrote {name}"))?;
    call.flush()?;
    call.say(&format!("help: run it: `teamtui --script {pasted}`"));
    Ok(0)
}

fn named(file: Option<&Path>) -> Result<PathBuf, Failed> {
    let Some(path) = file else { return Ok(PathBuf::from("team.toml")) };
    match path.extension() {
        Some(ending) if ending.eq_ignore_ascii_case("toml") => Ok(path.to_owned()),
        None if path.file_name().is_some() => Ok(path.with_extension("toml")),
        _ => {
            let name = crate::text::sanitise::line(&path.to_string_lossy()).into_owned();
            Err(Failed::usage(format!("{name} is no name of a team file: that ends in `.toml`"))
                .help("another name: teamtui init NAME.toml"))
        }
    }
}

fn unwritten(path: &Path, name: &str, error: &std::io::Error) -> Failed {
    match (error.kind(), path.parent()) {
        (ErrorKind::AlreadyExists, _) => {
            Failed::usage(format!("{name} exists")).help("another name: teamtui init NAME.toml")
        }
        (ErrorKind::NotFound, Some(folder)) => {
            let folder = crate::text::sanitise::line(&folder.to_string_lossy()).into_owned();
            let pasted = crate::text::shell_word(&folder).unwrap_or(folder.clone());
            Failed::usage(format!("could not write {name}: there is no folder {folder}"))
                .help(format!("make it: `mkdir -p -- {pasted}`"))
        }
        (kind, _) => Failed::usage(format!("could not write {name}: {kind}")),
    }
}
