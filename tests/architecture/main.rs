//! The house as it is drawn in the crate's docs, kept true by reading the sources as text.
//!
//! Each check is a function from sources to breaches. It runs over this repository, and over a made-up source that breaks it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::string_slice, missing_docs)]
mod direction;
mod place;
mod pure;
mod rim;
mod size;
mod source;

use source::Source;
use std::fmt::Write;
use std::path::Path;
use std::sync::OnceLock;

/// One place where the rules are broken.
#[derive(Debug, PartialEq, Eq)]
pub struct Breach {
    /// `src/ROOM/file.rs:12`, or a path.
    pub at: String,
    /// What is wrong there.
    pub what: String,
}

impl Breach {
    pub fn new(source: &Source, line: usize, what: impl Into<String>) -> Self {
        Self { at: format!("{}:{line}", source.path), what: what.into() }
    }
}

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Runs a check over this repository.
pub fn holds(check: impl Fn(&[Source]) -> Vec<Breach>) {
    static SOURCES: OnceLock<Vec<Source>> = OnceLock::new();
    let sources = SOURCES.get_or_init(|| source::read_all(root()));
    assert!(sources.len() > 100, "only {} sources were found", sources.len());
    none(&check(sources));
}

/// Fails, naming each breach.
pub fn none(breaches: &[Breach]) {
    let mut said = String::new();
    for Breach { at, what } in breaches {
        writeln!(said, "{at}: {what}").unwrap();
    }
    assert!(breaches.is_empty(), "\n{said}");
}

/// The one breach of a made-up source.
pub fn only(check: impl Fn(&[Source]) -> Vec<Breach>, path: &str, text: &str) -> String {
    let breaches = check(&source::of([(path, text)]));
    assert_eq!(breaches.len(), 1, "{text}: {breaches:?}");
    format!("{}: {}", breaches[0].at, breaches[0].what)
}
