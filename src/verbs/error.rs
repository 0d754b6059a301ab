//! Why a line could not be read: what, where, and the next step.
use super::lex::Span;
use super::verb::Verb;
use crate::text::{self, Untrusted};

/// Most characters of somebody's word that an error repeats.
const MAX_SHOWN: usize = 60;

/// A line that is not understood. Nothing of it was done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct ParseError {
    /// What, and why: lower case, one sentence, no full stop.
    pub what: String,
    /// Next steps.
    pub help: Vec<String>,
    /// Where, in bytes of the text that was given; of arguments joined by one blank each.
    pub span: Span,
    /// Its line in that text, from 1.
    pub line: u32,
    /// Its column in that line in characters, from 1.
    pub col: u32,
}

impl ParseError {
    /// At these bytes; line and column are filled in by [`placed`](Self::placed).
    pub(super) fn new(what: impl Into<String>, span: Span) -> Self {
        Self { what: what.into(), help: Vec::new(), span, line: 1, col: 1 }
    }

    /// With one more next step.
    #[must_use]
    pub(super) fn help(mut self, step: impl Into<String>) -> Self {
        self.help.push(step.into());
        self
    }

    /// With the nearest of those names as the next step, or the usage of the verb.
    #[must_use]
    pub(super) fn nearest<'a>(self, name: &str, names: impl IntoIterator<Item = &'a str>) -> Self {
        match text::nearest(name, names) {
            Some(near) => self.help(format!("did you mean `{near}`?")),
            None => self,
        }
    }

    /// With how the verb is written as the next step.
    #[must_use]
    pub(super) fn usage(self, verb: &Verb) -> Self {
        self.help(format!("`{}`", verb.usage()))
    }

    /// With its line and column in that text.
    #[must_use]
    pub(super) fn placed(mut self, text: &str) -> Self {
        let before = text.get(..self.span.start).unwrap_or(text);
        let lines = before.matches('\n').count();
        let begun = before.rsplit('\n').next().unwrap_or_default().trim_start_matches('\u{feff}');
        self.line = u32::try_from(lines + 1).unwrap_or(u32::MAX);
        self.col = u32::try_from(begun.chars().count() + 1).unwrap_or(u32::MAX);
        self
    }
}

/// Somebody's word as an error repeats it: harmless and short.
pub(super) fn shown(word: &str) -> String {
    text::cut(&Untrusted::from(word).shown(), MAX_SHOWN).into_owned()
}
