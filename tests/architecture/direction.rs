//! Rooms know only the rooms beneath them.
use crate::Breach;
use crate::source::Source;
use std::collections::BTreeSet;

/// Each room and what stands directly beneath it. What it may name is everything beneath these, too.
const BENEATH: &[(&str, &[&str])] = &[
    ("text", &[]),
    ("graph", &[]),
    ("domain", &["text", "graph"]),
    ("verbs", &["domain"]),
    ("store", &["domain"]),
    ("llm", &["domain"]),
    ("tools", &["domain"]),
    ("config", &["verbs"]),
    ("agent", &["verbs", "llm", "tools", "config"]),
    ("runtime", &["store", "agent"]),
    ("server", &["runtime", "verbs"]),
    ("script", &["runtime", "verbs"]),
    ("app", &["verbs"]),
    ("ui", &["app"]),
    ("term", &["runtime", "app", "ui"]),
    ("cli", &["script", "server", "term"]),
];

fn beneath(room: &str) -> &'static [&'static str] {
    BENEATH.iter().find(|(name, _)| *name == room).map_or(&[], |(_, beneath)| beneath)
}

fn may_name(room: &str) -> BTreeSet<&'static str> {
    let mut found = BTreeSet::new();
    let mut open = beneath(room).to_vec();
    while let Some(room) = open.pop() {
        if found.insert(room) {
            open.extend(beneath(room));
        }
    }
    found
}

pub fn breaches(sources: &[Source]) -> Vec<Breach> {
    let mut found = Vec::new();
    for source in sources {
        let Some(room) = source.room() else { continue };
        if !BENEATH.iter().any(|(name, _)| *name == room) {
            found.push(Breach::new(source, 1, format!("`{room}` is no room of the house")));
            continue;
        }
        let allowed = may_name(room);
        for path in source.paths() {
            let [first, other, ..] = path.segments.as_slice() else { continue };
            // What tests alone know of the disk stands beside the rooms.
            if path.is_test && other == "power" {
                continue;
            }
            if first != "crate" || other == room || allowed.contains(other.as_str()) {
                continue;
            }
            let what = match BENEATH.iter().any(|(name, _)| name == other) {
                true => format!("`{room}` names `{other}`, which is not beneath it"),
                false => format!("`crate::{other}` is no room of the house"),
            };
            found.push(Breach::new(source, path.line, what));
        }
    }
    found
}

mod tests {
    use super::*;
    use crate::{holds, only};

    #[test]
    fn rooms_name_only_rooms_beneath_them() {
        holds(breaches);
    }

    #[test]
    fn the_table_has_no_loop() {
        for (room, _) in BENEATH {
            assert!(!may_name(room).contains(room), "{room} is beneath itself");
        }
    }

    #[test]
    fn a_room_that_looks_up_is_found_however_it_is_written() {
        let says = "src/domain/x.rs:2: `domain` names `store`, which is not beneath it";
        for text in [
            "\nuse crate::store::Reader;",
            "\nuse crate::{text::Untrusted, store::Reader};",
            "\nuse super::super::store::Reader;",
            "\nuse super::super::{store::{Reader, Writer as W}};".replace(", Writer as W", "").as_str(),
            "\nfn f() { crate::store::Reader::open() }",
            "\nmod a { use super::super::super::store; }",
        ] {
            assert_eq!(only(breaches, "src/domain/x.rs", text), says, "{text}");
        }
    }

    #[test]
    fn what_is_beneath_what_is_beneath_is_allowed_and_a_sibling_is_not() {
        assert_eq!(
            breaches(&crate::source::of([("src/runtime/x.rs", "use crate::{text, graph, config};")])),
            []
        );
        assert!(only(breaches, "src/app/x.rs", "use crate::script;").contains("`app` names `script`"));
        assert!(only(breaches, "src/ui/x.rs", "use crate::term;").contains("`ui` names `term`"));
        assert!(only(breaches, "src/store/x.rs", "use crate::verbs;").contains("`store` names `verbs`"));
    }

    #[test]
    fn a_new_room_must_be_drawn_first() {
        assert_eq!(only(breaches, "src/misc/x.rs", ""), "src/misc/x.rs:1: `misc` is no room of the house");
    }
}
