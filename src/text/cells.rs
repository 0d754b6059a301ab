//! The columns of one log row while it is written: characters overwrite each other as on a terminal's line.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthChar;

use super::row::{Row, Span};
use super::style::Style;
use super::width::{TAB_STOP, grapheme_width};

/// Bytes of text kept of one row: more than any screen shows, little enough that 500 such rows fit in memory. Of a
/// longer row the head is kept, and the row says how long it was.
pub const MAX_ROW_BYTES: usize = 64 * 1024;

/// Bytes of one grapheme: the longest emoji have 35. Marks piled up beyond are dropped.
const MAX_GRAPHEME_BYTES: usize = 64;

/// Columns whose memory is kept for the next row.
const MAX_SPARE_COLUMNS: usize = 4 * 1024;

/// One column. The grapheme's text stands in its first column; the others of a wide one are empty.
#[derive(Debug, Clone, Copy)]
struct Cell {
    /// Where its text begins in [`Cells::text`].
    start: usize,
    bytes: u8,
    /// Columns of the grapheme; 0 marks a further column of the one before.
    columns: u8,
    style: Style,
}

impl Cell {
    const BLANK: Self = Self { start: 0, bytes: 1, columns: 1, style: Style::new() };

    fn further(style: Style) -> Self {
        Self { start: 0, bytes: 0, columns: 0, style }
    }

    fn end(&self) -> usize {
        self.start + usize::from(self.bytes)
    }
}

/// The row that is being written, and where the cursor stands in it.
#[derive(Debug, Clone)]
pub(super) struct Cells {
    cells: Vec<Cell>,
    /// A blank, then the text of the cells in the order written; overwritten text stays until it is compacted.
    text: String,
    /// Bytes that the cells refer to.
    live_bytes: usize,
    cursor: usize,
    /// Column of the grapheme written last, while a mark may still join it.
    joinable: Option<usize>,
    /// Columns at the start known to be blank, so that erasing them again costs nothing.
    blank_columns: usize,
    /// Text was dropped because the row is full; it does not grow again until its end is erased.
    cut: bool,
}

impl Cells {
    /// An empty row.
    pub(super) fn new() -> Self {
        let (cells, text) = (Vec::new(), String::from(' '));
        Self { cells, text, live_bytes: 0, cursor: 0, joinable: None, blank_columns: 0, cut: false }
    }

    /// Whether text was dropped because the row is full.
    pub(super) fn is_cut(&self) -> bool {
        self.cut
    }

    /// Writes one visible character at the cursor, over what stands there. A mark without a character is dropped.
    pub(super) fn write(&mut self, c: char, style: Style) {
        let columns = c.width().unwrap_or(0);
        if !self.join(c, columns) && columns > 0 {
            self.place(c.encode_utf8(&mut [0; 4]), columns, style);
        }
    }

    /// Writes printable ASCII, as [`Self::write`] would character by character, but at once where it ends the row.
    pub(super) fn write_ascii(&mut self, text: &str, style: Style) {
        let appends = self.cursor == self.cells.len() && !self.cut && !text.is_empty();
        if !appends || self.live_bytes + text.len() > MAX_ROW_BYTES {
            return text.chars().for_each(|c| self.place(c.encode_utf8(&mut [0; 4]), 1, style));
        }
        let start = self.store(text);
        self.cells.extend((start..start + text.len()).map(|start| Cell { start, style, ..Cell::BLANK }));
        self.live_bytes += text.len();
        self.move_to(self.cells.len());
        self.joinable = self.cursor.checked_sub(1);
    }

    /// To the first column.
    pub(super) fn carriage_return(&mut self) {
        self.move_to(0);
    }

    /// One column to the left.
    pub(super) fn backspace(&mut self) {
        self.move_to(self.cursor.saturating_sub(1));
    }

    /// To the next tab stop; what stands there stays.
    pub(super) fn tab(&mut self) {
        let stop = (self.cursor / TAB_STOP + 1) * TAB_STOP;
        self.fill_to(stop);
        self.move_to(stop.min(self.cells.len()));
    }

    /// Erases from the cursor to the end.
    pub(super) fn erase_right(&mut self) {
        self.joinable = None;
        self.split_wide(self.cursor);
        let gone = self.cells.drain(self.cursor.min(self.cells.len())..);
        self.live_bytes -= gone.map(|cell| usize::from(cell.bytes)).sum::<usize>();
        self.blank_columns = self.blank_columns.min(self.cells.len());
        self.cut = false;
    }

    /// Erases from the start to the cursor, its column included.
    pub(super) fn erase_left(&mut self) {
        self.joinable = None;
        let end = (self.cursor + 1).min(self.cells.len());
        self.split_wide(end);
        for column in self.blank_columns..end {
            self.set(column, Cell::BLANK);
        }
        self.blank_columns = self.blank_columns.max(end);
    }

    /// Erases everything; the cursor stays.
    pub(super) fn erase_all(&mut self) {
        let cursor = std::mem::take(&mut self.cursor);
        self.erase_right();
        self.cursor = cursor;
    }

    /// What stands there now.
    pub(super) fn row(&self) -> Row {
        let mut spans: Vec<Span> = Vec::new();
        let mut shown = self.cells.iter().filter(|cell| cell.columns > 0).peekable();
        while let Some(cell) = shown.next() {
            let mut end = cell.end();
            while let Some(next) = shown.next_if(|next| next.start == end && next.style == cell.style) {
                end = next.end();
            }
            let text = self.text.get(cell.start..end).unwrap_or_default();
            match spans.last_mut() {
                Some(span) if span.style == cell.style => span.text.push_str(text),
                _ => spans.push(Span { style: cell.style, text: text.to_owned() }),
            }
        }
        Row { spans }
    }

    /// Begins the next row.
    pub(super) fn clear(&mut self) {
        self.cells.clear();
        self.cells.shrink_to(MAX_SPARE_COLUMNS);
        self.text.truncate(1);
        self.text.shrink_to(MAX_SPARE_COLUMNS);
        (self.live_bytes, self.cursor, self.blank_columns) = (0, 0, 0);
        (self.joinable, self.cut) = (None, false);
    }

    fn move_to(&mut self, column: usize) {
        self.cursor = column;
        self.joinable = None;
    }

    fn text_of(&self, cell: &Cell) -> &str {
        self.text.get(cell.start..cell.end()).unwrap_or_default()
    }

    /// Adds a mark, a joiner or a joined part to the grapheme written last, where it belongs to it: a character
    /// without columns always does.
    fn join(&mut self, c: char, columns: usize) -> bool {
        if stands_alone(c) {
            return false;
        }
        let Some((column, cell)) = self.joinable.and_then(|column| Some((column, *self.cells.get(column)?)))
        else {
            return false;
        };
        let mut grapheme = self.text_of(&cell).to_owned();
        grapheme.push(c);
        if columns > 0 && grapheme.graphemes(true).nth(1).is_some() {
            return false;
        }
        if grapheme.len() <= MAX_GRAPHEME_BYTES {
            let columns = grapheme_width(&grapheme).max(usize::from(cell.columns));
            self.move_to(column);
            self.place(&grapheme, columns, cell.style);
            self.move_to(column + columns);
            self.joinable = Some(column);
        }
        true
    }

    /// Puts a grapheme at the cursor and moves behind it.
    fn place(&mut self, grapheme: &str, columns: usize, style: Style) {
        self.fill_to(self.cursor);
        let (column, end) = (self.cursor, self.cursor + columns);
        let freed = self.cells.get(column).map_or(0, |cell| usize::from(cell.bytes));
        let full = self.live_bytes - freed + grapheme.len() > MAX_ROW_BYTES;
        if full || self.cut && end > self.cells.len() {
            self.cut = true;
            return;
        }
        let start = self.store(grapheme);
        self.split_wide(column);
        self.split_wide(end);
        let bytes = u8::try_from(grapheme.len()).unwrap_or_default();
        self.set(column, Cell { start, bytes, columns: u8::try_from(columns).unwrap_or(1), style });
        for further in column + 1..end {
            self.set(further, Cell::further(style));
        }
        self.blank_columns = self.blank_columns.min(column);
        self.move_to(end);
        self.joinable = Some(column);
    }

    /// Appends to the text and says where. Overwritten text is dropped when it is as much as a full row: so the text
    /// stays bounded, and dropping costs no more than writing did.
    fn store(&mut self, grapheme: &str) -> usize {
        if self.text.len() + grapheme.len() > 3 * MAX_ROW_BYTES {
            self.compact();
        }
        let start = self.text.len();
        self.text.push_str(grapheme);
        start
    }

    fn compact(&mut self) {
        let old = std::mem::replace(&mut self.text, String::from(' '));
        for cell in self.cells.iter_mut().filter(|cell| cell.start > 0) {
            let text = old.get(cell.start..cell.end()).unwrap_or_default();
            cell.start = self.text.len();
            self.text.push_str(text);
        }
    }

    /// Blanks up to `column`, as far as the row has room.
    fn fill_to(&mut self, column: usize) {
        while self.cells.len() < column {
            if self.cut || self.live_bytes >= MAX_ROW_BYTES {
                self.cut = true;
                return;
            }
            self.set(self.cells.len(), Cell::BLANK);
        }
    }

    /// Makes blank the wide grapheme that stands on both sides of the start of `column`.
    fn split_wide(&mut self, column: usize) {
        if self.cells.get(column).is_none_or(|cell| cell.columns > 0) {
            return;
        }
        let first = self.cells.iter().take(column).rposition(|cell| cell.columns > 0).unwrap_or(column);
        let columns = self.cells.get(first).map_or(1, |cell| usize::from(cell.columns));
        for column in first..first + columns {
            self.set(column, Cell::BLANK);
        }
    }

    fn set(&mut self, column: usize, cell: Cell) {
        self.live_bytes += usize::from(cell.bytes);
        match self.cells.get_mut(column) {
            Some(old) => {
                self.live_bytes -= usize::from(old.bytes);
                *old = cell;
            }
            None => self.cells.push(cell),
        }
    }
}

/// Whether a character never joins the one before it: letters of the scripts that fill most logs, kana, ideographs,
/// boxes and spinners. Only saves time: of all others the grapheme rules decide.
fn stands_alone(c: char) -> bool {
    matches!(c, '\0'..='\u{a8}' | '\u{aa}'..='\u{ad}' | '\u{af}'..='\u{2ff}' | '\u{370}'..='\u{482}'
        | '\u{48a}'..='\u{52f}' | '\u{2010}'..='\u{2027}' | '\u{2500}'..='\u{259f}' | '\u{2800}'..='\u{28ff}'
        | '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c024_overwritten_text_is_dropped() {
        let mut cells = Cells::new();
        for _ in 0..MAX_ROW_BYTES {
            cells.carriage_return();
            cells.write_ascii("50% ", Style::new());
            cells.write('≤', Style::new());
        }
        assert!(cells.text.len() <= 3 * MAX_ROW_BYTES);
        assert_eq!((cells.row().plain().as_str(), cells.live_bytes), ("50% ≤", 7));
    }
}
