//! What a scripted member does to files: each write is an intent, an effect and an outcome in the log (R32).
use std::path::PathBuf;

use super::fault::Fault;
use super::file::{self, Version};
use super::play::{Done, Play};
use crate::agent::beneath::{Inside, PathError};
use crate::agent::hash::sha256;
use crate::domain::{Command, Data};
use crate::text::Untrusted;
use crate::text::quantity::size;

impl Play {
    /// Notes a file's version, so that a later write knows it.
    pub(super) async fn read(&mut self, path: &str) -> Done {
        let inside = Inside::parse(path)?;
        let version = self.version(&inside).await?;
        let Some(hash) = &version.hash else {
            return Err(PathError::Missing(path.to_owned()).into());
        };
        self.note(&format!("read {path}, {}, sha256 {hash}", size(version.bytes)));
        self.known.insert(inside, version.hash);
        Ok(())
    }

    /// Intent, effect, outcome: a stop in between waits for the outcome.
    pub(super) async fn write(&mut self, path: &str, text: String) -> Done {
        let inside = Inside::parse(path)?;
        let before = match self.known.get(&inside) {
            Some(known) => known.clone(),
            None => self.version(&inside).await?.hash,
        };
        let after = sha256(text.as_bytes());
        let ask = Command::AskWrite { path: path.to_owned(), before: before.clone(), after: after.clone() };
        let Data::Write(asked) = self.ask(None, ask).await?.data else {
            return Err(Fault::refused("the write has no number to settle it by"));
        };
        failpoint!("write.asked");
        let bytes = text.len() as u64;
        let (workspace, to) = (self.workspace(), inside.clone());
        let writing = move || {
            file::replace(&workspace, &to, before.as_deref(), text.as_bytes()).map_err(|e| e.to_string())
        };
        let written = tokio::task::spawn_blocking(writing).await;
        let written = written.unwrap_or_else(|_| Err("the write did not come to an end".to_owned()));
        failpoint!("write.done");
        let refused = written.as_ref().err().map(|why| Untrusted::from(why.clone()));
        let settle = self.asked(None, Command::SettleWrite { asked, refused });
        let settled = self.seat.port.submit(settle).await;
        written.map_err(Fault::refused)?;
        self.known.insert(inside, Some(after));
        self.note(&format!("wrote {path}, {}", size(bytes)));
        settled.map(drop).map_err(Fault::from)
    }

    async fn version(&mut self, path: &Inside) -> Result<Version, Fault> {
        let (workspace, path) = (self.workspace(), path.clone());
        let looking = tokio::task::spawn_blocking(move || file::version(&workspace, &path));
        let looked = self.unless_stopped(looking).await?;
        Ok(looked.map_err(|_| Fault::refused("the read did not come to an end"))??)
    }

    fn workspace(&self) -> PathBuf {
        PathBuf::from(&self.seat.job.workspace)
    }
}
