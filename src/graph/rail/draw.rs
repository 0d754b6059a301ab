//! The rail as text: for the headless view and for tests.

use super::{Cell, Rail};

/// The characters that lanes are drawn with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charset {
    /// `╭ ╰ ├ ┬ ┴ ┼ ╪ │ ─ ╌ ⋮`
    Unicode,
    /// `+ # | - = :`
    Ascii,
}

/// The gutter of every row as text of equal width; glyph and name go right behind it.
pub fn draw<K: Copy + Ord>(rail: &Rail<K>, charset: Charset) -> Vec<String> {
    (0..rail.len()).map(|row| text(&rail.row(row), charset)).collect()
}

/// Cells as text.
pub(super) fn text(cells: &[Cell], charset: Charset) -> String {
    cells.iter().map(|cell| cell.glyph(charset)).collect()
}
