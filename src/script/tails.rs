//! The end of what attempts wrote, read from a run's folder.
use super::output::{OutputTail, Tail};
use crate::domain::AttemptId;
use crate::store::RunDir;
use crate::store::output::OutputReader;
use crate::text::Rows;
use std::io;

/// Bytes looked at for the last rows of an attempt: enough for any number of rows that are shown.
const TAIL_BYTES: usize = 256 << 10;
/// Bytes read at once to count lines.
const BLOCK_BYTES: usize = 1 << 20;

/// The outputs of a run.
pub struct RunTails(pub RunDir);

impl OutputTail for RunTails {
    fn tail(&self, attempt: AttemptId, rows: usize) -> io::Result<Tail> {
        let mut reader = OutputReader::open(&self.0.attempt_path(attempt.0)).map_err(io::Error::other)?;
        let chunk = reader.last_lines(rows, TAIL_BYTES).map_err(io::Error::other)?;
        let mut assembler = Rows::new();
        let mut kept = Vec::new();
        assembler.push(&chunk.bytes, &mut kept);
        kept.extend(assembler.finish());
        Ok(Tail { rows: kept, lines: lines(&mut reader)?, bytes: reader.total() })
    }
}

/// Lines in all that is kept.
fn lines(reader: &mut OutputReader) -> io::Result<u64> {
    let (mut at, mut count, mut open) = (0, 0_u64, false);
    loop {
        let chunk = reader.read(at, BLOCK_BYTES).map_err(io::Error::other)?;
        if chunk.bytes.is_empty() {
            return Ok(count + u64::from(open));
        }
        at = chunk.end();
        count += u64::try_from(chunk.bytes.iter().filter(|b| **b == b'\n').count()).unwrap_or_default();
        open = chunk.bytes.last() != Some(&b'\n');
    }
}
