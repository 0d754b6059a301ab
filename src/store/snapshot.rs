//! Snapshots: the folded state at a seq, a cache that is believed only when everything about it fits.
//!
//! A row of `snapshots`, format 1 (all numbers little endian):
//!
//! | at | size | field |
//! |---|---|---|
//! | 0 | 1 | format, `1` |
//! | 1 | 4 | version of the fold that made it, `u32` |
//! | 5 | 32 | hash of the commit that ends at this seq |
//! | 37 | 32 | SHA-256 of the seq (`u64`), the fields above and the body |
//! | 69 | | body: the canonical state |

use super::digest::Digest;
use super::error::Refusal;
use super::limit;

const FORMAT: u8 = 1;

/// A state to be kept with the commit it is the outcome of.
#[derive(Debug, Clone, Copy)]
pub struct NewSnapshot<'a> {
    /// The version of the fold; another version never reads it.
    pub fold_version: u32,
    /// The canonical bytes of the state, at most [`limit::BLOB_BYTES`].
    pub body: &'a [u8],
}

/// A state that was found and fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The last seq it holds.
    pub seq: u64,
    /// The canonical bytes of the state.
    pub body: Vec<u8>,
}

/// The bytes of a snapshot at `seq`, whose commit has the hash `commit`.
pub(crate) fn encode(seq: u64, commit: Digest, snapshot: &NewSnapshot<'_>) -> Result<Vec<u8>, Refusal> {
    let bytes = snapshot.body.len();
    if bytes > limit::BLOB_BYTES {
        return Err(Refusal::Bytes { what: "a snapshot", bytes, limit: limit::BLOB_BYTES });
    }
    let version = snapshot.fold_version.to_le_bytes();
    let mut row = Vec::with_capacity(1 + 4 + 2 * Digest::LEN + bytes);
    row.push(FORMAT);
    row.extend_from_slice(&version);
    row.extend_from_slice(commit.as_bytes());
    row.extend_from_slice(proof(seq, version, &commit, snapshot.body).as_bytes());
    row.extend_from_slice(snapshot.body);
    Ok(row)
}

/// The commit's hash and the body, when the row is a whole snapshot of this fold at this seq.
pub(crate) fn decode(seq: u64, fold_version: u32, row: &[u8]) -> Option<(Digest, &[u8])> {
    let ([FORMAT], rest) = row.split_first_chunk::<1>()? else { return None };
    let (version, rest) = rest.split_first_chunk::<4>()?;
    let (commit, rest) = rest.split_first_chunk::<{ Digest::LEN }>()?;
    let (stored, body) = rest.split_first_chunk::<{ Digest::LEN }>()?;
    let commit = Digest::from_bytes(*commit);
    let fits = u32::from_le_bytes(*version) == fold_version
        && proof(seq, *version, &commit, body).as_bytes() == stored;
    fits.then_some((commit, body))
}

fn proof(seq: u64, version: [u8; 4], commit: &Digest, body: &[u8]) -> Digest {
    Digest::of_parts(&[&seq.to_le_bytes(), &[FORMAT], &version, commit.as_bytes(), body])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_change_of_a_snapshot_makes_it_nothing(
            body in prop::collection::vec(any::<u8>(), 0..60),
            at in any::<prop::sample::Index>(), bit in 0..8u8, cut in any::<prop::sample::Index>(),
        ) {
            let commit = Digest::of(b"commit");
            let row = encode(9, commit, &NewSnapshot { fold_version: 3, body: &body }).unwrap();
            prop_assert_eq!(decode(9, 3, &row), Some((commit, body.as_slice())));
            prop_assert_eq!(decode(9, 4, &row), None);
            prop_assert_eq!(decode(8, 3, &row), None);
            prop_assert_eq!(decode(9, 3, &row[..cut.index(row.len())]), None);
            let mut changed = row.clone();
            changed[at.index(row.len())] ^= 1 << bit;
            prop_assert_eq!(decode(9, 3, &changed), None);
        }
    }
}
