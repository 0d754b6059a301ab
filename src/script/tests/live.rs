use super::Outputs;
use crate::domain::view::fixture::*;
use crate::domain::view::{Estimate, Line, LiveView};
use crate::domain::*;
use crate::script::progress::plain::Choice;
use crate::script::progress::{Painter, Plain, Shape, block};
use crate::script::{Page, Palette};

fn frozen() -> (Story, LiveView) {
    let estimate = Estimate::of(&run_41().view());
    let mut s = Story::new(Some(42), "ci.toml");
    s.team(ci()).start("lint").start("build").at(37_900).done("lint", 37_900).start("docs");
    s.at(79_400).failed("docs", 41_500, 1, false);
    s.at(101_600).done("build", 101_600).start("test-1").start("test-2").start("test-3");
    let live = LiveView::of(&s.state, s.id(), 125_000, estimate.as_ref()).unwrap();
    (s, live)
}

fn plain(lines: &[Line]) -> Vec<String> {
    lines.iter().map(Line::plain).collect()
}

#[test]
fn the_block_is_that_of_the_page() {
    let (_, live) = frozen();
    let outputs = Outputs::default()
        .with(4, "PASS [   0.118s] ( 70/128) store codec::tests::upcast_every_version\n", 1, 1)
        .with(5, "PASS [   0.031s] ( 61/127) graph order::tests::ready_sets_are_stable\n", 1, 1)
        .with(6, "PASS [   0.007s] ( 55/126) text cut::tests::wide_at_the_edge_of_it\n", 1, 1);
    let lines = plain(&block(&live, &outputs, Shape { columns: 80, rows: 24, ascii: false }));
    let expected = [
        "───────────────────────────────────────────────────────────────────────────────",
        " 2m05s  ci  3 of 7 ended, 3 live, 1 blocked",
        " ◐ ▌test-2  1/2   23.4s  PASS [   0.031s] ( 61/127) graph order::tests::ready_s…",
        " ◐  test-1  1/2   23.4s  PASS [   0.118s] ( 70/128) store codec::tests::upcast_…",
        " ◐  test-3  1/2   23.4s  PASS [   0.007s] ( 55/126) text cut::tests::wide_at_th…",
        " ▌critical path: test-2, report; about 24s left, by run 41",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn the_block_is_at_most_a_third_of_the_terminal() {
    let (_, live) = frozen();
    for rows in 0..60 {
        for columns in [0, 1, 2, 20, 80] {
            let shape = Shape { columns, rows, ascii: true };
            let lines = plain(&block(&live, &Outputs::default(), shape));
            assert!(lines.len() <= 12.min(rows / 3), "{rows}: {lines:?}");
            assert!(lines.iter().all(|l| crate::text::width(l) <= columns), "{columns}: {lines:?}");
            assert!(lines.iter().all(|l| l.chars().all(|c| c.is_ascii() || c == '…')));
        }
    }
    let lines = plain(&block(&live, &Outputs::default(), Shape { columns: 80, rows: 15, ascii: true }));
    assert_eq!(lines[3], "    and 2 more");
}

#[test]
fn who_waits_for_a_person_has_a_line() {
    let mut s = Story::new(Some(46), "x.toml");
    s.team(spec("x", vec![member("sign-off", "")])).start("sign-off").ask("sign-off", "Ship\u{1b}[31m it?");
    let live = LiveView::of(&s.state, s.id(), 1_000, None).unwrap();
    let lines = plain(&block(&live, &Outputs::default(), Shape { columns: 80, rows: 24, ascii: false }));
    // Once: what it waits for, and no second row that says less.
    assert_eq!(lines[2], " ? sign-off waits on a person: Ship it?");
    assert_eq!(lines[3], " ▌critical path: sign-off");
    assert_eq!(lines.len(), 4);
}

#[test]
fn a_painted_block_is_redrawn_in_place_and_gone_at_the_end() {
    let mut screen = vt100::Parser::new(10.try_into().unwrap(), 40.try_into().unwrap(), 0);
    let mut painter = Painter::new(Palette { colour: true });
    let draw = |painter: &mut Painter, lines: &[&str]| {
        let mut bytes = Vec::new();
        let lines: Vec<Line> = lines.iter().map(|l| Line::from(*l)).collect();
        painter.draw(&mut bytes, &lines).unwrap();
        bytes
    };
    screen.process(b"first\r\n");
    screen.process(&draw(&mut painter, &["one", "two", "three"]));
    assert_eq!(screen.screen().contents(), "first\none\ntwo\nthree");
    assert!(draw(&mut painter, &["one", "two", "three"]).is_empty());
    screen.process(&draw(&mut painter, &["1"]));
    assert_eq!(screen.screen().contents(), "first\n1");
    let mut bytes = Vec::new();
    painter.clear(&mut bytes).unwrap();
    screen.process(&bytes);
    screen.process(b"second\r\n");
    screen.process(&draw(&mut painter, &["a"]));
    assert_eq!(screen.screen().contents(), "first\nsecond\na");
}

#[test]
fn a_terminal_keeps_only_ends_as_lines() {
    let told = run_42();
    let mut plain = Plain::new(&State::default(), Page::plain(), Choice { ends_only: true, verbose: false });
    let mut out = Vec::new();
    for (fact, after) in &told.facts {
        plain.fact(&mut out, fact, after).unwrap();
        plain.tick(&mut out, after, fact.elapsed_ms + 1).unwrap();
    }
    let text = String::from_utf8(out).unwrap();
    assert!(
        text.starts_with(" 37.9s  completed  lint    1/1   37.9s\n 1m19s  failed     docs    1/1   41.5s"),
        "{text}"
    );
    assert!(!text.contains("started") && !text.contains("slow"), "{text}");
}

#[test]
fn script_lines_and_output_are_written_only_as_asked() {
    let choice = Choice { ends_only: false, verbose: true };
    let plain = Plain::new(&State::default(), Page::plain(), choice);
    let mut out = Vec::new();
    plain.script_line(&mut out, 400, 4, &"wait all\u{1b}[2J".into()).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), "  0.4s  line 4     wait all\n");
    let quiet = Plain::new(&State::default(), Page::plain(), Choice::default());
    let mut out = Vec::new();
    quiet.script_line(&mut out, 400, 4, &"wait all".into()).unwrap();
    assert!(out.is_empty());
}

#[test]
fn slow_marks_come_by_the_ticks_of_the_caller() {
    let mut s = Story::new(Some(1), "x.toml");
    s.team(spec("x", vec![member("a", "")])).start("a");
    let mut plain = Plain::new(&s.state, Page::plain(), Choice::default());
    assert_eq!(plain.next_tick_ms(&s.state, 1_000), Some(60_000));
    let mut out = Vec::new();
    for now in [1_000, 59_999, 60_000, 60_001, 119_000, 121_000, 500_000, 959_999] {
        plain.tick(&mut out, &s.state, now).unwrap();
    }
    let lines: Vec<String> = String::from_utf8(out).unwrap().lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert_eq!(lines[0], " 1m00s  slow       a  1/1   1m00s");
}

#[test]
fn the_path_that_is_left_goes_over_what_is_live_however_long_the_others_took() {
    let mut s = Story::new(Some(46), "x.toml");
    let names = ["w1", "w2", "w3", "w4"];
    let mut members: Vec<_> = names.iter().map(|name| member(name, "")).collect();
    members.push(member("j", "w1,w2,w3,w4"));
    s.team(spec("x", members));
    for name in names {
        s.start(name);
    }
    s.at(9_000).done("w1", 9_000).done("w2", 9_000).done("w3", 8_000);
    let path = |s: &Story| LiveView::of(&s.state, s.id(), 9_500, None).unwrap().path;
    assert_eq!(path(&s), ["w4", "j"]);
    s.at(9_600).done("w4", 9_600).start("j");
    assert_eq!(path(&s), ["j"]);
}
