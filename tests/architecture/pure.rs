//! What the pure rooms may not know.
use crate::Breach;
use crate::source::{Kind, Named, Source, mark, word};

const PURE: &[&str] = &["text", "graph", "domain", "verbs", "app"];

/// Modules and crates, as the first segments of a path.
const FOREIGN: &[&[&str]] = &[
    &["tokio"],
    &["tokio_util"],
    &["redb"],
    &["rand"],
    &["getrandom"],
    &["rustix"],
    &["tempfile"],
    &["std", "fs"],
    &["std", "io"],
    &["std", "net"],
    &["std", "process"],
    &["std", "thread"],
    &["std", "sync", "mpsc"],
    &["std", "time"],
    &["core", "time"],
    &["std", "env"],
    &["std", "os"],
    &["std", "random"],
    &["uuid", "Uuid", "new_v4"],
    &["uuid", "Uuid", "now_v7"],
];

/// Words that say the same wherever they come from, with what is wrong about them.
const WORDS: &[(&str, &str)] = &[
    ("Instant", "a clock"),
    ("SystemTime", "a clock"),
    ("HashMap", "an order that differs between two runs"),
    ("HashSet", "an order that differs between two runs"),
    ("RandomState", "randomness"),
    ("f32", "a float"),
    ("f64", "a float"),
    ("println", "printing"),
    ("print", "printing"),
    ("eprintln", "printing"),
    ("eprint", "printing"),
    ("dbg", "printing"),
    ("thread_local", "a thread"),
    ("async", "a task"),
];

pub fn breaches(sources: &[Source]) -> Vec<Breach> {
    let mut found = Vec::new();
    for source in sources {
        let Some(room) = source.room().filter(|room| PURE.contains(room) && !source.is_test) else {
            continue;
        };
        let named = source.paths().into_iter().filter(|p| !p.is_test);
        found.extend(named.filter_map(|p| foreign(source, room, &p)));
        found.extend(words(source, room));
    }
    found
}

fn foreign(source: &Source, room: &str, named: &Named) -> Option<Breach> {
    let begins =
        |with: &[&str]| with.iter().enumerate().all(|(at, s)| named.segments.get(at).is_some_and(|n| n == s));
    let is_key = named.segments.first().is_some_and(|s| s == "crossterm") && named.segments.len() > 1;
    if is_key && (room != "app" || !begins(&["crossterm", "event"])) {
        return Some(Breach::new(
            source,
            named.line,
            "the pure rooms know no terminal; `app` knows keys alone",
        ));
    }
    let is_screen = begins(&["ratatui"]) && named.segments.len() > 1;
    if is_screen && (room != "app" || !begins(&["ratatui", "layout"])) {
        return Some(Breach::new(
            source,
            named.line,
            "the pure rooms draw nothing; `app` knows rectangles alone",
        ));
    }
    if named.segments.len() > 1 && named.segments.last().is_some_and(|last| last == "now") {
        return Some(Breach::new(
            source,
            named.line,
            format!("the pure room `{room}` asks a clock; time is an argument"),
        ));
    }
    let with = FOREIGN.iter().find(|with| begins(with) && named.segments.len() > 1)?;
    Some(Breach::new(source, named.line, format!("the pure room `{room}` names `{}`", with.join("::"))))
}

fn words<'a>(source: &'a Source, room: &'a str) -> impl Iterator<Item = Breach> + 'a {
    let tokens = &source.tokens;
    (0..tokens.len()).filter(|at| !tokens[*at].is_test).filter_map(move |at| {
        let said = word(tokens, at)?;
        let calls = mark(tokens, at + 1) == Some('!');
        let is_macro = ["println", "print", "eprintln", "eprint", "dbg", "thread_local"].contains(&said);
        let known = WORDS.iter().find(|(word, _)| *word == said && (calls || !is_macro));
        let what =
            known.map(|(_, what)| *what).or_else(|| is_float(source, at, said).then_some("a float"))?;
        Some(Breach::new(source, tokens[at].line, format!("the pure room `{room}` has `{said}`: {what}")))
    })
}

/// `0.5`, `2f32`; not the `0.1` of `pair.0.1`.
fn is_float(source: &Source, at: usize, said: &str) -> bool {
    let is_number = |s: &str| s.starts_with(|c: char| c.is_ascii_digit());
    if !is_number(said) || said.starts_with("0x") {
        return false;
    }
    let after = matches!(source.tokens.get(at + 1).map(|t| &t.kind), Some(Kind::Mark('.')))
        && word(&source.tokens, at + 2).is_some_and(is_number);
    let before = at.checked_sub(1).and_then(|at| mark(&source.tokens, at)) == Some('.');
    said.ends_with("f32") || said.ends_with("f64") || (after && !before)
}

mod tests {
    use super::*;
    use crate::source::of;
    use crate::{holds, only};

    #[test]
    fn pure_rooms_are_pure() {
        holds(breaches);
    }

    #[test]
    fn what_a_pure_room_may_not_know_is_found() {
        for text in [
            "use tokio::sync::mpsc;",
            "use std::fs;",
            "use std::{fs::File};",
            "fn f() { std::env::var(\"A\"); }",
            "use std::time::Duration;",
            "use redb::Database;",
            "fn f(a: f64) {}",
            "const A: u8 = 0.5 as u8;",
            "fn f() { println!(\"\"); }",
            "use std::process::Command;",
            "use std::thread;",
            "use std::net::TcpStream;",
            "async fn f() {}",
            "fn f() { jiff::Timestamp::now(); }",
        ] {
            assert!(
                only(breaches, "src/verbs/x.rs", text).starts_with("src/verbs/x.rs:1: the pure room `verbs`"),
                "{text}"
            );
        }
        assert_eq!(
            only(breaches, "src/graph/x.rs", "\nuse std::collections::HashMap;"),
            "src/graph/x.rs:2: the pure room `graph` has `HashMap`: an order that differs between two runs"
        );
    }

    #[test]
    fn app_knows_keys_and_no_terminal() {
        assert_eq!(breaches(&of([("src/app/x.rs", "use crossterm::event::KeyEvent;")])), []);
        only(breaches, "src/app/x.rs", "use crossterm::terminal::size;");
        only(breaches, "src/text/x.rs", "use crossterm::event::KeyEvent;");
        assert_eq!(breaches(&of([("src/app/x.rs", "use ratatui::layout::Rect;")])), []);
        only(breaches, "src/app/x.rs", "use ratatui::style::Color;");
    }

    #[test]
    fn tests_the_rim_and_words_that_only_look_alike_are_free() {
        let text = "// tokio\nfn f() { let t = (1, (2, 3)); t.1.0; 0..5; say(\"std::fs\"); }\n#[cfg(test)]\nmod tests { use std::fs; }";
        assert_eq!(breaches(&of([("src/text/x.rs", text), ("src/store/x.rs", "use std::fs;")])), []);
    }
}
