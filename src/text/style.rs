//! How log text looks: the colours and weights that SGR sequences ask for, in words of our own.
//!
//! Source: ECMA-48 8.3.117 and <https://invisible-island.net/xterm/ctlseqs/ctlseqs.html>.

use super::escape::Params;

/// A colour as a process asked for it; what it looks like is the theme's choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Colour {
    /// The terminal's own.
    #[default]
    Default,
    /// One of the 16 named colours: 0 to 7, and 8 to 15 bright.
    Ansi(u8),
    /// One of the 256 of the palette.
    Indexed(u8),
    /// Red, green, blue.
    Rgb(u8, u8, u8),
}

/// How a span of text looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Style {
    /// Colour of the letters.
    pub fg: Colour,
    /// Colour behind them.
    pub bg: Colour,
    /// Bold.
    pub bold: bool,
    /// Dim.
    pub dim: bool,
    /// Italic.
    pub italic: bool,
    /// Underlined, in any of the ways there are.
    pub underline: bool,
    /// Both colours exchanged.
    pub reverse: bool,
    /// Struck through.
    pub struck: bool,
}

impl Style {
    /// Plain text.
    pub const fn new() -> Self {
        let (fg, bg) = (Colour::Default, Colour::Default);
        Self {
            fg,
            bg,
            bold: false,
            dim: false,
            italic: false,
            underline: false,
            reverse: false,
            struck: false,
        }
    }

    /// This style after an SGR sequence with these numbers; unknown numbers change nothing.
    pub(super) fn after(mut self, params: &Params) -> Self {
        let mut groups = params.groups();
        while let Some(group) = groups.next() {
            match group {
                [38] => self.fg = separate_colour(&mut groups).unwrap_or(self.fg),
                [48] => self.bg = separate_colour(&mut groups).unwrap_or(self.bg),
                [58] => drop(separate_colour(&mut groups)),
                [38, colour @ ..] => self.fg = joined_colour(colour).unwrap_or(self.fg),
                [48, colour @ ..] => self.bg = joined_colour(colour).unwrap_or(self.bg),
                [4, kind, ..] => self.underline = *kind != 0,
                [code] => self.set(*code),
                _ => {}
            }
        }
        self
    }

    fn set(&mut self, code: u16) {
        match code {
            0 => *self = Self::default(),
            1 => self.bold = true,
            2 => self.dim = true,
            3 => self.italic = true,
            4 | 21 => self.underline = true,
            7 => self.reverse = true,
            9 => self.struck = true,
            22 => (self.bold, self.dim) = (false, false),
            23 => self.italic = false,
            24 => self.underline = false,
            27 => self.reverse = false,
            29 => self.struck = false,
            30..=37 => self.fg = ansi(code - 30),
            39 => self.fg = Colour::Default,
            40..=47 => self.bg = ansi(code - 40),
            49 => self.bg = Colour::Default,
            90..=97 => self.fg = ansi(code - 90 + 8),
            100..=107 => self.bg = ansi(code - 100 + 8),
            _ => {}
        }
    }
}

fn ansi(number: u16) -> Colour {
    Colour::Ansi(part(number))
}

/// A colour in groups of their own: `38;5;n` or `38;2;r;g;b`. What it takes is taken, whole or not.
fn separate_colour<'a>(groups: &mut impl Iterator<Item = &'a [u16]>) -> Option<Colour> {
    let mut number = || groups.next().and_then(|group| group.first().copied());
    match number()? {
        5 => Some(Colour::Indexed(part(number()?))),
        2 => Some(Colour::Rgb(part(number()?), part(number()?), part(number()?))),
        _ => None,
    }
}

/// A colour within one group: `38:5:n`, `38:2:r:g:b`, or with a colour space `38:2:space:r:g:b`.
fn joined_colour(numbers: &[u16]) -> Option<Colour> {
    match *numbers {
        [5, index, ..] => Some(Colour::Indexed(part(index))),
        [2, r, g, b] | [2, _, r, g, b, ..] => Some(Colour::Rgb(part(r), part(g), part(b))),
        _ => None,
    }
}

fn part(number: u16) -> u8 {
    u8::try_from(number).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::escape::Reader;
    use super::*;

    fn style(sequences: &str) -> Style {
        let mut reader = Reader::default();
        sequences.chars().fold(Style::default(), |style, c| {
            if reader.push(c) == super::super::escape::Piece::Csi('m') {
                style.after(reader.params())
            } else {
                style
            }
        })
    }

    #[test]
    fn colours_in_every_spelling() {
        let fg = |sequence| style(sequence).fg;
        assert_eq!(fg("\x1b[31m"), Colour::Ansi(1));
        assert_eq!(fg("\x1b[97m"), Colour::Ansi(15));
        assert_eq!(fg("\x1b[38;5;208m"), Colour::Indexed(208));
        assert_eq!(fg("\x1b[38:5:208m"), Colour::Indexed(208));
        assert_eq!(fg("\x1b[38;2;1;2;3m"), Colour::Rgb(1, 2, 3));
        assert_eq!(fg("\x1b[38:2:1:2:3m"), Colour::Rgb(1, 2, 3));
        assert_eq!(fg("\x1b[38:2::1:2:3m"), Colour::Rgb(1, 2, 3));
        assert_eq!(fg("\x1b[38;2;999;2;3m"), Colour::Rgb(255, 2, 3));
        assert_eq!(fg("\u{9b}32m\x1b[39m"), Colour::Default);
        assert_eq!(style("\x1b[48;5;1;1m"), Style { bg: Colour::Indexed(1), bold: true, ..Style::default() });
    }

    #[test]
    fn weights_are_set_and_taken_back() {
        let all = style("\x1b[1;2;3;4;7;9m");
        assert!(all.bold && all.dim && all.italic && all.underline && all.reverse && all.struck);
        assert_eq!(style("\x1b[1;2;3;4;7;9m\x1b[22;23;24;27;29m"), Style::default());
        assert_eq!(style("\x1b[1;31;4:3m\x1b[m"), Style::default());
        assert!(!style("\x1b[4m\x1b[4:0m").underline);
    }

    #[test]
    fn what_is_not_a_colour_changes_nothing() {
        for sequence in
            ["\x1b[38m", "\x1b[38;9m", "\x1b[38;2;1m", "\x1b[58;5;1m", "\x1b[?1m", "\x1b[>4;2m", "\x1b[1J"]
        {
            assert_eq!(style(sequence), Style::default(), "{sequence:?}");
        }
    }
}
