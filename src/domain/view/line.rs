//! A printed line in parts, each with what it means, so that whoever prints it may colour it.
use crate::text;

/// What a part of a line means. Colour is always beside a word, never in place of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tint {
    /// Nothing of its own.
    #[default]
    Plain,
    /// A name.
    Name,
    /// A time.
    Time,
    /// Completed.
    Good,
    /// Failed.
    Bad,
    /// Held, stale, slow.
    Warn,
}

/// A line without control characters and without a line end.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line {
    /// The parts in order.
    pub parts: Vec<(Tint, String)>,
}

impl Line {
    /// An empty line.
    pub fn new() -> Self {
        Self::default()
    }

    /// With one more part.
    #[must_use]
    pub fn and(mut self, tint: Tint, text: impl Into<String>) -> Self {
        self.parts.push((tint, text.into()));
        self
    }

    /// The text alone, without trailing blanks.
    pub fn plain(&self) -> String {
        let mut out: String = self.parts.iter().map(|(_, text)| text.as_str()).collect();
        out.truncate(out.trim_end().len());
        out
    }

    /// The line in at most `columns` columns, cut with `…`, without trailing blanks.
    #[must_use]
    pub fn cut(&self, columns: usize) -> Self {
        let mut left = columns;
        let whole = text::width(&self.plain()) <= columns;
        let mut parts = Vec::new();
        for (at, (tint, part)) in self.parts.iter().enumerate() {
            let is_last = self.parts.iter().skip(at + 1).all(|(_, rest)| rest.trim().is_empty());
            let part = if is_last { part.trim_end() } else { part.as_str() };
            let wide = text::width(part);
            if whole || wide < left || (is_last && wide <= left) {
                left = left.saturating_sub(wide);
                parts.push((*tint, part.to_owned()));
                if is_last {
                    break;
                }
                continue;
            }
            parts.push((*tint, force_cut(part, left)));
            break;
        }
        Self { parts }
    }
}

/// `text` with an ellipsis at its end, in at most `columns` columns, although it would fit.
fn force_cut(part: &str, columns: usize) -> String {
    text::cut(&format!("{part}……"), columns).into_owned()
}

impl From<String> for Line {
    fn from(text: String) -> Self {
        Self::new().and(Tint::Plain, text)
    }
}

impl From<&str> for Line {
    fn from(text: &str) -> Self {
        Self::new().and(Tint::Plain, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_cut_line_ends_in_an_ellipsis_and_a_whole_one_does_not() {
        let line = Line::new().and(Tint::Name, "abc").and(Tint::Time, "def").and(Tint::Plain, "  ");
        assert_eq!(line.cut(6).plain(), "abcdef");
        assert_eq!(line.cut(5).plain(), "abcd…");
        assert_eq!(line.cut(3).plain(), "ab…");
        assert_eq!(line.cut(0).plain(), "");
    }

    proptest! {
        #[test]
        fn a_cut_line_always_fits(parts in proptest::collection::vec("[a开 ]{0,5}", 0..5), columns in 0usize..20) {
            let line = Line { parts: parts.into_iter().map(|p| (Tint::Plain, p)).collect() };
            let cut = line.cut(columns).plain();
            prop_assert!(text::width(&cut) <= columns);
            if text::width(&line.plain()) <= columns {
                prop_assert_eq!(cut, line.plain());
            }
        }
    }
}
