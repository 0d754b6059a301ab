//! Where findings are collected while a file is read, and values that know where they stand.

use std::ops::Range;

use super::finding::{Finding, LEFT_OUT, Level};
use super::source::Source;
use crate::text::nearest;

/// Findings of one file; the others are counted. Reason: nobody reads more, and a file can hold a hundred thousand.
pub const MAX_FINDINGS: usize = 200;

/// Misspelt names of one file that are looked up. Reason: comparing is slow, and a file can hold tens of thousands.
const MAX_SEARCHES: usize = 20;
/// Names that each of them is compared with.
const MAX_COMPARED: usize = 1_000;

/// A range of bytes in the file.
pub(super) type At = Range<usize>;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Said<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub at: At,
}

/// Collects what is found in one file.
pub(super) struct Report<'a> {
    source: &'a Source,
    findings: Vec<Finding>,
    left_out: usize,
    has_error: bool,
    searches: usize,
}

impl<'a> Report<'a> {
    /// Nothing found yet.
    pub fn new(source: &'a Source) -> Self {
        Self { source, findings: Vec::new(), left_out: 0, has_error: false, searches: 0 }
    }

    /// The file.
    pub fn source(&self) -> &'a Source {
        self.source
    }

    /// An error at a place, with things to do.
    pub fn error(&mut self, code: &'static str, at: &At, message: &str, help: &[String]) {
        self.at(Level::Error, code, at, message, help);
    }

    /// A warning at a place, with things to do.
    pub fn warning(&mut self, code: &'static str, at: &At, message: &str, help: &[String]) {
        self.at(Level::Warning, code, at, message, help);
    }

    /// A finding that is complete.
    pub fn add(&mut self, finding: Finding) {
        self.has_error |= finding.level == Level::Error;
        // The values of `each` share their texts: what is wrong there is said once.
        let same = |other: &Finding| other.place == finding.place && other.code == finding.code;
        if finding.place.is_some() && self.findings.iter().any(same) {
            return;
        }
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(finding);
        } else {
            self.left_out += 1;
        }
    }

    /// Where a range stands, as `7:15`.
    pub fn line_col(&self, at: &At) -> String {
        self.source.place(at.clone()).to_string()
    }

    /// Counts one more error if there is no room to show it: then nobody need look up what was meant.
    pub fn skips_error(&mut self) -> bool {
        let is_full = self.findings.len() >= MAX_FINDINGS;
        self.left_out += usize::from(is_full);
        self.has_error |= is_full;
        is_full
    }

    /// The name that was probably meant; none once so many were looked up that it is known what is wrong with the file.
    pub fn nearest<'c>(
        &mut self,
        written: &str,
        names: impl IntoIterator<Item = &'c str>,
    ) -> Option<&'c str> {
        self.searches = self.searches.saturating_add(1);
        if self.searches > MAX_SEARCHES {
            return None;
        }
        nearest(written, names.into_iter().take(MAX_COMPARED))
    }

    /// Has a value of this key been refused for its kind?
    pub fn has_refused(&self, key: &str) -> bool {
        let begins = format!("`{key}` takes ");
        self.findings.iter().any(|finding| finding.message.starts_with(&begins))
    }

    /// Is there an error?
    pub fn has_error(&self) -> bool {
        self.has_error
    }

    /// What was found, in the order of the file; what concerns all of it first.
    pub fn finish(mut self) -> Vec<Finding> {
        self.findings.sort_by_key(|finding| finding.place.map(|place| (place.line, place.col)));
        if self.left_out > 0 {
            let message = format!("{} more findings are left out", self.left_out);
            let level = if self.has_error { Level::Error } else { Level::Warning };
            let finding = Finding::error(LEFT_OUT, self.source.path(), &message);
            self.findings.push(Finding { level, ..finding });
        }
        self.findings
    }

    fn at(&mut self, level: Level, code: &'static str, at: &At, message: &str, help: &[String]) {
        let finding = self.source.finding(level, code, at.clone(), message);
        self.add(help.iter().fold(finding, |finding, line| finding.with_help(line)));
    }
}
