//! Where an attempt has its files, its socket and its marker.
use super::Inner;
use crate::agent::{Place, memory};
use crate::domain::{Driver, Job};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

impl Inner {
    /// A folder in memory for what a process is handed: cheaper than a disk, and gone with the run. Empty: there is none.
    fn memory(&self, job: &Job, folder: &str) -> PathBuf {
        if !matches!(job.agent.driver, Driver::Process { .. }) {
            return PathBuf::new();
        }
        let root = self.memory.get_or_init(|| memory(&self.marker));
        root.as_ref().map(|root| root.join(folder)).unwrap_or_default()
    }

    pub(super) fn place(&self, job: &Job) -> Place {
        let run = &self.local.run;
        let folder = self.handed_out.fetch_add(1, Ordering::Relaxed).to_string();
        let member = crate::store::Digest::of(job.member.key().as_bytes()).to_string();
        let member: String = member.chars().take(16).collect();
        Place {
            folder: run.attempt_path(job.attempt.0).join(format!("io{folder}")),
            memory: self.memory(job, &folder),
            scratch: run.path().join("scratch").join(format!("{}-{member}", job.team)),
            socket: self.member_socket.clone(),
            exe_folder: self.exe_folder.clone(),
            marker: format!("{}.", self.marker),
            run: run.name().to_string(),
        }
    }
}

/// The folder of a program, not that of a link to it.
pub(super) fn folder_of(exe: &Path) -> PathBuf {
    let real = std::fs::canonicalize(exe).unwrap_or_else(|_| exe.to_owned());
    real.parent().map(Path::to_owned).unwrap_or_default()
}
