//! Which project this is, and where its state is kept.

use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;
use thiserror::Error;

/// No folder for state could be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("could not tell where state is kept: there is no home folder; name one: `--state DIR`")]
pub struct NoHome;

/// The git top level that `start` (absolute) is in, else `start` itself.
pub fn project_root(start: &Path) -> PathBuf {
    // In a worktree or submodule `.git` is a file.
    let top = start.ancestors().find(|folder| folder.join(".git").exists());
    top.unwrap_or(start).to_path_buf()
}

/// The default folder for the state of all projects: `teamtui` in the XDG state home.
pub fn state_folder() -> Result<PathBuf, NoHome> {
    let strategy = etcetera::base_strategy::Xdg::new().map_err(|_| NoHome)?;
    strategy.state_dir().map(|folder| folder.join("teamtui")).ok_or(NoHome)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_project_is_the_git_top_level_else_the_folder_itself() {
        let root = tempfile::tempdir().unwrap();
        let inner = root.path().join("a/b");
        std::fs::create_dir_all(&inner).unwrap();
        assert_eq!(project_root(&inner), inner);
        std::fs::write(root.path().join("a/.git"), "gitdir: elsewhere").unwrap();
        assert_eq!(project_root(&inner), root.path().join("a"));
        std::fs::create_dir(inner.join(".git")).unwrap();
        assert_eq!(project_root(&inner), inner);
    }

    #[test]
    fn state_is_kept_in_a_folder_of_its_own() {
        assert!(state_folder().unwrap().ends_with("teamtui"));
    }
}
