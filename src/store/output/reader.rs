//! Reading an output log: from an offset, the last lines, what is new; never more in memory than asked for.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::index::{ENTRY_BYTES, Index, Stamp};
use super::part::{self, Part};
use super::seam::{self, Seam};
use crate::store::error::StoreError;
use crate::store::limit;

const BLOCK_BYTES: u64 = 64 << 10;
/// How often a read begins anew because the oldest part went away under it.
const TRIES: u32 = 8;

/// Output that follows from one offset on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chunk {
    /// Offset of the first byte, counting every byte printed.
    pub offset: u64,
    /// Bytes left out between where it was asked for and `offset`: a seam line says how many.
    pub left_out: u64,
    /// The bytes; none at the end of the log.
    pub bytes: Vec<u8>,
}

impl Chunk {
    /// Where to read on.
    pub fn end(&self) -> u64 {
        self.offset.saturating_add(self.bytes.len() as u64)
    }
}

/// Bytes that were printed and are not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    /// Offset of the first one.
    pub from: u64,
    /// How many.
    pub bytes: u64,
}

/// Reads the output of one attempt while it is written or after, also one that printed nothing.
#[derive(Debug, Clone)]
pub struct OutputReader {
    dir: PathBuf,
    parts: Vec<Part>,
    seam: Option<Seam>,
}

impl OutputReader {
    /// Looks at the log in the folder `dir`.
    pub fn open(dir: &Path) -> Result<Self, StoreError> {
        let mut reader = Self { dir: dir.to_owned(), parts: Vec::new(), seam: None };
        reader.refresh()?;
        Ok(reader)
    }

    /// Looks again: what was flushed since is there then.
    pub fn refresh(&mut self) -> Result<(), StoreError> {
        self.parts = part::list(&self.dir)?;
        self.seam = seam::read(&self.dir)?;
        Ok(())
    }

    /// Every byte so far, kept or not; as of the last refresh.
    pub fn total(&self) -> u64 {
        self.parts.last().map_or(0, |last| last.end())
    }

    /// What a recovery found, if there was one.
    pub fn seam(&self) -> Option<Seam> {
        self.seam
    }

    /// What was printed and is not kept: at most the middle, and after a power loss what never arrived.
    pub fn gaps(&self) -> Vec<Gap> {
        let mut gaps = Vec::new();
        let mut end = 0;
        for part in &self.parts {
            if part.start > end {
                gaps.push(Gap { from: end, bytes: part.start - end });
            }
            end = part.end();
        }
        gaps
    }

    /// Up to `max` bytes (at most [`limit::OUTPUT_READ_BYTES`]) from `offset` on, up to the next gap.
    ///
    /// An offset within a gap reads on after it, and the chunk says what was left out.
    pub fn read(&mut self, offset: u64, max: usize) -> Result<Chunk, StoreError> {
        self.again(|reader| reader.try_read(offset, max))
    }

    /// The last `lines` lines in at most `max` bytes, not reaching back over a gap.
    ///
    /// A longer line is cut at its start; a line end at the very end begins no line of its own.
    pub fn last_lines(&mut self, lines: usize, max: usize) -> Result<Chunk, StoreError> {
        self.again(|reader| reader.try_last_lines(lines, max))
    }

    /// The stamps of the bytes from `from` to before `to`: first the one that speaks of `from`, then the others.
    ///
    /// At most [`limit::OUTPUT_READ_BYTES`] of them in bytes; ask again from the last one's offset.
    pub fn stamps(&mut self, from: u64, to: u64) -> Result<Vec<Stamp>, StoreError> {
        self.again(|reader| reader.try_stamps(from, to))
    }

    /// When the byte at `offset` came and from which stream; `None` where nothing is known of it.
    pub fn stamp(&mut self, offset: u64) -> Result<Option<Stamp>, StoreError> {
        Ok(self.stamps(offset, offset.saturating_add(1))?.first().copied())
    }

    /// Runs a read; the writer may drop the oldest part under it, then it looks again and begins anew.
    fn again<T>(&mut self, read: impl Fn(&Self) -> Result<T, StoreError>) -> Result<T, StoreError> {
        for _ in 1..TRIES {
            match read(self) {
                Err(error) if is_gone(&error) => self.refresh()?,
                outcome => return outcome,
            }
        }
        read(self)
    }

    fn try_read(&self, offset: u64, max: usize) -> Result<Chunk, StoreError> {
        let max = max.min(limit::OUTPUT_READ_BYTES);
        let first = self.parts.iter().position(|part| part.end() > offset);
        let Some(first) = first else { return Ok(Chunk { offset, ..Chunk::default() }) };
        let parts = self.parts.get(first..).unwrap_or_default();
        let start = parts.first().map_or(offset, |part| part.start.max(offset));
        let mut chunk = Chunk { offset: start, left_out: start - offset, bytes: Vec::new() };
        for part in parts {
            if part.start > chunk.end() || chunk.bytes.len() >= max {
                break;
            }
            self.read_part(*part, max, &mut chunk)?;
        }
        Ok(chunk)
    }

    /// Adds what the part has from the end of the chunk on, up to `max` bytes in the chunk.
    fn read_part(&self, part: Part, max: usize, chunk: &mut Chunk) -> Result<(), StoreError> {
        let path = part::data_path(&self.dir, part.start);
        let failed = |error| StoreError::file("read", &path, error);
        let from = chunk.end();
        let wanted = (part.end() - from).min((max - chunk.bytes.len()) as u64);
        let had = chunk.bytes.len();
        chunk.bytes.resize(had + usize::try_from(wanted).unwrap_or(max - had), 0);
        let file = File::open(&path).map_err(failed)?;
        let room = chunk.bytes.get_mut(had..).unwrap_or_default();
        file.read_exact_at(room, from - part.start).map_err(failed)
    }

    fn try_last_lines(&self, lines: usize, max: usize) -> Result<Chunk, StoreError> {
        let end = self.total();
        let floor = self.unbroken_from().max(end.saturating_sub(max.min(limit::OUTPUT_READ_BYTES) as u64));
        let start = self.line_start(lines, floor, end)?;
        self.try_read(start, usize::try_from(end - start).unwrap_or(max))
    }

    /// Where the last `lines` lines before `end` begin, not before `floor`.
    fn line_start(&self, lines: usize, floor: u64, end: u64) -> Result<u64, StoreError> {
        if lines == 0 {
            return Ok(end);
        }
        let mut seen = 0;
        let mut high = end;
        while high > floor {
            let low = high.saturating_sub(BLOCK_BYTES).max(floor);
            let block = self.try_read(low, usize::try_from(high - low).unwrap_or(0))?.bytes;
            for (at, _) in block.iter().enumerate().rev().filter(|(_, byte)| **byte == b'\n') {
                let next = low + at as u64 + 1;
                if next < end {
                    seen += 1;
                }
                if seen == lines {
                    return Ok(next);
                }
            }
            high = low;
        }
        Ok(floor)
    }

    /// The offset from which on nothing is left out up to the end.
    fn unbroken_from(&self) -> u64 {
        self.gaps().last().map_or(0, |gap| gap.from + gap.bytes)
    }

    fn try_stamps(&self, from: u64, to: u64) -> Result<Vec<Stamp>, StoreError> {
        let mut stamps = Vec::new();
        for part in self.parts.iter().filter(|part| part.end() > from && part.start < to) {
            let path = part::index_path(&self.dir, part.start);
            let failed = |error| StoreError::file("read", &path, error);
            let file = match File::open(&path) {
                Ok(file) => file,
                // Not made yet, or gone with its part: nothing is known of these bytes.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(failed(error)),
            };
            let index = Index::open(file).map_err(failed)?;
            let first = index.find(from.max(part.start)).map_err(failed)?.unwrap_or(0);
            for number in first..index.len() {
                let Some(stamp) = index.entry(number).map_err(failed)? else { continue };
                let full = stamps.len() as u64 * ENTRY_BYTES >= limit::OUTPUT_READ_BYTES as u64;
                if stamp.offset >= to || full {
                    break;
                }
                stamps.push(stamp);
            }
        }
        Ok(stamps)
    }
}

fn is_gone(error: &StoreError) -> bool {
    matches!(error, StoreError::File { source, .. } if source.kind() == io::ErrorKind::NotFound)
}
