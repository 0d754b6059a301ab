//! Output logs: what an attempt printed, as it printed it. Not facts, and no redb.
//!
//! The bytes of both streams are kept in the order they arrived. The first half of the limit is the file `out`;
//! what comes after goes to parts `out.OFFSET`, each an eighth of the other half, and the oldest part goes when
//! there are more than nine. So every part only grows, its name and length say exactly which bytes it holds,
//! and a crash at any instant leaves nothing to guess. All offsets count every byte that was printed, kept or
//! not: a reader sees the head, a gap of so many bytes, and the tail.
//!
//! Beside each part lies its `index` (or `index.OFFSET`), entries of 24 bytes, all numbers little endian:
//!
//! | at | size | field |
//! |---|---|---|
//! | 0 | 8 | offset of the first byte it speaks of, up to the next entry |
//! | 8 | 8 | `elapsed_ms` of the run when that byte arrived |
//! | 16 | 1 | stream: 1 standard output, 2 standard error |
//! | 17 | 7 | zeros |
//!
//! `seam`, written by a recovery, is two numbers: the last mark, and the bytes there were.

mod index;
mod log;
mod part;
mod reader;
mod seam;

pub use index::{Stamp, Stream};
pub use log::OutputLog;
pub use reader::{Chunk, Gap, OutputReader};
pub use seam::{Seam, recover};

#[cfg(test)]
mod tests;
