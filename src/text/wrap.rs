//! Text broken into rows: between words, and inside a word only where it is wider than a row.

use unicode_segmentation::UnicodeSegmentation;

use super::cut::ELLIPSIS;
use super::width::{grapheme_width, width};

/// `text` in rows of at most `columns` columns; a newline always begins a row.
///
/// Blanks at a break are dropped, those that indent a line stay. A grapheme wider than a whole row (a wide one in 1
/// column) is replaced by `…`. In 0 columns there are no rows.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    if columns == 0 {
        return Vec::new();
    }
    let mut rows = Vec::new();
    for line in text.split('\n') {
        wrap_line(line, columns, &mut rows);
    }
    rows
}

fn wrap_line(line: &str, columns: usize, rows: &mut Vec<String>) {
    let mut row = Open { columns, ..Open::default() };
    for part in words_and_gaps(line) {
        if part.starts_with(' ') {
            row.gap(part.len(), rows);
        } else {
            row.word(part, rows);
        }
    }
    rows.push(row.text);
}

/// The runs of blanks and of other characters, in turn.
fn words_and_gaps(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let blank = rest.starts_with(' ');
        let end = rest.find(|c| (c == ' ') != blank).unwrap_or(rest.len());
        let (part, tail) = rest.split_at_checked(end)?;
        rest = tail;
        (!part.is_empty()).then_some(part)
    })
}

/// The row that is being filled.
#[derive(Default)]
struct Open {
    columns: usize,
    text: String,
    used: usize,
    /// Blanks that stand before the next word if it is in this row.
    gap: usize,
    /// Blanks at the start of this row are an indent, not a break.
    broken: bool,
}

impl Open {
    fn gap(&mut self, blanks: usize, rows: &mut Vec<String>) {
        if self.used == 0 && !self.broken {
            return self.word(&" ".repeat(blanks.min(self.columns - 1)), rows);
        }
        self.gap = blanks;
    }

    fn word(&mut self, word: &str, rows: &mut Vec<String>) {
        let needed = width(word);
        if self.used > 0 && self.used + self.gap + needed > self.columns {
            let indent_only = self.text.trim_start().is_empty();
            if needed <= self.columns && !indent_only || self.used + self.gap >= self.columns {
                self.finish(rows);
            }
        }
        if self.used > 0 {
            self.text.extend(std::iter::repeat_n(' ', self.gap));
            self.used += self.gap;
        }
        self.gap = 0;
        for grapheme in word.graphemes(true) {
            self.grapheme(grapheme, rows);
        }
    }

    fn grapheme(&mut self, grapheme: &str, rows: &mut Vec<String>) {
        let needed = grapheme_width(grapheme);
        if self.used + needed.min(self.columns) > self.columns {
            self.finish(rows);
        }
        if needed > self.columns {
            self.text.push(ELLIPSIS);
            self.used += 1;
        } else {
            self.text.push_str(grapheme);
            self.used += needed;
        }
    }

    fn finish(&mut self, rows: &mut Vec<String>) {
        rows.push(std::mem::take(&mut self.text));
        self.used = 0;
        self.gap = 0;
        self.broken = true;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::sanitise;
    use super::super::sanitise::tests::nasty;
    use super::*;

    #[test]
    fn words_stay_whole_and_long_ones_are_broken() {
        assert_eq!(wrap("review the login page", 10), ["review the", "login page"]);
        assert_eq!(wrap("see https://example.com/x", 10), ["see https:", "//example.", "com/x"]);
        assert_eq!(wrap("a\n\nb", 10), ["a", "", "b"]);
        assert_eq!(wrap("", 10), [""]);
        assert_eq!(wrap("  fn main()", 8), ["  fn", "main()"]);
        assert_eq!(wrap("a    b", 3), ["a", "b"]);
    }

    #[test]
    fn c028_graphemes_stay_whole_at_any_width() {
        assert_eq!(wrap("开发🦀", 4), ["开发", "🦀"]);
        assert_eq!(wrap("开发🦀", 3), ["开", "发", "🦀"]);
        assert_eq!(wrap("a👩🏽‍🔬b", 1), ["a", "…", "b"]);
        assert!(wrap("a b", 0).is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn c028_every_row_fits(text in nasty(), columns in 0usize..12) {
            let text = sanitise::block(&text);
            for row in wrap(&text, columns) {
                prop_assert!(width(&row) <= columns, "{row:?} in {columns}");
            }
        }

        #[test]
        fn no_word_is_lost(text in "[a-zé你 \n]{0,60}", columns in 2usize..12) {
            let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(letters(&wrap(&text, columns).concat()), letters(&text));
        }
    }
}
