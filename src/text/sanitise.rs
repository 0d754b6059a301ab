//! Text made harmless: controls, escape sequences and hidden characters are removed, or shown.
//!
//! Joiners and variation selectors stay where they hold a grapheme together (an emoji of several parts); anywhere
//! else, as every bidi control, tag and zero-width character, they can only hide or reorder text.

use std::borrow::Cow;
use std::fmt::Write as _;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthChar;

use super::escape::{Piece, Reader};
use super::width::{TAB_STOP, width};

const ZERO_WIDTH_JOINER: char = '\u{200d}';

/// One line: newlines and tabs, with the blanks around them, become one blank between words and none at the ends; controls, escape sequences and hidden
/// characters are removed. Text after an escape string that never ends is part of it, and goes too.
pub fn line(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut gap = false;
    for c in unescaped(text) {
        match c {
            '\n' | '\t' => {
                out.truncate(out.trim_end_matches(' ').len());
                gap = true;
            }
            ' ' if gap => {}
            _ => {
                if std::mem::take(&mut gap) && !out.is_empty() {
                    out.push(' ');
                }
                out.push(c);
            }
        }
    }
    without_hidden(&mut out);
    Cow::Owned(out)
}

/// Lines: newlines are kept, tabs go to the next stop of [`TAB_STOP`] columns; controls, escape sequences and
/// hidden characters are removed as in [`line()`]. A carriage return is a control: CRLF comes out as one newline.
pub fn block(text: &str) -> Cow<'_, str> {
    if text.split('\n').all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut text: String = unescaped(text).collect();
    without_hidden(&mut text);
    Cow::Owned(if text.contains('\t') { expand_tabs(&text) } else { text })
}

/// One line with nothing hidden and nothing removed, for where a person decides: every control and hidden character
/// stands as its number, `<U+202E>`, and an escape sequence is read as the text it is made of.
pub fn shown(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(filtered(text, Hidden::Shown))
}

/// Tabs as blanks up to the next stop of [`TAB_STOP`] columns, line by line.
pub fn expand_tabs(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let mut column = 0;
        for (index, part) in line.split('\t').enumerate() {
            if index > 0 {
                let blanks = TAB_STOP - column % TAB_STOP;
                out.extend(std::iter::repeat_n(' ', blanks));
                column += blanks;
            }
            column += width(part);
            out.push_str(part);
        }
    }
    out
}

/// Whether a character has no shape of its own and can hide or reorder text: bidi controls, zero-width spaces and
/// marks, fillers, tags. Source: Default_Ignorable_Code_Point and Bidi_Control of Unicode 16, without variation
/// selectors and the joiner, which [`line()`] judges by their place.
pub fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200c}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}')
}

/// Removes hidden characters, and joiners and variation selectors that hold nothing.
pub(super) fn without_hidden(text: &mut String) {
    if text.chars().any(may_hide) {
        *text = filtered(text, Hidden::Removed);
    }
}

/// Whether a character needs a look at the grapheme it stands in.
fn may_hide(c: char) -> bool {
    c == ZERO_WIDTH_JOINER || is_variation_selector(c) || is_hidden(c)
}

/// Whether a character chooses between forms of the one before it.
fn is_variation_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Hidden {
    Removed,
    Shown,
}

/// Printable ASCII needs no work, and most text is that.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// The characters of the text proper, and of controls only newline and tab.
fn unescaped(text: &str) -> impl Iterator<Item = char> {
    let mut reader = Reader::default();
    text.chars().filter_map(move |c| match reader.push(c) {
        Piece::Text('\u{2028}' | '\u{2029}') => Some('\n'),
        Piece::Text(c) | Piece::Control(c @ ('\n' | '\t')) => Some(c),
        Piece::Control(_) | Piece::Csi(_) | Piece::Nothing => None,
    })
}

fn filtered(text: &str, hidden: Hidden) -> String {
    let mut out = String::with_capacity(text.len());
    for grapheme in text.graphemes(true) {
        let mut before = None;
        let mut chars = grapheme.chars().peekable();
        while let Some(c) = chars.next() {
            if belongs(before, c, chars.peek().copied(), hidden) {
                out.push(c);
                before = Some(c);
            } else if hidden == Hidden::Shown {
                // Writing to a string does not fail.
                let _ = write!(out, "<U+{:04X}>", u32::from(c));
            }
        }
    }
    out
}

/// Whether `c` may stand in its grapheme, after the kept character `before` and before `after`.
fn belongs(before: Option<char>, c: char, after: Option<char>, hidden: Hidden) -> bool {
    if c == ZERO_WIDTH_JOINER {
        return before.is_some()
            && after.is_some_and(|after| after.width().unwrap_or(0) > 0 && !is_hidden(after));
    }
    if is_variation_selector(c) {
        return before.is_some_and(|before| !is_variation_selector(before) && before != ZERO_WIDTH_JOINER);
    }
    if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') {
        return hidden == Hidden::Removed;
    }
    !is_hidden(c)
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The payloads of C039: bytes that write the clipboard, set a title, move the cursor, or make a terminal answer.
    const HOSTILE: &[(&str, &str)] = &[
        ("\x1b]52;c;QQ==\x07", ""),
        ("\x1b]0;T\x07", ""),
        ("\u{9d}52;c;QQ==\u{9c}", ""),
        ("\x1b[2J", ""),
        ("\x1b[6n", ""),
        ("\x1bPq", ""),
        ("\x1b]", ""),
        ("\u{9b}2J", ""),
        ("\x1b_Gf=100;AAAA\x1b\\", ""),
        ("\x1b[?1049h\x1bc\x1b(0", ""),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b\x1b[31m\x1b]0;\x1b[2Jred", "red"),
    ];

    #[test]
    fn c039_hostile_sequences_leave_nothing_behind() {
        for (payload, rest) in HOSTILE {
            assert_eq!(line(&format!("a{payload}")), format!("a{rest}"), "{payload:?}");
            assert_eq!(block(&format!("a\n{payload}")), format!("a\n{rest}"), "{payload:?}");
            assert!(!shown(payload).chars().any(char::is_control), "{payload:?}");
        }
    }

    #[test]
    fn c039_an_unfinished_string_goes_to_the_end() {
        assert_eq!(line("a\x1b]0;title\nb"), "a");
        assert_eq!(block("a\u{90}q\nb"), "a");
    }

    #[test]
    fn c029_tabs_and_brackets() {
        let text = "a\tb [x] [red]y[-] [with spaces]\x08\x0b\x7f";
        assert_eq!(line(text), "a b [x] [red]y[-] [with spaces]");
        assert_eq!(block(text), "a       b [x] [red]y[-] [with spaces]");
        assert_eq!(block("你\tx\n12345678\ty"), "你      x\n12345678        y");
    }

    #[test]
    fn c028_joined_and_styled_characters_survive() {
        for text in ["开发-🦀", "👩🏽‍🔬 lab", "plan — v2", "❤️ 1️⃣ 🇩🇪 👨‍👩‍👧‍👦", "مرحبا", "שלום", "é e\u{301}", "क्षि"]
        {
            assert_eq!(line(text), text);
            assert_eq!(block(text), text);
            assert_eq!(shown(text), text);
        }
    }

    #[test]
    fn hidden_characters_are_removed_or_shown() {
        let cases = [
            ("rm \u{202e}txt.exe", "rm txt.exe", "rm <U+202E>txt.exe"),
            ("ad\u{200b}min", "admin", "ad<U+200B>min"),
            ("ad\u{200d}min", "admin", "ad<U+200D>min"),
            ("\u{feff}x\u{2066}y\u{2069}", "xy", "<U+FEFF>x<U+2066>y<U+2069>"),
            ("a\u{fe0f}\u{fe01}\u{e0101}b", "a\u{fe0f}b", "a\u{fe0f}<U+FE01><U+E0101>b"),
            ("🏴\u{e0067}\u{e0062}\u{e007f}", "🏴", "🏴<U+E0067><U+E0062><U+E007F>"),
            ("👩\u{200d}", "👩", "👩<U+200D>"),
            ("a\u{2028}b", "a b", "a<U+2028>b"),
        ];
        for (text, removed, visible) in cases {
            assert_eq!(line(text), removed);
            assert_eq!(shown(text), visible);
        }
    }

    #[test]
    fn what_a_person_decides_on_hides_no_control() {
        assert_eq!(shown("echo a\nrm\x1b[2Kx"), "echo a<U+000A>rm<U+001B>[2Kx");
    }

    #[test]
    fn newlines_and_tabs_become_one_blank_and_none_at_the_ends() {
        assert_eq!(line("\n a  b\r\n\n\tc \n d\n"), "a  b c d");
        assert_eq!(block("a\r\nb\n"), "a\nb\n");
    }

    /// Text made mostly of what a hostile sender would use.
    pub(in crate::text) fn nasty() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            any::<char>().prop_map(String::from),
            proptest::sample::select(vec![
                "\x1b",
                "\x1b[",
                "\x1b]",
                "\x1bP",
                "\x07",
                "\x1b\\",
                "\u{9d}",
                "\u{9b}",
                "\u{9c}",
                "\u{90}",
                "\r",
                "\n",
                "\t",
                "\x08",
                "\x7f",
                "\u{202e}",
                "\u{200b}",
                "\u{200d}",
                "\u{fe0f}",
                "👩",
                "🏽",
                "🔬",
                "你",
                "e",
                "\u{301}",
                "31m",
                ";",
                "0",
                "K",
                " ",
                "[x]",
                "\u{e0041}",
                "🇩",
                "\u{2028}",
                "::",
                "##[",
                "> ",
            ])
            .prop_map(String::from),
        ];
        proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn no_output_holds_a_control(text in nasty()) {
            prop_assert!(!line(&text).chars().any(char::is_control));
            prop_assert!(!shown(&text).chars().any(char::is_control));
            prop_assert!(!block(&text).chars().any(|c| c != '\n' && c.is_control()));
            prop_assert!(!block(&text).chars().any(is_hidden));
        }

        #[test]
        fn what_is_harmless_stays_as_it_is(text in nasty()) {
            let once = line(&text).into_owned();
            prop_assert_eq!(line(&once), once.as_str());
            let once = block(&text).into_owned();
            prop_assert_eq!(block(&once), once.as_str());
        }

        #[test]
        fn shown_has_every_visible_character(text in "[a-z\\x1b\\[\u{200b}\n]{0,20}") {
            let letters = |text: &str| text.chars().filter(|c| c.is_ascii_lowercase()).collect::<String>();
            prop_assert_eq!(letters(&shown(&text)), letters(&text));
        }
    }
}
