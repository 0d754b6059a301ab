//! What an archive is read through: a bound on all of it, a hash of each file.

use std::io::{self, Read};

use sha2::{Digest as _, Sha256};

use crate::store::digest::Digest;

/// Counts and hashes what goes through.
pub(super) struct Hashed<'a, R> {
    inner: &'a mut R,
    hash: Sha256,
    bytes: u64,
}

impl<'a, R> Hashed<'a, R> {
    /// Nothing went through yet.
    pub fn new(inner: &'a mut R) -> Self {
        Self { inner, hash: Sha256::new(), bytes: 0 }
    }

    /// How many bytes went through, and their hash.
    pub fn end(self) -> (u64, Digest) {
        (self.bytes, Digest::from_bytes(self.hash.finalize().into()))
    }
}

impl<R: Read> Read for Hashed<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(into)?;
        self.hash.update(into.get(..read).unwrap_or_default());
        self.bytes = self.bytes.saturating_add(u64::try_from(read).unwrap_or(u64::MAX));
        Ok(read)
    }
}

/// Gives an error where there is more than there may be.
pub(super) struct Bounded<R> {
    inner: R,
    left: u64,
}

impl<R> Bounded<R> {
    /// Lets so many bytes through.
    pub fn new(inner: R, left: u64) -> Self {
        Self { inner, left }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(into)?;
        let count = u64::try_from(read).unwrap_or(u64::MAX);
        self.left = self
            .left
            .checked_sub(count)
            .ok_or_else(|| io::Error::other("it is larger than any that is taken"))?;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_larger_than_its_bound_is_an_error_and_not_an_end() {
        let read = |left| Bounded::new([7; 4_096].as_slice(), left).read_to_end(&mut Vec::new());
        assert_eq!(read(4_096).unwrap(), 4_096);
        assert!(read(4_095).is_err() && read(0).is_err());
    }

    #[test]
    fn what_went_through_is_counted_and_hashed() {
        let mut bytes = b"abc".as_slice();
        let mut hashed = Hashed::new(&mut bytes);
        hashed.read_to_end(&mut Vec::new()).unwrap();
        assert_eq!(hashed.end(), (3, Digest::of(b"abc")));
    }
}
