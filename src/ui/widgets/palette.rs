//! The palette: the line, what could be typed next, and what is wrong with it.
use ratatui::layout::{Position, Rect};

use crate::app::layout::{box_columns, boxed};
use crate::app::palette::{List, Palette};
use crate::app::tally::Look;
use crate::app::{Checked, Completion, Entry, Model};
use crate::text::{cut_words, pad_right, width, wrap};
use crate::ui::Role;
use crate::ui::paint::Paint;

/// Results shown; the others are found by typing.
const MAX_RESULTS: usize = 8;
/// Least columns of the first column of results.
const MIN_FIRST: usize = 10;

/// Draws it. Returns where the cursor stands.
pub fn draw(model: &Model, palette: &Palette, paint: &mut Paint<'_>) -> Option<Position> {
    let columns = box_columns(model.size.0);
    let inside = usize::from(columns.saturating_sub(4));
    let wrong =
        palette.checked.as_ref().map(|checked| wrap(&message(checked, paint), inside)).unwrap_or_default();
    let results = if wrong.is_empty() { results(palette) } else { Vec::new() };
    let has_recent = wrong.is_empty() && matches!(palette.list, List::Entries(_)) && !model.recent.is_empty();
    let mut rows = 1;
    if !wrong.is_empty() {
        rows += 2 + wrong.len();
    } else {
        rows += usize::from(palette.form.is_some()) * 2;
        rows += if results.is_empty() { 0 } else { 1 + results.len() };
        rows += if has_recent { 2 } else { 0 };
    }
    let area = boxed(model.size, rows, columns);
    let inner = paint.boxed(area, "commands", "");
    if inner.is_empty() {
        return None;
    }
    let mut below = Below { area, inner, y: inner.y };
    let cursor = input(palette, paint, below.row()?);
    if !wrong.is_empty() {
        carets(palette, paint, below.row());
        below.line(paint);
        for line in &wrong {
            let Some(row) = below.row() else { break };
            paint.text(row.x, row.y, row.width, line, Role::Error);
        }
        return cursor;
    }
    if let Some((form, help)) = &palette.form {
        below.line(paint);
        if let Some(row) = below.row() {
            let x = paint.text(row.x, row.y, row.width, form, Role::Accent) + 4;
            paint.text(x, row.y, row.right().saturating_sub(x), help, Role::Dim);
        }
    }
    if !results.is_empty() {
        below.line(paint);
        list(palette, paint, &mut below, &results);
    }
    if has_recent {
        below.line(paint);
        if let Some(row) = below.row() {
            let x = paint.text(row.x, row.y, row.width, "recent", Role::Dim) + 2;
            let recent = model.recent.iter().take(3).cloned().collect::<Vec<_>>().join("    ");
            let room = row.right().saturating_sub(x);
            paint.text(x, row.y, room, &cut_words(&recent, usize::from(room)), Role::Text);
        }
    }
    cursor
}

/// The rows of the box that are not used yet.
struct Below {
    area: Rect,
    inner: Rect,
    y: u16,
}

impl Below {
    fn row(&mut self) -> Option<Rect> {
        if self.y >= self.inner.bottom() {
            return None;
        }
        self.y += 1;
        Some(Rect { y: self.y - 1, height: 1, ..self.inner })
    }

    fn line(&mut self, paint: &mut Paint<'_>) {
        if let Some(row) = self.row() {
            paint.line_across(self.area, row.y);
        }
    }
}

/// One result: what is typed, what it is, its key, and which letters were found.
struct Found<'a> {
    first: &'a str,
    help: &'a str,
    key: &'a str,
    found: &'a [usize],
}

impl<'a> Found<'a> {
    fn of_entry(entry: &'a Entry) -> Self {
        let key = entry.key.as_deref().unwrap_or_default();
        Self { first: &entry.id, help: &entry.help, key, found: &entry.found }
    }

    fn of_completion(completion: &'a Completion) -> Self {
        Self { first: &completion.text, help: &completion.help, key: "", found: &[] }
    }
}

fn results(palette: &Palette) -> Vec<Found<'_>> {
    // The chosen one stays in view; nothing else moves.
    let from = (palette.chosen + 1).saturating_sub(MAX_RESULTS);
    match &palette.list {
        List::Entries(entries) => entries.iter().skip(from).take(MAX_RESULTS).map(Found::of_entry).collect(),
        List::Completions(completions) => {
            completions.iter().skip(from).take(MAX_RESULTS).map(Found::of_completion).collect()
        }
    }
}

fn list(palette: &Palette, paint: &mut Paint<'_>, below: &mut Below, results: &[Found<'_>]) {
    let widest = results.iter().map(|result| width(result.first)).max().unwrap_or(0).max(MIN_FIRST);
    let keys = results.iter().map(|result| width(result.key)).max().unwrap_or(0);
    let from = (palette.chosen + 1).saturating_sub(MAX_RESULTS);
    for (at, result) in results.iter().enumerate() {
        let Some(row) = below.row() else { break };
        let is_chosen = at + from == palette.chosen;
        if is_chosen {
            paint.text(row.x, row.y, 1, ">", Role::Accent);
        }
        let key_end = row.right().saturating_sub(2);
        let help_x = row.x + 2 + u16::try_from(widest).unwrap_or(0) + 2;
        let help_end = key_end.saturating_sub(u16::try_from(keys).unwrap_or(0) + 2);
        paint.text(
            row.x + 2,
            row.y,
            help_x.saturating_sub(row.x + 3),
            &pad_right(result.first, widest),
            Role::Accent,
        );
        for at in result.found {
            let x = row.x + 2 + u16::try_from(*at).unwrap_or(u16::MAX / 2);
            paint.over(Rect::new(x, row.y, 1, 1), Role::Match);
        }
        let room = help_end.saturating_sub(help_x);
        paint.text(help_x, row.y, room, &cut_words(result.help, usize::from(room)), Role::Text);
        paint.text_left_of(key_end, row.y, result.key, Role::Accent);
        if is_chosen {
            paint.over(row, Role::Selection);
        }
    }
}

/// Columns of the line that are out of view at the left, so that the cursor is in view.
fn scrolled(palette: &Palette, room: u16) -> u16 {
    let before = u16::try_from(width(palette.before_cursor())).unwrap_or(u16::MAX);
    (before + 1).saturating_sub(room)
}

fn input(palette: &Palette, paint: &mut Paint<'_>, row: Rect) -> Option<Position> {
    let x = paint.text(row.x, row.y, row.width, ": ", Role::Accent);
    let room = row.right().saturating_sub(x);
    let skipped = scrolled(palette, room);
    let shown = without_head(palette.line(), usize::from(skipped));
    paint.text(x, row.y, room, &shown, Role::Text);
    if let Some(checked) = &palette.checked {
        let (from, to) = marked(palette, checked, x, skipped);
        paint.over(Rect::new(from, row.y, to.min(row.right()).saturating_sub(from), 1), Role::Error);
    }
    let before = u16::try_from(width(palette.before_cursor())).unwrap_or(u16::MAX);
    let at = x + before.saturating_sub(skipped);
    (at < row.right()).then_some(Position::new(at, row.y))
}

fn carets(palette: &Palette, paint: &mut Paint<'_>, row: Option<Rect>) {
    let (Some(row), Some(checked)) = (row, &palette.checked) else { return };
    let x = row.x + 2;
    let skipped = scrolled(palette, row.right().saturating_sub(x));
    let (from, to) = marked(palette, checked, x, skipped);
    let end = to.min(row.right());
    for x in from..end {
        paint.text(x, row.y, 1, "^", Role::Error);
    }
}

/// The columns of what is wrong: one at least.
fn marked(palette: &Palette, checked: &Checked, x: u16, skipped: u16) -> (u16, u16) {
    let column = |byte: usize| {
        let before = palette.line().get(..byte).unwrap_or(palette.line());
        u16::try_from(width(before)).unwrap_or(u16::MAX / 2).saturating_sub(skipped)
    };
    let from = x + column(checked.span.start);
    (from, (x + column(checked.span.end)).max(from + 1))
}

/// Text without its first columns.
fn without_head(text: &str, columns: usize) -> String {
    use unicode_segmentation::UnicodeSegmentation;
    let mut left = columns;
    let is_head = |grapheme: &&str| {
        let is = left > 0;
        left = left.saturating_sub(width(grapheme));
        is
    };
    text.graphemes(true).skip_while(is_head).collect()
}

fn message(checked: &Checked, paint: &Paint<'_>) -> String {
    let mark = paint.glyphs.status(Look::Failed);
    format!("{mark} {}", crate::text::Untrusted::from(checked.message.as_str()).line())
}
