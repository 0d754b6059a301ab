//! The variables of a team: `[vars]`, and `--set k=v` on top.

use std::collections::BTreeMap;

use super::finding::Finding;
use super::report::Report;
use super::string::Text;
use crate::text::nearest;

/// Variables by name.
#[derive(Debug, Default)]
pub(super) struct Vars {
    values: BTreeMap<String, String>,
}

impl Vars {
    /// The file's variables with those of the command line on top; one that the file does not have is an error.
    pub fn new(declared: Vec<(Text, Text)>, sets: &[(String, String)], report: &mut Report<'_>) -> Self {
        let values = declared.into_iter().map(|(name, value)| (name.value, value.value)).collect();
        let mut vars = Self { values };
        for (name, value) in sets {
            match vars.values.get_mut(name) {
                Some(place) => place.clone_from(value),
                None => report.add(vars.unknown(name)),
            }
        }
        vars
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// The names there are, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(String::as_str)
    }

    fn unknown(&self, name: &str) -> Finding {
        let finding =
            Finding::error("unknown_variable", "--set", &format!("the team has no variable `{name}`"));
        let names: Vec<&str> = self.names().collect();
        match nearest(name, names.iter().copied()) {
            Some(near) => finding.with_help(&format!("did you mean `{near}`?")),
            None if names.is_empty() => finding.with_help("declare it: `[vars]` in the team file"),
            None => finding.with_help(&format!("the variables: {}", names.join(", "))),
        }
    }
}
