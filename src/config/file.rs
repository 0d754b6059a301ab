//! Reads a file that a person named: bounded, UTF-8, with errors that name it.

use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use super::finding::Finding;
use super::source::Source;
use crate::domain::limits::MAX_TEAM_FILE_BYTES;
use crate::text::quantity::{count, size};

/// The code of a file that cannot be read at all.
pub const NO_FILE: &str = "no_file";

/// Reads the file; it is called `path` in every finding. At most one byte over the limit is read.
pub fn read(path: &Path) -> Result<Source, Box<Finding>> {
    let named = path.to_string_lossy();
    let bytes = bytes(path).map_err(|error| Box::new(unreadable(&named, &error)))?;
    decode(&named, &bytes)
}

/// The text of a file's bytes.
pub fn decode(path: &str, bytes: &[u8]) -> Result<Source, Box<Finding>> {
    if u64::try_from(bytes.len()).is_ok_and(|len| len > MAX_TEAM_FILE_BYTES) {
        let message = format!("a file of more than {} is not read", size(MAX_TEAM_FILE_BYTES));
        let help = "keep data in files of their own, and name these in `prompt` or `run`";
        return Err(Box::new(Finding::error("file_too_large", path, &message).with_help(help)));
    }
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        let finding = Finding::error("not_utf8", path, "it is UTF-16, and files are read as UTF-8");
        return Err(Box::new(finding.with_help(&format!("convert it: `iconv -f UTF-16 -t UTF-8 {path}`"))));
    }
    let text =
        std::str::from_utf8(bytes).map_err(|error| Box::new(not_utf8(path, bytes, error.valid_up_to())))?;
    let source = Source::new(path, text);
    if source.text().trim().is_empty() {
        let finding = Finding::error("empty_file", path, "it is empty");
        let is_team = path.ends_with(".toml");
        let help =
            if is_team { "write one: `teamtui init`" } else { "what a script says: `teamtui help script`" };
        return Err(Box::new(finding.with_help(help)));
    }
    Ok(source)
}

fn bytes(path: &Path) -> std::io::Result<Vec<u8>> {
    let file = open(path)?;
    let kind = file.metadata()?.file_type();
    if kind.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if !kind.is_file() && !is_stream(path) {
        return Err(ErrorKind::Unsupported.into());
    }
    let mut bytes = Vec::new();
    file.take(MAX_TEAM_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A pipe that was handed over, as `/dev/stdin` or by the shell: it is waited for.
fn is_stream(path: &Path) -> bool {
    path.starts_with("/dev") || path.starts_with("/proc")
}

/// A pipe with a name would be waited for until somebody writes to it.
fn open(path: &Path) -> std::io::Result<std::fs::File> {
    let mut options = std::fs::OpenOptions::new();
    options.read(true);
    if !is_stream(path) {
        let flags = rustix::fs::OFlags::NONBLOCK.bits();
        options.custom_flags(i32::try_from(flags).unwrap_or_default());
    }
    options.open(path)
}

/// Is it TOML, and no script? Then it has the wrong name.
pub fn is_toml(text: &str) -> bool {
    let has_table = || text.lines().any(|line| line.trim_start().starts_with("[members"));
    has_table() || toml::de::DeTable::parse(text).is_ok_and(|table| !table.get_ref().is_empty())
}

fn unreadable(path: &str, error: &std::io::Error) -> Finding {
    match error.kind() {
        ErrorKind::NotFound => {
            Finding::error(NO_FILE, path, "there is no such file").with_help("write one: `teamtui init`")
        }
        ErrorKind::Unsupported => Finding::error(NO_FILE, path, "it is no regular file")
            .with_help("to read a pipe, name `/dev/stdin`"),
        ErrorKind::IsADirectory => Finding::error(NO_FILE, path, "it is a folder, and a file is needed"),
        ErrorKind::PermissionDenied => {
            Finding::error(NO_FILE, path, "you may not read it").with_help(&format!("`ls -l {path}`"))
        }
        kind => Finding::error(NO_FILE, path, &format!("could not be read: {kind}")),
    }
}

fn not_utf8(path: &str, bytes: &[u8], at: usize) -> Finding {
    let before = bytes.get(..at).unwrap_or_default();
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let byte = bytes.get(at).copied().unwrap_or_default();
    let number = u64::try_from(line).unwrap_or(u64::MAX);
    let message = format!("it is not UTF-8: byte 0x{byte:02X} in line {}", count(number));
    Finding::error("not_utf8", path, &message)
        .with_help(&format!("if it is Latin-1: `iconv -f LATIN1 -t UTF-8 {path}`"))
}
