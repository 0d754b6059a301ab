//! How rows of tasks and lines of progress stand in columns: numbers right, words left, two blanks between.
use super::{Line, Note, TaskView, Tint};
use crate::text::{self, pad_left, pad_right, quantity};

/// Columns of the longest name that names are aligned to; longer ones stand out.
pub const MAX_NAME: usize = 24;
const ELAPSED: usize = 6;
const WORD: usize = 9;
const TOOK: usize = 6;
const FRACTION: usize = 3;

/// Widths of the columns of one table, or of all lines of progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Columns {
    number: usize,
    word: usize,
    name: usize,
    fraction: usize,
    took: usize,
}

impl Columns {
    /// Of lines of progress, for these names.
    pub fn progress<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let name = names.map(text::width).max().unwrap_or(0).min(MAX_NAME);
        Self { number: 0, word: WORD, name, fraction: FRACTION, took: TOOK }
    }

    /// With room for one more name.
    pub fn widen(&mut self, name: &str) {
        self.name = self.name.max(text::width(name).min(MAX_NAME));
    }

    /// Of a table of these tasks.
    pub fn table<'a>(tasks: impl Iterator<Item = &'a TaskView> + Clone) -> Self {
        let names = Self::progress(tasks.clone().map(|t| t.label.as_str()));
        let shown = tasks.clone().filter_map(|t| t.shown.as_ref());
        let took = shown.clone().map(|a| quantity::duration(a.took_ms).len()).max().unwrap_or(0);
        Self {
            word: tasks.clone().map(|t| t.word().len()).max().unwrap_or(0).max(WORD),
            number: tasks.map(|t| t.number.to_string().len() + 1).max().unwrap_or(0),
            fraction: shown.map(|a| a.fraction().len()).max().unwrap_or(0).max(FRACTION),
            took: took + 1,
            ..names
        }
    }

    /// `  #4  failed     test-2  2/2   46.1s  exit 100`.
    pub fn row(&self, task: &TaskView) -> Line {
        self.row_as(task, task.word(), task.tint(), &task.detail())
    }

    /// The same with another word, and with something else beside it.
    pub fn row_as(&self, task: &TaskView, word: &str, tint: Tint, detail: &str) -> Line {
        let head = Line::new()
            .and(Tint::Plain, format!("  {}  ", pad_left(&format!("#{}", task.number), self.number)));
        let fraction = task.shown.as_ref().map(|a| a.fraction());
        let took = task.shown.as_ref().map(|a| a.took_ms);
        let named = self.named(head, word, tint, &task.label);
        self.times(named, fraction, took).and(Tint::Plain, detail)
    }

    /// ` 2m28s  failed     test-2  1/2   46.0s  exit 100; next attempt starts`.
    pub fn note(&self, note: &Note) -> Line {
        let elapsed = pad_left(&quantity::duration(note.elapsed_ms), ELAPSED);
        let head = Line::new().and(Tint::Time, elapsed).and(Tint::Plain, "  ");
        let line = self.named(head, note.word.word(), note.word.tint(), &note.name);
        if note.number.is_none() {
            return line.and(Tint::Plain, format!("{:6}{}", "", note.detail));
        }
        self.times(line, note.attempt.map(|(nth, most)| format!("{nth}/{most}")), note.took_ms)
            .and(Tint::Plain, note.detail.clone())
    }

    fn named(&self, line: Line, word: &str, tint: Tint, name: &str) -> Line {
        line.and(tint, word)
            .and(Tint::Plain, format!("{:1$}  ", "", self.word.saturating_sub(word.len())))
            .and(Tint::Name, name)
            .and(Tint::Plain, format!("{:1$}  ", "", self.name.saturating_sub(text::width(name))))
    }

    fn times(&self, line: Line, fraction: Option<String>, took_ms: Option<u64>) -> Line {
        let fraction = pad_right(&fraction.unwrap_or_default(), self.fraction);
        let took = pad_left(&took_ms.map(quantity::duration).unwrap_or_default(), self.took);
        line.and(Tint::Plain, format!("{fraction}  ")).and(Tint::Time, took).and(Tint::Plain, "  ")
    }
}
