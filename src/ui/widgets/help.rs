//! The box of keys: two columns where there is room, else one.
use ratatui::layout::Rect;

use super::dialog::below;
use crate::app::Model;
use crate::app::help::{Help, Line};
use crate::app::layout::{box_columns, boxed};
use crate::text::{pad_right, width};
use crate::ui::Role;
use crate::ui::paint::Paint;

/// Draws it.
pub fn draw(model: &Model, top: usize, paint: &mut Paint<'_>) {
    let help = Help::of(model);
    let area = boxed(model.size, help.rows(), box_columns(model.size.0));
    let inner = paint.boxed(area, &format!("keys: {}", help.name), &below(help.rows(), top, area));
    let height = usize::from(inner.height);
    if help.is_two {
        let half = Rect { width: inner.width / 2, ..inner };
        let other = Rect { x: half.right(), width: inner.width - half.width, ..inner };
        lines(paint, half, help.here.iter().skip(top).take(height));
        lines(paint, other, help.anywhere.iter().skip(top).take(height));
    } else {
        let blank = (String::new(), "");
        let all = help.here.iter().chain([&blank]).chain(&help.anywhere);
        lines(paint, inner, all.skip(top).take(height));
    }
}

fn lines<'a>(paint: &mut Paint<'_>, area: Rect, lines: impl Iterator<Item = &'a Line> + Clone) {
    let widest = lines.clone().map(|(names, _)| width(names)).max().unwrap_or(0);
    for (y, (names, word)) in (area.y..area.bottom()).zip(lines) {
        if names.is_empty() {
            paint.text(area.x, y, area.width, word, Role::Dim);
            continue;
        }
        let x = paint.text(area.x, y, area.width, &pad_right(names, widest), Role::Accent) + 2;
        paint.text(x, y, area.right().saturating_sub(x), word, Role::Text);
    }
}
