//! Text made to fit: cut with an ellipsis, or padded, by display width and never inside a grapheme.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;

use super::width::{grapheme_width, width};

/// What stands for the part that was cut.
pub(super) const ELLIPSIS: char = '…';

/// `text` in at most `columns` columns; what is cut ends in `…`. In 0 columns nothing is left.
pub fn cut(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    if columns == 0 {
        return Cow::Borrowed("");
    }
    Cow::Owned(with_ellipsis(head(text, columns - 1)))
}

/// As [`cut`], but between words where that keeps at least half of the columns.
pub fn cut_words(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns || columns == 0 {
        return cut(text, columns);
    }
    let kept = head(text, columns - 1);
    let inside_word = text.get(kept.len()..).is_some_and(|rest| !rest.starts_with(' '));
    let words = match kept.rsplit_once(' ') {
        Some((words, _)) if inside_word => words,
        _ => kept,
    };
    let words = words.trim_end();
    Cow::Owned(with_ellipsis(if width(words) * 2 >= columns { words } else { kept }))
}

/// Blanks after `text` up to `columns` columns; text that is wider stays as it is.
pub fn pad_right(text: &str, columns: usize) -> String {
    let mut out = text.to_owned();
    out.extend(blanks(text, columns));
    out
}

/// Blanks before `text` up to `columns` columns; text that is wider stays as it is.
pub fn pad_left(text: &str, columns: usize) -> String {
    let mut out: String = blanks(text, columns).collect();
    out.push_str(text);
    out
}

/// The longest start of whole graphemes in at most `columns` columns.
fn head(text: &str, columns: usize) -> &str {
    let mut used = 0;
    let cut_at = text.grapheme_indices(true).find_map(|(index, grapheme)| {
        used += grapheme_width(grapheme);
        (used > columns).then_some(index)
    });
    cut_at.and_then(|index| text.get(..index)).unwrap_or(text)
}

fn with_ellipsis(kept: &str) -> String {
    let mut out = kept.to_owned();
    out.push(ELLIPSIS);
    out
}

fn blanks(text: &str, columns: usize) -> impl Iterator<Item = char> + use<> {
    std::iter::repeat_n(' ', columns.saturating_sub(width(text)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::sanitise;
    use super::super::sanitise::tests::nasty;
    use super::*;

    #[test]
    fn c028_cuts_fall_between_graphemes() {
        assert_eq!(cut("开发-🦀", 7), "开发-🦀");
        assert_eq!(cut("开发-🦀", 6), "开发-…");
        assert_eq!(cut("开发-🦀", 4), "开…");
        assert_eq!(cut("开发-🦀", 2), "…");
        assert_eq!(cut("开发-🦀", 0), "");
        assert_eq!(cut("👩🏽‍🔬 lab", 4), "👩🏽‍🔬 …");
        assert_eq!(cut("e\u{301}e\u{301}e\u{301}", 2), "e\u{301}…");
    }

    #[test]
    fn words_are_kept_whole_where_half_the_columns_stay() {
        assert_eq!(cut_words("review the login page", 14), "review the…");
        assert_eq!(cut_words("review the login page", 11), "review the…");
        assert_eq!(cut_words("a pneumonoultramicroscopic", 12), "a pneumonou…");
        assert_eq!(cut_words("short", 5), "short");
        assert_eq!(cut_words("short", 0), "");
    }

    #[test]
    fn padding_goes_by_display_width() {
        assert_eq!(pad_right("你", 4), "你  ");
        assert_eq!(pad_left("你", 4), "  你");
        assert_eq!(pad_left("long", 2), "long");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn c028_a_cut_always_fits(text in nasty(), columns in 0usize..30) {
            let text = sanitise::line(&text);
            prop_assert!(width(&cut(&text, columns)) <= columns);
            prop_assert!(width(&cut_words(&text, columns)) <= columns);
            prop_assert!(width(&pad_left(&text, columns)) >= columns);
        }
    }
}
