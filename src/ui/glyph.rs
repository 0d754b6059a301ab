//! The characters of the screen, in Unicode and in ASCII. Each status differs from every other without colour.
use crate::app::tally::Look;
use crate::graph::rail::Charset;

use super::Role;

/// Which characters there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Glyphs {
    /// Lines and round corners.
    #[default]
    Unicode,
    /// What every terminal has.
    Ascii,
}

/// The characters of a frame: corners from the top left, clockwise; lines; where a line across meets it.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    /// Top left, top right, bottom right, bottom left.
    pub corners: [&'static str; 4],
    /// Across.
    pub across: &'static str,
    /// Down.
    pub down: &'static str,
    /// Left and right end of a line across.
    pub joints: [&'static str; 2],
}

impl Glyphs {
    /// The characters for what the environment asks for: `TERM=dumb` has ASCII alone.
    pub fn chosen(is_dumb: bool) -> Self {
        if is_dumb { Self::Ascii } else { Self::Unicode }
    }

    /// The glyph of a task.
    pub fn status(self, look: Look) -> &'static str {
        let (unicode, ascii) = match look {
            Look::Blocked => ("·", "."),
            Look::Held => ("⊣", "H"),
            Look::Pending => ("○", "o"),
            Look::Running => ("◐", "@"),
            Look::Asking => ("?", "?"),
            Look::InReview => ("◇", "R"),
            Look::Completed => ("✓", "v"),
            Look::Failed => ("✗", "x"),
            Look::Cancelled => ("⊘", "/"),
            Look::Stale => ("~", "~"),
            Look::Paused => ("‖", "P"),
        };
        self.choose(unicode, ascii)
    }

    /// The mark of the longest chain.
    pub fn critical(self) -> &'static str {
        self.choose("▌", "!")
    }

    /// There is more here.
    pub fn more(self) -> &'static str {
        self.choose("⋮", ":")
    }

    /// What stands for text that was cut.
    pub fn cut(self) -> &'static str {
        self.choose("…", "~")
    }

    /// A line across.
    pub fn across(self) -> &'static str {
        self.choose("─", "-")
    }

    /// The characters of the lanes.
    pub fn lanes(self) -> Charset {
        match self {
            Self::Unicode => Charset::Unicode,
            Self::Ascii => Charset::Ascii,
        }
    }

    /// The characters of a box.
    pub fn frame(self) -> Frame {
        match self {
            Self::Unicode => {
                Frame {
                    corners: ["╭", "╮", "╯", "╰"], across: "─", down: "│", joints: ["├", "┤"]
                }
            }
            Self::Ascii => Frame { corners: ["+"; 4], across: "-", down: "|", joints: ["+"; 2] },
        }
    }

    fn choose(self, unicode: &'static str, ascii: &'static str) -> &'static str {
        match self {
            Self::Unicode => unicode,
            Self::Ascii => ascii,
        }
    }
}

/// The role of a task's glyph.
pub fn role(look: Look) -> Role {
    match look {
        Look::Blocked | Look::Cancelled => Role::Dim,
        Look::Held | Look::Pending => Role::Text,
        Look::Running | Look::InReview => Role::Running,
        Look::Asking => Role::NeedsYou,
        Look::Completed => Role::Ok,
        Look::Failed => Role::Error,
        Look::Stale | Look::Paused => Role::Warn,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::width;
    use std::collections::BTreeSet;

    const ALL: [Look; 11] = [
        Look::Blocked,
        Look::Held,
        Look::Pending,
        Look::Running,
        Look::Asking,
        Look::InReview,
        Look::Completed,
        Look::Failed,
        Look::Cancelled,
        Look::Stale,
        Look::Paused,
    ];

    #[test]
    fn every_status_can_be_told_without_colour_and_takes_one_column() {
        for glyphs in [Glyphs::Unicode, Glyphs::Ascii] {
            let all: BTreeSet<&str> = ALL.iter().map(|look| glyphs.status(*look)).collect();
            assert_eq!(all.len(), ALL.len());
            assert!(all.iter().all(|glyph| width(glyph) == 1));
        }
        assert!(ALL.iter().all(|look| Glyphs::Ascii.status(*look).is_ascii()));
    }
}
