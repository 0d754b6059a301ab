//! For tests: what this thread does to files, step by step, and what a power loss after any step would leave. The steps are
//! noted where they are done, by `disk_step!`.
//!
//! The worst that POSIX allows: what was written and not synced is there, or not, or in part; names come and go in a
//! folder only when it is synced, each by itself; a rename is whole or has not been.
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// One step. A file is told by its number on the disk, a name by its path.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Name(PathBuf, u64),
    Folder(PathBuf),
    Rename(PathBuf, PathBuf),
    Remove(PathBuf),
    Write(u64, u64, Vec<u8>),
    Sync(u64),
    SyncFolder(PathBuf),
}

thread_local! {
    static STEPS: RefCell<Option<Vec<Step>>> = const { RefCell::new(None) };
}

/// Notes a step, if somebody on this thread wants to know.
pub(crate) fn note(step: impl FnOnce() -> Step) {
    STEPS.with_borrow_mut(|steps| {
        if let Some(steps) = steps {
            steps.push(step());
        }
    });
}

/// The number of a file.
pub(crate) fn number(file: &File) -> u64 {
    file.metadata().unwrap().ino()
}

/// From here on steps are noted.
pub(crate) fn begin() {
    STEPS.set(Some(Vec::new()));
}

/// How many there are so far.
pub(crate) fn count() -> usize {
    STEPS.with_borrow(|steps| steps.as_ref().map_or(0, Vec::len))
}

/// All of them; no more are noted.
pub(crate) fn end() -> Vec<Step> {
    STEPS.take().unwrap_or_default()
}

/// Random numbers from a seed: SplitMix64.
pub(crate) struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % sides
    }
}

/// How many images of a disk a test looks at, and the seed of the first; the bench of the proofs sets both.
pub(crate) fn images() -> (u64, u64) {
    let number = |variable: &str| std::env::var(variable).ok().and_then(|text| text.parse().ok());
    (number("TEAMTUI_TORTURE_IMAGES").unwrap_or(300), number("TEAMTUI_TORTURE_SEED").unwrap_or(1))
}

#[derive(Debug, Clone, Default)]
struct Node {
    safe: Vec<u8>,
    unsynced: Vec<(u64, Vec<u8>)>,
}

impl Node {
    fn put(bytes: &mut Vec<u8>, at: u64, piece: &[u8]) {
        let at = usize::try_from(at).unwrap();
        bytes.resize(bytes.len().max(at + piece.len()), 0);
        bytes[at..at + piece.len()].copy_from_slice(piece);
    }

    fn sync(&mut self) {
        for (at, piece) in std::mem::take(&mut self.unsynced) {
            Self::put(&mut self.safe, at, &piece);
        }
    }

    fn left(&self, dice: &mut Dice) -> Vec<u8> {
        let mut left = self.safe.clone();
        for (at, piece) in &self.unsynced {
            let length = match dice.below(3) {
                0 => continue,
                1 => piece.len(),
                _ => usize::try_from(dice.below(piece.len() as u64 + 1)).unwrap(),
            };
            Self::put(&mut left, *at, &piece[..length]);
        }
        left
    }
}

/// What a name in a folder comes to.
#[derive(Debug, Clone)]
enum Change {
    Is(PathBuf, Entry),
    Moves(PathBuf, PathBuf, Entry),
    Goes(PathBuf),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entry {
    File(u64),
    Folder,
}

type Names = BTreeMap<PathBuf, Entry>;

impl Change {
    fn folder(&self) -> &Path {
        let (Self::Is(path, _) | Self::Moves(path, ..) | Self::Goes(path)) = self;
        path.parent().unwrap_or(Path::new(""))
    }

    fn make(&self, names: &mut Names) {
        match self {
            Self::Is(path, entry) => drop(names.insert(path.clone(), *entry)),
            Self::Moves(from, to, entry) => {
                names.remove(from);
                names.insert(to.clone(), *entry);
            }
            Self::Goes(path) => drop(names.remove(path)),
        }
    }
}

/// A disk, as far as it is known from steps.
#[derive(Debug, Default)]
struct Disk {
    nodes: BTreeMap<u64, Node>,
    live: Names,
    safe: Names,
    unsynced: Vec<Change>,
}

impl Disk {
    fn change(&mut self, change: Change) {
        change.make(&mut self.live);
        self.unsynced.push(change);
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::Name(path, number) => {
                self.nodes.insert(*number, Node::default());
                self.change(Change::Is(path.clone(), Entry::File(*number)));
            }
            Step::Folder(path) => self.change(Change::Is(path.clone(), Entry::Folder)),
            Step::Rename(from, to) => {
                let entry = self.live[from];
                self.change(Change::Moves(from.clone(), to.clone(), entry));
            }
            Step::Remove(path) => self.change(Change::Goes(path.clone())),
            Step::Write(number, at, bytes) => {
                self.nodes.entry(*number).or_default().unsynced.push((*at, bytes.clone()));
            }
            Step::Sync(number) => self.nodes.entry(*number).or_default().sync(),
            Step::SyncFolder(folder) => {
                let (synced, rest) =
                    self.unsynced.drain(..).partition(|change: &Change| change.folder() == folder);
                let synced: Vec<Change> = synced;
                synced.iter().for_each(|change| change.make(&mut self.safe));
                self.unsynced = rest;
            }
        }
    }

    fn left(&self, dice: &mut Dice) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut names = self.safe.clone();
        for change in &self.unsynced {
            if dice.below(2) == 0 {
                change.make(&mut names);
            }
        }
        let made: Vec<&PathBuf> =
            self.live.iter().filter(|(_, e)| **e == Entry::Folder).map(|(p, _)| p).collect();
        let is_there = |path: &&PathBuf| {
            made.iter().filter(|folder| path.starts_with(folder)).all(|folder| names.contains_key(*folder))
        };
        let mut left = BTreeMap::new();
        for path in names.keys().filter(is_there) {
            if let Some(Entry::File(number)) = names.get(path) {
                left.insert(path.clone(), self.nodes[number].left(dice));
            }
        }
        left
    }
}

/// The files that a power loss after the first `count` steps leaves.
pub(crate) fn after(steps: &[Step], count: usize, dice: &mut Dice) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut disk = Disk::default();
    steps[..count].iter().for_each(|step| disk.take(step));
    disk.left(dice)
}
