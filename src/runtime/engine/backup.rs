//! Backups while a run is owned: made by a thread of their own, every ten minutes in which something was stored.
use crate::store::{Backup, Store};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Between two backups of a store that changes. A clean close makes one too.
const PAUSE: Duration = Duration::from_secs(600);

/// When the next one is due, and the one that is being made.
#[derive(Debug)]
pub(super) struct Backups {
    last: Instant,
    making: Option<Making>,
}

#[derive(Debug)]
struct Making {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Default for Backups {
    fn default() -> Self {
        Self { last: Instant::now(), making: None }
    }
}

impl Drop for Backups {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Backups {
    /// Something was stored: begins a backup where one is due. The writer goes on meanwhile.
    pub fn committed(&mut self, store: &Store) {
        if self.last.elapsed() >= PAUSE {
            self.begin(store);
        }
    }

    fn begin(&mut self, store: &Store) {
        if self.making.as_ref().is_some_and(|making| !making.thread.is_finished()) {
            return;
        }
        let Some(run) = store.run().cloned() else { return };
        self.last = Instant::now();
        let (reader, stop) = (store.reader(), Arc::new(AtomicBool::new(false)));
        let stopped = Arc::clone(&stop);
        let make = move || {
            // Without room for it the run goes on, and the next one is tried in its time.
            let _ = Backup::write(&run, &reader, &stopped);
        };
        let thread = std::thread::Builder::new().name("backup".to_owned()).spawn(make);
        self.making = thread.ok().map(|thread| Making { stop, thread });
    }

    /// The store is about to be closed: what is not whole by now is left out.
    pub fn stop(&mut self) {
        if let Some(Making { stop, thread }) = self.making.take() {
            stop.store(true, Ordering::Relaxed);
            // One that panicked made none.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Birth, Owner, OwnerNote, Record, StateDir};

    #[test]
    fn a_backup_is_made_beside_the_writer_once_it_is_due() {
        let dir = tempfile::tempdir().unwrap();
        let run = StateDir::new(dir.path()).project(dir.path()).unwrap().standing().unwrap();
        let note = OwnerNote {
            pid: 1,
            since_ms: 0,
            socket: None,
            version: "0.1.0".to_owned(),
            command: "teamtui serve".to_owned(),
        };
        let birth = Birth { run_id: uuid::Uuid::nil(), created_at_ms: 0, created_by: "0.1.0".to_owned() };
        let mut store = Store::create(Owner::take(&run, &note).unwrap(), &birth).unwrap();
        let record = Record { kind: 1, version: 1, flags: 0, body: vec![7; 100] };
        let mut backups = Backups::default();
        for _ in 0..3 {
            store.commit(std::slice::from_ref(&record), &[], None).unwrap();
            backups.committed(&store);
        }
        assert!(backups.making.is_none(), "none is due");
        backups.begin(&store);
        let making = backups.making.take().unwrap();
        making.thread.join().unwrap();
        store.commit(&[record], &[], None).unwrap();
        assert_eq!(Backup::of(&run).iter().map(|backup| backup.seq).collect::<Vec<_>>(), [3]);
        store.close().unwrap();
        assert_eq!(Backup::of(&run).iter().map(|backup| backup.seq).collect::<Vec<_>>(), [4, 3]);
    }
}
