//! Writing an output log: gathered in memory, written in few calls, kept within a limit.

use std::collections::VecDeque;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::index::{Stamp, Stream};
use super::part;
use crate::store::error::StoreError;
use crate::store::{folder, limit};

/// The output of one attempt, being written. Files are made when the first bytes are flushed.
#[derive(Debug)]
pub struct OutputLog {
    dir: PathBuf,
    head_bytes: u64,
    part_bytes: u64,
    /// Every byte before this one is in its part, or was dropped with it.
    flushed: u64,
    /// The bytes from `flushed` on.
    buffer: Vec<u8>,
    /// Stamps of bytes in `buffer`.
    stamps: VecDeque<Stamp>,
    /// The stamp of the last byte taken.
    last: Option<Stamp>,
    /// The stamp of the last byte flushed.
    reached: Option<Stamp>,
    open: Option<OpenPart>,
    /// Starts of the tail's parts, the oldest first.
    tail: VecDeque<u64>,
    /// Parts that were filled since the last sync.
    unsynced: Vec<(u64, File)>,
    /// Whether a byte was written since the last sync, or a part was begun.
    dirty: bool,
    begun: bool,
}

#[derive(Debug)]
struct OpenPart {
    start: u64,
    end: u64,
    data: File,
    index: File,
    entries: u64,
}

impl OutputLog {
    /// A log in the folder `dir` (of [`super::super::RunDir::attempt_path`]), which keeps `limit_bytes`.
    ///
    /// At least half of the limit is kept from the start and half from the end, and at most an eighth of a half
    /// more. An attempt writes one log in its life: where one is already, it is [`StoreError::Exists`].
    pub fn create(dir: &Path, limit_bytes: u64) -> Result<Self, StoreError> {
        let first = part::data_path(dir, 0);
        if first.exists() {
            return Err(StoreError::Exists { path: first });
        }
        let head_bytes = (limit_bytes / 2).max(1);
        Ok(Self {
            dir: dir.to_owned(),
            head_bytes,
            part_bytes: head_bytes.div_ceil(limit::TAIL_PARTS),
            flushed: 0,
            buffer: Vec::new(),
            stamps: VecDeque::new(),
            last: None,
            reached: None,
            open: None,
            tail: VecDeque::new(),
            unsynced: Vec::new(),
            dirty: false,
            begun: false,
        })
    }

    /// Every byte so far, kept or not.
    pub fn total(&self) -> u64 {
        self.flushed.saturating_add(self.buffer.len() as u64)
    }

    /// Takes a piece of output that came at `elapsed_ms`.
    ///
    /// After an error nothing of it was taken: the disk refuses what was gathered before, and the caller stops
    /// reading the attempt until this, or [`OutputLog::flush`], succeeds.
    pub fn append(&mut self, elapsed_ms: u64, stream: Stream, bytes: &[u8]) -> Result<(), StoreError> {
        if bytes.is_empty() {
            return Ok(());
        }
        if self.buffer.len().saturating_add(bytes.len()) > limit::OUTPUT_BUFFER_BYTES {
            self.flush()?;
        }
        self.stamp(elapsed_ms, stream);
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    fn stamp(&mut self, elapsed_ms: u64, stream: Stream) {
        let same = self.last.is_some_and(|last| {
            last.stream == stream && elapsed_ms < last.elapsed_ms.saturating_add(limit::INDEX_GRAIN_MS)
        });
        if !same {
            let stamp = Stamp { offset: self.total(), elapsed_ms, stream };
            self.last = Some(stamp);
            self.stamps.push_back(stamp);
        }
    }

    /// Writes what was gathered, so that readers see it. Not yet safe from a power loss.
    pub fn flush(&mut self) -> Result<(), StoreError> {
        let buffer = std::mem::take(&mut self.buffer);
        let from = self.flushed;
        let outcome = self.write_out(&buffer);
        self.buffer = buffer;
        let written = usize::try_from(self.flushed.saturating_sub(from)).unwrap_or(usize::MAX);
        self.buffer.drain(..written.min(self.buffer.len()));
        self.buffer.shrink_to(limit::OUTPUT_BUFFER_BYTES);
        outcome
    }

    /// Makes everything so far safe and returns the mark: the bytes so far, to be committed as a fact.
    ///
    /// Costs nothing when nothing was printed since the last one. The index is not synced: after a power loss
    /// the last times may be missing.
    pub fn sync(&mut self) -> Result<u64, StoreError> {
        self.flush()?;
        if !self.dirty {
            return Ok(self.flushed);
        }
        let open = self.open.iter().map(|open| (open.start, &open.data));
        for (start, data) in self.unsynced.iter().map(|(start, data)| (*start, data)).chain(open) {
            let failed = |error| StoreError::file("sync", &part::data_path(&self.dir, start), error);
            data.sync_data().map_err(failed)?;
            disk_step!(Sync(number(data)));
        }
        if self.begun {
            folder::sync(&self.dir)?;
            self.dir.parent().map_or(Ok(()), folder::sync)?;
        }
        self.unsynced.clear();
        self.dirty = false;
        self.begun = false;
        Ok(self.flushed)
    }

    fn write_out(&mut self, mut bytes: &[u8]) -> Result<(), StoreError> {
        while !bytes.is_empty() {
            let mut open = self.take_open()?;
            let room = usize::try_from(open.end.saturating_sub(self.flushed)).unwrap_or(usize::MAX);
            let (piece, rest) = bytes.split_at(room.min(bytes.len()));
            let outcome = self.write_piece(&mut open, piece);
            self.open = Some(open);
            outcome?;
            bytes = rest;
        }
        Ok(())
    }

    /// Writes at its place, so that a try after a failure writes the same bytes to the same place.
    fn write_piece(&mut self, open: &mut OpenPart, piece: &[u8]) -> Result<(), StoreError> {
        let at = self.flushed.saturating_sub(open.start);
        let data = |error| StoreError::file("write", &part::data_path(&self.dir, open.start), error);
        open.data.write_all_at(piece, at).map_err(data)?;
        disk_step!(Write(number(&open.data), at, piece.to_vec()));
        self.dirty = true;
        self.flushed = self.flushed.saturating_add(piece.len() as u64);
        self.write_stamps(open)
    }

    /// Writes the stamps of what was flushed; beyond its share of entries a stamp is left out, and the entry
    /// before it speaks of those bytes too.
    fn write_stamps(&mut self, open: &mut OpenPart) -> Result<(), StoreError> {
        let mut entries = Vec::new();
        let mut count = open.entries;
        let mut used = 0;
        for stamp in self.stamps.iter().take_while(|stamp| stamp.offset < self.flushed) {
            used += 1;
            let share = stamp.offset.saturating_sub(open.start) / 64 + limit::INDEX_SPARE_ENTRIES;
            if count < share {
                entries.extend_from_slice(&stamp.to_bytes());
                count += 1;
            }
        }
        if !entries.is_empty() {
            let at = open.entries * super::index::ENTRY_BYTES;
            let index = |error| StoreError::file("write", &part::index_path(&self.dir, open.start), error);
            open.index.write_all_at(&entries, at).map_err(index)?;
        }
        open.entries = count;
        self.reached = self.stamps.drain(..used).next_back().or(self.reached);
        Ok(())
    }

    /// The part that has room for the next byte; begins one, and drops the oldest, when the last one is full.
    fn take_open(&mut self) -> Result<OpenPart, StoreError> {
        match self.open.take() {
            Some(open) if open.end > self.flushed => return Ok(open),
            Some(full) => self.unsynced.push((full.start, full.data)),
            None => {}
        }
        while self.tail.len() as u64 > limit::TAIL_PARTS {
            self.drop_oldest()?;
        }
        let open = self.begin_part()?;
        if open.start > 0 {
            self.tail.push_back(open.start);
        }
        Ok(open)
    }

    fn begin_part(&mut self) -> Result<OpenPart, StoreError> {
        let start = self.flushed;
        if start == 0 {
            self.dir.parent().map_or(Ok(false), folder::make_durable)?;
            folder::make(&self.dir)?;
        }
        let bytes = if start == 0 { self.head_bytes } else { self.part_bytes };
        let data = create(&part::data_path(&self.dir, start))?;
        let index = create(&part::index_path(&self.dir, start))?;
        self.begun = true;
        self.carry_stamp(start);
        Ok(OpenPart { start, end: start.saturating_add(bytes), data, index, entries: 0 })
    }

    /// Every part begins with a stamp: that of the piece which runs on into it.
    fn carry_stamp(&mut self, start: u64) {
        let begins = self.stamps.front().is_some_and(|stamp| stamp.offset <= start);
        if let Some(reached) = self.reached.filter(|_| !begins) {
            self.stamps.push_front(Stamp { offset: start, ..reached });
        }
    }

    fn drop_oldest(&mut self) -> Result<(), StoreError> {
        let Some(start) = self.tail.front().copied() else { return Ok(()) };
        for path in [part::data_path(&self.dir, start), part::index_path(&self.dir, start)] {
            match std::fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(StoreError::file("remove", &path, error));
                }
                _ => {
                    disk_step!(Remove(path.clone()));
                }
            }
        }
        self.unsynced.retain(|(unsynced, _)| *unsynced != start);
        self.tail.pop_front();
        Ok(())
    }
}

impl Drop for OutputLog {
    fn drop(&mut self) {
        // What was gathered is shown if it can be; only a mark promises anything.
        let _ = self.flush();
    }
}

fn create(path: &Path) -> Result<File, StoreError> {
    let opened = folder::file_options().create(true).truncate(true).open(path);
    let file = opened.map_err(|error| StoreError::file("create", path, error))?;
    disk_step!(Name(path.to_owned(), number(&file)));
    Ok(file)
}
