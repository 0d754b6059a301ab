//! Files beneath the workspace: opened so that no link and no `..` leads out of it, whoever swaps what meanwhile.
//!
//! Linux resolves the whole path in one call (`openat2`, `RESOLVE_BENEATH`), where links that stay inside are
//! followed. Where that call is missing, the path is walked name by name and no link is followed at all.
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
use rustix::io::Errno;

/// How often a path is resolved again because somebody moved folders meanwhile; then it counts as leading out.
#[cfg(target_os = "linux")]
const TRIES: u32 = 32;

/// Why a path is not opened.
#[derive(Debug, thiserror::Error)]
pub enum PathError {
    /// Absolute, with `..`, or empty.
    #[error("`{0}` is no path inside the workspace; write it relative to the workspace, without `..`")]
    Form(String),
    /// A link leads out of the workspace.
    #[error("`{0}` leads out of the workspace by a link; name a file inside it")]
    Outside(String),
    /// It is not there.
    #[error("`{0}` is not there")]
    Missing(String),
    /// A folder, a device, a pipe, or a link where a file is to be replaced.
    #[error("`{0}` is no plain file")]
    NoFile(String),
    /// Any other refusal of the system.
    #[error("`{path}`: {error}")]
    Io {
        /// The path, as it was written.
        path: String,
        /// The system's words.
        error: io::Error,
    },
}

/// A path that goes down from the workspace, as far as its words tell.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Inside {
    path: PathBuf,
    written: String,
}

impl Inside {
    /// Reads a path as it was written.
    pub fn parse(written: &str) -> Result<Self, PathError> {
        let refused = || PathError::Form(written.to_owned());
        let mut path = PathBuf::new();
        for part in Path::new(written).components() {
            match part {
                Component::Normal(name) => path.push(name),
                Component::CurDir => {}
                Component::ParentDir | Component::RootDir | Component::Prefix(_) => return Err(refused()),
            }
        }
        if path.as_os_str().is_empty() || written.contains('\0') {
            return Err(refused());
        }
        Ok(Self { path, written: written.to_owned() })
    }

    /// The path without its `.` parts.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The refusal of the system in words.
    pub fn error(&self, errno: Errno) -> PathError {
        let path = self.written.clone();
        match errno {
            Errno::XDEV | Errno::LOOP | Errno::AGAIN => PathError::Outside(path),
            Errno::NOENT => PathError::Missing(path),
            Errno::ISDIR => PathError::NoFile(path),
            _ => PathError::Io { path, error: errno.into() },
        }
    }

    /// What a failed read or write of it says.
    pub fn io(&self, error: io::Error) -> PathError {
        match Errno::from_io_error(&error) {
            Some(errno) => self.error(errno),
            None => PathError::Io { path: self.written.clone(), error },
        }
    }

    /// It is there, but is not a file.
    pub fn no_file(&self) -> PathError {
        PathError::NoFile(self.written.clone())
    }
}

/// The workspace, held open.
#[derive(Debug)]
pub struct Root(OwnedFd);

impl Root {
    /// Opens the folder itself; how it is reached is not questioned.
    pub fn open(folder: &Path) -> io::Result<Self> {
        Ok(Self(openat(CWD, folder, OFlags::PATH_ONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?))
    }

    /// Opens a plain file for reading.
    pub fn file(&self, path: &Inside) -> Result<File, PathError> {
        // A pipe that nobody writes to must not be waited for.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = File::from(self.resolve(&path.path, flags).map_err(|errno| path.error(errno))?);
        let metadata = file.metadata().map_err(|error| path.io(error))?;
        if metadata.is_file() { Ok(file) } else { Err(path.no_file()) }
    }

    /// Opens the folder that the path's last name is in; those that are missing are made.
    pub fn parent(&self, path: &Inside) -> Result<File, PathError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = path.path.parent().unwrap_or(Path::new(""));
        let mut done = PathBuf::from(".");
        let mut open = self.resolve(&done, flags).map_err(|errno| path.error(errno))?;
        for name in folder.components() {
            done.push(name);
            open = match self.resolve(&done, flags) {
                Err(Errno::NOENT) => {
                    match mkdirat(&open, Path::new(name.as_os_str()), Mode::from_raw_mode(0o777)) {
                        Ok(()) => rustix::fs::fsync(&open).map_err(|errno| path.error(errno))?,
                        // Another member was first.
                        Err(Errno::EXIST) => {}
                        Err(errno) => return Err(path.error(errno)),
                    }
                    self.resolve(&done, flags)
                }
                resolved => resolved,
            }
            .map_err(|errno| path.error(errno))?;
        }
        Ok(File::from(open))
    }

    #[cfg(target_os = "linux")]
    fn resolve(&self, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        use rustix::fs::{ResolveFlags, openat2};
        let stay = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        for _ in 0..TRIES {
            match openat2(&self.0, path, flags, Mode::empty(), stay) {
                Err(Errno::AGAIN | Errno::INTR) => {}
                // An old kernel, or a container that does not let it through.
                Err(Errno::NOSYS | Errno::PERM) => return self.walk(path, flags),
                resolved => return resolved,
            }
        }
        Err(Errno::AGAIN)
    }

    #[cfg(not(target_os = "linux"))]
    fn resolve(&self, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        self.walk(path, flags)
    }

    /// Opens name by name; a link is an error.
    fn walk(&self, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        let step = OFlags::PATH_ONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut open = self.0.try_clone().map_err(|_| Errno::MFILE)?;
        let mut names = path.components().filter(|part| *part != Component::CurDir).peekable();
        if names.peek().is_none() {
            return openat(&open, ".", flags, Mode::empty());
        }
        while let Some(name) = names.next() {
            let name = Path::new(name.as_os_str());
            if names.peek().is_none() {
                return openat(&open, name, flags | OFlags::NOFOLLOW, Mode::empty());
            }
            open = match openat(&open, name, step, Mode::empty()) {
                // A link where a folder should be says so, too.
                Err(Errno::NOTDIR) if is_link(&open, name) => return Err(Errno::LOOP),
                opened => opened?,
            };
        }
        Err(Errno::NOENT)
    }
}

fn is_link(folder: &OwnedFd, name: &Path) -> bool {
    rustix::fs::readlinkat(folder, name, Vec::new()).is_ok()
}

/// What opens a folder as a place to start from, without reading it.
trait PathOnly {
    const PATH_ONLY: OFlags;
}

impl PathOnly for OFlags {
    #[cfg(target_os = "linux")]
    const PATH_ONLY: OFlags = OFlags::PATH;
    #[cfg(not(target_os = "linux"))]
    const PATH_ONLY: OFlags = OFlags::RDONLY;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::unix::fs::symlink;

    fn workspace() -> (tempfile::TempDir, PathBuf, Root) {
        let outer = tempfile::tempdir().unwrap();
        let inner = outer.path().join("ws");
        std::fs::create_dir_all(inner.join("docs")).unwrap();
        std::fs::write(outer.path().join("secret"), "secret").unwrap();
        std::fs::write(inner.join("docs/a.md"), "a").unwrap();
        symlink("docs", inner.join("inside")).unwrap();
        symlink("..", inner.join("up")).unwrap();
        symlink(outer.path(), inner.join("outbox")).unwrap();
        symlink(outer.path().join("secret"), inner.join("direct")).unwrap();
        let root = Root::open(&inner).unwrap();
        (outer, inner, root)
    }

    fn read(root: &Root, path: &str) -> Result<String, PathError> {
        let mut text = String::new();
        root.file(&Inside::parse(path)?)?.read_to_string(&mut text).unwrap();
        Ok(text)
    }

    #[test]
    fn c040_paths_that_go_up_or_elsewhere_are_refused_by_their_words() {
        for bad in ["", ".", "..", "../x", "a/../../x", "/etc/passwd", "a/..", "x\0y"] {
            assert!(matches!(Inside::parse(bad), Err(PathError::Form(_))), "{bad:?}");
        }
        assert_eq!(Inside::parse("./docs/./a.md").unwrap().path(), Path::new("docs/a.md"));
    }

    #[test]
    fn links_out_of_the_workspace_are_not_followed() {
        let (_outer, _, root) = workspace();
        assert_eq!(read(&root, "docs/a.md").unwrap(), "a");
        for bad in ["outbox/secret", "up/secret", "direct"] {
            assert!(matches!(read(&root, bad), Err(PathError::Outside(_))), "{bad}");
            let parent = root.parent(&Inside::parse(&format!("{bad}/new")).unwrap());
            assert!(parent.is_err() || bad == "direct", "{bad}");
        }
        let parent = root.parent(&Inside::parse("outbox/new/x").unwrap());
        assert!(matches!(parent, Err(PathError::Outside(_))));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn links_that_stay_inside_are_followed() {
        let (_outer, _, root) = workspace();
        assert_eq!(read(&root, "inside/a.md").unwrap(), "a");
    }

    #[test]
    fn a_walk_by_names_follows_no_link() {
        let (_outer, _, root) = workspace();
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        assert!(root.walk(Path::new("docs/a.md"), flags).is_ok());
        assert!(root.walk(Path::new("."), flags).is_ok());
        for bad in ["inside/a.md", "outbox/secret", "up/secret", "direct"] {
            assert_eq!(root.walk(Path::new(bad), flags).unwrap_err(), Errno::LOOP, "{bad}");
        }
        assert_eq!(root.walk(Path::new("docs/none"), flags).unwrap_err(), Errno::NOENT);
    }

    #[test]
    fn only_plain_files_are_read_and_a_pipe_is_not_waited_for() {
        let (_outer, inner, root) = workspace();
        rustix::fs::mkfifoat(CWD, inner.join("pipe"), Mode::from_raw_mode(0o600)).unwrap();
        for bad in ["docs", "pipe"] {
            assert!(matches!(read(&root, bad), Err(PathError::NoFile(_))), "{bad}");
        }
        assert!(matches!(read(&root, "docs/none"), Err(PathError::Missing(_))));
    }

    #[test]
    fn missing_folders_of_a_path_are_made_inside() {
        let (_outer, inner, root) = workspace();
        for _ in 0..2 {
            root.parent(&Inside::parse("new/deep/x.md").unwrap()).unwrap();
        }
        assert!(inner.join("new/deep").is_dir());
        assert!(root.parent(&Inside::parse("docs/a.md/x").unwrap()).is_err());
    }
}
