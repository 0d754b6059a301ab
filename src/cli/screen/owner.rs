//! The owner of the standing run, found or started.
use crate::runtime::{Handle, Remote};
use crate::server;
use crate::store::RunDir;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

/// Between two looks for an owner that is starting.
const LOOK_TIME: Duration = Duration::from_millis(10);
/// How long an owner may take to start.
const START_TIME: Duration = Duration::from_secs(5);

/// The standing run of a project.
pub struct Standing {
    /// Its folder.
    pub run: RunDir,
    /// The state directory, for the owner that is started.
    pub state: Option<PathBuf>,
}

impl Standing {
    /// Where its owner listens.
    pub fn socket(&self) -> PathBuf {
        server::sockets(&self.run).map(|s| s.owner).unwrap_or_default()
    }

    /// The owner; one is started when nobody owns the run.
    pub async fn connect_or_start(&self) -> Result<Handle, String> {
        if let Ok(remote) = Remote::connect(&self.socket(), &self.run).await {
            return Ok(Handle::Remote(remote));
        }
        self.start()?;
        let until = tokio::time::Instant::now() + START_TIME;
        loop {
            match Remote::connect(&self.socket(), &self.run).await {
                Ok(remote) => return Ok(Handle::Remote(remote)),
                Err(error) if tokio::time::Instant::now() >= until => return Err(error.to_string()),
                Err(_) => tokio::time::sleep(LOOK_TIME).await,
            }
        }
    }

    /// Starts `teamtui serve`, detached from this terminal.
    fn start(&self) -> Result<(), String> {
        let mut command = std::process::Command::new(super::super::place::exe());
        command.arg("serve").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if let Some(state) = &self.state {
            command.arg("--state").arg(state);
        }
        command.spawn().map(drop).map_err(|e| format!("the owner could not be started: {e}"))
    }
}
