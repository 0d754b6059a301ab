//! Where files are and what they are called.
use crate::Breach;
use crate::source::Source;
use std::collections::{BTreeMap, BTreeSet};

/// Names that say nothing of what is inside.
const EMPTY_NAMES: &[&str] = &["util", "utils", "helper", "helpers", "common", "manager", "misc", "shared"];

/// What the top level of the repository has; dot-files and what is built beside.
const TOP: &[&str] = &[
    "Cargo.toml",
    "Cargo.lock",
    "src",
    "themes",
    "examples",
    "tests",
    "benches",
    "README.md",
    "clippy.toml",
    "rustfmt.toml",
    "LICENSE",
    "LICENSE-MIT",
    "LICENSE-APACHE",
];

/// Every folder has a `mod.rs` that says what it is for; a module has no second file beside its folder.
pub fn folders(sources: &[Source]) -> Vec<Breach> {
    let files: BTreeMap<&str, &Source> = sources.iter().map(|s| (s.path.as_str(), s)).collect();
    let folders: BTreeSet<&str> =
        files.keys().filter_map(|path| path.rsplit_once('/')).map(|(folder, _)| folder).collect();
    let mut found = Vec::new();
    for folder in folders.into_iter().filter(|folder| *folder != "src") {
        let beside = format!("{folder}.rs");
        if files.contains_key(beside.as_str()) {
            found.push(Breach { at: beside, what: format!("belongs inside as {folder}/mod.rs") });
        } else if !files.contains_key(format!("{folder}/mod.rs").as_str()) {
            found.push(Breach { at: folder.to_owned(), what: "has no mod.rs".to_owned() });
        }
    }
    found
}

/// Every file says first what it is for.
pub fn docs(sources: &[Source]) -> Vec<Breach> {
    let silent = sources.iter().filter(|source| !source.is_test && !source.text.starts_with("//! "));
    silent.map(|source| Breach::new(source, 1, "does not begin with `//!` and what it is for")).collect()
}

/// Names say what is inside.
pub fn names(sources: &[Source]) -> Vec<Breach> {
    let empty = |path: &str| {
        path.trim_end_matches(".rs")
            .split('/')
            .any(|part| part.split('_').any(|word| EMPTY_NAMES.contains(&word)))
    };
    let found = sources.iter().filter(|source| empty(&source.path));
    found.map(|source| Breach::new(source, 1, "a name that says nothing: name it by its idea")).collect()
}

/// The top level is exactly what is drawn.
pub fn top<'a>(entries: impl IntoIterator<Item = &'a str>) -> Vec<Breach> {
    let stray =
        entries.into_iter().filter(|name| !name.starts_with('.') && *name != "target" && !TOP.contains(name));
    stray
        .map(|name| Breach { at: name.to_owned(), what: "does not belong at the top level".to_owned() })
        .collect()
}

mod tests {
    use super::*;
    use crate::source::of;
    use crate::{holds, none, only, root};

    #[test]
    fn every_folder_has_a_mod_file() {
        holds(folders);
    }

    #[test]
    fn every_file_says_first_what_it_is_for() {
        holds(docs);
    }

    #[test]
    fn names_say_what_is_inside() {
        holds(names);
    }

    #[test]
    fn the_top_level_is_what_is_drawn() {
        let entries = std::fs::read_dir(root()).unwrap();
        let names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        none(&top(names.iter().map(String::as_str)));
        for needed in ["Cargo.toml", "src", "tests", "themes"] {
            assert!(names.iter().any(|name| name == needed), "{needed} is missing");
        }
    }

    #[test]
    fn a_folder_without_mod_and_a_module_beside_its_folder_are_found() {
        assert_eq!(only(folders, "src/app/panes/x.rs", ""), "src/app/panes: has no mod.rs");
        let sources = of([("src/app/panes/x.rs", ""), ("src/app/panes.rs", ""), ("src/app/mod.rs", "")]);
        assert_eq!(folders(&sources)[0].at, "src/app/panes.rs");
    }

    #[test]
    fn a_silent_file_an_empty_name_and_a_stray_file_are_found() {
        only(docs, "src/app/x.rs", "use a;\n//! late");
        only(names, "src/app/string_utils.rs", "");
        only(names, "src/common/mod.rs", "");
        assert_eq!(names(&of([("src/app/manage.rs", "")])), []);
        assert_eq!(top(["src", ".github", "target", "notes.txt"])[0].at, "notes.txt");
    }
}
