//! The owner of the standing run, as the screen finds it again and again.
use crate::cli::start;
use crate::runtime::Handle;
use crate::server;
use crate::store::{RunDir, owner_of};
use std::path::PathBuf;

/// The standing run of a project.
pub struct Standing {
    /// Its folder.
    pub run: RunDir,
    /// The project.
    pub root: PathBuf,
    /// The state directory, for the owner that is started.
    pub state: Option<PathBuf>,
}

impl Standing {
    /// Where its owner listens.
    pub fn socket(&self) -> PathBuf {
        server::sockets(&self.run).map(|s| s.owner).unwrap_or_default()
    }

    /// The process that holds the run; none: nobody does.
    pub fn holder(&self) -> Option<u32> {
        owner_of(&self.run).ok().flatten().map(|note| note.pid)
    }

    /// The owner; one is started when nobody owns the run.
    pub async fn connect_or_start(&self) -> Result<Handle, String> {
        start::attach(&self.run, &self.root, self.state.as_deref()).await.map_err(|failed| failed.why)
    }
}
