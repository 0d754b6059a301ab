//! Files that a scripted member reads and writes: guarded by their hash, replaced as a whole (R32).
use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{AtFlags, Mode, OFlags, openat, renameat, unlinkat};
use rustix::io::Errno;

use crate::agent::beneath::{Inside, PathError, Root};
use crate::agent::hash::{sha256, sha256_of};

/// Names tried for a new temporary file; those of a process that was killed may be in the way.
const TRIES: u32 = 1000;

/// Why a file is not read or written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The path does not do.
    #[error(transparent)]
    Path(#[from] PathError),
    /// The workspace itself cannot be opened.
    #[error("the workspace cannot be opened: {0}")]
    Workspace(io::Error),
    /// It is not what the member knows.
    #[error("conflict: {path} has changed since it was read; {}; read it again", now(.found.as_ref()))]
    Conflict {
        /// The path in the workspace.
        path: String,
        /// Its hash now; none: it is gone.
        found: Option<String>,
    },
}

fn now(found: Option<&String>) -> String {
    match found {
        Some(hash) => format!("its sha256 is {hash} now"),
        None => "it is gone now".to_owned(),
    }
}

/// A file as a member knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// Its hash; none: there is no file.
    pub hash: Option<String>,
    /// Its size in bytes.
    pub bytes: u64,
}

/// The version there is now. Blocks.
pub fn version(workspace: &Path, path: &Inside) -> Result<Version, FileError> {
    let root = Root::open(workspace).map_err(FileError::Workspace)?;
    match root.file(path) {
        Ok(file) => version_of(file, path),
        Err(PathError::Missing(_)) => Ok(Version { hash: None, bytes: 0 }),
        Err(error) => Err(error.into()),
    }
}

fn version_of(file: File, path: &Inside) -> Result<Version, FileError> {
    let bytes = file.metadata().map_err(|error| path.io(error))?.len();
    let hash = sha256_of(file).map_err(|error| path.io(error))?;
    Ok(Version { hash: Some(hash), bytes })
}

/// Replaces a file by `text` if its hash is still `before` (none: it is not there), and makes its folder. Blocks.
///
/// Whoever reads meanwhile sees the old or the new file; after it returned, so does whoever reads after a crash. The
/// mode is kept. A file that has the new text already is left alone if it is not the old one.
pub fn replace(workspace: &Path, path: &Inside, before: Option<&str>, text: &[u8]) -> Result<(), FileError> {
    let root = Root::open(workspace).map_err(FileError::Workspace)?;
    let folder = root.parent(path)?;
    let name = path.path().file_name().map(PathBuf::from).unwrap_or_default();
    // Between this look and the rename no other member writes here. Where a file system has no locks, the look is all.
    let _ = folder.lock();
    let old = current(&folder, &name, path)?;
    let found = match &old {
        Some(old) => version_of(old.try_clone().map_err(|error| path.io(error))?, path)?.hash,
        None => None,
    };
    if found.as_deref() != before {
        if found.as_ref() == Some(&sha256(text)) {
            return Ok(());
        }
        return Err(FileError::Conflict { path: path.path().display().to_string(), found });
    }
    let mode = match &old {
        Some(old) => Some(old.metadata().map_err(|error| path.io(error))?.mode() & 0o7777),
        None => None,
    };
    put(&folder, &name, mode, text).map_err(|error| path.io(error).into())
}

/// The file that is to be replaced; a link is not: what it names would not be.
fn current(folder: &File, name: &Path, path: &Inside) -> Result<Option<File>, FileError> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = match openat(folder, name, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(Errno::NOENT) => return Ok(None),
        Err(Errno::LOOP) => return Err(path.no_file().into()),
        Err(errno) => return Err(path.error(errno).into()),
    };
    match file.metadata().map_err(|error| path.io(error))?.is_file() {
        true => Ok(Some(file)),
        false => Err(path.no_file().into()),
    }
}

fn put(folder: &File, name: &Path, mode: Option<u32>, text: &[u8]) -> io::Result<()> {
    let (temporary, file) = temporary(folder)?;
    let placed = fill(file, mode, text).and_then(|()| {
        failpoint!("write.synced");
        renameat(folder, &temporary, folder, name)?;
        disk_step!(Rename(temporary.clone().into(), name.to_owned()));
        Ok(())
    });
    if placed.is_err() {
        // The error that counts is the first.
        let _ = unlinkat(folder, &temporary, AtFlags::empty());
    }
    placed?;
    failpoint!("write.renamed");
    folder.sync_all()?;
    disk_step!(SyncFolder(PathBuf::new()));
    Ok(())
}

fn fill(mut file: File, mode: Option<u32>, text: &[u8]) -> io::Result<()> {
    file.write_all(text)?;
    disk_step!(Write(number(&file), 0, text.to_vec()));
    if let Some(mode) = mode {
        file.set_permissions(Permissions::from_mode(mode))?;
    }
    failpoint!("write.filled");
    file.sync_all()?;
    disk_step!(Sync(number(&file)));
    Ok(())
}

/// A new file beside the one to be replaced, so that both are on one file system.
fn temporary(folder: &File) -> io::Result<(String, File)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    for _ in 0..TRIES {
        let name = format!(".teamtui-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        match openat(folder, &name, flags, Mode::from_raw_mode(0o666)) {
            Ok(file) => {
                let file = File::from(file);
                disk_step!(Name(PathBuf::from(&name), number(&file)));
                return Ok((name, file));
            }
            Err(Errno::EXIST) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    fn inside(path: &str) -> Inside {
        Inside::parse(path).unwrap()
    }

    fn hash(text: &str) -> String {
        sha256(text.as_bytes())
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_made_with_its_folder_and_replaced_with_its_mode() {
        let folder = tempfile::tempdir().unwrap();
        let path = inside("docs/a.sh");
        replace(folder.path(), &path, None, b"one").unwrap();
        let file = folder.path().join("docs/a.sh");
        std::fs::set_permissions(&file, Permissions::from_mode(0o751)).unwrap();
        replace(folder.path(), &path, Some(&hash("one")), b"two").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "two");
        assert_eq!(std::fs::metadata(&file).unwrap().mode() & 0o7777, 0o751);
        let version = version(folder.path(), &path).unwrap();
        assert_eq!(version, Version { hash: Some(hash("two")), bytes: 3 });
        assert_eq!(names(&folder.path().join("docs")), ["a.sh"]);
    }

    #[test]
    fn c021_a_write_over_another_version_is_a_conflict_with_the_hash_there_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = inside("notes.md");
        let file = folder.path().join("notes.md");
        std::fs::write(&file, "A's").unwrap();
        for before in [None, Some(hash("h0"))] {
            let refused = replace(folder.path(), &path, before.as_deref(), b"B's").unwrap_err().to_string();
            assert_eq!(
                refused,
                format!(
                    "conflict: notes.md has changed since it was read; its sha256 is {} now; read it again",
                    hash("A's")
                )
            );
        }
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "A's");
        replace(folder.path(), &path, Some(&hash("h0")), b"A's").unwrap();
        std::fs::remove_file(&file).unwrap();
        let refused = replace(folder.path(), &path, Some(&hash("A's")), b"B's").unwrap_err();
        assert!(refused.to_string().contains("it is gone now"), "{refused}");
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn r32_power_loss_at_any_step_of_a_write_leaves_the_old_file_or_the_new_one() {
        use crate::power::{Dice, after, begin, count, end, images};
        let folder = tempfile::tempdir().unwrap();
        let path = inside("notes.md");
        let pages: Vec<String> = (1..=3).map(whole).collect();
        begin();
        let mut written = Vec::new();
        for (at, page) in pages.iter().enumerate() {
            let before = at.checked_sub(1).map(|before| hash(&pages[before]));
            replace(folder.path(), &path, before.as_deref(), page.as_bytes()).unwrap();
            written.push(count());
        }
        let steps = end();
        let (images, seed) = images();
        for seed in seed..seed + images {
            let mut dice = Dice(seed);
            let cut = usize::try_from(dice.below(steps.len() as u64 + 1)).unwrap();
            let mut left = after(&steps, cut, &mut dice);
            let found = left.remove(Path::new("notes.md"));
            let told = written.iter().filter(|count| **count <= cut).count();
            let old = told.checked_sub(1).map(|at| &pages[at]);
            let is = |page: Option<&String>| page.map(|page| page.as_bytes()) == found.as_deref();
            assert!(is(old) || pages.get(told).is_some_and(|new| is(Some(new))), "seed {seed}, step {cut}");
        }
    }

    #[test]
    fn nothing_is_written_through_a_link() {
        let outer = tempfile::tempdir().unwrap();
        let workspace = outer.path().join("ws");
        std::fs::create_dir(&workspace).unwrap();
        std::fs::write(outer.path().join("target"), "t").unwrap();
        std::os::unix::fs::symlink("../target", workspace.join("link")).unwrap();
        std::os::unix::fs::symlink("..", workspace.join("up")).unwrap();
        assert!(replace(&workspace, &inside("link"), None, b"x").is_err());
        assert!(replace(&workspace, &inside("up/new"), None, b"x").is_err());
        assert!(version(&workspace, &inside("link")).is_err());
        assert_eq!(names(outer.path()), ["target", "ws"]);
        assert_eq!(std::fs::read_to_string(outer.path().join("target")).unwrap(), "t");
        let other = outer.path().join("hard");
        std::fs::hard_link(outer.path().join("target"), workspace.join("shared")).unwrap();
        std::fs::hard_link(outer.path().join("target"), &other).unwrap();
        replace(&workspace, &inside("shared"), Some(&hash("t")), b"mine").unwrap();
        assert_eq!(std::fs::read_to_string(other).unwrap(), "t");
    }

    /// A text that shows whether it is whole.
    fn whole(at: usize) -> String {
        format!("{at:03}").repeat(20_000)
    }

    #[test]
    fn c021_two_hundred_parallel_writers_never_leave_a_torn_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = inside("notes.md");
        let file = folder.path().join("notes.md");
        std::fs::write(&file, whole(0)).unwrap();
        let done = AtomicBool::new(false);
        let is_whole = || {
            let text = std::fs::read_to_string(&file).unwrap();
            let at: usize = text.get(..3).unwrap().parse().unwrap();
            assert!(text == whole(at), "torn");
        };
        let won: usize = std::thread::scope(|scope| {
            let reading = scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    is_whole();
                }
            });
            let write = |at: usize| {
                let before = version(folder.path(), &path).unwrap().hash;
                match replace(folder.path(), &path, before.as_deref(), whole(at).as_bytes()) {
                    Ok(()) => true,
                    Err(FileError::Conflict { .. }) => false,
                    Err(error) => panic!("{error}"),
                }
            };
            let writers: Vec<_> = (1..=200).map(|at| scope.spawn(move || write(at))).collect();
            let won = writers.into_iter().map(|writer| writer.join().unwrap()).filter(|won| *won).count();
            done.store(true, Ordering::Relaxed);
            reading.join().unwrap();
            won
        });
        is_whole();
        assert!(won >= 1);
        assert_eq!(names(folder.path()), ["notes.md"]);
    }

    #[test]
    fn c021_of_writers_that_read_the_same_version_exactly_one_wins() {
        let folder = tempfile::tempdir().unwrap();
        let path = inside("notes.md");
        replace(folder.path(), &path, None, b"h0").unwrap();
        let won = std::thread::scope(|scope| {
            let writers: Vec<_> = (0..32)
                .map(|at| {
                    let (folder, path) = (folder.path(), &path);
                    scope.spawn(move || {
                        replace(folder, path, Some(&hash("h0")), format!("by {at}").as_bytes()).is_ok()
                    })
                })
                .collect();
            writers.into_iter().map(|writer| writer.join().unwrap()).filter(|won| *won).count()
        });
        assert_eq!(won, 1);
    }
}
