//! The hint bar, always the last row: the keys of what is on top, or for a moment what was done. Hints shorten before they
//! vanish: words go first, then keys; `:`, `?` and `q` go last.
use ratatui::layout::Rect;

use crate::app::act::mode;
use crate::app::keymap::{Act, Binding, Hint, Mode, keys};
use crate::app::panes::recovery::choices;
use crate::app::{Dialog, Model, Over};
use crate::text::width;
use crate::ui::Role;
use crate::ui::paint::Paint;

/// Fewer hints with words than this are not worth their words.
const FEW: usize = 2;
/// Columns from which the right group stands at the right edge.
const WIDE_COLUMNS: u16 = 100;

/// Draws the hint bar.
pub fn draw(model: &Model, paint: &mut Paint<'_>, area: Rect) {
    let end = area.right();
    if let Some(notice) = &model.notice {
        let role = if notice.refused { Role::Error } else { Role::Accent };
        paint.text(1, area.y, end.saturating_sub(2), &notice.text, role);
        return;
    }
    let left: Vec<&Binding> = lefts(model);
    let right: Vec<&Binding> =
        keys(Mode::Any).filter(|key| key.hint == Hint::Right && is_right(model, key)).collect();
    let room = usize::from(end).saturating_sub(1);
    let right_words = if columns(&right, true) <= room { true } else { columns(&right, false) > room };
    let left_room = room.saturating_sub(columns(&right, right_words));
    let with_words = fitting(&left, true, left_room);
    let words = with_words >= FEW.min(left.len());
    let shown = if words { with_words } else { fitting(&left, false, left_room) };
    let x = group(paint, 1, area, left.iter().take(shown).copied(), words);
    // Two blanks follow each key, the last one too; one column stays free at the edge.
    let at_edge = end.saturating_add(1).saturating_sub(count(columns(&right, right_words)));
    let behind = x.saturating_add(u16::from(!words));
    let start = if end >= WIDE_COLUMNS { at_edge.max(behind) } else { behind };
    group(paint, start, area, right.into_iter(), right_words);
}

/// The keys of what is on top.
fn lefts(model: &Model) -> Vec<&'static Binding> {
    let is_lost = matches!(model.over, Over::Nothing) && !model.is_up();
    let on_top = if is_lost { Mode::Lost } else { mode(model) };
    keys(on_top).filter(|key| key.hint == Hint::Left && works(model, key)).collect()
}

/// A retry is of what failed or is stale.
fn works(model: &Model, key: &Binding) -> bool {
    if matches!(model.over, Over::Dialog(Dialog::Recovery(_))) {
        return matches!(key.act, Act::Close | Act::Copy) || !choices(model).is_empty();
    }
    let number = match &model.over {
        Over::Dialog(Dialog::Detail(number, _)) => Some(*number),
        _ => model.rail.selected,
    };
    let task = || model.team()?.task(number?);
    key.act != Act::Retry || task().is_some_and(|task| task.status().is_settled())
}

/// Over a box only the help stays.
fn is_right(model: &Model, key: &Binding) -> bool {
    match &model.over {
        Over::Nothing => true,
        Over::Palette(_) => false,
        Over::Dialog(_) => key.word == "help" && mode(model) != Mode::Help,
    }
}

fn shown(key: &Binding, words: bool) -> usize {
    let word = if words { width(key.word) + 1 } else { 0 };
    width(&key.key.word()) + word + if words { 2 } else { 1 }
}

fn columns(keys: &[&Binding], words: bool) -> usize {
    keys.iter().map(|key| shown(key, words)).sum()
}

/// How many of them fit.
fn fitting(keys: &[&Binding], words: bool, room: usize) -> usize {
    let mut used = 0;
    keys.iter()
        .take_while(|key| {
            used += shown(key, words);
            used <= room
        })
        .count()
}

fn group<'a>(
    paint: &mut Paint<'_>,
    x: u16,
    area: Rect,
    keys: impl Iterator<Item = &'a Binding>,
    words: bool,
) -> u16 {
    let end = area.right();
    let mut x = x;
    for key in keys {
        x = paint.text(x, area.y, end.saturating_sub(x), &key.key.word(), Role::Accent);
        if words {
            x = paint.text(x + 1, area.y, end.saturating_sub(x + 1), key.word, Role::Text);
        }
        x += if words { 2 } else { 1 };
    }
    x
}

fn count(columns: usize) -> u16 {
    u16::try_from(columns).unwrap_or(u16::MAX)
}
