//! The index of a part: when each piece of output came, and from which stream.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Bytes of one entry.
pub(super) const ENTRY_BYTES: u64 = 24;

/// Which of its two streams an attempt wrote to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output, or a terminal.
    Stdout,
    /// Standard error.
    Stderr,
}

/// From `offset` on, up to the next stamp, the output came at this time from this stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Offset of the first byte, counting every byte printed.
    pub offset: u64,
    /// The run's `elapsed_ms` when it came; a piece spans at most about 50 ms.
    pub elapsed_ms: u64,
    /// Where it came from.
    pub stream: Stream,
}

impl Stamp {
    pub(super) fn to_bytes(self) -> [u8; ENTRY_BYTES as usize] {
        let mut bytes = [0; ENTRY_BYTES as usize];
        let stream = match self.stream {
            Stream::Stdout => 1,
            Stream::Stderr => 2,
        };
        let fields = self.offset.to_le_bytes().into_iter().chain(self.elapsed_ms.to_le_bytes());
        for (to, from) in bytes.iter_mut().zip(fields.chain([stream])) {
            *to = from;
        }
        bytes
    }

    /// The stamp of an entry; `None` for what was never written, such as zeros after a power loss.
    fn from_bytes(bytes: &[u8; ENTRY_BYTES as usize]) -> Option<Self> {
        let (offset, rest) = bytes.split_first_chunk::<8>()?;
        let (elapsed_ms, rest) = rest.split_first_chunk::<8>()?;
        let stream = match rest {
            [1, 0, 0, 0, 0, 0, 0, 0] => Stream::Stdout,
            [2, 0, 0, 0, 0, 0, 0, 0] => Stream::Stderr,
            _ => return None,
        };
        Some(Self {
            offset: u64::from_le_bytes(*offset),
            elapsed_ms: u64::from_le_bytes(*elapsed_ms),
            stream,
        })
    }
}

/// An index open for looking things up; nothing of it is kept in memory.
pub(super) struct Index {
    file: File,
    entries: u64,
}

impl Index {
    /// Opens the index; entries at its end that were never written are left out.
    pub(super) fn open(file: File) -> io::Result<Self> {
        let entries = file.metadata()?.len() / ENTRY_BYTES;
        let mut index = Self { file, entries };
        while index.entries > 0 && index.entry(index.entries - 1)?.is_none() {
            index.entries -= 1;
        }
        Ok(index)
    }

    pub(super) fn len(&self) -> u64 {
        self.entries
    }

    pub(super) fn entry(&self, number: u64) -> io::Result<Option<Stamp>> {
        let mut bytes = [0; ENTRY_BYTES as usize];
        self.file.read_exact_at(&mut bytes, number * ENTRY_BYTES)?;
        Ok(Stamp::from_bytes(&bytes))
    }

    /// The number of the entry that speaks of the byte at `offset`; `None` before the first.
    pub(super) fn find(&self, offset: u64) -> io::Result<Option<u64>> {
        let (mut low, mut high) = (0, self.entries);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.entry(middle)? {
                Some(stamp) if stamp.offset <= offset => low = middle + 1,
                _ => high = middle,
            }
        }
        Ok(low.checked_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_stamp_reads_back_and_zeros_are_no_stamp() {
        let stamp = Stamp { offset: 1 << 40, elapsed_ms: 77, stream: Stream::Stderr };
        assert_eq!(Stamp::from_bytes(&stamp.to_bytes()), Some(stamp));
        assert_eq!(Stamp::from_bytes(&[0; 24]), None);
    }

    #[test]
    fn a_byte_is_found_in_the_entry_before_it_and_a_zeroed_end_is_left_out() {
        let mut file = tempfile::tempfile().unwrap();
        for offset in [10, 20, 30] {
            let stamp = Stamp { offset, elapsed_ms: offset * 2, stream: Stream::Stdout };
            file.write_all(&stamp.to_bytes()).unwrap();
        }
        file.write_all(&[0; 24 * 3 + 5]).unwrap();
        let index = Index::open(file).unwrap();
        assert_eq!(index.len(), 3);
        let found: Vec<_> = [9, 10, 19, 20, 35].map(|at| index.find(at).unwrap()).into();
        assert_eq!(found, [None, Some(0), Some(0), Some(1), Some(2)]);
    }
}
