//! The whole screen from the model, at any size.
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::paint::Paint;
use super::widgets::{attention, dialog, foot, help, hints, log, palette, rail, start, status, tabs};
use super::{Glyphs, Role, Theme};
use crate::app::layout::{Shape, layout};
use crate::app::{Dialog, Link, Model, Over};

/// Draws everything. Returns where the terminal's cursor stands; none: nowhere.
pub fn view(model: &Model, theme: &Theme, glyphs: Glyphs, area: Rect, buf: &mut Buffer) -> Option<Position> {
    let mut paint = Paint { theme, glyphs, buf };
    let paint = &mut paint;
    paint.over(area, Role::Text);
    let placed = layout(model);
    match placed.shape {
        Shape::Nothing => return None,
        Shape::Line => {
            status::line(model, paint, Rect::new(0, 0, model.size.0, 1));
            return None;
        }
        Shape::One | Shape::Two => {}
    }
    tabs::draw(model, paint, placed.tabs);
    status::draw(model, paint, placed.status);
    hints::draw(model, paint, placed.hints);
    if model.is_start() {
        start::draw(model, paint, placed.panes);
    } else if model.link == Link::Waiting {
        paint.rule(Rect { height: 1, ..placed.panes }, "", "", false);
    } else {
        if let Some(slot) = placed.rail {
            rail::draw(model, paint, &slot);
            foot::draw(model, paint, slot.foot);
        }
        if let Some(slot) = placed.log {
            log::draw(model, paint, &slot);
        }
        if let Some(line) = placed.attention {
            attention::draw(model, paint, line);
        }
        if !model.is_up() {
            paint.fade(placed.panes);
        }
    }
    let cursor = over(model, paint, placed.panes);
    paint.finish();
    cursor
}

/// What lies over the panes: they are dim below it.
fn over(model: &Model, paint: &mut Paint<'_>, panes: Rect) -> Option<Position> {
    if !matches!(model.over, Over::Nothing) {
        paint.fade(panes);
    }
    match &model.over {
        Over::Nothing => None,
        Over::Palette(open) => palette::draw(model, open, paint),
        Over::Dialog(Dialog::Help(top)) => {
            help::draw(model, *top, paint);
            None
        }
        Over::Dialog(open) => {
            dialog::draw(model, open, paint);
            None
        }
    }
}
