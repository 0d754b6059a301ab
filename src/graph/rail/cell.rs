//! One cell of the gutter: what it joins, and the character for it.

use super::Charset;

/// How a run to the right is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stroke {
    /// At least one edge it stands for gates its downstream.
    Solid,
    /// All edges it stands for only order.
    Dashed,
}

/// A cell of the gutter. A *lane* runs down, a *run* goes from the leftmost lane that a row meets right to its glyph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// Nothing.
    Blank,
    /// A lane passes: `│`.
    Lane,
    /// A run passes: `─` or `╌`.
    Run(Stroke),
    /// A lane begins and a run with it: `╭`.
    Begin,
    /// A lane ends and a run begins: `╰`.
    End,
    /// A lane goes on and a run begins: `├`.
    Branch,
    /// A lane begins at a passing run: `┬`.
    BeginAtRun,
    /// A lane ends at a passing run: `┴`.
    EndAtRun,
    /// A lane goes on and meets a passing run: `╪`.
    Meet,
    /// A lane and a run cross and have nothing to do with each other: `┼`.
    Cross,
    /// Lanes are hidden here: `⋮`.
    More,
}

impl Cell {
    /// The cell's character, one column wide.
    ///
    /// In ASCII what only crosses is the `|` of the lane, so that `+` and `#` always join.
    pub fn glyph(self, charset: Charset) -> char {
        let (unicode, ascii) = match self {
            Self::Blank => (' ', ' '),
            Self::Lane => ('│', '|'),
            Self::Run(Stroke::Solid) => ('─', '-'),
            Self::Run(Stroke::Dashed) => ('╌', '='),
            Self::Begin => ('╭', '+'),
            Self::End => ('╰', '+'),
            Self::Branch => ('├', '+'),
            Self::BeginAtRun => ('┬', '+'),
            Self::EndAtRun => ('┴', '+'),
            Self::Meet => ('╪', '#'),
            Self::Cross => ('┼', '|'),
            Self::More => ('⋮', ':'),
        };
        match charset {
            Charset::Unicode => unicode,
            Charset::Ascii => ascii,
        }
    }

    /// Whether a lane is here, seen or hidden.
    pub(super) fn has_lane(self) -> bool {
        !matches!(self, Self::Blank | Self::Run(_))
    }
}
