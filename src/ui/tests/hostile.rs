//! Names, texts and output that want to do harm, sizes and keys that nobody expects.
use super::*;
use crate::app::layout::{Shape, layout};
use crate::app::story::{Told, name};
use crate::app::{Chunk, Over};
use crate::domain::event::{AttemptEnded, MessageSent, QuestionAsked};
use crate::domain::{Asker, Event, MessageId, Outcome, Party, Status};
use crate::text::{Untrusted, width};
use proptest::prelude::*;

const PAYLOADS: [&str; 9] = [
    "\x1b]52;c;QQ==\x07",
    "\x1b]0;T\x07",
    "\u{9d}52;c;QQ==\u{9c}",
    "\x1b[2J",
    "\x1b[6n",
    "\x1bPq",
    "\x1b]",
    "a\tb [x] [red]y[-]\x08\x0b\x7f\r\n\0",
    "\u{202e}evil\u{200b}\u{feff}",
];

const NAMES: [&str; 6] =
    ["开发-🦀", "👩🏽‍🔬 lab", "plan — v2", "مرحبا بالعالم", "שלום עולם", "e\u{301}\u{301}\u{301}"];

/// A story in which every text of others is this one.
fn poisoned(text: &str) -> Teller {
    let mut teller = Teller::default();
    let tasks: [Told<'_>; 3] = [("one", "core", &[]), ("two", "core", &["one"]), ("three", "ui", &[])];
    teller.team("t", &tasks, |task| format!("{task} {text}"));
    let first = teller.start(1, "core", 1);
    teller.end(first, 1, 1, Status::Failed, &format!("why {text}"));
    let asking = teller.start(3, "ui", 1);
    teller.say(QuestionAsked {
        attempt: asking,
        of: Asker::Person,
        text: Untrusted::from(format!("may I {text}")),
        default: None,
    });
    teller.say(MessageSent {
        id: MessageId(1),
        from: Party::Member(name("core")),
        to: Party::Person,
        text: Untrusted::from(text),
        hop: 1,
    });
    teller
}

/// Every face of a screen that shows it.
fn faces(text: &str, width: u16, height: u16) -> Vec<Buffer> {
    let mut model = told(&poisoned(text), width, height);
    if let Some(attempt) = model.log.attempt {
        let bytes = format!("said {text}\nand {text}").into_bytes();
        update(&mut model, Msg::Output(Chunk { attempt, at: 0, bytes }));
    }
    let mut shown = vec![drawn(&model)];
    for keys in ["g", "enter", "esc z", "2", "1 ?", "esc :"] {
        press(&mut model, keys);
        shown.push(drawn(&model));
    }
    update(&mut model, Msg::Paste(text.to_owned()));
    shown.push(drawn(&model));
    press(&mut model, "esc");
    update(
        &mut model,
        Msg::Reply { line: format!("why {text}"), result: Err(format!("no {text}\nhelp {text}")) },
    );
    shown.push(drawn(&model));
    shown
}

#[test]
fn c039_no_control_byte_of_others_reaches_a_cell() {
    for payload in PAYLOADS {
        for (w, h) in [(80, 24), (200, 60), (40, 12), (19, 5)] {
            for buffer in faces(payload, w, h) {
                for cell in &buffer.content {
                    let symbol = cell.symbol();
                    let bad = symbol.chars().any(|c| c.is_control() || crate::text::sanitise::is_hidden(c));
                    assert!(!bad, "{payload:?} left {symbol:?}");
                }
            }
        }
    }
}

#[test]
fn c028_any_name_at_any_width() {
    let mut teller = Teller::default();
    let handles: Vec<String> = (0..NAMES.len()).map(|at| format!("{at}")).collect();
    let tasks: Vec<Told<'_>> = handles.iter().map(|handle| (handle.as_str(), "core", &[][..])).collect();
    teller.team("t", &tasks, |handle| NAMES[handle.parse::<usize>().unwrap()].to_owned());
    let attempt = teller.start(1, "core", 1);
    for w in 1..=120 {
        let mut model = told(&teller, w, 24);
        let bytes = NAMES.join("\n").into_bytes();
        update(&mut model, Msg::Output(Chunk { attempt, at: 0, bytes }));
        for keys in ["", "j enter", "esc j", "2 +", "+ 1 :"] {
            press(&mut model, keys);
            let buffer = drawn(&model);
            for y in 0..buffer.area.height {
                let columns: usize = text_of_row(&buffer, y).iter().map(|symbol| width(symbol)).sum();
                assert!(columns <= usize::from(w), "row {y} at {w}");
            }
        }
    }
}

/// The cells of a row without those that lie below a wide character.
fn text_of_row(buffer: &Buffer, y: u16) -> Vec<String> {
    let mut symbols = Vec::new();
    let mut x = 0;
    while x < buffer.area.width {
        let symbol = buffer[(x, y)].symbol().to_owned();
        x += u16::try_from(width(&symbol).max(1)).unwrap();
        symbols.push(symbol);
    }
    symbols
}

#[test]
fn c028_what_is_typed_is_erased_by_whole_characters() {
    for title in NAMES {
        let mut model = shipping(80, 24);
        press(&mut model, ":");
        update(&mut model, Msg::Paste(title.to_owned()));
        let mut presses = 0;
        while let Over::Palette(palette) = &model.over
            && !palette.line().is_empty()
        {
            update(&mut model, Msg::Key(KeyEvent::from(KeyCode::Backspace)));
            drawn(&model);
            presses += 1;
            assert!(presses <= title.chars().count());
        }
        use unicode_segmentation::UnicodeSegmentation;
        assert_eq!(presses, title.graphemes(true).count(), "{title}");
    }
}

#[test]
fn c030_boxes_survive_any_order_of_sizes() {
    for keys in ["", ":", "?", "q", "enter", ": d i s s o l v e enter", "2 +"] {
        let mut model = shipping(80, 24);
        press(&mut model, keys);
        for (w, h) in
            [(80, 24), (1, 1), (0, 0), (3, 2), (200, 60), (20, 6), (59, 15), (60, 14), (0, 9), (9, 0)]
        {
            update(&mut model, Msg::Resize(w, h));
            drawn(&model);
        }
    }
}

#[test]
fn an_ended_attempt_with_hostile_words_is_told_harmlessly() {
    let mut teller = poisoned("\x1b[31m");
    let event: Event = AttemptEnded {
        attempt: crate::domain::AttemptId(2),
        outcome: Outcome::Unknown,
        reason: Untrusted::from("\x1b[2Jgone"),
        exit: None,
        took_ms: 1,
        output_bytes: 0,
        result: None,
        status: Some(Status::Stale),
        again: false,
        spent_micros: 0,
    }
    .into();
    teller.say(event);
    let mut model = told(&teller, 120, 40);
    press(&mut model, "G");
    let shown = text(&drawn(&model));
    assert!(shown.contains("why    gone"), "{shown}");
}

fn any_key() -> impl Strategy<Value = KeyEvent> {
    let code = prop_oneof![
        6 => prop::char::range(' ', '~').prop_map(KeyCode::Char),
        2 => prop::sample::select("jkgGhl[]pfxtmwaiz:?q+12yD".chars().collect::<Vec<_>>()).prop_map(KeyCode::Char),
        1 => any::<char>().prop_map(KeyCode::Char),
        3 => prop::sample::select(vec![
            KeyCode::Enter, KeyCode::Esc, KeyCode::Tab, KeyCode::BackTab, KeyCode::Up, KeyCode::Down,
            KeyCode::Left, KeyCode::Right, KeyCode::Home, KeyCode::End, KeyCode::Backspace, KeyCode::Delete,
            KeyCode::PageUp, KeyCode::F(1), KeyCode::Null,
        ]),
    ];
    let modifiers = prop::sample::select(vec![
        KeyModifiers::NONE,
        KeyModifiers::NONE,
        KeyModifiers::NONE,
        KeyModifiers::CONTROL,
        KeyModifiers::SHIFT,
        KeyModifiers::ALT,
    ]);
    (code, modifiers).prop_map(|(code, modifiers)| KeyEvent::new(code, modifiers))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_size_and_any_keys_leave_the_selection_in_view(
        width in 0_u16..=200,
        height in 0_u16..=60,
        keys in prop::collection::vec(any_key(), 100),
        sizes in prop::collection::vec((0_u16..=200, 0_u16..=60), 4),
    ) {
        let mut model = shipping(width, height);
        for (at, key) in keys.into_iter().enumerate() {
            update(&mut model, Msg::Key(key));
            if at % 25 == 24 {
                let (width, height) = sizes[at / 25];
                update(&mut model, Msg::Resize(width, height));
                drawn(&model);
            }
            let placed = layout(&model);
            if let (Shape::One | Shape::Two, Some(slot)) = (placed.shape, placed.rail)
                && let Some(line) = model.rail.selected_line()
                && slot.body.height > 0
            {
                prop_assert!(model.rail.view(usize::from(slot.body.height)).contains(&line));
            }
        }
        prop_assert!(model.rail.selected.is_some());
        drawn(&model);
    }
}
