//! Hashes of what members read and write, as events and indexes have them: SHA-256, lower-case hex.
use std::fmt::Write as _;
use std::io::{self, Read};

use sha2::{Digest, Sha256};

/// Bytes read at once while a file is hashed.
const CHUNK: usize = 64 * 1024;

/// The hash of these bytes.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// The hash of everything that is left to read.
pub fn sha256_of(mut from: impl Read) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let mut chunk = vec![0; CHUNK];
    loop {
        match from.read(&mut chunk) {
            Ok(0) => return Ok(hex(&hasher.finalize())),
            Ok(length) => hasher.update(chunk.get(..length).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn hex(digest: &[u8]) -> String {
    let mut text = String::with_capacity(2 * digest.len());
    for byte in digest {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_and_its_bytes_have_one_hash() {
        let hex = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(b"abc"), hex);
        assert_eq!(sha256_of(&b"abc"[..]).unwrap(), hex);
        let long = vec![7; 3 * CHUNK + 1];
        assert_eq!(sha256_of(&long[..]).unwrap(), sha256(&long));
    }
}
