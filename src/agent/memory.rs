//! A folder in memory: files that live as long as an attempt cost a disk more than starting a small program.
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Free bytes below which a file system in memory is left alone; containers often have one of 64 MiB.
#[cfg(target_os = "linux")]
const MIN_FREE_BYTES: u64 = 256 << 20;

/// Makes an empty folder in memory, for this user alone, named by `key` (letters, digits and `-`; the run's UUID).
///
/// What an owner that was killed left there under the same key is removed: only one owner has a run. `None`: there is
/// no file system in memory with room, or somebody else has that name.
pub fn memory(key: &str) -> Option<PathBuf> {
    roots().filter(|root| has_room(root)).find_map(|root| own(&root, key).ok())
}

/// Removes what an owner that was killed left there under that key.
pub fn clear_memory(key: &str) {
    for folder in roots().map(|root| root.join(format!("teamtui-{key}"))) {
        if is_ours(&folder) {
            // What cannot be removed is met again when the folder is needed.
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

/// Where file systems in memory are.
fn roots() -> impl Iterator<Item = PathBuf> {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    runtime.into_iter().chain([PathBuf::from("/dev/shm")])
}

/// A folder of this user, and no link to one.
fn is_ours(folder: &Path) -> bool {
    let uid = rustix::process::getuid().as_raw();
    std::fs::symlink_metadata(folder).is_ok_and(|about| about.is_dir() && about.uid() == uid)
}

fn own(root: &Path, key: &str) -> io::Result<PathBuf> {
    if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let folder = root.join(format!("teamtui-{key}"));
    match std::fs::symlink_metadata(&folder) {
        Ok(_) if is_ours(&folder) => std::fs::remove_dir_all(&folder)?,
        Ok(_) => return Err(io::ErrorKind::AlreadyExists.into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    DirBuilder::new().mode(0o700).create(&folder)?;
    Ok(folder)
}

#[cfg(target_os = "linux")]
fn has_room(root: &Path) -> bool {
    /// statfs(2)
    const TMPFS_MAGIC: u64 = 0x0102_1994;
    let Ok(about) = rustix::fs::statfs(root) else { return false };
    let free = u64::try_from(about.f_bsize).unwrap_or_default().saturating_mul(about.f_bavail);
    u64::try_from(about.f_type) == Ok(TMPFS_MAGIC) && free >= MIN_FREE_BYTES
}

#[cfg(not(target_os = "linux"))]
fn has_room(_root: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_empty_and_for_its_user_alone() {
        let root = tempfile::tempdir().unwrap();
        let folder = own(root.path(), "0197-a").unwrap();
        std::fs::write(folder.join("left"), "over").unwrap();
        assert_eq!(own(root.path(), "0197-a").unwrap(), folder);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
        assert_eq!(std::fs::metadata(&folder).unwrap().mode() & 0o777, 0o700);
    }

    #[test]
    fn a_link_or_a_file_in_its_place_is_left_alone() {
        let root = tempfile::tempdir().unwrap();
        let canary = root.path().join("canary");
        std::fs::create_dir(&canary).unwrap();
        std::fs::write(canary.join("file"), "x").unwrap();
        std::os::unix::fs::symlink(&canary, root.path().join("teamtui-k")).unwrap();
        assert!(own(root.path(), "k").is_err());
        assert!(canary.join("file").exists());
        for bad in ["", "..", "a/b", "."] {
            assert!(own(root.path(), bad).is_err(), "{bad:?}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_disk_is_no_memory() {
        assert!(!has_room(Path::new("/proc")));
        assert!(!has_room(Path::new("/no/such")));
    }
}
