//! What the tests of `examples/` share: a git repository of their own, and the real binary run in it.
#![allow(dead_code)] // Each test file is a crate of its own and uses a part.
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// A repository in a temporary folder, with a state directory and a home beside it.
pub struct Place {
    folder: TempDir,
    /// The top of the repository.
    pub root: PathBuf,
}

/// What a run of the binary came to.
#[derive(Debug)]
pub struct Ran {
    /// Its exit code.
    pub rc: i32,
    /// What it wrote to stdout.
    pub out: String,
    /// What it wrote to stderr.
    pub err: String,
}

/// The path of an example.
pub fn example(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name).to_string_lossy().into_owned()
}

impl Place {
    /// An empty repository on the branch `main`.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        std::fs::create_dir_all(&root).unwrap();
        std::fs::create_dir_all(folder.path().join("home")).unwrap();
        let place = Self { folder, root };
        place.git(&["init", "--quiet", "--initial-branch=main"]);
        place
    }

    /// A file or folder beside the repository.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The same place, seen from another repository beside this one.
    pub fn at(self, name: &str) -> Self {
        let root = self.beside(name);
        Self { root, ..self }
    }

    /// Writes a file into the repository.
    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Runs git in the repository as `A Tester`, untouched by what the machine configures; gives its stdout.
    pub fn git(&self, args: &[&str]) -> String {
        self.git_as("A Tester", 0, args)
    }

    /// Commits all there is, as that author, so many days ago.
    pub fn commit(&self, author: &str, days_ago: u64) {
        self.git(&["add", "--all"]);
        self.git_as(author, days_ago, &["commit", "--quiet", "--allow-empty", "--message=change"]);
    }

    fn git_as(&self, author: &str, days_ago: u64, args: &[&str]) -> String {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
        let date = format!("{} +0000", now - days_ago * 86_400);
        let done = Command::new("git")
            .args(["-c", "core.quotePath=false", "-c", "protocol.file.allow=always"])
            .args(args)
            .current_dir(&self.root)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .envs([("GIT_AUTHOR_NAME", author), ("GIT_AUTHOR_EMAIL", "a@example.org")])
            .envs([("GIT_COMMITTER_NAME", author), ("GIT_COMMITTER_EMAIL", "a@example.org")])
            .envs([("GIT_AUTHOR_DATE", &date), ("GIT_COMMITTER_DATE", &date)])
            .output()
            .unwrap();
        assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    }

    /// Runs the binary in the repository.
    pub fn run(&self, args: &[&str]) -> Ran {
        self.run_with(&[], args)
    }

    /// Runs the binary in the repository with more in its environment.
    pub fn run_with(&self, env: &[(&str, &str)], args: &[&str]) -> Ran {
        let done = Command::new(env!("CARGO_BIN_EXE_teamtui"))
            .arg("--state")
            .arg(self.beside("state"))
            .args(args)
            .current_dir(&self.root)
            .env_remove("GITHUB_ACTIONS")
            .envs(env.iter().copied())
            .output()
            .unwrap();
        Ran {
            rc: done.status.code().unwrap_or(-1),
            out: String::from_utf8(done.stdout).unwrap(),
            err: String::from_utf8(done.stderr).unwrap(),
        }
    }
}

impl Ran {
    /// The run, if it ended with that exit code; else the test fails with all that was printed.
    pub fn expect_rc(self, rc: i32) -> Self {
        assert_eq!(self.rc, rc, "\n{}\n{}", self.err, self.out);
        self
    }
}
