//! Starting another teamtui that goes on without this one.
use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Starts `exe` with these arguments in a folder, without a terminal: what it says goes to a file, and nothing of this
/// process's attempt is handed on. It makes a session of its own.
pub fn launch(exe: &Path, arguments: &[&std::ffi::OsStr], folder: &Path, words: File) -> io::Result<Child> {
    Command::new(exe)
        .args(arguments)
        .current_dir(folder)
        .env_remove("TEAMTUI_SOCKET")
        .env_remove("TEAMTUI_TOKEN")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(words)
        .spawn()
}
