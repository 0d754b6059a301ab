//! A gate before the file: nothing is written to it until it is known to be ours.
//!
//! redb writes to a file while it opens it: it marks it as in use, and repairs it after a crash. This backend
//! keeps such writes in memory until the gate is opened, then passes everything on. A reader's gate is never
//! opened: it may repair what it reads, in memory, and the file stays as it is, byte for byte.

use std::ops::Bound;
use std::sync::{Arc, PoisonError, RwLock};
use std::{fmt, io};

use redb::{BackendError, StorageBackend};

use super::limit;

/// A backend whose writes are held until [`Gate::open`]; clones share one gate.
#[derive(Clone)]
pub(crate) struct Gate(Arc<Inner>);

struct Inner {
    below: Box<dyn StorageBackend>,
    /// Whether redb's own file locks are taken too; a reader shares the file with other readers.
    locks: bool,
    /// What is held; `None` once the gate is open.
    held: RwLock<Option<Held>>,
}

struct Held {
    steps: Vec<Step>,
    /// Length as redb sees it.
    len: u64,
    /// Bytes from the start that are still those of the file below.
    below_len: u64,
    bytes: usize,
}

enum Step {
    Write { offset: u64, data: Vec<u8> },
    Resize(u64),
    Sync,
}

impl Gate {
    /// A shut gate before `below`; `locks` takes redb's file locks for the writer.
    pub(crate) fn shut(below: Box<dyn StorageBackend>, locks: bool) -> io::Result<Self> {
        let len = below.len()?;
        let held = Held { steps: Vec::new(), len, below_len: len, bytes: 0 };
        Ok(Self(Arc::new(Inner { below, locks, held: RwLock::new(Some(held)) })))
    }

    /// Writes what was held, in its order with its syncs, and passes everything on from now.
    ///
    /// A crash on the way is, to redb, a crash during its own opening.
    pub(crate) fn open(&self) -> io::Result<()> {
        let mut held = self.0.held.write().unwrap_or_else(PoisonError::into_inner);
        let Some(Held { steps, .. }) = held.as_ref() else { return Ok(()) };
        for step in steps {
            match step {
                Step::Write { offset, data } => self.0.below.write(*offset, data)?,
                Step::Resize(len) => self.0.below.set_len(*len)?,
                Step::Sync => self.0.below.sync_data()?,
            }
        }
        *held = None;
        Ok(())
    }

    /// Does `shut` on what is held, or `open` on the file below when the gate is open.
    fn change<E>(
        &self,
        shut: impl FnOnce(&mut Held) -> Result<(), E>,
        open: impl FnOnce(&dyn StorageBackend) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.0.held.read().unwrap_or_else(PoisonError::into_inner).is_none() {
            return open(&*self.0.below);
        }
        match self.0.held.write().unwrap_or_else(PoisonError::into_inner).as_mut() {
            Some(held) => shut(held),
            None => open(&*self.0.below),
        }
    }

    fn lock<T>(
        &self,
        take: impl FnOnce(&dyn StorageBackend) -> Result<T, BackendError>,
    ) -> Result<T, BackendError> {
        if self.0.locks { take(&*self.0.below) } else { Err(BackendError::Unsupported) }
    }
}

impl Held {
    fn write(&mut self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.bytes = self.bytes.saturating_add(data.len());
        if self.bytes > limit::HELD_BYTES {
            return Err(io::Error::other("opening the file would rewrite too much of it"));
        }
        self.len = self.len.max(offset.saturating_add(data.len() as u64));
        self.steps.push(Step::Write { offset, data: data.to_vec() });
        Ok(())
    }

    fn resize(&mut self, len: u64) {
        self.below_len = self.below_len.min(len);
        for step in &mut self.steps {
            if let Step::Write { offset, data } = step {
                let kept = len.saturating_sub(*offset);
                data.truncate(usize::try_from(kept).unwrap_or(usize::MAX));
            }
        }
        self.len = len;
        self.steps.push(Step::Resize(len));
    }

    /// Fills `out` from the file below, then with what was written over it.
    fn read(&self, below: &dyn StorageBackend, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let end = offset.saturating_add(out.len() as u64);
        if end > self.len {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let from_below = usize::try_from(self.below_len.saturating_sub(offset)).unwrap_or(usize::MAX);
        let (old, new) = out.split_at_mut(from_below.min(out.len()));
        if !old.is_empty() {
            below.read(offset, old)?;
        }
        new.fill(0);
        for step in &self.steps {
            if let Step::Write { offset: at, data } = step {
                overlay(offset, out, *at, data);
            }
        }
        Ok(())
    }
}

/// Copies the part of `data` (which begins at `at`) that lies within `out` (which begins at `offset`).
fn overlay(offset: u64, out: &mut [u8], at: u64, data: &[u8]) {
    let skip_out = usize::try_from(at.saturating_sub(offset)).unwrap_or(usize::MAX);
    let skip_data = usize::try_from(offset.saturating_sub(at)).unwrap_or(usize::MAX);
    let (Some(out), Some(data)) = (out.get_mut(skip_out..), data.get(skip_data..)) else { return };
    for (to, from) in out.iter_mut().zip(data) {
        *to = *from;
    }
}

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Gate").field(&self.0.below).finish()
    }
}

impl StorageBackend for Gate {
    fn len(&self) -> io::Result<u64> {
        match self.0.held.read().unwrap_or_else(PoisonError::into_inner).as_ref() {
            Some(held) => Ok(held.len),
            None => self.0.below.len(),
        }
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        match self.0.held.read().unwrap_or_else(PoisonError::into_inner).as_ref() {
            Some(held) => held.read(&*self.0.below, offset, out),
            None => self.0.below.read(offset, out),
        }
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let shut = |held: &mut Held| {
            held.resize(len);
            Ok(())
        };
        self.change(shut, |below| below.set_len(len))
    }

    fn sync_data(&self) -> io::Result<()> {
        let shut = |held: &mut Held| {
            held.steps.push(Step::Sync);
            Ok(())
        };
        self.change(shut, |below| below.sync_data())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.change(|held| held.write(offset, data), |below| below.write(offset, data))
    }

    fn close(&self) -> io::Result<()> {
        self.0.below.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.lock(|below| below.try_lock_range(start, end))
    }

    fn try_lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.lock(|below| below.try_lock_shared_range(start, end))
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.lock(|below| below.lock_range(start, end))
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.lock(|below| below.lock_shared_range(start, end))
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.lock(|below| below.unlock_range(start, end))
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.lock(|below| below.query_lock_range(start, end))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use redb::backends::InMemoryBackend;

    use super::*;

    #[derive(Debug, Clone)]
    enum Act {
        Write(u64, Vec<u8>),
        Resize(u64),
    }

    fn act() -> impl Strategy<Value = Act> {
        prop_oneof![
            4 => (0..40u64, prop::collection::vec(1..=255u8, 1..12)).prop_map(|(at, data)| Act::Write(at, data)),
            1 => (52..80u64).prop_map(Act::Resize),
            1 => (20..52u64).prop_map(Act::Resize),
        ]
    }

    fn all(backend: &dyn StorageBackend) -> Vec<u8> {
        let mut bytes = vec![0; usize::try_from(backend.len().unwrap()).unwrap()];
        backend.read(0, &mut bytes).unwrap();
        bytes
    }

    proptest! {
        #[test]
        fn a_shut_gate_shows_its_writes_keeps_the_file_and_applies_them_when_opened(
            acts in prop::collection::vec(act(), 0..12),
        ) {
            let file = Arc::new(InMemoryBackend::new());
            file.set_len(52).unwrap();
            file.write(0, &[9; 52]).unwrap();
            let mut want = vec![9u8; 52];
            let gate = Gate::shut(Box::new(Shared(file.clone())), false).unwrap();
            for act in &acts {
                match act {
                    Act::Write(at, data) => {
                        let at = *at as usize;
                        if at + data.len() > want.len() { continue; }
                        want[at..at + data.len()].copy_from_slice(data);
                        gate.write(at as u64, data).unwrap();
                    }
                    Act::Resize(len) => { want.resize(*len as usize, 0); gate.set_len(*len).unwrap(); }
                }
                prop_assert_eq!(&all(&gate), &want);
            }
            prop_assert_eq!(all(&*file), vec![9; 52]);
            gate.open().unwrap();
            prop_assert_eq!(&all(&*file), &want);
            gate.set_len(60).unwrap();
            gate.write(3, b"through").unwrap();
            prop_assert_eq!(all(&gate), all(&*file));
        }
    }

    #[derive(Debug)]
    struct Shared(Arc<InMemoryBackend>);

    impl StorageBackend for Shared {
        fn len(&self) -> io::Result<u64> {
            self.0.len()
        }
        fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
            self.0.read(offset, out)
        }
        fn set_len(&self, len: u64) -> io::Result<()> {
            self.0.set_len(len)
        }
        fn sync_data(&self) -> io::Result<()> {
            self.0.sync_data()
        }
        fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
            self.0.write(offset, data)
        }
    }
}
