//! The state folder and the folders of its projects: where runs are, and how a new one gets its number.

use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::digest::Digest;
use super::error::StoreError;
use super::folder;
use super::limit;
use super::run::{RunDir, RunName};

const HASH_DIGITS: usize = 16;

/// The state folder: `--state DIR`, or the user's state home.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateDir(PathBuf);

impl StateDir {
    /// Names the folder; nothing is made or read yet.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// The folder of the project at this path (absolute, links resolved), made if it is missing.
    pub fn project(&self, project: &Path) -> Result<ProjectDir, StoreError> {
        let path = self.0.join(ProjectKey::of(project).as_str());
        folder::make_all(&self.0)?;
        folder::make_durable(&path)?;
        folder::make_durable(&path.join("runs"))?;
        Ok(ProjectDir(path))
    }
}

/// The name of a project's folder: a hash of its path, then a tail to recognise it by.
///
/// Letters, digits, `-` and `_` only, whatever the path holds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProjectKey(String);

impl ProjectKey {
    /// The key of the project at this path (absolute, links resolved).
    pub fn of(project: &Path) -> Self {
        let hash: String =
            Digest::of(project.as_os_str().as_bytes()).to_string().chars().take(HASH_DIGITS).collect();
        let name = project.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        let tail: String = name.chars().take(limit::PROJECT_TAIL_CHARS).map(plain).collect();
        if tail.is_empty() { Self(hash) } else { Self(format!("{hash}-{tail}")) }
    }

    /// The key as the folder's name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A character that is safe in a folder's name everywhere.
fn plain(character: char) -> char {
    if character.is_ascii_alphanumeric() || character == '_' { character } else { '-' }
}

/// The folder of one project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectDir(PathBuf);

impl ProjectDir {
    /// The folder.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The project's standing run; its folder is made if it is missing, and may be. Who writes where nothing may be
    /// written is told then.
    pub fn standing(&self) -> Result<RunDir, StoreError> {
        let run = RunDir::new(self.0.join("standing"), RunName::Standing);
        match folder::make_durable(run.path()) {
            Err(error) if !folder::is_read_only(&error) => Err(error),
            _ => Ok(run),
        }
    }

    /// Makes the folder of a new run with the next number; two callers never get the same.
    pub fn new_run(&self) -> Result<RunDir, StoreError> {
        for _ in 0..limit::RUN_TRIES {
            let number = self.runs()?.last().map_or(1, |highest| highest.saturating_add(1));
            let run = self.numbered(number);
            if folder::make_durable(run.path())? {
                return Ok(run);
            }
        }
        Err(StoreError::InUse { path: self.0.join("runs") })
    }

    /// The run with this number, or [`StoreError::Missing`].
    pub fn run(&self, number: u64) -> Result<RunDir, StoreError> {
        let run = self.numbered(number);
        if run.path().is_dir() { Ok(run) } else { Err(StoreError::Missing { path: run.path().to_owned() }) }
    }

    /// The numbers of all runs, rising. What is not a numbered folder is not a run.
    pub fn runs(&self) -> Result<Vec<u64>, StoreError> {
        let path = self.0.join("runs");
        let failed = |error| StoreError::file("list", &path, error);
        let mut numbers = Vec::new();
        for entry in std::fs::read_dir(&path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let number = entry.file_name().to_str().and_then(number_of);
            if let Some(number) = number
                && entry.file_type().map_err(failed)?.is_dir()
            {
                numbers.push(number);
            }
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    fn numbered(&self, number: u64) -> RunDir {
        RunDir::new(self.0.join("runs").join(number.to_string()), RunName::Numbered(number))
    }
}

/// The number a folder is named by, written as this program writes it: no sign, no leading zero.
fn number_of(name: &str) -> Option<u64> {
    name.parse().ok().filter(|number: &u64| number.to_string() == name)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn c040_a_projects_folder_never_carries_what_its_name_says() {
        for name in ["../../etc", "a b\n", "..", "é/x;rm", "\u{202e}evil", "/", ""] {
            let key = ProjectKey::of(Path::new(name)).to_string();
            assert!(key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_'), "{key}");
            assert!(key.len() <= 16 + 1 + 32, "{key}");
        }
        let raw = ProjectKey::of(Path::new(OsStr::from_bytes(b"/srv/\xff\xfe")));
        assert_ne!(raw, ProjectKey::of(Path::new("/srv/--")));
        let long = ProjectKey::of(Path::new(&format!("/{}", "x".repeat(250))));
        assert_eq!(long.as_str().len(), 49);
        assert_eq!(ProjectKey::of(Path::new("/a/app")), ProjectKey::of(Path::new("/a/app")));
        assert_ne!(ProjectKey::of(Path::new("/a/app")), ProjectKey::of(Path::new("/b/app")));
        assert!(ProjectKey::of(Path::new("/a/my app")).as_str().ends_with("-my-app"));
    }

    #[test]
    fn runs_made_at_once_get_different_numbers() {
        let dir = tempfile::tempdir().unwrap();
        let project = StateDir::new(dir.path().join("state")).project(dir.path()).unwrap();
        let mut numbers: Vec<RunName> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| project.new_run().unwrap().name())).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        numbers.sort();
        assert_eq!(numbers, (1..=8).map(RunName::Numbered).collect::<Vec<_>>());
        assert_eq!(project.runs().unwrap(), (1..=8).collect::<Vec<u64>>());
    }

    #[test]
    fn a_new_run_is_above_the_highest_and_strangers_are_not_runs() {
        let dir = tempfile::tempdir().unwrap();
        let project = StateDir::new(dir.path()).project(Path::new("/srv/app")).unwrap();
        let runs = project.path().join("runs");
        for name in ["7", "07", "+9", "notes", "-1"] {
            std::fs::create_dir(runs.join(name)).unwrap();
        }
        std::fs::write(runs.join("12"), b"a file").unwrap();
        assert_eq!(project.runs().unwrap(), [7]);
        assert_eq!(project.new_run().unwrap().name(), RunName::Numbered(8));
        assert!(project.run(7).is_ok());
        assert!(matches!(project.run(9), Err(StoreError::Missing { .. })));
    }

    #[test]
    fn folders_are_only_for_their_user() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("new").join("state");
        let project = StateDir::new(&state).project(dir.path()).unwrap();
        let run = project.new_run().unwrap();
        for path in [&state, project.path(), run.path(), project.standing().unwrap().path()] {
            let mode = std::fs::metadata(path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o700, "{}", path.display());
        }
    }

    #[test]
    fn a_state_folder_that_cannot_be_made_is_named_with_the_reason() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        std::fs::write(&file, b"x").unwrap();
        let error = StateDir::new(file.join("state")).project(dir.path()).unwrap_err();
        let StoreError::File { path, .. } = &error else { panic!("{error}") };
        assert_eq!(path, &file.join("state"));
        assert!(error.to_string().contains("--state DIR"), "{error}");
    }
}
