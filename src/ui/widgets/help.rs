//! The box of keys, made from the table of keys: two columns where there is room, else one.
use ratatui::layout::Rect;

use crate::app::Model;
use crate::app::Pane;
use crate::app::keymap::{BINDINGS, Binding, Key, Mode, keys};
use crate::app::layout::{box_columns, boxed};
use crate::text::{pad_right, width};
use crate::ui::Role;
use crate::ui::paint::Paint;

/// Columns of a box from which there are two columns.
const TWO_COLUMNS: u16 = 70;

/// A line of a column: a heading, or keys and what they do.
type Line = (String, &'static str);

/// Draws the keys of the pane that has the focus, and those of everywhere.
pub fn draw(model: &Model, top: usize, paint: &mut Paint<'_>) {
    let mode = match model.focus {
        _ if model.is_start() => Mode::Start,
        Pane::Plan => Mode::Plan,
        Pane::Logs => Mode::Logs,
    };
    let name = if model.is_start() { "start" } else { model.focus.word() };
    let here = column("on this pane", keys(mode));
    let anywhere = column("anywhere", BINDINGS.iter().filter(|key| key.mode == Mode::Any));
    let columns = box_columns(model.size.0);
    let is_two = columns >= TWO_COLUMNS;
    let rows = if is_two { here.len().max(anywhere.len()) } else { here.len() + 1 + anywhere.len() };
    let area = boxed(model.size, rows, columns);
    let inner = paint.boxed(area, &format!("keys: {name}"), "");
    let height = usize::from(inner.height);
    let top = top.min(rows.saturating_sub(height));
    if is_two {
        let half = Rect { width: inner.width / 2, ..inner };
        let other = Rect { x: half.right(), width: inner.width - half.width, ..inner };
        lines(paint, half, here.iter().skip(top).take(height));
        lines(paint, other, anywhere.iter().skip(top).take(height));
    } else {
        let blank = (String::new(), "");
        let all = here.iter().chain([&blank]).chain(&anywhere);
        lines(paint, inner, all.skip(top).take(height));
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

fn lines<'a>(paint: &mut Paint<'_>, area: Rect, lines: impl Iterator<Item = &'a Line> + Clone) {
    let widest = lines.clone().map(|(names, _)| width(names)).max().unwrap_or(0);
    for (at, (names, word)) in lines.enumerate() {
        let y = area.y + u16::try_from(at).unwrap_or(u16::MAX);
        if names.is_empty() {
            paint.text(area.x, y, area.width, word, Role::Dim);
            continue;
        }
        let x = paint.text(area.x, y, area.width, &pad_right(names, widest), Role::Accent) + 2;
        paint.text(x, y, area.right().saturating_sub(x), word, Role::Text);
    }
}
