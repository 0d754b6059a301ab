//! Display width: how many columns text takes on a terminal.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Columns between two tab stops, as terminals have them.
pub const TAB_STOP: usize = 8;

/// Columns that `text` takes: the sum over its graphemes, as the screen draws them. An emoji of several parts is 2.
pub fn width(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.graphemes(true).map(grapheme_width).sum()
}

/// Columns of one grapheme.
pub(super) fn grapheme_width(grapheme: &str) -> usize {
    UnicodeWidthStr::width(grapheme)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c028_width_goes_by_grapheme() {
        let cases = [
            ("", 0),
            ("abc", 3),
            ("开发-🦀", 7),
            ("👩🏽‍🔬 lab", 6),
            ("plan — v2", 9),
            ("e\u{301}", 1),
            ("🇩🇪", 2),
            ("❤️", 2),
            ("👨‍👩‍👧‍👦", 2),
            ("שלום", 4),
            ("ｶﾞ", 2),
        ];
        for (text, columns) in cases {
            assert_eq!(width(text), columns, "{text}");
        }
    }
}
