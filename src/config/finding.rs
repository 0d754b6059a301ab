//! What is wrong with a file: where, what, why, and what to do. Printed for people and as one line of JSON.

use std::fmt::Write as _;

use serde_json::json;

use crate::text::{self, sanitise, width};

/// Fewest columns that are left for a source line, however narrow the terminal is.
const MIN_SOURCE_COLUMNS: usize = 20;

/// The code of the line that counts findings which are not shown.
pub const LEFT_OUT: &str = "left_out";

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Nothing starts.
    Error,
    /// It can run, and will probably not do what was meant.
    Warning,
}

/// Where in a file: lines and columns from 1, columns in characters, the end after the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// First line.
    pub line: usize,
    /// First column.
    pub col: usize,
    /// Last line.
    pub end_line: usize,
    /// Column after the last.
    pub end_col: usize,
}

/// One thing that is wrong. Its texts hold no control or hidden character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// How bad it is.
    pub level: Level,
    /// What kind of thing, in snake_case, for programs.
    pub code: &'static str,
    /// The file as it was named.
    pub path: String,
    /// Where in it; none: the whole file.
    pub place: Option<Place>,
    /// What, and why.
    pub message: String,
    /// Things to do.
    pub help: Vec<String>,
    /// The whole first line of the place, as it stands in the file.
    pub source: Option<String>,
}

impl Level {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.line, self.col)
    }
}

impl Finding {
    /// An error of a whole file.
    pub fn error(code: &'static str, path: &str, message: &str) -> Self {
        Self {
            level: Level::Error,
            code,
            path: sanitise::shown(path).into_owned(),
            place: None,
            message: sanitise::shown(message).into_owned(),
            help: Vec::new(),
            source: None,
        }
    }

    /// The same with a thing to do.
    #[must_use]
    pub fn with_help(mut self, help: &str) -> Self {
        self.help.push(sanitise::shown(help).into_owned());
        self
    }

    /// As CLI text: the line, the source with its caret, the help; each ends in a newline. `columns` cuts the source line.
    pub fn text(&self, columns: Option<usize>) -> String {
        let mut out = String::new();
        let at = self.place.map(|place| format!(":{place}")).unwrap_or_default();
        // What is of no file, an option, names none.
        let of = if self.path.is_empty() { String::new() } else { format!("{}{at}: ", self.path) };
        // Writing to a string does not fail.
        let _ = writeln!(out, "{}: {of}{}", self.level.word(), self.message);
        if let (Some(place), Some(source)) = (self.place, &self.source) {
            out.push_str(&caret_block(place, source, columns));
        }
        for help in &self.help {
            let _ = writeln!(out, "help: {help}");
        }
        out
    }

    /// As one line of `lint --format json`, without a newline.
    pub fn json(&self) -> String {
        let mut line = format!(
            "{{\"type\":\"finding\",\"format\":1,\"level\":{},\"code\":{},\"path\":{}",
            json!(self.level.word()),
            json!(self.code),
            json!(self.path)
        );
        if let Some(place) = self.place {
            let Place { line: first, col, end_line, end_col } = place;
            let _ =
                write!(line, ",\"line\":{first},\"col\":{col},\"end_line\":{end_line},\"end_col\":{end_col}");
        }
        let _ = write!(line, ",\"message\":{},\"help\":{}}}", json!(self.message), json!(self.help));
        line
    }
}

/// Is one of them an error?
pub fn has_error(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.level == Level::Error)
}

/// The last line of lint, without a newline: `lint: 5 errors, 0 warnings`.
pub fn summary(findings: &[Finding]) -> String {
    // The line that counts what is left out is none itself.
    let counts =
        |level| findings.iter().filter(|found| found.level == level && found.code != LEFT_OUT).count();
    let counted = |n: usize, what| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    format!(
        "lint: {}, {}",
        counted(counts(Level::Error), "error"),
        counted(counts(Level::Warning), "warning")
    )
}

fn caret_block(place: Place, source: &str, columns: Option<usize>) -> String {
    let digits = place.line.to_string().len().max(3);
    let shown = |part: String| sanitise::shown(&part.replace('\t', " ")).into_owned();
    let before = shown(source.chars().take(place.col.saturating_sub(1)).collect());
    let marked_chars =
        if place.end_line == place.line { place.end_col.saturating_sub(place.col) } else { usize::MAX };
    let marked = shown(source.chars().skip(place.col.saturating_sub(1)).take(marked_chars).collect());
    let line = shown(source.to_owned());
    let room = columns.map_or(usize::MAX, |all| all.saturating_sub(digits + 3).max(MIN_SOURCE_COLUMNS));
    let (line, skipped) = scrolled(&line, width(&before), width(&marked), room);
    let blanks = " ".repeat(width(&before) - skipped);
    let carets = "^".repeat(width(&marked).max(1).min(room.saturating_sub(blanks.len()).max(1)));
    let line = text::cut(&line, room);
    format!("{:>digits$} | {line}\n{:>digits$} | {blanks}{carets}\n", place.line, "").replace("  \n", "\n")
}

/// The line from where what is marked is in sight, and how many columns went: none if it is already.
fn scrolled(line: &str, before: usize, marked: usize, room: usize) -> (String, usize) {
    if before.saturating_add(marked) < room {
        return (line.to_owned(), 0);
    }
    let keep = room.saturating_sub(marked.saturating_add(2)).min(room / 2);
    let wanted = before.saturating_sub(keep);
    if wanted == 0 {
        return (line.to_owned(), 0);
    }
    let (mut gone, mut rest) = (0, line.chars());
    while gone < wanted {
        let Some(c) = rest.next() else { break };
        gone += width(c.encode_utf8(&mut [0; 4]));
    }
    (format!("…{}", rest.as_str()), gone.saturating_sub(1).min(before))
}
