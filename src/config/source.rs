//! The text of a file that was read, and where each of its bytes stands.

use std::ops::Range;

use super::finding::{Finding, Level, Place};

/// A longer line is not shown with its finding. Reason: nobody finds a caret in it, and every finding has a copy.
const MAX_SHOWN_LINE_BYTES: usize = 4 << 10;

/// A file's text: UTF-8, without a byte order mark, its lines ended by `\n`.
#[derive(Debug, Clone)]
pub struct Source {
    path: String,
    text: String,
    lines: Vec<usize>,
}

impl Source {
    /// Takes the text of the file that was named `path`. A byte order mark goes, CRLF becomes LF.
    pub fn new(path: &str, text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        let lines = std::iter::once(0).chain(ends).collect();
        Self { path: path.to_owned(), text, lines }
    }

    /// The file as it was named.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// All of its text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of a range of bytes; empty if there is none.
    pub fn slice(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }

    /// The place of a range of bytes.
    pub fn place(&self, range: Range<usize>) -> Place {
        let (line, col) = self.line_col(range.start);
        let (end_line, end_col) = self.line_col(range.end.max(range.start));
        Place { line, col, end_line, end_col }
    }

    /// A line by its number from 1, without its end.
    pub fn line(&self, number: usize) -> &str {
        let end = self.lines.get(number).copied().unwrap_or(self.text.len());
        let line = self.text.get(self.start_of(number)..end).unwrap_or_default();
        line.trim_end_matches('\n')
    }

    /// Where a line begins, by its number from 1.
    pub fn start_of(&self, number: usize) -> usize {
        number.checked_sub(1).and_then(|index| self.lines.get(index)).copied().unwrap_or(0)
    }

    /// A finding at a range of bytes.
    pub fn finding(&self, level: Level, code: &'static str, range: Range<usize>, message: &str) -> Finding {
        let place = self.place(range);
        let finding = Finding::error(code, &self.path, message);
        let line = self.line(place.line);
        let shown = (line.len() <= MAX_SHOWN_LINE_BYTES).then(|| line.to_owned());
        Finding { level, place: Some(place), source: shown, ..finding }
    }

    fn line_col(&self, at: usize) -> (usize, usize) {
        let at = at.min(self.text.len());
        let line = self.lines.partition_point(|start| *start <= at);
        let start = self.start_of(line);
        let before = self.text.as_bytes().get(start..at).unwrap_or_default();
        (line.max(1), before.iter().filter(|byte| **byte & 0xC0 != 0x80).count() + 1)
    }
}
