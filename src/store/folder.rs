//! Folders and files only their user may look into.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use super::error::StoreError;

const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// Makes one folder, mode 0700; says whether it is new. Its parent must be there.
pub(crate) fn make(path: &Path) -> Result<bool, StoreError> {
    match DirBuilder::new().mode(FOLDER_MODE).create(path) {
        Ok(()) => {
            disk_step!(Folder(path.to_owned()));
            Ok(true)
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(false),
        Err(error) => Err(StoreError::file("create the folder", path, error)),
    }
}

/// Makes a folder and what is missing above it, each 0700; what is there keeps its mode.
pub(crate) fn make_all(path: &Path) -> Result<(), StoreError> {
    DirBuilder::new()
        .recursive(true)
        .mode(FOLDER_MODE)
        .create(path)
        .map_err(|error| StoreError::file("create the folder", path, error))
}

/// Makes a folder that stays after a power loss: its parent is synced when it is new.
pub(crate) fn make_durable(path: &Path) -> Result<bool, StoreError> {
    let new = make(path)?;
    if new && let Some(parent) = path.parent() {
        sync(parent)?;
    }
    Ok(new)
}

/// Nothing may be written there: by its rights, or on that file system at all.
pub(crate) fn is_read_only(error: &StoreError) -> bool {
    use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    matches!(error, StoreError::File { source, .. } if matches!(source.kind(), PermissionDenied | ReadOnlyFilesystem))
}

/// Writes a folder's list of names to the disk.
pub(crate) fn sync(path: &Path) -> Result<(), StoreError> {
    File::open(path)
        .and_then(|folder| folder.sync_all())
        .map_err(|error| StoreError::file("sync", path, error))?;
    disk_step!(SyncFolder(path.to_owned()));
    Ok(())
}

/// How files are opened to read and write: made with mode 0600 where `create` asks for it.
pub(crate) fn file_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(FILE_MODE);
    options
}
