//! Where sockets are, and that only this user reaches them.
use crate::store::RunDir;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tokio::net::UnixListener;

/// Longest path that a unix socket may have, on every system (macOS: 104 bytes with the final zero).
const MAX_PATH: usize = 100;

/// The two sockets of an owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sockets {
    /// For clients: the screen, `teamtui do`, `teamtui status`.
    pub owner: PathBuf,
    /// For members, by token.
    pub member: PathBuf,
}

/// Beside the store where the path is short enough, else in a private folder for temporary files.
pub fn sockets(run: &RunDir) -> io::Result<Sockets> {
    let beside = run.path().join("member.sock");
    let folder = if beside.as_os_str().len() <= MAX_PATH {
        run.path().to_owned()
    } else {
        private_folder(run.path())?
    };
    Ok(Sockets { owner: folder.join("owner.sock"), member: folder.join("member.sock") })
}

fn private_folder(run: &Path) -> io::Result<PathBuf> {
    let user = rustix::process::getuid().as_raw();
    let base = std::env::temp_dir().join(format!("teamtui-{user}"));
    let folder = base.join(crate::store::ProjectKey::of(run).as_str().chars().take(16).collect::<String>());
    for path in [&base, &folder] {
        match std::fs::DirBuilder::new().mode(0o700).create(path) {
            Err(e) if e.kind() != io::ErrorKind::AlreadyExists => return Err(e),
            _ => {}
        }
        let meta = std::fs::symlink_metadata(path)?;
        if !meta.is_dir() || meta.uid() != user || meta.mode() & 0o077 != 0 {
            let why = format!("{} is not a private folder of this user", path.display());
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        }
    }
    Ok(folder)
}

/// Binds a socket that only this user may open. What is left of a dead owner is taken away: the lock is ours.
pub(super) fn bind(path: &Path) -> io::Result<UnixListener> {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
        _ => {}
    }
    let listener = UnixListener::bind(path)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}
