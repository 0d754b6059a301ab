//! The palette: a line of the script language, and what could be typed next. What is typed is what is run.
use crossterm::event::{KeyCode, KeyEvent};
use tui_textarea::{CursorMove, TextArea};
use unicode_segmentation::UnicodeSegmentation;

use super::{Checked, Commands, Completion, Entry, Names};
use crate::text::{Untrusted, cut};

/// Characters of a line; more are not taken. Reason: a line is read by a person before it is run.
pub const MAX_LINE_CHARS: usize = 4_096;

/// The palette while it is open.
#[derive(Debug, Clone)]
pub struct Palette {
    input: TextArea<'static>,
    /// What could be typed next.
    pub list: List,
    /// Which of it is chosen.
    pub chosen: usize,
    /// The form of the command that the line begins with, and what it does.
    pub form: Option<(String, String)>,
    /// Why the line was not run.
    pub checked: Option<Checked>,
    /// Which of the lines run before is shown. None: what was typed.
    history: Option<usize>,
    typed: String,
}

/// What could be typed next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum List {
    /// Commands, while the first word is typed.
    Entries(Vec<Entry>),
    /// Arguments, behind it.
    Completions(Vec<Completion>),
}

/// What the palette looks things up in.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// The table of commands.
    pub commands: &'a dyn Commands,
    /// Names that arguments may have.
    pub names: &'a Names,
    /// Lines that were run, newest first.
    pub recent: &'a [String],
}

impl Palette {
    /// Opens with a line begun.
    pub fn new(line: &str, source: Source<'_>) -> Self {
        let mut palette = Self {
            input: TextArea::default(),
            list: List::Entries(Vec::new()),
            chosen: 0,
            form: None,
            checked: None,
            history: None,
            typed: String::new(),
        };
        palette.set(line, source);
        palette
    }

    /// The line.
    pub fn line(&self) -> &str {
        self.input.lines().first().map(String::as_str).unwrap_or_default()
    }

    /// What stands before the cursor.
    pub fn before_cursor(&self) -> &str {
        let chars = self.input.cursor().1;
        let end = self.line().char_indices().nth(chars).map_or(self.line().len(), |(at, _)| at);
        self.line().get(..end).unwrap_or_default()
    }

    /// Puts another line there, the cursor at its end.
    pub fn set(&mut self, line: &str, source: Source<'_>) {
        self.input = TextArea::new(vec![clean(line)]);
        self.input.move_cursor(CursorMove::End);
        self.look_up(source);
    }

    /// Types text that was pasted.
    pub fn paste(&mut self, text: &str, source: Source<'_>) {
        let room = MAX_LINE_CHARS.saturating_sub(self.line().chars().count());
        let fits: String = clean(text).chars().take(room).collect();
        self.input.insert_str(fits);
        self.edited(source);
    }

    /// Types or edits by one key.
    pub fn type_key(&mut self, event: KeyEvent, source: Source<'_>) {
        match event.code {
            KeyCode::Backspace if event.modifiers.is_empty() => {
                for _ in 0..chars_of(self.before_cursor().graphemes(true).next_back()) {
                    self.input.delete_char();
                }
            }
            KeyCode::Delete => {
                for _ in 0..chars_of(self.after_cursor().graphemes(true).next()) {
                    self.input.delete_next_char();
                }
            }
            KeyCode::Left if event.modifiers.is_empty() => {
                for _ in 0..chars_of(self.before_cursor().graphemes(true).next_back()) {
                    self.input.move_cursor(CursorMove::Back);
                }
            }
            KeyCode::Right if event.modifiers.is_empty() => {
                for _ in 0..chars_of(self.after_cursor().graphemes(true).next()) {
                    self.input.move_cursor(CursorMove::Forward);
                }
            }
            KeyCode::Char(c) if c.is_control() => {}
            KeyCode::Char(_) if self.line().chars().count() >= MAX_LINE_CHARS => {}
            KeyCode::Enter | KeyCode::Tab | KeyCode::BackTab => {}
            _ => {
                self.input.input(event);
            }
        }
        self.edited(source);
    }

    /// Clears the line. False: there was nothing to clear.
    pub fn clear(&mut self, source: Source<'_>) -> bool {
        let had_text = !self.line().is_empty();
        self.set("", source);
        had_text
    }

    /// Chooses the next of the list.
    pub fn down(&mut self) {
        self.chosen = (self.chosen + 1).min(self.len().saturating_sub(1));
    }

    /// Chooses the one before; at the first, the line that was run before.
    pub fn up(&mut self, source: Source<'_>) {
        if self.chosen > 0 {
            self.chosen -= 1;
        } else {
            self.older(source);
        }
    }

    /// Shows the line that was run before the one shown.
    pub fn older(&mut self, source: Source<'_>) {
        let next = self.history.map_or(0, |at| at + 1);
        let Some(line) = source.recent.get(next) else { return };
        self.set(line, source);
        self.history = Some(next);
    }

    /// Puts there what is chosen, or what mends the line.
    pub fn complete(&mut self, source: Source<'_>) {
        if let Some((checked, fix)) = self.checked.as_ref().and_then(|c| Some((c.clone(), c.fix.clone()?))) {
            return self.replace(&checked.span, &fix, source);
        }
        match &self.list {
            List::Entries(entries) => {
                let Some(entry) = entries.get(self.chosen) else { return };
                let line = format!("{} ", entry.id);
                self.set(&line, source);
            }
            List::Completions(completions) => {
                let Some(completion) = completions.get(self.chosen).cloned() else { return };
                self.replace(&completion.span, &completion.text, source);
            }
        }
    }

    /// Opens with a line that was refused, and says why.
    pub fn refused(line: &str, why: String, source: Source<'_>) -> Self {
        let mut palette = Self::new(line, source);
        let span = 0..palette.line().len();
        palette.checked = Some(Checked { span, message: why, fix: None });
        palette
    }

    /// The line that `enter` runs; none while something is wrong with it, and then it is shown what.
    pub fn run(&mut self, source: Source<'_>) -> Option<String> {
        let chosen = match &self.list {
            List::Entries(entries) => {
                // What is typed in full is meant, unless another was chosen.
                let typed = entries.iter().find(|entry| self.chosen == 0 && entry.id == self.line().trim());
                typed.or(entries.get(self.chosen)).map(|entry| entry.id.clone())
            }
            List::Completions(_) => None,
        };
        let typed = self.line().trim();
        let line = chosen.unwrap_or_else(|| typed.strip_prefix("teamtui ").unwrap_or(typed).to_owned());
        if line.is_empty() {
            return None;
        }
        let Some(checked) = source.commands.check(&line, source.names) else { return Some(line) };
        let is_missing = checked.span.is_empty() && checked.span.start >= line.len();
        if is_missing && self.line() != line {
            self.set(&format!("{line} "), source);
        } else if self.line().trim() != line {
            self.set(&line, source);
        }
        self.checked = Some(checked);
        None
    }

    fn len(&self) -> usize {
        match &self.list {
            List::Entries(entries) => entries.len(),
            List::Completions(completions) => completions.len(),
        }
    }

    fn after_cursor(&self) -> &str {
        self.line().get(self.before_cursor().len()..).unwrap_or_default()
    }

    fn replace(&mut self, span: &std::ops::Range<usize>, text: &str, source: Source<'_>) {
        let line = self.line();
        let (Some(before), Some(after)) = (line.get(..span.start), line.get(span.end..)) else { return };
        // A folder is gone into.
        let gap = if after.is_empty() && !text.ends_with('/') { " " } else { "" };
        let mended = format!("{before}{text}{gap}{after}");
        self.set(&mended, source);
    }

    /// After an edit: nothing moves while nothing is typed.
    fn edited(&mut self, source: Source<'_>) {
        if self.line() == self.typed {
            return;
        }
        let line = self.line().to_owned();
        match bare(&line) {
            Some(rest) => self.set(rest, source),
            None => self.look_up(source),
        }
    }

    fn look_up(&mut self, source: Source<'_>) {
        self.chosen = 0;
        self.checked = None;
        self.history = None;
        let line = self.line().to_owned();
        if line.trim_start().contains(' ') {
            let cursor = self.before_cursor().len();
            self.list = List::Completions(source.commands.complete(&line, cursor, source.names));
            self.form = source.commands.form(&line);
        } else {
            self.list = List::Entries(source.commands.rank(line.trim(), source.recent));
            self.form = None;
        }
        self.typed = line;
    }
}

/// The line of the palette in a line of the shell, as advice has it: `teamtui do retry b`. None: it is none.
fn bare(line: &str) -> Option<&str> {
    let open = line.trim_start().trim_start_matches(['`', ':']);
    let rest = open.strip_prefix("teamtui do ").or_else(|| (open.len() < line.len()).then_some(open))?;
    Some(rest.trim_end_matches('`'))
}

/// A line as it may stand in the input: harmless, on one line, not too long.
fn clean(text: &str) -> String {
    let line = Untrusted::from(text).line().into_owned();
    cut(&line, MAX_LINE_CHARS).into_owned()
}

fn chars_of(grapheme: Option<&str>) -> usize {
    grapheme.map_or(0, |grapheme| grapheme.chars().count())
}
