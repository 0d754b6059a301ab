//! The escape-sequence reader: tells text from controls and sequences, character by character.
//!
//! The states are those of <https://vt100.net/emu/dec_ansi_parser>, on characters instead of bytes: so the 8-bit
//! introducers (U+0080 to U+009F) are read like their 7-bit forms, and no byte inside a character can end a string.
//! Sequences are read and forgotten; only the numbers of a CSI are kept, at most [`MAX_PARAMS`].

/// Numbers kept of one CSI; a terminal keeps as many. Further ones are dropped.
const MAX_PARAMS: usize = 32;

/// What a character meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    /// A character of the text.
    Text(char),
    /// A C0 control outside of any sequence, or inside a CSI, where terminals obey it too.
    Control(char),
    /// A whole CSI without private marks, ended by this character; [`Reader::params`] has its numbers.
    Csi(char),
    /// Part of a sequence, or a control without meaning.
    Nothing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    Ground,
    Escape,
    Csi,
    /// OSC, DCS, APC, PM or SOS: everything up to its terminator.
    Text,
}

/// Reads one stream; state is kept between characters, so a sequence may be split anywhere.
#[derive(Debug, Clone, Default)]
pub(super) struct Reader {
    state: State,
    params: Params,
    /// The CSI has a private mark or an intermediate: not one of ours.
    foreign: bool,
}

impl Reader {
    /// Reads one character.
    pub(super) fn push(&mut self, c: char) -> Piece {
        match c {
            '\x1b' => self.enter(State::Escape),
            '\x18' | '\x1a' | '\u{9c}' => self.enter(State::Ground),
            '\u{9b}' => self.enter(State::Csi),
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => self.enter(State::Text),
            '\x07' if self.state == State::Text => self.enter(State::Ground),
            _ if self.state == State::Text => Piece::Nothing,
            '\x7f' | '\u{80}'..='\u{9f}' => Piece::Nothing,
            '\0'..='\x1f' => Piece::Control(c),
            _ => self.graphic(c),
        }
    }

    /// Whether a printable character that comes now is text.
    pub(super) fn is_in_text(&self) -> bool {
        self.state == State::Ground
    }

    /// Forgets a sequence that was not finished.
    pub(super) fn reset(&mut self) {
        self.state = State::Ground;
    }

    /// The numbers of the CSI that was just read.
    pub(super) fn params(&self) -> &Params {
        &self.params
    }

    fn enter(&mut self, state: State) -> Piece {
        self.state = state;
        self.params = Params::default();
        self.foreign = false;
        Piece::Nothing
    }

    fn graphic(&mut self, c: char) -> Piece {
        match self.state {
            State::Ground => Piece::Text(c),
            State::Escape => self.escape(c),
            State::Csi => self.csi(c),
            State::Text => Piece::Nothing,
        }
    }

    fn escape(&mut self, c: char) -> Piece {
        match c {
            '[' => self.enter(State::Csi),
            'P' | 'X' | ']' | '^' | '_' => self.enter(State::Text),
            ' '..='/' => Piece::Nothing,
            '0'..='~' => self.enter(State::Ground),
            _ => self.broken(c),
        }
    }

    fn csi(&mut self, c: char) -> Piece {
        match c {
            '0'..='9' => self.params.digit(c),
            ';' => self.params.next(false),
            ':' => self.params.next(true),
            ' '..='?' => self.foreign = true,
            '@'..='~' => {
                self.state = State::Ground;
                return if self.foreign { Piece::Nothing } else { Piece::Csi(c) };
            }
            _ => return self.broken(c),
        }
        Piece::Nothing
    }

    /// A character that no sequence can hold: the sequence is dropped, the character is text.
    fn broken(&mut self, c: char) -> Piece {
        self.state = State::Ground;
        Piece::Text(c)
    }
}

/// The numbers of a CSI, in groups: `38:2::1:2:3;1` is two groups. A number left out is 0.
#[derive(Debug, Clone, Default)]
pub(super) struct Params {
    values: [u16; MAX_PARAMS],
    /// Bit i: value i was joined to the one before by a colon.
    joined: u32,
    last: usize,
}

impl Params {
    /// The groups in order, at least one, each of at least one number.
    pub(super) fn groups(&self) -> impl Iterator<Item = &[u16]> {
        let values = self.values.get(..=self.last.min(MAX_PARAMS - 1)).unwrap_or_default();
        let mut start = 0;
        (1..=values.len()).filter_map(move |end| {
            if end < values.len() && self.joined >> end & 1 == 1 {
                return None;
            }
            let group = values.get(start..end);
            start = end;
            group
        })
    }

    /// The first number.
    pub(super) fn first(&self) -> u16 {
        self.values.first().copied().unwrap_or_default()
    }

    fn digit(&mut self, c: char) {
        let digit = c.to_digit(10).and_then(|digit| u16::try_from(digit).ok()).unwrap_or_default();
        if let Some(value) = self.values.get_mut(self.last) {
            *value = value.saturating_mul(10).saturating_add(digit);
        }
    }

    fn next(&mut self, joined: bool) {
        self.last = (self.last + 1).min(MAX_PARAMS);
        if joined && self.last < MAX_PARAMS {
            self.joined |= 1 << self.last;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(input: &str) -> String {
        let mut reader = Reader::default();
        input
            .chars()
            .filter_map(|c| if let Piece::Text(c) = reader.push(c) { Some(c) } else { None })
            .collect()
    }

    fn groups(input: &str) -> Vec<Vec<u16>> {
        let mut reader = Reader::default();
        input.chars().for_each(|c| {
            reader.push(c);
        });
        reader.params().groups().map(<[u16]>::to_vec).collect()
    }

    #[test]
    fn strings_end_at_either_terminator_in_7_and_8_bits() {
        for start in
            ["\x1b]", "\x1bP", "\x1bX", "\x1b^", "\x1b_", "\u{9d}", "\u{90}", "\u{98}", "\u{9e}", "\u{9f}"]
        {
            for end in ["\x07", "\x1b\\", "\u{9c}"] {
                assert_eq!(text(&format!("a{start}0;✜ t\n{end}b")), "ab", "{start:?} {end:?}");
            }
            assert_eq!(text(&format!("a{start}0;title")), "a", "{start:?} without an end");
        }
    }

    #[test]
    fn a_broken_sequence_ends_where_text_begins() {
        assert_eq!(text("\x1b[3你b"), "你b");
        assert_eq!(text("\x1b你"), "你");
        assert_eq!(text("\x1b(B\x1b7ok\x1b"), "ok");
        assert_eq!(text("\x1b[12\x18ok"), "ok");
    }

    #[test]
    fn numbers_are_grouped_by_colons() {
        assert_eq!(groups("\x1b[m"), [[0]]);
        assert_eq!(groups("\x1b[1;31m"), [[1], [31]]);
        assert_eq!(groups("\x1b[38:2::1:2:3;4:3m"), [vec![38, 2, 0, 1, 2, 3], vec![4, 3]]);
        assert_eq!(groups("\x1b[99999999m"), [[u16::MAX]]);
        assert_eq!(groups(&format!("\x1b[{}m", "7;".repeat(500))).len(), MAX_PARAMS);
    }
}
