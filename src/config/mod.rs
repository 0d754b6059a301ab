//! Files become a team: a team file is read, checked without running anything, and resolved to a [`TeamSpec`].
//!
//! Every finding says where, what and what to do, and all of them are collected, not only the first. What a key means
//! stands once, in [`schema`]. What the machine has is asked of a [`Probe`], the script language of a [`ScriptCheck`].
//! This room starts nothing and writes nothing.

mod declare;
mod lint;
mod parse;
mod report;
mod resolve;
mod set;
mod shell;
mod splice;
mod string;
mod table;

pub mod file;
pub mod finding;
pub mod init;
pub mod limit;
pub mod order;
pub mod probe;
pub mod project;
pub mod schema;
pub mod script;
pub mod source;

pub use finding::{Finding, Level, Place, has_error, summary};
pub use init::init_file;
pub use limit::{LimitError, override_limit};
pub use order::{RestrictError, restrict, set_retries};
pub use probe::{Probe, ScriptCheck, SystemProbe};
pub use project::{project_root, state_folder};
pub use schema::MAX_RETRIES;
pub use schema::help_file;
pub use script::Scripts;
pub use source::Source;

use std::path::Path;

use crate::domain::TeamSpec;
use report::Report;

/// What loading a team file takes beside its text.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// `--set k=v`, in the order given; a later one wins.
    pub sets: &'a [(String, String)],
    /// Nobody can be asked: the team gets a cap on its time.
    pub headless: bool,
    /// The workspace of a team that names none, absolute: the project.
    pub workspace: &'a Path,
    /// The machine.
    pub probe: &'a dyn Probe,
    /// The script language.
    pub scripts: &'a dyn ScriptCheck,
}

/// A team file, loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// The team; none if a finding is an error.
    pub spec: Option<TeamSpec>,
    /// In the order of the file.
    pub findings: Vec<Finding>,
}

/// Loads the team file at `path`.
pub fn load(path: &Path, options: &Options<'_>) -> Loaded {
    match file::read(path) {
        Ok(source) => load_source(&source, options),
        Err(finding) => Loaded { spec: None, findings: vec![*finding] },
    }
}

/// Loads a team file from its text; `path` is what it is called, and what its paths are relative to.
pub fn load_text(path: &str, text: &str, options: &Options<'_>) -> Loaded {
    match file::decode(path, text.as_bytes()) {
        Ok(source) => load_source(&source, options),
        Err(finding) => Loaded { spec: None, findings: vec![*finding] },
    }
}

/// Loads a team file from a text that was read.
pub fn load_source(source: &Source, options: &Options<'_>) -> Loaded {
    let mut report = Report::new(source);
    let spec = read(options, &mut report).filter(|_| !report.has_error());
    Loaded { spec, findings: report.finish() }
}

fn read(options: &Options<'_>, report: &mut Report<'_>) -> Option<TeamSpec> {
    let tree = parse::parse(report)?;
    let mut reader = declare::Reader::new(tree.get_ref(), report);
    let declared = reader.vars();
    let decl = reader.team();
    // What was read stands by itself; the tree of a large file is larger than the team.
    drop(tree);
    let vars = set::Vars::new(declared, options.sets, report);
    resolve::resolve(decl, &vars, options, report)
}

#[cfg(test)]
mod tests;
