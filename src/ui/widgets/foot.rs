//! The foot of the rail: what there is to say of the selected task, as far as there is room.
use ratatui::layout::Rect;

use crate::app::Model;
use crate::app::panes::detail;
use crate::ui::Role;
use crate::ui::paint::Paint;

/// Rows from which the foot begins with a heading.
const HEADED_ROWS: u16 = 8;
/// Columns of the labels, the blank before them counted.
const LABEL: u16 = 8;

/// Draws the foot.
pub fn draw(model: &Model, paint: &mut Paint<'_>, area: Rect) {
    if area.is_empty() {
        return;
    }
    let Some(task) = model.team().and_then(|team| team.task(model.rail.selected?)) else { return };
    let mut y = area.y;
    if area.height >= HEADED_ROWS {
        let heading = detail::heading(model, task);
        paint.text(area.x + 1, y, area.width.saturating_sub(2), &heading, Role::Critical);
        y += 1;
    }
    for line in detail::foot(model, task, usize::from(area.bottom() - y)) {
        self::line(paint, Rect { y, height: 1, ..area }, &line);
        y += 1;
    }
}

/// One line of detail.
pub fn line(paint: &mut Paint<'_>, area: Rect, line: &detail::Detail) {
    paint.text(area.x + 1, area.y, LABEL.min(area.width.saturating_sub(1)), line.label, Role::Dim);
    let x = area.x + LABEL;
    let room = area.right().saturating_sub(x + 1);
    paint.text(
        x,
        area.y,
        room,
        &line.fitting(usize::from(room)),
        if line.is_wrong { Role::Error } else { Role::Text },
    );
}
