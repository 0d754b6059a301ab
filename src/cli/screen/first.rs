//! What the first screen says of this project: found in a moment, without a network.
use super::seen;
use crate::app::{Start, Way, WayAct};
use crate::cli::place::Project;
use crate::config::{Probe, SystemProbe};
use crate::store::RunDir;
use std::path::Path;

/// Looks around.
pub fn look(project: &Project, run: &RunDir) -> Start {
    let files = team_files(&project.root);
    let mut ways: Vec<Way> = Vec::new();
    if let Some(file) = files.first() {
        ways.push(Way {
            key: 'c',
            word: "create".into(),
            help: format!("a team from {file}"),
            act: WayAct::Type(format!("create {file}")),
        });
    } else {
        let how = "write a team file first: `teamtui init` in another terminal makes one".to_owned();
        ways.push(Way {
            key: 'c',
            word: "create".into(),
            help: "a team from a file".into(),
            act: WayAct::Tell(how),
        });
    }
    ways.push(Way {
        key: ':',
        word: "commands".into(),
        help: "everything that can be asked".into(),
        act: WayAct::Type(String::new()),
    });
    let runs = project.dir.runs().map(|r| r.len()).unwrap_or_default();
    Start {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        project: home(&project.root),
        project_note: if project.root.join(".git").exists() {
            "git".into()
        } else {
            "no git repository".into()
        },
        members: members(&project.root),
        ways,
        runs,
        chosen: 0,
        recovery_seen: seen::last(run),
    }
}

fn members(root: &Path) -> Vec<String> {
    let found: Vec<&str> =
        ["claude", "codex"].into_iter().filter(|name| SystemProbe.has_program(name, root)).collect();
    let agents = if found.is_empty() {
        "claude, codex: not on PATH".to_owned()
    } else {
        format!("found: {}", found.join(", "))
    };
    vec!["any command works here as a member".to_owned(), agents]
}

/// Team files at the top of the project and in `examples`, in the order of their names.
fn team_files(root: &Path) -> Vec<String> {
    let mut files = Vec::new();
    for folder in ["", "examples"] {
        let Ok(entries) = std::fs::read_dir(root.join(folder)) else { continue };
        let mut found: Vec<String> = entries
            .flatten()
            .filter_map(|e| e.file_name().into_string().ok())
            .filter(|name| name.ends_with(".toml") && is_team(&root.join(folder).join(name)))
            .map(|name| if folder.is_empty() { name } else { format!("{folder}/{name}") })
            .collect();
        found.sort();
        files.extend(found);
    }
    files
}

fn is_team(path: &Path) -> bool {
    std::fs::read_to_string(path)
        .is_ok_and(|text| text.lines().any(|l| l.starts_with("[members") || l.starts_with("[tasks")))
}

fn home(path: &Path) -> String {
    let shown = path.display().to_string();
    let home = std::env::var("HOME").unwrap_or_default();
    let rest = shown.strip_prefix(&home).filter(|rest| !home.is_empty() && rest.starts_with('/'));
    let shown = rest.map_or(shown.clone(), |rest| format!("~{rest}"));
    crate::text::sanitise::line(&shown).into_owned()
}
