//! The first item of attention, in one line: what waits on the person and holds up most.
use ratatui::layout::Rect;

use crate::app::Model;
use crate::text::cut_words;
use crate::ui::Role;
use crate::ui::glyph::role;
use crate::ui::paint::Paint;

/// Draws it.
pub fn draw(model: &Model, paint: &mut Paint<'_>, area: Rect) {
    let Some(item) = model.attention.first() else { return };
    let end = area.right().saturating_sub(1);
    let key = paint.text_left_of(end, area.y, "] go there", Role::Accent);
    let holds = if item.holds > 0 { format!("holds up {}", item.holds) } else { String::new() };
    let start = paint.text_left_of(key.saturating_sub(3), area.y, &holds, Role::Text);
    let x = paint.text(1, area.y, 1, paint.glyphs.status(item.look), role(item.look)) + 1;
    let room = start.saturating_sub(x + 2);
    paint.text(x, area.y, room, &cut_words(&item.text, usize::from(room)), Role::Text);
}
