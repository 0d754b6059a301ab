//! What declared outputs were when an attempt began, so that it can be told whether it wrote them (R16).
use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::beneath::{Inside, PathError, Root};
use super::hash::sha256_of;

/// Larger outputs are told apart by inode, time and size alone. Reason: an attempt must not wait for its start.
const HASH_MAX_BYTES: u64 = 16 << 20;

/// The outputs that were there, by their path in the workspace.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Baseline(BTreeMap<String, Stamp>);

/// A file at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stamp {
    inode: (u64, u64),
    modified: (i64, i64),
    size: u64,
    /// None: it was too large, or could not be read.
    hash: Option<String>,
}

impl Baseline {
    /// Looks at the outputs now; blocks as long as reading them takes. One that is not there, or leads out of the
    /// workspace, is left out.
    pub fn of(workspace: &Path, outputs: &[String]) -> Self {
        if outputs.is_empty() {
            return Self::default();
        }
        let Ok(root) = Root::open(workspace) else { return Self::default() };
        let stamp = |path: &String| {
            let file = root.file(&Inside::parse(path).ok()?).ok()?;
            Some((path.clone(), Stamp::of(&file)?))
        };
        Self(outputs.iter().filter_map(stamp).collect())
    }

    /// The size in bytes of an output that was written since; else why it does not count.
    pub fn written(&self, root: &Root, path: &str) -> Result<u64, String> {
        let inside = Inside::parse(path).map_err(|error| format!("output {error}"))?;
        let file = root.file(&inside).map_err(|error| match error {
            PathError::Missing(_) => format!("output {path} not written"),
            error => format!("output {error}"),
        })?;
        let now = Stamp::of(&file).ok_or_else(|| format!("output {path} cannot be read"))?;
        match self.0.get(path) {
            Some(before) if *before == now => {
                Err(format!("output {path} was there before and has not changed"))
            }
            _ => Ok(now.size),
        }
    }
}

impl Stamp {
    fn of(file: &File) -> Option<Self> {
        let about = file.metadata().ok()?;
        let hash = if about.len() <= HASH_MAX_BYTES { sha256_of(file).ok() } else { None };
        Some(Self {
            inode: (about.dev(), about.ino()),
            modified: (about.mtime(), about.mtime_nsec()),
            size: about.len(),
            hash,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::FileTimes;

    fn look(workspace: &Path, baseline: &Baseline, path: &str) -> Result<u64, String> {
        baseline.written(&Root::open(workspace).unwrap(), path)
    }

    #[test]
    fn r16_an_output_counts_only_if_written_since_the_attempt_began() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path();
        let outputs = ["old.md", "new.md"].map(str::to_owned);
        std::fs::write(workspace.join("old.md"), "old").unwrap();
        let baseline = Baseline::of(workspace, &outputs);
        let unchanged = "output old.md was there before and has not changed";
        assert_eq!(look(workspace, &baseline, "old.md"), Err(unchanged.into()));
        assert_eq!(look(workspace, &baseline, "new.md"), Err("output new.md not written".into()));
        std::fs::write(workspace.join("new.md"), "four").unwrap();
        assert_eq!(look(workspace, &baseline, "new.md"), Ok(4));
    }

    #[test]
    fn r16_moved_inode_time_size_or_hash_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path();
        let path = workspace.join("x");
        let outputs = ["x".to_owned()];
        std::fs::write(&path, "old").unwrap();
        let time = std::fs::metadata(&path).unwrap().modified().unwrap();
        let same_time = || {
            File::options()
                .write(true)
                .open(&path)
                .unwrap()
                .set_times(FileTimes::new().set_modified(time))
                .unwrap()
        };

        let before = Baseline::of(workspace, &outputs);
        std::fs::write(&path, "new").unwrap();
        same_time();
        assert_eq!(look(workspace, &before, "x"), Ok(3), "hash");

        let before = Baseline::of(workspace, &outputs);
        std::fs::write(workspace.join("y"), "new").unwrap();
        std::fs::rename(workspace.join("y"), &path).unwrap();
        same_time();
        assert_eq!(look(workspace, &before, "x"), Ok(3), "inode");

        let before = Baseline::of(workspace, &outputs);
        let later = time + std::time::Duration::from_nanos(1);
        File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_times(FileTimes::new().set_modified(later))
            .unwrap();
        assert_eq!(look(workspace, &before, "x"), Ok(3), "time");
    }

    #[test]
    fn r16_an_output_outside_the_workspace_does_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().join("ws");
        std::fs::create_dir(&workspace).unwrap();
        std::fs::write(folder.path().join("secret"), "s").unwrap();
        std::os::unix::fs::symlink("../secret", workspace.join("link")).unwrap();
        let outputs = ["link", "../secret"].map(str::to_owned);
        let baseline = Baseline::of(&workspace, &outputs);
        assert_eq!(baseline, Baseline::default());
        assert_eq!(
            look(&workspace, &baseline, "link"),
            Err("output `link` leads out of the workspace by a link; name a file inside it".into())
        );
        assert!(look(&workspace, &baseline, "../secret").is_err());
        assert!(look(&workspace, &baseline, ".").is_err());
    }
}
