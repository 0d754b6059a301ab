//! The end of an output: what a process leaves as its result if it writes no result file.
use crate::domain::limits::MAX_RESULT_BYTES;
use crate::text::Untrusted;

/// Keeps the last [`MAX_RESULT_BYTES`] of what it is given, in at most twice the memory.
#[derive(Debug, Default)]
pub struct Tail {
    kept: Vec<u8>,
    /// Something before it was dropped.
    cut: bool,
}

impl Tail {
    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        let dropped = if bytes.len() >= MAX_RESULT_BYTES {
            self.kept.len()
        } else if self.kept.len() + bytes.len() > 2 * MAX_RESULT_BYTES {
            self.kept.len() - MAX_RESULT_BYTES
        } else {
            0
        };
        self.kept.drain(..dropped);
        let skipped = bytes.len().saturating_sub(MAX_RESULT_BYTES);
        self.kept.extend_from_slice(bytes.get(skipped..).unwrap_or_default());
        self.cut |= dropped + skipped > 0;
    }

    /// The text of it.
    pub fn text(&self) -> Untrusted {
        let skipped = self.kept.len().saturating_sub(MAX_RESULT_BYTES);
        let end = self.kept.get(skipped..).unwrap_or_default();
        // A cut may have gone through a character, which has at most three bytes after its first.
        let is_inner = |byte: &&u8| **byte & 0b1100_0000 == 0b1000_0000;
        let broken =
            if self.cut || skipped > 0 { end.iter().take(3).take_while(is_inner).count() } else { 0 };
        text_of(end.get(broken..).unwrap_or_default())
    }
}

/// Bytes that a process left, as text: junk is shown as such, the last end of line goes.
pub fn text_of(bytes: &[u8]) -> Untrusted {
    let text = String::from_utf8_lossy(bytes);
    let bare = text.strip_suffix('\n').unwrap_or(&text);
    Untrusted::from(bare.strip_suffix('\r').unwrap_or(bare))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tail(pieces: &[&[u8]]) -> Untrusted {
        let mut tail = Tail::default();
        pieces.iter().for_each(|piece| tail.push(piece));
        tail.text()
    }

    #[test]
    fn the_last_end_of_line_goes_and_no_other() {
        assert_eq!(tail(&[b"a\n\n"]).raw(), "a\n");
        assert_eq!(tail(&[b"a\r\n"]).raw(), "a");
        assert_eq!(tail(&[]).raw(), "");
    }

    #[test]
    fn c025_a_character_split_over_reads_is_whole_and_junk_is_text() {
        assert_eq!(tail(&[b"\xE2", b"\x89\xA4"]).raw(), "≤");
        assert_eq!(tail(&[b"\x1F\x8B\x00\xFF\xFE"]).raw(), "\u{1f}\u{fffd}\0\u{fffd}\u{fffd}");
    }

    #[test]
    fn c025_a_cut_inside_a_character_leaves_no_junk() {
        let text = "你".repeat(50 * 1024);
        let kept = tail(&[text.as_bytes()]);
        assert!(!kept.raw().contains(char::REPLACEMENT_CHARACTER));
        assert_eq!(kept.len_bytes(), MAX_RESULT_BYTES - MAX_RESULT_BYTES % 3);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn however_it_arrives_the_end_is_kept(sizes in proptest::collection::vec(0..100_000usize, 0..8)) {
            let all: Vec<u8> = (0..sizes.iter().sum::<usize>()).map(|at| b'a' + (at % 23) as u8).collect();
            let mut tail = Tail::default();
            let mut rest = all.as_slice();
            for size in sizes {
                let (piece, left) = rest.split_at(size);
                tail.push(piece);
                prop_assert!(tail.kept.len() <= 2 * MAX_RESULT_BYTES);
                rest = left;
            }
            let end = &all[all.len().saturating_sub(MAX_RESULT_BYTES)..];
            let kept = tail.text();
            prop_assert_eq!(kept.raw().as_bytes(), end);
        }
    }
}
