//! The report of the last recovery, over all panes.
use ratatui::layout::Rect;

use crate::app::Model;
use crate::app::layout::layout;
use crate::app::panes::recovery::{Row, facts, rows, top};
use crate::domain::view::RecoveryView;
use crate::text::{cut_words, width};
use crate::ui::Role;
use crate::ui::paint::Paint;

/// Most columns of what was found, the gap behind it counted.
const FOUND: usize = 42;

/// Draws it. `at`: the choice that is looked at.
pub fn draw(model: &Model, at: usize, paint: &mut Paint<'_>) {
    let Some(view) = RecoveryView::of(&model.state) else { return };
    let area = layout(model).panes;
    paint.clear(area);
    paint.rule(Rect { height: area.height.min(1), ..area }, "[recovery]", &facts(model, &view), true);
    let rows = rows(model, &view, at);
    let inner = Rect {
        x: area.x + 1,
        y: area.y + 1,
        width: area.width.saturating_sub(2),
        height: area.height.saturating_sub(1),
    };
    let found = found_columns(&rows, usize::from(inner.width));
    let top = top(&rows, at, usize::from(inner.height));
    for (y, row) in (inner.y..inner.bottom()).zip(rows.iter().skip(top)) {
        one(paint, Rect { y, height: 1, ..inner }, row, at, found);
    }
}

/// As wide as what stands there, and never over half of the row.
fn found_columns(rows: &[Row], columns: usize) -> usize {
    let widths = rows.iter().filter_map(|row| match row {
        Row::Pair(found, _) => Some(width(found) + 2),
        _ => None,
    });
    widths.max().unwrap_or(0).min(FOUND.max(columns / 2)).min(columns)
}

fn one(paint: &mut Paint<'_>, area: Rect, row: &Row, at: usize, found: usize) {
    let fitting = |text: &str, columns: u16| cut_words(text, usize::from(columns)).into_owned();
    let mut text = |x: u16, text: &str, role: Role| {
        let columns = area.right().saturating_sub(x);
        paint.text(x, area.y, columns, &fitting(text, columns), role);
    };
    match row {
        Row::Gap => {}
        Row::Text(line) => text(area.x, line, Role::Text),
        Row::Lost(line) => text(area.x, line, Role::Error),
        Row::Pair(left, right) => {
            let columns = u16::try_from(found).unwrap_or(area.width);
            let role = if left == "found" && right == "done" { Role::Dim } else { Role::Text };
            text(area.x, &fitting(left, columns.saturating_sub(1)), role);
            text(area.x + columns, right, role);
        }
        Row::Choice(nth, line) => {
            let role = if *nth == at { Role::Accent } else { Role::Text };
            let mark = if *nth == at { ">" } else { " " };
            text(area.x.saturating_sub(1), mark, role);
            text(area.x + 1, line, role);
        }
        Row::Keys(line) => text(area.x + 3, line, Role::Dim),
    }
}
