//! What only one part of the rim does: the terminal, the store, processes.
use crate::Breach;
use crate::source::{Kind, Named, Source, mark, word};

/// A thing, how a path to it ends or begins, and under which paths it may be named.
struct Only {
    what: &'static str,
    is: fn(&[String]) -> bool,
    within: &'static [&'static str],
}

const ONLY: &[Only] = &[
    Only {
        what: "stdout and stderr are named by the report, `cli` and the screen's guard",
        is: |path| {
            path.len() > 1
                && path.first().is_some_and(|s| s == "std" || s == "io" || s == "tokio")
                && ends(path, &["stdout", "stderr"])
        },
        within: &["src/script/report/", "src/script/progress/", "src/script/teller", "src/cli/", "src/term/"],
    },
    Only {
        what: "only `term` writes to the terminal",
        is: |path| {
            ends(
                path,
                &[
                    "CrosstermBackend",
                    "enable_raw_mode",
                    "disable_raw_mode",
                    "EnterAlternateScreen",
                    "LeaveAlternateScreen",
                ],
            )
        },
        within: &["src/term/"],
    },
    Only {
        what: "only `term` knows the terminal",
        is: |path| begins(path, &["crossterm"]) && path.len() > 1 && !begins(path, &["crossterm", "event"]),
        within: &["src/term/"],
    },
    Only {
        what: "the size of the terminal is asked of its own streams, by `cli`: crossterm starts `tput`",
        is: |path| begins(path, &["rustix", "termios"]),
        within: &["src/cli/place.rs", "src/term/"],
    },
    Only {
        what: "only `store` opens redb",
        is: |path| begins(path, &["redb"]) && path.len() > 1,
        within: &["src/store/"],
    },
    Only {
        what: "only agents, their owner and the screen's editor spawn",
        is: |path| has(path, &["process", "Command"]),
        within: &["src/agent/", "src/runtime/", "src/term/"],
    },
];

fn begins(path: &[String], with: &[&str]) -> bool {
    with.iter().enumerate().all(|(at, s)| path.get(at).is_some_and(|p| p == s))
}

fn ends(path: &[String], with: &[&str]) -> bool {
    path.last().is_some_and(|last| with.contains(&last.as_str()))
}

fn has(path: &[String], pair: &[&str; 2]) -> bool {
    path.windows(2).any(|w| w[0] == pair[0] && w[1] == pair[1])
}

pub fn breaches(sources: &[Source]) -> Vec<Breach> {
    let mut found = Vec::new();
    for source in sources {
        found.extend(unsafe_code(source));
        if source.is_test {
            continue;
        }
        let named = source.paths().into_iter().filter(|p| !p.is_test);
        found.extend(named.filter_map(|p| misplaced(source, &p)));
        found.extend(spoken(source));
    }
    found
}

fn misplaced(source: &Source, named: &Named) -> Option<Breach> {
    let only = ONLY.iter().find(|only| (only.is)(&named.segments))?;
    let free = only.within.iter().any(|within| source.path.starts_with(within));
    (!free).then(|| Breach::new(source, named.line, only.what))
}

fn unsafe_code(source: &Source) -> impl Iterator<Item = Breach> + '_ {
    let is = |at: &usize| word(&source.tokens, *at) == Some("unsafe");
    (0..source.tokens.len())
        .filter(is)
        .map(|at| Breach::new(source, source.tokens[at].line, "`unsafe` is nowhere"))
}

/// Printing macros anywhere, and the terminal's device by name.
fn spoken(source: &Source) -> impl Iterator<Item = Breach> + '_ {
    let tokens = &source.tokens;
    (0..tokens.len()).filter(|at| !tokens[*at].is_test).filter_map(move |at| {
        let line = tokens[at].line;
        if let Kind::Text(text) = &tokens[at].kind
            && text.contains("/dev/tty")
            && !source.path.starts_with("src/term/")
        {
            return Some(Breach::new(source, line, "only `term` writes to the terminal"));
        }
        let prints = ["print", "println", "eprint", "eprintln", "dbg"].contains(&word(tokens, at)?);
        (prints && mark(tokens, at + 1) == Some('!'))
            .then(|| Breach::new(source, line, "a writer is handed in; nothing is printed"))
    })
}

mod tests {
    use super::*;
    use crate::source::of;
    use crate::{holds, only};

    #[test]
    fn only_one_part_of_the_rim_does_each_thing() {
        holds(breaches);
    }

    #[test]
    fn each_thing_is_found_where_it_does_not_belong() {
        for (path, text) in [
            ("src/script/run.rs", "fn f() { std::io::stdout(); }"),
            ("src/runtime/x.rs", "use std::io::{stderr};"),
            ("src/server/x.rs", "fn f() { tokio::io::stdout(); }"),
            ("src/ui/x.rs", "use ratatui::backend::CrosstermBackend;"),
            ("src/cli/x.rs", "fn f() { crossterm::terminal::enable_raw_mode(); }"),
            ("src/ui/x.rs", "use crossterm::style::Color;"),
            ("src/cli/place.rs", "fn f() { crossterm::terminal::size(); }"),
            ("src/script/x.rs", "fn f() { rustix::termios::tcgetwinsize(x); }"),
            ("src/runtime/x.rs", "use redb::Database;"),
            ("src/config/x.rs", "use std::process::Command;"),
            ("src/cli/place.rs", "use std::process::Command;"),
            ("src/store/x.rs", "fn f() { unsafe { g() } }"),
            ("src/cli/x.rs", "fn f() { println!(\"a\"); }"),
            ("src/cli/x.rs", "const TTY: &str = \"/dev/tty\";"),
        ] {
            assert!(only(breaches, path, text).starts_with(&format!("{path}:1: ")), "{text}");
        }
    }

    #[test]
    fn where_it_belongs_it_is_free() {
        let sources = of([
            ("src/cli/place.rs", "fn f() { std::io::stdout(); rustix::termios::tcgetwinsize(x); }"),
            ("src/term/x.rs", "use crossterm::terminal::EnterAlternateScreen; const A: &str = \"/dev/tty\";"),
            ("src/store/x.rs", "use redb::Database; // unsafe"),
            ("src/agent/x.rs", "fn f(c: std::process::Command) { c.stdout(null).stderr(null); }"),
            ("src/app/x.rs", "#[cfg(test)]\nmod tests { fn f() { println!(); } }"),
        ]);
        assert_eq!(breaches(&sources), []);
    }
}
