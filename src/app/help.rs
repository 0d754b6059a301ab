//! The box of keys, made from the table of keys.
use super::keymap::{BINDINGS, Binding, Key, Mode, keys};
use super::layout::box_columns;
use super::{Model, Pane};

/// Columns of a box from which there are two columns of keys.
const TWO_COLUMNS: u16 = 70;

/// Keys, and what they do; a heading has none.
pub type Line = (String, &'static str);

/// The keys of the pane that has the focus, and those of everywhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Help {
    /// Whose keys.
    pub name: &'static str,
    /// Its keys.
    pub here: Vec<Line>,
    /// The keys of everywhere.
    pub anywhere: Vec<Line>,
    /// They stand beside each other.
    pub is_two: bool,
}

impl Help {
    /// The keys for what is looked at.
    pub fn of(model: &Model) -> Self {
        let (mode, name) = match model.focus {
            _ if model.is_start() => (Mode::Start, "start"),
            Pane::Plan => (Mode::Plan, "plan"),
            Pane::Logs => (Mode::Logs, "logs"),
        };
        let here = column("on this pane", keys(mode));
        let anywhere = column("anywhere", BINDINGS.iter().filter(|key| key.mode == Mode::Any));
        Self { name, here, anywhere, is_two: box_columns(model.size.0) >= TWO_COLUMNS }
    }

    /// Rows that it takes.
    pub fn rows(&self) -> usize {
        if self.is_two {
            self.here.len().max(self.anywhere.len())
        } else {
            self.here.len() + 1 + self.anywhere.len()
        }
    }
}

/// Keys that do the same stand in one line.
fn column<'a>(heading: &'static str, keys: impl Iterator<Item = &'a Binding>) -> Vec<Line> {
    let mut lines: Vec<Line> = vec![(String::new(), heading)];
    for key in keys {
        let name = key.key.word();
        match lines.iter_mut().skip(1).find(|(_, word)| *word == key.word) {
            // The arrows are known.
            Some(_) if matches!(key.key, Key::Named(_)) => {}
            Some((names, _)) => {
                names.push(' ');
                names.push_str(&name);
            }
            None => lines.push((name, key.word)),
        }
    }
    lines
}
