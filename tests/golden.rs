//! Stores that earlier versions made: they open for good, and say what they said then.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod support;

use std::fs;
use std::path::{Path, PathBuf};
use support::Sandbox;
use teamtui::store::{Reader, RunDir, StateDir};

/// One task of each end, a message, output on both streams.
const TEAM: &str = r#"
name = "golden"
goal = "a store that every later version opens"
[members]
build = { run = "echo building; echo warned >&2; echo done > built.txt" }
test = { run = "echo tested", depends_on = ["build"] }
docs = { run = "echo no; exit 3", optional = true }
notes = { prompt = "take notes", script = ["say noted", "send build \"all well\"", "complete \"two notes\""] }
"#;

fn folder(version: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(version)
}

fn run_of(sandbox: &Sandbox) -> RunDir {
    let state = sandbox.root().parent().unwrap().join("state/teamtui");
    let project = StateDir::new(state).project(&sandbox.root().canonicalize().unwrap()).unwrap();
    project.run(1).or_else(|_| project.new_run()).unwrap()
}

/// What this build says of a finished run.
fn said(sandbox: &Sandbox) -> [(&'static str, String); 4] {
    let text = |command: &[&str]| {
        let ran = sandbox.run(command);
        assert_eq!(ran.rc, 0, "{ran:?}");
        assert_eq!(ran.err, "", "{ran:?}");
        ran.out
    };
    let run = run_of(sandbox);
    let chain = Reader::open(&run).unwrap().verify_chain().unwrap();
    let facts = format!("seq {}\ncommits {}\nchain {}\n", chain.last_seq, chain.commits, chain.hash);
    [
        ("status.txt", text(&["status", "--run", "1"])),
        ("report.txt", text(&["report", "--run", "1"])),
        ("log.txt", text(&["log", "--run", "1"])),
        ("facts.txt", facts),
    ]
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

#[test]
fn a_store_of_0_1_0_opens_and_says_what_it_said_then() {
    let folder = folder("0.1.0");
    let sandbox = Sandbox::new();
    copy(&folder.join("run"), run_of(&sandbox).path());
    for (name, text) in said(&sandbox) {
        let recorded = fs::read_to_string(folder.join(name)).unwrap();
        assert_eq!(text, recorded, "{name}");
    }
}

#[test]
#[ignore = "makes the store of this version anew"]
fn make() {
    let folder = folder(env!("CARGO_PKG_VERSION"));
    let sandbox = Sandbox::with(&[("golden.toml", TEAM)]);
    let ran = sandbox.run(&["--script", "golden.toml"]);
    assert_eq!(ran.rc, 0, "{ran:?}");
    let said = said(&sandbox);
    let _ = fs::remove_dir_all(&folder);
    let run = run_of(&sandbox);
    let kept = folder.join("run");
    fs::create_dir_all(&kept).unwrap();
    for name in ["store.redb", "store.redb.witness"] {
        fs::copy(run.path().join(name), kept.join(name)).unwrap();
    }
    copy(&run.path().join("attempts"), &kept.join("attempts"));
    said.iter().for_each(|(name, text)| fs::write(folder.join(name), text).unwrap());
}
