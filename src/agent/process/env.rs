//! The environment of children: an allow-list, what the team file names, and `$TEAMTUI_*`. Nothing else.
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Variables that every child inherits.
const NAMES: [&str; 7] = ["PATH", "HOME", "USER", "SHELL", "LANG", "TZ", "TMPDIR"];

/// Beginnings of variables that every child inherits.
const PREFIXES: [&str; 2] = ["LC_", "XDG_"];

/// The environment of the owner: what children inherit from, as far as they are allowed to.
#[derive(Debug, Clone, Default)]
pub struct Inherited {
    /// Everything there is, for what a team file names.
    all: BTreeMap<OsString, OsString>,
    /// What every child gets.
    common: BTreeMap<OsString, OsString>,
}

impl Inherited {
    /// The environment of this process.
    pub fn of_process() -> Self {
        std::env::vars_os().collect()
    }
}

impl FromIterator<(OsString, OsString)> for Inherited {
    fn from_iter<I: IntoIterator<Item = (OsString, OsString)>>(variables: I) -> Self {
        let all: BTreeMap<OsString, OsString> = variables.into_iter().collect();
        let is_common = |name: &OsStr| {
            NAMES.iter().any(|common| name == *common) || PREFIXES.iter().any(|prefix| starts(name, prefix))
        };
        let mut common: BTreeMap<OsString, OsString> = all
            .iter()
            .filter(|(name, _)| is_common(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        common.insert("TERM".into(), "dumb".into());
        Self { all, common }
    }
}

/// The environment of one child, being put together; what is set later overrules.
#[derive(Debug)]
pub struct Environment(BTreeMap<OsString, OsString>);

impl Environment {
    /// What every child gets, and what `named` says: `NAME` and `PREFIX_*` are inherited, `NAME=value` is set.
    pub fn new(inherited: &Inherited, named: &[String]) -> Self {
        let mut variables = inherited.common.clone();
        for entry in named {
            if let Some((name, value)) = entry.split_once('=') {
                variables.insert(name.into(), value.into());
            } else if let Some(prefix) = entry.strip_suffix('*') {
                let meant = inherited.all.iter().filter(|(name, _)| starts(name, prefix));
                variables.extend(meant.map(|(name, value)| (name.clone(), value.clone())));
            } else if let Some(value) = inherited.all.get(OsStr::new(entry)) {
                variables.insert(entry.into(), value.clone());
            }
        }
        // What teamtui itself says is said by it alone: an owner may run inside an attempt of another.
        variables.retain(|name, _| !starts(name, "TEAMTUI_"));
        Self(variables)
    }

    /// Sets a variable.
    pub fn set(&mut self, name: &str, value: impl Into<OsString>) {
        self.0.insert(name.into(), value.into());
    }

    /// Adds a folder at the end of `PATH`, unless it is empty or there already.
    pub fn add_path(&mut self, folder: &Path) {
        if folder.as_os_str().is_empty() {
            return;
        }
        let path = self.0.entry("PATH".into()).or_default();
        if std::env::split_paths(path).any(|one| one == folder) {
            return;
        }
        if !path.is_empty() {
            path.push(":");
        }
        path.push(folder);
    }

    /// The variables as the guard takes them.
    pub fn into_vec(self) -> Vec<(OsString, OsString)> {
        self.0.into_iter().collect()
    }
}

fn starts(name: &OsStr, prefix: &str) -> bool {
    name.as_encoded_bytes().starts_with(prefix.as_bytes())
}
