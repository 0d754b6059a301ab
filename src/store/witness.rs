//! The witness: what was last acknowledged, kept beside the store in a file of its own.
//!
//! A store that lost its end, was rolled back or is an old copy proves itself all the same; only something outside of
//! it knows better. The witness is written after each commit without waiting for the disk: a kill -9 leaves it exact, a
//! power loss leaves it whole and perhaps behind. It is never ahead of a store that kept what the disk took.
//!
//! `store.redb.witness`: two slots of 256 bytes, written in turn, so that one is whole at any time. A slot (all
//! numbers little endian):
//!
//! | at | size | field |
//! |---|---|---|
//! | 0 | 1 | format, `1` |
//! | 1 | 1 | `1` after a clean close, else `0` |
//! | 2 | 8 | how often the file had been written |
//! | 10 | 8 | seq of the last acknowledged record |
//! | 18 | 32 | hash of its commit |
//! | 50 | 16 | the run's UUID |
//! | 66 | 8 | `created_at_ms` of the store |
//! | 74 | 1 + n | `created_by` of the store, its length first |
//! | | 1 + n | the version that wrote this, its length first |
//! | 224 | 32 | SHA-256 of every byte before |

use std::fs::File;
use std::os::unix::fs::FileExt;

use uuid::Uuid;

use super::digest::Digest;
use super::folder;
use super::run::RunDir;
use super::schema::Birth;

const FORMAT: u8 = 1;
const SLOT: usize = 256;
const PROVED: usize = SLOT - Digest::LEN;

/// What is known of a store without opening it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    /// Seq of the last acknowledged record; 0: none was.
    pub seq: u64,
    /// Hash of its commit.
    pub hash: Digest,
    /// The store was closed cleanly there.
    pub closed: bool,
    /// What the store was told at its birth.
    pub birth: Birth,
    /// The version of teamtui that wrote it last.
    pub written_by: String,
}

impl Witness {
    /// Reads what is known of the store of a run; none where nothing is, or nothing that proves itself.
    pub fn read(run: &RunDir) -> Option<Self> {
        newest(&File::open(run.witness_path()).ok()?).map(|(_, witness)| witness)
    }

    /// Nothing is acknowledged yet of a store that is born.
    pub(crate) fn of_birth(birth: &Birth) -> Self {
        let written_by = env!("CARGO_PKG_VERSION").to_owned();
        Self { seq: 0, hash: Digest::ZERO, closed: false, birth: birth.clone(), written_by }
    }

    fn encode(&self, turn: u64) -> Option<[u8; SLOT]> {
        let mut bytes = vec![FORMAT, u8::from(self.closed)];
        bytes.extend(turn.to_le_bytes());
        bytes.extend(self.seq.to_le_bytes());
        bytes.extend(self.hash.as_bytes());
        bytes.extend(self.birth.run_id.as_bytes());
        bytes.extend(self.birth.created_at_ms.to_le_bytes());
        for text in [&self.birth.created_by, &self.written_by] {
            bytes.push(u8::try_from(text.len()).ok()?);
            bytes.extend(text.as_bytes());
        }
        if bytes.len() > PROVED {
            return None;
        }
        bytes.resize(PROVED, 0);
        let proof = Digest::of(&bytes);
        bytes.extend(proof.as_bytes());
        bytes.try_into().ok()
    }

    /// The turn and the words of a slot that proves itself.
    fn decode(slot: &[u8]) -> Option<(u64, Self)> {
        let (proved, proof) = slot.split_last_chunk::<{ Digest::LEN }>()?;
        if Digest::of(proved).as_bytes() != proof {
            return None;
        }
        let mut rest = Rest(proved);
        let [FORMAT] = rest.take()? else { return None };
        let [closed] = rest.take()?;
        let turn = u64::from_le_bytes(rest.take()?);
        let seq = u64::from_le_bytes(rest.take()?);
        let hash = Digest::from_bytes(rest.take()?);
        let run_id = Uuid::from_bytes(rest.take()?);
        let created_at_ms = u64::from_le_bytes(rest.take()?);
        let birth = Birth { run_id, created_at_ms, created_by: rest.text()? };
        Some((turn, Self { seq, hash, closed: closed == 1, birth, written_by: rest.text()? }))
    }
}

/// The part of a slot that is still to be read.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (field, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*field)
    }

    fn text(&mut self) -> Option<String> {
        let [length] = self.take()?;
        let (text, rest) = self.0.split_at_checked(usize::from(length))?;
        self.0 = rest;
        String::from_utf8(text.to_vec()).ok()
    }
}

fn newest(file: &File) -> Option<(u64, Witness)> {
    let mut bytes = [0; 2 * SLOT];
    let mut slots: Vec<_> = Vec::new();
    for (nth, slot) in bytes.chunks_exact_mut(SLOT).enumerate() {
        // A file that ends before a slot has one less.
        if file.read_exact_at(slot, offset(nth as u64)).is_ok() {
            slots.extend(Witness::decode(slot));
        }
    }
    slots.into_iter().max_by_key(|(turn, _)| *turn)
}

fn offset(turn: u64) -> u64 {
    (turn % 2).saturating_mul(SLOT as u64)
}

/// The witness of the owner, who writes it. What cannot be written leaves it behind, and the next opening looks closer.
#[derive(Debug)]
pub(crate) struct WitnessFile {
    file: Option<File>,
    turn: u64,
    witness: Witness,
}

impl WitnessFile {
    /// Of a store that is open, whose log ends at `seq`.
    pub(crate) fn open(run: &RunDir, birth: &Birth, seq: u64, hash: Digest) -> Self {
        let file = folder::file_options().create(true).truncate(false).open(run.witness_path()).ok();
        let turn = file.as_ref().and_then(newest).map_or(0, |(turn, _)| turn);
        let mut this = Self { file, turn, witness: Witness::of_birth(birth) };
        this.say(seq, hash, false);
        this
    }

    /// That everything up to `seq` is acknowledged; `closed`: and that nobody writes any more.
    pub(crate) fn say(&mut self, seq: u64, hash: Digest, closed: bool) {
        let Some(file) = &self.file else { return };
        self.turn = self.turn.saturating_add(1);
        self.witness = Witness { seq, hash, closed, ..self.witness.clone() };
        let Some(slot) = self.witness.encode(self.turn) else { return };
        if file.write_all_at(&slot, offset(self.turn)).is_err() {
            self.file = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::tests::{birth, new_run};

    #[test]
    fn the_last_words_are_found_and_a_torn_one_leaves_those_before() {
        let (_dir, run) = new_run();
        assert_eq!(Witness::read(&run), None);
        let mut file = WitnessFile::open(&run, &birth(), 4, Digest::of(b"4"));
        file.say(7, Digest::of(b"7"), false);
        file.say(9, Digest::of(b"9"), true);
        let read = Witness::read(&run).unwrap();
        assert_eq!((read.seq, read.hash, read.closed), (9, Digest::of(b"9"), true));
        assert_eq!(read.birth, birth());
        assert_eq!(read.written_by, env!("CARGO_PKG_VERSION"));
        let whole = std::fs::read(run.witness_path()).unwrap();
        let torn = usize::try_from(offset(3)).unwrap();
        for at in torn..torn + SLOT {
            let mut bytes = whole.clone();
            bytes[at] ^= 4;
            std::fs::write(run.witness_path(), bytes).unwrap();
            assert_eq!(Witness::read(&run).unwrap().seq, 7, "{at}");
        }
        // Whoever goes on writes over the torn one.
        let mut file = WitnessFile::open(&run, &birth(), 9, Digest::of(b"9"));
        file.say(10, Digest::of(b"10"), false);
        assert_eq!(Witness::read(&run).unwrap().seq, 10);
    }

    #[test]
    fn any_bytes_at_all_are_no_witness() {
        let (_dir, run) = new_run();
        for bytes in [vec![], vec![0; SLOT], vec![1; 2 * SLOT], vec![9; 700]] {
            std::fs::write(run.witness_path(), bytes).unwrap();
            assert_eq!(Witness::read(&run), None);
        }
    }
}
