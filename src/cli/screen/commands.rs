//! The table of commands, as the palette uses it.
use crate::app::keymap;
use crate::app::{Checked, Commands, Completion, Entry, Names};
use crate::verbs::{self, Named};
use std::path::{Path, PathBuf};

/// Files of a folder that are looked at for one list. Reason: a person reads it.
const MAX_FILES: usize = 1_000;

/// The one table, for the project where paths begin.
pub struct Table {
    /// The project.
    pub root: PathBuf,
}

impl Commands for Table {
    fn rank(&self, query: &str, recent: &[String]) -> Vec<Entry> {
        let ids: Vec<&str> = recent.iter().filter_map(|line| line.split_whitespace().next()).collect();
        verbs::rank(query, &ids).into_iter().map(entry).collect()
    }

    fn complete(&self, line: &str, cursor: usize, names: &Names) -> Vec<Completion> {
        if let Some(files) = files(&self.root, line, cursor) {
            return files;
        }
        let found = verbs::complete(line, cursor, &known(names));
        let way =
            |c: verbs::Candidate| Completion { span: c.span.start..c.span.end, text: c.insert, help: c.note };
        found.into_iter().map(way).collect()
    }

    fn form(&self, line: &str) -> Option<(String, String)> {
        let verb = verbs::find(line.split_whitespace().next()?)?;
        Some((verb.usage(), verb.title.to_owned()))
    }

    fn check(&self, line: &str, names: &Names) -> Option<Checked> {
        match verbs::parse_line(line, false) {
            Ok(Some(_)) => None,
            Ok(None) => Some(missing(line, "a command")),
            Err(error) => {
                if let Some(needed) = verbs::needs(line).filter(|_| error.span.start >= line.trim_end().len())
                {
                    return Some(missing(line, &needed));
                }
                let typed = line.get(error.span.start..error.span.end).unwrap_or_default();
                let fix = nearest(typed, names);
                let next = error.help.first().map_or_else(String::new, |help| format!("; {help}"));
                Some(Checked {
                    span: error.span.start..error.span.end,
                    message: format!("{}{next}", error.what),
                    fix,
                })
            }
        }
    }
}

/// Team files and folders for the path of `create`; none: the cursor is not in it.
fn files(root: &Path, line: &str, cursor: usize) -> Option<Vec<Completion>> {
    let typed = line.get(..cursor)?.strip_prefix("create ")?;
    if typed.contains([' ', '"', '\'']) {
        return None;
    }
    let (folder, begun) = typed.rsplit_once('/').map_or(("", typed), |(folder, begun)| (folder, begun));
    let before = if typed.contains('/') { format!("{folder}/") } else { String::new() };
    let at = if typed.starts_with('/') { Path::new("/").join(folder) } else { root.join(folder) };
    let named = |entry: std::fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        let is_plain = name.chars().all(|c| c.is_alphanumeric() || "._-+@".contains(c));
        let is_folder = entry.path().is_dir();
        let is_wanted = name.starts_with(begun) && (!name.starts_with('.') || begun.starts_with('.'));
        let fits = is_plain && is_wanted && (is_folder || name.ends_with(".toml"));
        let (end, help) = if is_folder { ("/", "folder") } else { ("", "file") };
        let text = format!("{before}{name}{end}");
        fits.then(|| Completion { span: cursor - typed.len()..cursor, text, help: help.to_owned() })
    };
    let mut found: Vec<Completion> =
        std::fs::read_dir(at).ok()?.take(MAX_FILES).flatten().filter_map(named).collect();
    found.sort_by(|a, b| (&a.help, &a.text).cmp(&(&b.help, &b.text)));
    Some(found)
}

fn entry(ranked: verbs::Ranked) -> Entry {
    let length = ranked.verb.id.chars().count();
    let found =
        ranked.matched.iter().filter_map(|at| usize::try_from(*at).ok()).filter(|at| *at < length).collect();
    Entry {
        id: ranked.verb.id.to_owned(),
        help: ranked.verb.title.to_owned(),
        key: keymap::key_of(ranked.verb.id).map(keymap::Key::word),
        found,
    }
}

fn missing(line: &str, needed: &str) -> Checked {
    Checked { span: line.len()..line.len(), message: format!("needs {needed}"), fix: None }
}

fn nearest(typed: &str, names: &Names) -> Option<String> {
    let tasks = names.tasks.iter().map(|(name, _)| name.as_str());
    let all = tasks.chain(names.members.iter().map(|(name, _)| name.as_str()));
    crate::text::nearest(typed, all).map(str::to_owned)
}

fn known(names: &Names) -> verbs::Names {
    let named = |list: &[(String, String)]| list.iter().map(|(name, note)| Named::new(name, note)).collect();
    verbs::Names {
        tasks: named(&names.tasks),
        members: named(&names.members),
        teams: names.teams.iter().map(|name| Named::new(name, "")).collect(),
        agents: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_of_a_command_is_one_that_works_here() {
        let table = Table { root: PathBuf::new() };
        let all = table.rank("", &[]);
        let key = |id: &str| all.iter().find(|entry| entry.id == id).unwrap().key.clone();
        assert_eq!(key("retry").as_deref(), Some("t"));
        assert_eq!(key("send").as_deref(), Some("m"));
        assert_eq!((key("replan"), key("send_back")), (None, None));
    }

    #[test]
    fn the_path_of_create_is_completed_folder_by_folder() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("teams")).unwrap();
        for name in ["t.toml", "notes.md", "teams/ci.toml", ".hidden.toml"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let table = Table { root: folder.path().to_owned() };
        let found = |line: &str| {
            let all = table.complete(line, line.len(), &Names::default());
            all.into_iter().map(|c| (c.span.start, c.text)).collect::<Vec<_>>()
        };
        assert_eq!(found("create t"), [(7, "t.toml".to_owned()), (7, "teams/".to_owned())]);
        assert_eq!(found("create teams/c"), [(7, "teams/ci.toml".to_owned())]);
        assert_eq!(found("create nowhere/"), []);
    }
}
