//! Log rows: the bytes of a stream in, finished rows of styled text out.
//!
//! A row is what a terminal would show of one line: colours are kept, `\r`, backspace, tab and `CSI K` act within
//! the row, LF ends it. Everything else a stream may ask of a terminal is dropped, and square brackets mean nothing.
//! Memory is bounded whatever comes: of a row longer than [`MAX_ROW_BYTES`](super::MAX_ROW_BYTES) the head is kept.

use super::cells::Cells;
use super::decode::Decoder;
use super::escape::{Piece, Reader};
use super::quantity::size;
use super::sanitise::{is_hidden, without_hidden};
use super::style::Style;
use super::width::width;

/// Text of one style within a row. It holds no control and no hidden character.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Span {
    /// How it looks.
    pub style: Style,
    /// The text itself.
    pub text: String,
}

/// One row of a log: spans from left to right, neighbours of different styles. Its first column is column 0.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    /// The parts in order; none for an empty row.
    pub spans: Vec<Span>,
}

impl Row {
    /// The text without styles.
    pub fn plain(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }

    /// Columns it takes.
    pub fn width(&self) -> usize {
        self.spans.iter().map(|span| width(&span.text)).sum()
    }
}

/// Makes rows of one stream.
#[derive(Debug, Clone)]
pub struct Rows {
    decoder: Decoder,
    reader: Reader,
    cells: Cells,
    style: Style,
    /// Bytes of the pending row as they came, without its line end.
    bytes: u64,
    /// Reused for what the decoder gives.
    text: String,
}

impl Default for Rows {
    fn default() -> Self {
        Self::new()
    }
}

impl Rows {
    /// At the start of a stream.
    pub fn new() -> Self {
        let (decoder, reader, cells) = (Decoder::new(), Reader::default(), Cells::new());
        Self { decoder, reader, cells, style: Style::new(), bytes: 0, text: String::new() }
    }

    /// Appends to `rows` what these bytes finish. A sequence that a row leaves open ends with the row, so it cannot
    /// swallow what follows; colours go on in the next row, as on a terminal.
    pub fn push(&mut self, bytes: &[u8], rows: &mut Vec<Row>) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            match piece.split_last() {
                Some((b'\n', line)) => {
                    self.read(line);
                    rows.push(self.end());
                }
                _ => self.read(piece),
            }
        }
    }

    /// Ends the stream: the pending row, if any byte of it came.
    pub fn finish(&mut self) -> Option<Row> {
        (self.bytes > 0).then(|| self.end())
    }

    /// The row that no line end finished yet, as it stands; `None` when nothing of it came.
    pub fn pending(&self) -> Option<Row> {
        (self.bytes > 0).then(|| self.row())
    }

    fn read(&mut self, bytes: &[u8]) {
        self.bytes += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let mut text = std::mem::take(&mut self.text);
        self.decoder.push(bytes, &mut text);
        self.write(&text);
        text.clear();
        self.text = text;
    }

    fn end(&mut self) -> Row {
        let mut rest = String::new();
        self.decoder.finish(&mut rest);
        self.write(&rest);
        let row = self.row();
        self.reader.reset();
        self.cells.clear();
        self.bytes = 0;
        row
    }

    fn row(&self) -> Row {
        let mut row = self.cells.row();
        for span in &mut row.spans {
            without_hidden(&mut span.text);
        }
        if self.cells.is_cut() {
            row.spans.push(Span { style: Style::new(), text: format!("… {} in all", size(self.bytes)) });
        }
        row
    }

    fn write(&mut self, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            if self.reader.is_in_text() {
                let end = rest.bytes().position(|byte| !matches!(byte, b' '..=b'~')).unwrap_or(rest.len());
                let (ascii, after) = rest.split_at_checked(end).unwrap_or(("", rest));
                self.cells.write_ascii(ascii, self.style);
                rest = after;
            }
            let mut chars = rest.chars();
            chars.next().into_iter().for_each(|c| self.obey(c));
            rest = chars.as_str();
        }
    }

    fn obey(&mut self, c: char) {
        match self.reader.push(c) {
            Piece::Text(c) if is_hidden(c) => {}
            Piece::Text(c) => self.cells.write(c, self.style),
            Piece::Control('\r') => self.cells.carriage_return(),
            Piece::Control('\x08') => self.cells.backspace(),
            Piece::Control('\t') => self.cells.tab(),
            Piece::Csi('m') => self.style = self.style.after(self.reader.params()),
            Piece::Csi('K') => self.erase(),
            Piece::Control(_) | Piece::Csi(_) | Piece::Nothing => {}
        }
    }

    fn erase(&mut self) {
        match self.reader.params().first() {
            0 => self.cells.erase_right(),
            1 => self.cells.erase_left(),
            2 => self.cells.erase_all(),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
