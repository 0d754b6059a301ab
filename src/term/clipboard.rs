//! Copying through the terminal itself (OSC 52), so that it works over ssh too.
use crossterm::clipboard::CopyToClipboard;
use crossterm::execute;
use std::io::{self, Write};

/// Bytes that are copied; longer text is cut. Reason: terminals drop sequences of over 100 KB, and the text grows by a
/// third on the way.
pub const MAX_COPY_BYTES: usize = 74_000;

/// Puts text into the clipboard of the terminal, if it lets programs do that. Only ever what the person asked for.
pub fn copy(out: &mut impl Write, text: &str) -> io::Result<()> {
    let mut end = text.len().min(MAX_COPY_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    execute!(out, CopyToClipboard::to_clipboard_from(text.get(..end).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_copied_encoded_and_not_more_than_a_terminal_takes() {
        let mut out = Vec::new();
        copy(&mut out, "docs").unwrap();
        assert_eq!(out, b"\x1b]52;c;ZG9jcw==\x1b\\");
        out.clear();
        copy(&mut out, &"é".repeat(MAX_COPY_BYTES)).unwrap();
        assert!(out.len() < 100_000);
    }
}
