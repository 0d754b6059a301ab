//! What the palette asks of the table of commands. The table itself, its parser and its completion live elsewhere.
use std::ops::Range;

/// The table of commands, as the palette uses it.
pub trait Commands: Sync {
    /// Commands for what is typed, best first; `recent` are whole lines, newest first. Nothing typed: every command.
    fn rank(&self, query: &str, recent: &[String]) -> Vec<Entry>;
    /// What could stand where the cursor is, best first. `cursor` is in bytes.
    fn complete(&self, line: &str, cursor: usize, names: &Names) -> Vec<Completion>;
    /// The form of the command that a line begins with: `send TO TEXT`, and what it does.
    fn form(&self, line: &str) -> Option<(String, String)>;
    /// What is wrong with a line. None: it can be run.
    fn check(&self, line: &str, names: &Names) -> Option<Checked>;
}

/// One command in the list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entry {
    /// What is typed for it.
    pub id: String,
    /// What it does, a few words.
    pub help: String,
    /// The key that does the same.
    pub key: Option<String>,
    /// Which characters of `id` were found, by number.
    pub found: Vec<usize>,
}

/// One way to go on with a line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Completion {
    /// Bytes of the line that it replaces.
    pub span: Range<usize>,
    /// What stands there then.
    pub text: String,
    /// What it is, a few words.
    pub help: String,
}

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Checked {
    /// Where, in bytes; empty at the end of the line: something is missing there.
    pub span: Range<usize>,
    /// What, why, and what next.
    pub message: String,
    /// What `tab` puts there.
    pub fix: Option<String>,
}

/// The names that arguments may have in the focused team.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Names {
    /// Tasks: what is typed, and what it is now.
    pub tasks: Vec<(String, String)>,
    /// Members: name, and what they do now.
    pub members: Vec<(String, String)>,
    /// Live teams.
    pub teams: Vec<String>,
}
