//! UTF-8 out of a stream whose reads may end inside a character.

/// Decodes one stream. Junk becomes U+FFFD, one for each longest run that could have begun a character, as
/// [`String::from_utf8_lossy`] does for the whole.
#[derive(Debug, Clone, Default)]
pub struct Decoder {
    /// The start of a character whose rest was not read yet, at most 3 bytes.
    held: Vec<u8>,
}

impl Decoder {
    /// A decoder at the start of a stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends to `out` what is whole after these bytes.
    pub fn push(&mut self, mut bytes: &[u8], out: &mut String) {
        while !self.held.is_empty() {
            let Some((byte, rest)) = bytes.split_first() else { return };
            bytes = rest;
            let mut joined = std::mem::take(&mut self.held);
            joined.push(*byte);
            self.held = decode(&joined, out).to_vec();
        }
        self.held.extend_from_slice(decode(bytes, out));
    }

    /// Ends the stream: a character that was never finished becomes U+FFFD.
    pub fn finish(&mut self, out: &mut String) {
        if !self.held.is_empty() {
            self.held.clear();
            out.push(char::REPLACEMENT_CHARACTER);
        }
    }
}

/// Appends what is whole, and returns the unfinished character at the end.
fn decode<'a>(mut bytes: &'a [u8], out: &mut String) -> &'a [u8] {
    loop {
        let error = match std::str::from_utf8(bytes) {
            Ok(text) => {
                out.push_str(text);
                return &[];
            }
            Err(error) => error,
        };
        let (valid, rest) = bytes.split_at(error.valid_up_to());
        out.push_str(std::str::from_utf8(valid).unwrap_or_default());
        let Some(junk) = error.error_len() else { return rest };
        out.push(char::REPLACEMENT_CHARACTER);
        bytes = rest.get(junk..).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decoded(reads: &[&[u8]]) -> String {
        let (mut decoder, mut out) = (Decoder::new(), String::new());
        reads.iter().for_each(|read| decoder.push(read, &mut out));
        decoder.finish(&mut out);
        out
    }

    #[test]
    fn c025_characters_split_over_reads_stay_whole() {
        assert_eq!(decoded(&[b"\xe2", b"\x89\xa4"]), "≤");
        assert_eq!(decoded(&[b"\xf0\x9f", b"", b"\xa6", b"\x80!"]), "🦀!");
        let text = "你".repeat(51_200);
        let reads: Vec<&[u8]> = text.as_bytes().chunks(4096).collect();
        assert_eq!(decoded(&reads), text);
    }

    #[test]
    fn c025_junk_is_shown_and_never_fatal() {
        assert_eq!(decoded(&[b"\x1f\x8b\x00\xff\xfe"]), "\x1f\u{fffd}\0\u{fffd}\u{fffd}");
        assert_eq!(decoded(&[b"a\xe2\x89"]), "a\u{fffd}");
        assert_eq!(decoded(&[b"\xf0\x9f", b"\xe2\x89\xa4"]), "\u{fffd}≤");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn however_it_is_read_the_text_is_the_same(
            bytes in proptest::collection::vec(prop_oneof![any::<u8>(), Just(0xe2), Just(0x89), Just(0xa4), Just(0xf0), Just(0x9f)], 0..60),
            size in 1usize..5,
        ) {
            let reads: Vec<&[u8]> = bytes.chunks(size).collect();
            prop_assert_eq!(decoded(&reads), String::from_utf8_lossy(&bytes));
        }
    }
}
