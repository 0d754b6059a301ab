//! Long texts, named by what they are: transcripts and results over 64 KiB.

use super::digest::Digest;

/// Bytes to be stored once under their own digest, in the transaction of the record that names it.
#[derive(Debug, Clone, Copy)]
pub struct Blob<'a> {
    digest: Digest,
    bytes: &'a [u8],
}

impl<'a> Blob<'a> {
    /// Names these bytes; at most [`super::limit::BLOB_BYTES`] are stored.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { digest: Digest::of(bytes), bytes }
    }

    /// The name, for the record that refers to it.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The bytes.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }
}
