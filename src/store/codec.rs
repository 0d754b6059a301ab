//! The framing of a row of the log: one commit as bytes. The table is in the docs of [`super`].

use serde::{Deserialize, Serialize};

use super::digest::Digest;
use super::error::Refusal;
use super::limit;

/// The format of rows this build writes and reads.
pub(crate) const ROW_FORMAT: u8 = 1;

const HEAD_BYTES: usize = 1 + 8 + Digest::LEN + 4;
const RECORD_HEAD_BYTES: usize = 2 + 2 + 1 + 4;
const IGNORABLE: u8 = 1;

/// One fact as the store sees it: opaque bytes with a kind and a version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// What the body is, in the domain's numbering.
    pub kind: u16,
    /// The version of the body's shape.
    pub version: u16,
    /// Bit 0: a reader that does not know the kind may skip it. The others are 0 and kept as they are.
    pub flags: u8,
    /// The body, at most [`limit::RECORD_BYTES`] bytes.
    pub body: Vec<u8>,
}

impl Record {
    /// Whether a reader that does not know the kind may skip this record.
    pub fn is_ignorable(&self) -> bool {
        self.flags & IGNORABLE != 0
    }
}

/// What is wrong with a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RowFault {
    /// The row ends before what it announces.
    #[error("it is cut short")]
    Short,
    /// The row is of a format this build does not know.
    #[error("it has the unknown format {0}")]
    Format(u8),
    /// The bytes are not those that were written.
    #[error("its bytes do not match its hash")]
    Hash,
    /// The row was written for another seq.
    #[error("it was written for seq {0}")]
    Seq(u64),
    /// The records do not fill the row as its counts say.
    #[error("its records do not fit its counts")]
    Counts,
    /// The row is longer than any that is written.
    #[error("it has {0} bytes")]
    Long(usize),
}

/// A row, taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub previous: Digest,
    pub hash: Digest,
    pub records: Vec<Record>,
}

/// Writes the row of a commit into `row` (cleared first) and returns its hash.
pub(crate) fn encode(
    row: &mut Vec<u8>,
    first_seq: u64,
    previous: Digest,
    records: &[Record],
) -> Result<Digest, Refusal> {
    let count = check(records)?;
    row.clear();
    row.push(ROW_FORMAT);
    row.extend_from_slice(&first_seq.to_le_bytes());
    row.extend_from_slice(previous.as_bytes());
    row.extend_from_slice(&count.to_le_bytes());
    for record in records {
        row.extend_from_slice(&record.kind.to_le_bytes());
        row.extend_from_slice(&record.version.to_le_bytes());
        row.push(record.flags);
        row.extend_from_slice(&length(&record.body)?.to_le_bytes());
        row.extend_from_slice(&record.body);
    }
    let hash = Digest::of(row);
    row.extend_from_slice(hash.as_bytes());
    Ok(hash)
}

/// Refuses what may not be one commit; gives the number of records.
fn check(records: &[Record]) -> Result<u32, Refusal> {
    if records.is_empty() {
        return Err(Refusal::Empty);
    }
    let too_many = Refusal::Records { count: records.len(), limit: limit::COMMIT_RECORDS };
    if records.len() > limit::COMMIT_RECORDS {
        return Err(too_many);
    }
    let mut bytes = HEAD_BYTES + Digest::LEN;
    for record in records {
        length(&record.body)?;
        bytes = bytes.saturating_add(RECORD_HEAD_BYTES + record.body.len());
    }
    if bytes > limit::ROW_BYTES {
        return Err(Refusal::Bytes { what: "a commit", bytes, limit: limit::ROW_BYTES });
    }
    u32::try_from(records.len()).map_err(|_| too_many)
}

/// The length of a body as it is written, within its limit.
fn length(body: &[u8]) -> Result<u32, Refusal> {
    let refusal = Refusal::Bytes { what: "a record", bytes: body.len(), limit: limit::RECORD_BYTES };
    if body.len() > limit::RECORD_BYTES {
        return Err(refusal);
    }
    u32::try_from(body.len()).map_err(|_| refusal)
}

/// A row that proved itself, without its records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Proved {
    pub previous: Digest,
    pub hash: Digest,
    /// How many records it has, at least one.
    pub count: u32,
}

/// Proves the row stored under `key`, every byte of it, without taking a copy of its records.
pub(crate) fn prove(key: u64, row: &[u8]) -> Result<Proved, RowFault> {
    let (mut rest, hash) = proved(key, row)?;
    let previous = Digest::from_bytes(rest.take()?);
    let count = u32::from_le_bytes(rest.take()?);
    rest.skip_records(count)?;
    Ok(Proved { previous, hash, count })
}

/// Takes apart the row stored under `key`; every byte of it is proved first.
pub(crate) fn decode(key: u64, row: &[u8]) -> Result<Row, RowFault> {
    let (mut rest, hash) = proved(key, row)?;
    let previous = Digest::from_bytes(rest.take()?);
    let count = u32::from_le_bytes(rest.take()?);
    let records = rest.records(count)?;
    Ok(Row { previous, hash, records })
}

/// What follows the seq of a row whose bytes are those that were written, and its hash.
fn proved(key: u64, row: &[u8]) -> Result<(Fields<'_>, Digest), RowFault> {
    if row.len() > limit::ROW_BYTES {
        return Err(RowFault::Long(row.len()));
    }
    let format = *row.first().ok_or(RowFault::Short)?;
    if format != ROW_FORMAT {
        return Err(RowFault::Format(format));
    }
    let (proved, stored) = row.split_last_chunk::<{ Digest::LEN }>().ok_or(RowFault::Short)?;
    let hash = Digest::from_bytes(*stored);
    if proved.len() < HEAD_BYTES {
        return Err(RowFault::Short);
    }
    if Digest::of(proved) != hash {
        return Err(RowFault::Hash);
    }
    let mut rest = Fields(proved);
    let [_format] = rest.take()?;
    let first_seq = u64::from_le_bytes(rest.take()?);
    if first_seq != key {
        return Err(RowFault::Seq(first_seq));
    }
    Ok((rest, hash))
}

/// The seq, the number of records and the bytes of the row that may begin here, by its counts alone: whether it is one
/// is to be proved. `None`: none begins here; more bytes may tell otherwise where `bytes` is cut.
pub(crate) fn announced(bytes: &[u8]) -> Option<Announced> {
    let mut rest = Fields(bytes);
    let [ROW_FORMAT] = rest.take().ok()? else { return None };
    let first_seq = u64::from_le_bytes(rest.take().ok()?);
    let previous = Digest::from_bytes(rest.take().ok()?);
    let count = u32::from_le_bytes(rest.take().ok()?);
    let in_bounds = count > 0 && usize::try_from(count).is_ok_and(|count| count <= limit::COMMIT_RECORDS);
    (in_bounds && first_seq > 0).then_some(Announced { first_seq, previous, count })
}

/// What a row says of itself before it is proved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Announced {
    pub first_seq: u64,
    pub previous: Digest,
    pub count: u32,
}

/// Bytes of a row before its records.
pub(crate) const ROW_HEAD_BYTES: usize = HEAD_BYTES;
/// Bytes of a record before its body.
pub(crate) const RECORD_HEAD: usize = RECORD_HEAD_BYTES;

/// The length of a record's body, by its head.
pub(crate) fn body_bytes(head: &[u8; RECORD_HEAD]) -> Option<usize> {
    let length = u32::from_le_bytes(*head.last_chunk()?);
    usize::try_from(length).ok().filter(|length| *length <= limit::RECORD_BYTES)
}

/// The part of a row that is still to be read.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], RowFault> {
        let (field, rest) = self.0.split_first_chunk::<N>().ok_or(RowFault::Counts)?;
        self.0 = rest;
        Ok(*field)
    }

    fn body(&mut self, length: u32) -> Result<Vec<u8>, RowFault> {
        let length = usize::try_from(length).map_err(|_| RowFault::Counts)?;
        let (body, rest) = self.0.split_at_checked(length).ok_or(RowFault::Counts)?;
        self.0 = rest;
        Ok(body.to_vec())
    }

    /// That there are exactly `count` records and nothing after them.
    fn skip_records(mut self, count: u32) -> Result<(), RowFault> {
        if count == 0 {
            return Err(RowFault::Counts);
        }
        for _ in 0..count {
            let head: [u8; RECORD_HEAD_BYTES] = self.take()?;
            let length = head.last_chunk().map_or(0, |length| u32::from_le_bytes(*length));
            let length = usize::try_from(length).map_err(|_| RowFault::Counts)?;
            self.0 = self.0.split_at_checked(length).ok_or(RowFault::Counts)?.1;
        }
        if self.0.is_empty() { Ok(()) } else { Err(RowFault::Counts) }
    }

    /// Exactly `count` records and nothing after them.
    fn records(mut self, count: u32) -> Result<Vec<Record>, RowFault> {
        let possible = self.0.len() / RECORD_HEAD_BYTES;
        let count = usize::try_from(count).map_err(|_| RowFault::Counts)?;
        if count == 0 || count > possible {
            return Err(RowFault::Counts);
        }
        let mut records = Vec::with_capacity(count);
        for _ in 0..count {
            let kind = u16::from_le_bytes(self.take()?);
            let version = u16::from_le_bytes(self.take()?);
            let [flags] = self.take()?;
            let length = u32::from_le_bytes(self.take()?);
            records.push(Record { kind, version, flags, body: self.body(length)? });
        }
        if self.0.is_empty() { Ok(records) } else { Err(RowFault::Counts) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn record() -> impl Strategy<Value = Record> {
        (any::<u16>(), any::<u16>(), any::<u8>(), prop::collection::vec(any::<u8>(), 0..80))
            .prop_map(|(kind, version, flags, body)| Record { kind, version, flags, body })
    }

    fn records() -> impl Strategy<Value = Vec<Record>> {
        prop::collection::vec(record(), 1..6)
    }

    fn row_of(seq: u64, records: &[Record]) -> Vec<u8> {
        let mut row = Vec::new();
        encode(&mut row, seq, Digest::of(b"before"), records).unwrap();
        row
    }

    proptest! {
        #[test]
        fn a_row_reads_back_as_it_was_written(seq in 1..u64::MAX, records in records()) {
            let row = row_of(seq, &records);
            let read = decode(seq, &row).unwrap();
            prop_assert_eq!(read.previous, Digest::of(b"before"));
            prop_assert_eq!(read.hash, Digest::of(&row[..row.len() - 32]));
            prop_assert_eq!(read.records, records);
        }

        #[test]
        fn any_truncation_of_a_row_is_an_error(records in records(), cut in any::<prop::sample::Index>()) {
            let row = row_of(7, &records);
            let cut = cut.index(row.len());
            prop_assert!(decode(7, &row[..cut]).is_err());
        }

        #[test]
        fn any_flipped_bit_of_a_row_is_an_error(
            records in records(), at in any::<prop::sample::Index>(), bit in 0..8u8,
        ) {
            let mut row = row_of(7, &records);
            let at = at.index(row.len());
            row[at] ^= 1 << bit;
            prop_assert!(decode(7, &row).is_err());
        }

        #[test]
        fn any_bytes_at_all_are_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            prop_assert!(decode(7, &bytes).is_err());
        }
    }

    #[test]
    fn a_row_under_another_key_is_an_error() {
        let row = row_of(7, &[Record { kind: 1, version: 1, flags: 0, body: vec![] }]);
        assert_eq!(decode(8, &row), Err(RowFault::Seq(7)));
    }

    #[test]
    fn counts_that_do_not_fit_are_an_error_even_under_a_good_hash() {
        let mut row = row_of(7, &[Record { kind: 1, version: 1, flags: 0, body: vec![1, 2, 3] }]);
        for (at, value) in [(41, 0u32), (41, 2), (41, u32::MAX), (50, 2), (50, 4), (50, u32::MAX)] {
            let mut wrong = row.clone();
            wrong[at..at + 4].copy_from_slice(&value.to_le_bytes());
            let end = wrong.len() - 32;
            let hash = Digest::of(&wrong[..end]);
            wrong[end..].copy_from_slice(hash.as_bytes());
            assert_eq!(decode(7, &wrong), Err(RowFault::Counts), "{value} at {at}");
        }
        row[0] = 2;
        assert_eq!(decode(7, &row), Err(RowFault::Format(2)));
    }

    #[test]
    fn what_may_not_be_a_commit_is_refused() {
        let mut row = Vec::new();
        assert_eq!(encode(&mut row, 1, Digest::ZERO, &[]), Err(Refusal::Empty));
        let long = Record { kind: 1, version: 1, flags: 0, body: vec![0; limit::RECORD_BYTES + 1] };
        assert!(matches!(encode(&mut row, 1, Digest::ZERO, &[long]), Err(Refusal::Bytes { .. })));
        let one = Record { kind: 1, version: 1, flags: 1, body: vec![] };
        assert!(one.is_ignorable());
        let many = vec![one; limit::COMMIT_RECORDS + 1];
        assert!(matches!(encode(&mut row, 1, Digest::ZERO, &many), Err(Refusal::Records { .. })));
        let half = Record { kind: 1, version: 1, flags: 0, body: vec![0; limit::RECORD_BYTES] };
        assert!(matches!(encode(&mut row, 1, Digest::ZERO, &vec![half; 9]), Err(Refusal::Bytes { .. })));
    }
}
