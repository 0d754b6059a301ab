//! The ruler of a long plan: its last column shows the most urgent status of each part of the whole.
use ratatui::layout::Rect;

use crate::app::Model;
use crate::app::panes::rail::span;
use crate::app::tally::Look;
use crate::domain::state::Team;
use crate::ui::glyph::role;
use crate::ui::paint::Paint;

/// Is there one? Only where the plan is at least twice the pane: else it would read as the status of the rows beside it.
pub fn is_shown(model: &Model, height: u16) -> bool {
    height > 0 && model.rail.lines().len() >= 2 * usize::from(height)
}

/// Draws it into the last column of the body; the part in view is as a selection.
pub fn draw(model: &Model, team: &Team, paint: &mut Paint<'_>, body: Rect) {
    let height = usize::from(body.height);
    let lines = model.rail.lines();
    let view = model.rail.view(height);
    for bucket in 0..height {
        let from = bucket * lines.len() / height;
        let to = ((bucket + 1) * lines.len() / height).max(from + 1).min(lines.len());
        let rows = lines.get(from..to).unwrap_or_default().iter().flat_map(span);
        let tasks = rows.filter_map(|row| team.task(*model.rail.rows().get(row)?));
        let worst = tasks.map(|task| Look::of(&model.state, team, task)).max_by_key(|look| look.urgency());
        let Some(look) = worst else { continue };
        let y = body.y + u16::try_from(bucket).unwrap_or(u16::MAX);
        let x = body.right().saturating_sub(1);
        paint.text(x, y, 1, paint.glyphs.status(look), role(look));
        if from < view.end && view.start < to {
            paint.over(Rect::new(x, y, 1, 1), crate::ui::Role::Selection);
        }
    }
}
