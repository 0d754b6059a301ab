//! Dropping a run: what was made for it is deleted, and nothing else, never through a link, whenever a crash comes.
//!
//! The run is owned first, so nobody reads or writes it. Then it is renamed aside, which is one step: a run is there
//! whole, or it is not there. What lies aside is deleted, and what a crash left there is deleted by the next drop.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::StoreError;
use super::folder;
use super::owner::{Owner, OwnerNote};
use super::project::ProjectDir;
use super::run::{RunDir, RunName};

/// How the folders of dropped runs begin, until they are gone.
const ASIDE: &str = ".dropped-";

/// What this program makes in the folder of a run.
const OWN: &[&str] =
    &["owner.lock", "owner.sock", "member.sock", "attempts", "scratch", "imported", "backups"];
/// How the names of the store and what is kept of it begin.
const OWN_STORE: &str = "store.redb";

/// What became of a run that was to be dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dropped {
    /// It is gone.
    Gone,
    /// It is as it was: this is in its folder, and was not made by this program, or is a link.
    Stranger(PathBuf),
}

impl ProjectDir {
    /// Drops a numbered run that nobody owns or reads.
    pub fn drop_run(&self, run: &RunDir, note: &OwnerNote) -> Result<Dropped, StoreError> {
        let RunName::Numbered(number) = run.name() else {
            return Err(StoreError::Missing { path: run.path().to_owned() });
        };
        let runs = self.path().join("runs");
        for path in [runs.as_path(), run.path()] {
            if !is_folder(path)? {
                return Ok(Dropped::Stranger(path.to_owned()));
            }
        }
        let owner = Owner::take(run, note)?;
        if let Some(stranger) = stranger(run.path())? {
            return Ok(Dropped::Stranger(stranger));
        }
        let aside = runs.join(format!("{ASIDE}{number}-{}", note.pid));
        fs::rename(run.path(), &aside).map_err(|error| StoreError::file("rename", run.path(), error))?;
        folder::sync(&runs)?;
        // It is gone from the list; what of it stays is deleted by the next drop.
        let _ = delete(&aside);
        drop(owner);
        Ok(Dropped::Gone)
    }

    /// Deletes what drops and imports left that did not come to their end.
    pub fn finish_drops(&self) -> Result<(), StoreError> {
        let runs = self.path().join("runs");
        if !is_folder(&runs)? {
            return Ok(());
        }
        let failed = |error| StoreError::file("list", &runs, error);
        for entry in fs::read_dir(&runs).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let is_aside = entry.file_name().to_str().is_some_and(|name| name.starts_with(ASIDE));
            if is_aside && is_folder(&entry.path())? {
                // One that cannot be deleted is tried again, and holds up no other.
                let _ = delete(&entry.path());
            }
        }
        super::archive::sweep(self)
    }
}

/// Links are not followed by `remove_dir_all`: they are removed themselves. One that is gone already is gone.
fn delete(path: &Path) -> Result<(), StoreError> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(StoreError::file("delete", path, error))
        }
        _ => Ok(()),
    }
}

/// A folder, and no link to one.
fn is_folder(path: &Path) -> Result<bool, StoreError> {
    let meta = fs::symlink_metadata(path).map_err(|error| StoreError::file("look at", path, error))?;
    Ok(meta.is_dir())
}

/// The first thing in the folder that is not ours.
fn stranger(path: &Path) -> Result<Option<PathBuf>, StoreError> {
    let failed = |error| StoreError::file("list", path, error);
    for entry in fs::read_dir(path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        let is_own = name.to_str().is_some_and(|name| OWN.contains(&name) || name.starts_with(OWN_STORE));
        if !is_own || entry.file_type().map_err(failed)?.is_symlink() {
            return Ok(Some(entry.path()));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::store::StateDir;

    fn note() -> OwnerNote {
        OwnerNote { pid: 7, since_ms: 0, socket: None, version: "0".into(), command: "prune".into() }
    }

    fn project() -> (tempfile::TempDir, ProjectDir) {
        let dir = tempfile::tempdir().unwrap();
        let project = StateDir::new(dir.path().join("state")).project(dir.path()).unwrap();
        (dir, project)
    }

    #[test]
    fn a_dropped_run_is_gone_and_what_links_in_it_point_to_stays() {
        let (dir, project) = project();
        let run = project.new_run().unwrap();
        let canary = dir.path().join("canary");
        fs::create_dir(&canary).unwrap();
        fs::write(canary.join("kept"), "x").unwrap();
        fs::create_dir_all(run.path().join("scratch/1-a")).unwrap();
        symlink(&canary, run.path().join("scratch/1-a/link")).unwrap();
        fs::write(run.store_path(), "x").unwrap();
        assert_eq!(project.drop_run(&run, &note()).unwrap(), Dropped::Gone);
        assert_eq!(fs::read_dir(project.path().join("runs")).unwrap().count(), 0);
        assert!(canary.join("kept").exists());
    }

    #[test]
    fn what_is_not_ours_or_is_a_link_keeps_the_run() {
        for make in [
            (|run: &RunDir, _: &Path| fs::write(run.path().join("notes.txt"), "x").unwrap())
                as fn(&RunDir, &Path),
            |run, dir| symlink(dir, run.path().join("attempts")).unwrap(),
            |run, dir| {
                fs::remove_dir(run.path()).unwrap();
                fs::create_dir(dir.join("elsewhere")).unwrap();
                symlink(dir.join("elsewhere"), run.path()).unwrap();
            },
        ] {
            let (dir, project) = project();
            let run = project.new_run().unwrap();
            make(&run, dir.path());
            let dropped = project.drop_run(&run, &note()).unwrap();
            assert!(matches!(dropped, Dropped::Stranger(_)), "{dropped:?}");
            assert!(run.path().exists());
        }
    }

    #[test]
    fn an_owned_run_is_refused_and_the_standing_one_is_never_dropped() {
        let (_dir, project) = project();
        let run = project.new_run().unwrap();
        let owner = Owner::take(&run, &note()).unwrap();
        assert!(matches!(project.drop_run(&run, &note()), Err(StoreError::Owned { .. })));
        drop(owner);
        let standing = project.standing().unwrap();
        assert!(project.drop_run(&standing, &note()).is_err() && standing.path().exists());
    }

    #[test]
    fn what_a_crash_left_aside_is_deleted_by_the_next() {
        let (dir, project) = project();
        let runs = project.path().join("runs");
        fs::create_dir_all(runs.join(".dropped-3-9/attempts/1")).unwrap();
        symlink(dir.path(), runs.join(".dropped-4-9")).unwrap();
        project.finish_drops().unwrap();
        assert!(!runs.join(".dropped-3-9").exists());
        assert!(dir.path().exists() && fs::symlink_metadata(runs.join(".dropped-4-9")).is_ok());
    }
}
