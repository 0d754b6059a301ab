//! What can still be read of a damaged file: every row in it that proves itself, wherever it lies.
//!
//! The pages of a damaged file are not believed, so its bytes are searched for rows. A row that is found was committed,
//! or was about to be when a commit failed: as after a crash, a commit that nobody acknowledged may be there, whole.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::codec::{self, Proved, RECORD_HEAD, ROW_HEAD_BYTES, Record};
use super::digest::Digest;
use super::error::StoreError;
use super::limit;
use super::reader::Tip;

/// The rows of a damaged file.
#[derive(Debug)]
pub(crate) struct Salvage {
    path: PathBuf,
    file: Option<File>,
    /// In the order of their seqs; copies of one row among them.
    places: Vec<Place>,
}

/// Where a row that proves itself lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    first_seq: u64,
    at: u64,
    bytes: u32,
    count: u32,
}

/// A row that follows another.
pub(crate) struct Next {
    pub row: Vec<u8>,
    pub hash: Digest,
    pub last_seq: u64,
}

impl Salvage {
    /// Searches a file; one that is not there has no rows.
    pub(crate) fn search(path: &Path) -> Result<Self, StoreError> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self { path: path.to_owned(), file: None, places: Vec::new() });
            }
            Err(error) => return Err(StoreError::file("open", path, error)),
        };
        let mut places = search(&file).map_err(|error| StoreError::file("read", path, error))?;
        places.sort_unstable();
        Ok(Self { path: path.to_owned(), file: Some(file), places })
    }

    /// The row that continues the chain after `tip`. Of two that do, one that goes on: after a commit that failed no
    /// other is built on it.
    pub(crate) fn next(&self, tip: &Tip) -> Result<Option<Next>, StoreError> {
        let mut found = self.following(tip.last_seq.saturating_add(1), tip.hash)?;
        if found.len() > 1 {
            let mut goes_on = None;
            for (nth, next) in found.iter().enumerate() {
                if !self.following(next.last_seq.saturating_add(1), next.hash)?.is_empty() {
                    goes_on = Some(nth);
                }
            }
            return Ok(Some(found.swap_remove(goes_on.unwrap_or(0))));
        }
        Ok(found.pop())
    }

    /// The different rows that begin at `first_seq` and name the row before them so.
    fn following(&self, first_seq: u64, previous: Digest) -> Result<Vec<Next>, StoreError> {
        let mut found: Vec<Next> = Vec::new();
        for place in self.from(first_seq).iter().take_while(|place| place.first_seq == first_seq) {
            let (row, proved) = self.row(place)?;
            let Some(proved) = proved.filter(|proved| proved.previous == previous) else { continue };
            if found.iter().all(|other| other.hash != proved.hash) {
                found.push(Next { row, hash: proved.hash, last_seq: place.last_seq() });
            }
        }
        Ok(found)
    }

    /// The last seq of any row; 0 where there is none.
    pub(crate) fn last_seq(&self) -> u64 {
        self.places.iter().map(Place::last_seq).max().unwrap_or_default()
    }

    /// The records of rows after `seq`, as many as are kept: what can still be read behind a gap.
    pub(crate) fn behind(&self, seq: u64) -> Result<Vec<(u64, Record)>, StoreError> {
        let (mut records, mut bytes) = (Vec::new(), 0_usize);
        let mut upto = seq;
        for place in self.from(seq.saturating_add(1)) {
            if place.first_seq <= upto {
                continue;
            }
            let (row, _) = self.row(place)?;
            let Ok(read) = codec::decode(place.first_seq, &row) else { continue };
            upto = place.last_seq();
            for (seq, record) in (place.first_seq..).zip(read.records) {
                bytes = bytes.saturating_add(record.body.len());
                if records.len() >= limit::LOST_RECORDS || bytes > limit::LOST_BYTES {
                    return Ok(records);
                }
                records.push((seq, record));
            }
        }
        Ok(records)
    }

    fn from(&self, first_seq: u64) -> &[Place] {
        let start = self.places.partition_point(|place| place.first_seq < first_seq);
        self.places.get(start..).unwrap_or_default()
    }

    fn row(&self, place: &Place) -> Result<(Vec<u8>, Option<Proved>), StoreError> {
        let Some(file) = &self.file else { return Ok((Vec::new(), None)) };
        let mut row = vec![0; usize::try_from(place.bytes).unwrap_or_default()];
        file.read_exact_at(&mut row, place.at)
            .map_err(|error| StoreError::file("read", &self.path, error))?;
        let proved = codec::prove(place.first_seq, &row).ok();
        Ok((row, proved))
    }
}

impl Place {
    fn last_seq(&self) -> u64 {
        self.first_seq.saturating_add(u64::from(self.count)).saturating_sub(1)
    }
}

/// Every row of a file that proves itself.
fn search(file: &File) -> io::Result<Vec<Place>> {
    let len = file.metadata()?.len();
    let mut places = Vec::new();
    let mut window = vec![0; limit::SEARCH_BYTES];
    let mut at = 0;
    while at < len {
        let size = usize::try_from(len - at).map_or(window.len(), |left| left.min(window.len()));
        let Some(bytes) = window.get_mut(..size) else { break };
        file.read_exact_at(bytes, at)?;
        let is_last = at.saturating_add(size as u64) >= len;
        // A row that begins at the end of this part is met in the next.
        let end = if is_last { size } else { size.saturating_sub(ROW_HEAD_BYTES) };
        let done = search_part(file, len, at, bytes, end, &mut places)?;
        at = at.saturating_add(done.max(1) as u64);
    }
    Ok(places)
}

/// Searches the rows that begin in the first `end` of `bytes`, which lie at `base`; gives how far it has come.
fn search_part(
    file: &File,
    len: u64,
    base: u64,
    bytes: &[u8],
    end: usize,
    places: &mut Vec<Place>,
) -> io::Result<usize> {
    let mut at = 0;
    while at < end {
        let rest = bytes.get(at..end).unwrap_or_default();
        let Some(skip) = rest.iter().position(|byte| *byte == codec::ROW_FORMAT) else { return Ok(end) };
        at += skip;
        let begin = base.saturating_add(at as u64);
        let found = match bytes.get(at..).and_then(codec::announced) {
            Some(head) => row_at(file, len, begin, head)?,
            None => None,
        };
        // Within a row that proves itself begins no other.
        at += found.map_or(1, |place| usize::try_from(place.bytes).unwrap_or(1));
        places.extend(found);
    }
    Ok(at)
}

/// The row at this offset, if it proves itself.
fn row_at(file: &File, len: u64, at: u64, head: codec::Announced) -> io::Result<Option<Place>> {
    let Some(bytes) = measure(file, len, at, head.count)? else { return Ok(None) };
    let mut row = vec![0; bytes];
    file.read_exact_at(&mut row, at)?;
    let proved = codec::prove(head.first_seq, &row).is_ok();
    let bytes = u32::try_from(bytes).ok().filter(|_| proved);
    Ok(bytes.map(|bytes| Place { first_seq: head.first_seq, at, bytes, count: head.count }))
}

/// The bytes of a row by the lengths of its records; none where they do not fit the file.
fn measure(file: &File, len: u64, at: u64, count: u32) -> io::Result<Option<usize>> {
    let mut bytes = ROW_HEAD_BYTES;
    for _ in 0..count {
        let mut head = [0; RECORD_HEAD];
        let here = at.saturating_add(bytes as u64);
        if here.saturating_add(RECORD_HEAD as u64) > len {
            return Ok(None);
        }
        file.read_exact_at(&mut head, here)?;
        let Some(body) = codec::body_bytes(&head) else { return Ok(None) };
        bytes = bytes.saturating_add(RECORD_HEAD).saturating_add(body);
        if bytes > limit::ROW_BYTES {
            return Ok(None);
        }
    }
    let bytes = bytes.saturating_add(Digest::LEN);
    Ok((at.saturating_add(bytes as u64) <= len).then_some(bytes))
}
