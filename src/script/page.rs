//! Where lines are written: with or without colour, cut to a width or not.
use crate::domain::view::{Line, Tint};
use std::io::{self, Write};

/// Does a stream get colour? It is told, never found out here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Palette {
    /// ANSI-16 colours are written.
    pub colour: bool,
}

/// One stream: its colours and its width.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Page {
    /// Its colours.
    pub palette: Palette,
    /// Columns that lines are cut to; none where it is no terminal.
    pub width: Option<usize>,
}

impl Palette {
    /// The line as it is written, without its end.
    pub fn paint(self, line: &Line) -> String {
        if !self.colour {
            return line.plain();
        }
        let mut out = String::new();
        for (tint, text) in &line.parts {
            match sgr(*tint) {
                Some(code) if !text.trim().is_empty() => out.push_str(&format!("\x1b[{code}m{text}\x1b[0m")),
                _ => out.push_str(text),
            }
        }
        out.truncate(out.trim_end().len());
        out
    }
}

/// Select Graphic Rendition of ECMA-48: green, red, yellow, bold, dim.
fn sgr(tint: Tint) -> Option<&'static str> {
    match tint {
        Tint::Plain => None,
        Tint::Name => Some("1"),
        Tint::Time => Some("2"),
        Tint::Good => Some("32"),
        Tint::Bad => Some("31"),
        Tint::Warn => Some("33"),
    }
}

impl Page {
    /// Of a stream that is no terminal.
    pub fn plain() -> Self {
        Self::default()
    }

    /// The line as it is written here, without its end.
    pub fn paint(&self, line: &Line) -> String {
        match self.width {
            Some(columns) => self.palette.paint(&line.cut(columns)),
            None => self.palette.paint(line),
        }
    }

    /// Writes one line.
    pub fn line(&self, out: &mut dyn Write, line: &Line) -> io::Result<()> {
        // In one piece: streams that gather nothing would write the end of the line by itself.
        let mut text = self.paint(line);
        text.push('\n');
        out.write_all(text.as_bytes())
    }

    /// Writes one line that is meant to be pasted: it is never cut.
    pub fn whole(&self, out: &mut dyn Write, line: &Line) -> io::Result<()> {
        writeln!(out, "{}", self.palette.paint(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_is_written_only_where_it_was_told() {
        let line = Line::new()
            .and(Tint::Bad, "failed")
            .and(Tint::Plain, "  ")
            .and(Tint::Name, "a")
            .and(Tint::Time, "  ");
        assert_eq!(Palette { colour: false }.paint(&line), "failed  a");
        assert_eq!(Palette { colour: true }.paint(&line), "\x1b[31mfailed\x1b[0m  \x1b[1ma\x1b[0m");
        let narrow = Page { palette: Palette { colour: true }, width: Some(5) };
        assert_eq!(narrow.paint(&line), "\x1b[31mfail…\x1b[0m");
    }
}
