//! Lines that are redrawn in place at the end of a terminal.
//!
//! Only cursor movement and erasing are used, as every terminal has them (ECMA-48 8.3.22 CUU, 8.3.39 ED, 8.3.41 EL).
//! A line must not be wider than the terminal, so that it never wraps. It is erased before it is written: after a line of
//! full width the cursor stands on its last column.
use crate::domain::view::Line;
use crate::script::page::Palette;
use std::io::{self, Write};

/// Remembers what it drew, and draws only what differs.
#[derive(Debug, Clone, Default)]
pub struct Painter {
    palette: Palette,
    drawn: Vec<String>,
}

impl Painter {
    /// Nothing is drawn yet.
    pub fn new(palette: Palette) -> Self {
        Self { palette, drawn: Vec::new() }
    }

    /// Draws these lines in the place of those before. Equal lines cost nothing.
    pub fn draw(&mut self, out: &mut dyn Write, lines: &[Line]) -> io::Result<()> {
        let lines: Vec<String> = lines.iter().map(|l| self.palette.paint(l)).collect();
        if lines == self.drawn {
            return Ok(());
        }
        let mut bytes = String::new();
        if !self.drawn.is_empty() {
            bytes.push_str(&format!("\x1b[{}A\r", self.drawn.len()));
        }
        for line in &lines {
            bytes.push_str(&format!("\x1b[K{line}\r\n"));
        }
        if lines.len() < self.drawn.len() {
            bytes.push_str("\x1b[J");
        }
        self.drawn = lines;
        out.write_all(bytes.as_bytes())?;
        out.flush()
    }

    /// Takes the lines away, so that others can be written where they began. Nothing stays drawn.
    pub fn clear(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.drawn.is_empty() {
            return Ok(());
        }
        let up = self.drawn.len();
        self.drawn.clear();
        write!(out, "\x1b[{up}A\r\x1b[J")?;
        out.flush()
    }
}
