use proptest::prelude::*;

use super::super::cells::MAX_ROW_BYTES;
use super::super::sanitise::line;
use super::super::sanitise::tests::nasty;
use super::super::style::Colour;
use super::*;

fn rows(stream: impl AsRef<[u8]>) -> Vec<Row> {
    let (mut assembler, mut rows) = (Rows::new(), Vec::new());
    assembler.push(stream.as_ref(), &mut rows);
    rows.extend(assembler.finish());
    rows
}

fn plain(stream: impl AsRef<[u8]>) -> Vec<String> {
    rows(stream).iter().map(Row::plain).collect()
}

#[test]
fn c027_a_carriage_return_overwrites_and_crlf_ends_a_line() {
    assert_eq!(plain("10%\r20%\r100%\na\r\nb\nx\ny\n"), ["100%", "a", "b", "x", "y"]);
    assert_eq!(plain("100%\rab"), ["ab0%"]);
    assert_eq!(plain("building\r\x1b[Kdone"), ["done"]);
    assert_eq!(plain("building\x1b[2K\rdone"), ["done"]);
    assert_eq!(plain("abcdef\x08\x08\x08\x1b[1K"), ["    ef"]);
    assert_eq!(plain("\n\n"), ["", ""]);
    assert_eq!(plain("\x1b[31m"), [""]);
    assert!(plain("").is_empty());
}

#[test]
fn c029_tabs_backspace_controls_and_brackets() {
    assert_eq!(
        plain("a\tb [x] [red]y[-] [with spaces]\x08\x0b\x7f"),
        ["a       b [x] [red]y[-] [with spaces]"]
    );
    assert_eq!(plain("abc\x08\x08X\x08\x08\x08\x08\x08Y"), ["YXc"]);
    assert_eq!(plain("12345678\tx\r\ty"), ["12345678y       x"]);
}

#[test]
fn c039_hostile_sequences_are_dropped_and_end_with_their_row() {
    for payload in [
        "\x1b]52;c;QQ==\x07",
        "\x1b]0;T\x07",
        "\u{9d}52;c;QQ==\u{9c}",
        "\x1b[2J",
        "\x1b[6n",
        "\x1bPq",
        "\x1b]",
        "\x1b[?25l",
    ] {
        assert_eq!(plain(format!("a{payload}\nnext")), ["a", "next"], "{payload:?}");
    }
    assert_eq!(plain("a\u{202e}b\u{200b}c\u{fe0f}"), ["abc\u{fe0f}"]);
    assert_eq!(plain(b"\x1f\x8b\x00\xff\xfe"), ["\u{fffd}\u{fffd}\u{fffd}"]);
}

#[test]
fn colours_become_spans_and_go_on_in_the_next_row() {
    let rows = rows("ok \x1b[1;31mbad\x1b[22m x\ny\x1b[0mz\n");
    let red = Style { fg: Colour::Ansi(1), ..Style::new() };
    let span = |style, text: &str| Span { style, text: text.into() };
    assert_eq!(
        rows.first().unwrap().spans,
        [span(Style::new(), "ok "), span(Style { bold: true, ..red }, "bad"), span(red, " x")]
    );
    assert_eq!(rows.last().unwrap().spans, [span(red, "y"), span(Style::new(), "z")]);
}

#[test]
fn c028_graphemes_are_overwritten_whole() {
    assert_eq!(plain("你好\rab"), ["ab好"]);
    assert_eq!(plain("你好\rx"), ["x 好"]);
    assert_eq!(plain("ab好c\r\x1b[Kxyz你\x08\x1b[K"), ["xyz "]);
    assert_eq!(plain("x👩🏽‍🔬y\rab"), ["ab y"]);
    assert_eq!(plain("e\u{301}f\rE"), ["Ef"]);
    assert_eq!(plain("\u{301}a"), ["a"]);
    let parts = "👩🏽‍🔬 ❤️ 🇩🇪 क्षि";
    assert_eq!(plain(parts), [parts]);
}

#[test]
fn c024_a_long_row_keeps_its_head_and_says_how_long_it_was() {
    let (mut assembler, mut rows) = (Rows::new(), Vec::new());
    let chunk = [b'x'; 64 * 1024];
    for _ in 0..192 {
        assembler.push(&chunk, &mut rows);
    }
    assert!(assembler.pending().unwrap().plain().ends_with("x… 12.0 MiB in all"));
    assembler.push(b"\nresult\n", &mut rows);
    let plain: Vec<String> = rows.iter().map(Row::plain).collect();
    let [long, result] = plain.as_slice() else { panic!("{} rows", plain.len()) };
    assert_eq!(*long, format!("{}… 12.0 MiB in all", "x".repeat(MAX_ROW_BYTES)));
    assert_eq!(result, "result");
}

#[test]
fn c024_a_row_that_is_rewritten_for_ever_is_not_long() {
    let mut stream = "50% 你好\r\x1b[1;31m\x08".repeat(40_000);
    stream.push_str("\x1b[Kdone\n");
    assert_eq!(plain(stream), ["done"]);
    assert_eq!(plain("x\r".repeat(300_000)), ["x"]);
    assert_eq!(plain(format!("{}\r\x1b[Kok", "y".repeat(100_000))), ["ok"]);
}

#[test]
fn c024_erasing_and_tabs_and_marks_cost_no_more_than_they_are_long() {
    assert!(plain(format!("{}{}", "\t".repeat(100_000), "\x1b[1K".repeat(200_000)))[0].ends_with(" in all"));
    let marks = plain(format!("a{}b", "\u{301}".repeat(100_000)));
    assert!(marks[0].len() < 80 && marks[0].ends_with('b'));
}

#[test]
fn c024_overwriting_with_longer_text_keeps_to_the_limit() {
    let marked = format!("é{}", "\u{301}".repeat(40)).repeat(1000);
    let row = plain(format!("{}\r{marked}", "a".repeat(MAX_ROW_BYTES / 2)));
    assert!(row[0].len() <= MAX_ROW_BYTES + 32 && row[0].starts_with('é') && row[0].ends_with(" in all"));
}

#[test]
fn the_pending_row_can_be_looked_at() {
    let (mut assembler, mut rows) = (Rows::new(), Vec::new());
    assert_eq!(assembler.pending(), None);
    assembler.push(b"a\nPassword: \xe2\x89", &mut rows);
    assert_eq!(assembler.pending().unwrap().plain(), "Password: ");
    assembler.push(b"\xa4", &mut rows);
    assert_eq!(assembler.pending().unwrap().plain(), "Password: ≤");
    assert_eq!(assembler.finish().unwrap().plain(), "Password: ≤");
    assert_eq!((assembler.finish(), rows.len()), (None, 1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn c039_no_row_holds_a_control_or_hidden_character(text in nasty()) {
        for row in plain(&text) {
            prop_assert!(!row.chars().any(|c| c.is_control() || is_hidden(c)), "{row:?}");
        }
    }

    #[test]
    fn however_a_stream_is_read_its_rows_are_the_same(text in nasty(), size in 1usize..7) {
        let (mut assembler, mut split) = (Rows::new(), Vec::new());
        text.as_bytes().chunks(size).for_each(|read| assembler.push(read, &mut split));
        split.extend(assembler.finish());
        prop_assert_eq!(split, rows(&text));
    }

    #[test]
    fn c027_overwriting_makes_a_row_no_wider(long in nasty(), short in nasty()) {
        let (long, short) = (line(&long), line(&short));
        let width = |stream: &str| rows(stream).first().map_or(0, Row::width);
        let both = format!("{long}\r{short}");
        prop_assert!(width(&both) <= width(&long).max(width(&short)));
    }

    #[test]
    fn plain_lines_come_out_as_they_are(lines in proptest::collection::vec("[a-z你é \\[\\]]{0,20}", 0..6)) {
        let stream: String = lines.iter().map(|line| format!("{line}\n")).collect();
        prop_assert_eq!(plain(stream), lines);
    }
}
