//! A disk in memory for tests: it fails when told to, and knows what a power loss would leave.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use redb::StorageBackend;

use super::base::{Access, Base, create_database};
use super::{Birth, Store, StoreError};

/// A disk in memory; clones are the same disk.
#[derive(Debug, Clone, Default)]
pub(crate) struct Disk(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// What programs see.
    live: Vec<u8>,
    /// What is safe.
    safe: Vec<u8>,
    /// Writes since the last sync.
    unsynced: Vec<(u64, Vec<u8>)>,
    syncs: u64,
    fails_at_sync: Option<u64>,
    /// Writes, syncs and changes of length since the power was planned to go.
    steps: u64,
    power_ends_at: Option<u64>,
    capacity: Option<u64>,
}

impl Disk {
    /// A store of no commits yet on this disk.
    pub(crate) fn store(&self) -> Store {
        let birth = Birth { run_id: uuid::Uuid::nil(), created_at_ms: 0, created_by: "test".into() };
        drop(create_database(Path::new("disk"), self.clone(), &birth).unwrap());
        self.open().unwrap()
    }

    /// The store that is on this disk.
    pub(crate) fn open(&self) -> Result<Store, StoreError> {
        let disk = self.clone();
        let medium = Box::new(move || Ok(Box::new(disk.clone()) as Box<dyn StorageBackend>));
        let (base, meta) = Base::open(PathBuf::from("disk"), medium, Access::Write)?;
        Store::over(base, meta, None)
    }

    /// A disk that holds these bytes.
    pub(crate) fn holding(bytes: Vec<u8>) -> Self {
        Self(Arc::new(Mutex::new(State { live: bytes.clone(), safe: bytes, ..State::default() })))
    }

    /// The sync with this number, counted from now as 1, and everything after it fails.
    pub(crate) fn fail_at_sync(&self, number: u64) {
        let mut state = self.state();
        state.fails_at_sync = Some(state.syncs + number);
    }

    /// The power goes at the step with this number, counted from now as 0; a write under way then may be there in part.
    pub(crate) fn power_ends_at(&self, number: u64) {
        let mut state = self.state();
        (state.steps, state.power_ends_at) = (0, Some(number));
    }

    /// It can grow no further.
    pub(crate) fn fill(&self) {
        let mut state = self.state();
        state.capacity = Some(state.live.len() as u64);
    }

    /// It works again.
    pub(crate) fn heal(&self) {
        let mut state = self.state();
        state.fails_at_sync = None;
        state.capacity = None;
        state.syncs = 0;
    }

    /// What a power loss leaves: what is safe, and of the writes since those whose bit in `kept` is 1.
    pub(crate) fn after_power_loss(&self, kept: u64) -> Vec<u8> {
        let state = self.state();
        let mut left = state.safe.clone();
        left.resize(left.len().max(state.live.len()), 0);
        for (number, (offset, data)) in state.unsynced.iter().enumerate() {
            let at = usize::try_from(*offset).unwrap();
            if kept >> (number % 64) & 1 == 1 && at + data.len() <= left.len() {
                left[at..at + data.len()].copy_from_slice(data);
            }
        }
        left
    }

    /// What a power loss leaves, torn: of each write since the last sync nothing, all, or any of its sectors, as `below`
    /// says with a number below the one it is given; the length is the old or the new one.
    pub(crate) fn torn(&self, mut below: impl FnMut(u64) -> u64) -> Vec<u8> {
        let state = self.state();
        let mut left = state.safe.clone();
        left.resize(left.len().max(state.live.len()), 0);
        // Now and then all of it made it, so that a commit which nobody was told of is there.
        let all = below(4) == 0;
        for (offset, data) in &state.unsynced {
            let how = if all { 1 } else { below(3) };
            let start = usize::try_from(*offset).unwrap();
            for (number, sector) in data.chunks(SECTOR_BYTES).enumerate() {
                let at = start + number * SECTOR_BYTES;
                if (how == 1 || (how == 2 && below(2) == 1)) && at + sector.len() <= left.len() {
                    left[at..at + sector.len()].copy_from_slice(sector);
                }
            }
        }
        if below(2) == 1 {
            left.truncate(state.safe.len());
        }
        left
    }

    /// The bytes as programs see them.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.state().live.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a disk writes whole.
const SECTOR_BYTES: usize = 512;

impl State {
    /// One more step, and how the power is at it.
    fn step(&mut self) -> Power {
        self.steps += 1;
        match self.power_ends_at {
            Some(at) if self.steps > at + 1 => Power::Gone,
            Some(at) if self.steps == at + 1 => Power::Going,
            _ => Power::On,
        }
    }

    fn check(&self) -> io::Result<()> {
        match self.fails_at_sync {
            Some(number) if self.syncs >= number => Err(io::ErrorKind::StorageFull.into()),
            _ => Ok(()),
        }
    }
}

#[derive(PartialEq, Eq)]
enum Power {
    On,
    Going,
    Gone,
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.state().live.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let state = self.state();
        let at = usize::try_from(offset).unwrap();
        let from = state.live.get(at..at + out.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        out.copy_from_slice(from);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut state = self.state();
        state.check()?;
        if state.step() != Power::On {
            return Err(io::ErrorKind::Other.into());
        }
        if state.capacity.is_some_and(|capacity| len > capacity) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        state.live.resize(usize::try_from(len).unwrap(), 0);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut state = self.state();
        state.syncs += 1;
        state.check()?;
        if state.step() != Power::On {
            return Err(io::ErrorKind::Other.into());
        }
        state.safe = state.live.clone();
        state.unsynced.clear();
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut state = self.state();
        state.check()?;
        let power = state.step();
        if power == Power::Gone {
            return Err(io::ErrorKind::Other.into());
        }
        let at = usize::try_from(offset).unwrap();
        if state.live.len() < at + data.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        state.live[at..at + data.len()].copy_from_slice(data);
        state.unsynced.push((offset, data.to_vec()));
        if power == Power::On { Ok(()) } else { Err(io::ErrorKind::Other.into()) }
    }
}

/// The numbers 0 to `count` with a scattered 64-bit pattern each, the same in every run.
pub(crate) fn patterns(count: u64) -> BTreeMap<u64, u64> {
    let scatter = |number: u64| number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23);
    (0..count).map(|number| (number, scatter(number))).collect()
}
