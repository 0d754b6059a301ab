//! The brush of all widgets: text into a part of the buffer, cut to fit, never outside of it.
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::{Glyphs, Role, Theme};
use crate::text::{self, Span, cut};

/// What widgets draw with.
pub struct Paint<'a> {
    /// What roles look like.
    pub theme: &'a Theme,
    /// Which characters there are.
    pub glyphs: Glyphs,
    /// Where cells are.
    pub buf: &'a mut Buffer,
}

impl Paint<'_> {
    /// What a role looks like.
    pub fn style(&self, role: Role) -> Style {
        self.theme.style(role)
    }

    /// Text at a place, cut at `columns` and at the buffer. Returns the column behind it.
    pub fn put(&mut self, x: u16, y: u16, columns: u16, text: &str, style: Style) -> u16 {
        let area = self.buf.area;
        if y >= area.bottom() || x >= area.right() {
            return x;
        }
        let room = columns.min(area.right() - x);
        let text = cut(text, usize::from(room));
        let (end, _) = self.buf.set_stringn(x, y, &text, usize::from(room), style);
        end
    }

    /// As [`Paint::put`], in a role.
    pub fn text(&mut self, x: u16, y: u16, columns: u16, text: &str, role: Role) -> u16 {
        self.put(x, y, columns, text, self.style(role))
    }

    /// Text that ends right before the column `end`. Returns where it begins.
    pub fn text_left_of(&mut self, end: u16, y: u16, text: &str, role: Role) -> u16 {
        let columns = u16::try_from(text::width(text)).unwrap_or(u16::MAX);
        let start = end.saturating_sub(columns);
        self.text(start, y, end - start, text, role);
        start
    }

    /// Spans of a log at a place. Returns the column behind them.
    pub fn spans(&mut self, x: u16, y: u16, columns: u16, spans: &[Span]) -> u16 {
        let end = x.saturating_add(columns);
        spans.iter().fold(x, |x, span| {
            let style = self.theme.log(span.style);
            self.put(x, y, end.saturating_sub(x), &span.text, style)
        })
    }

    /// Adds a style to what is there.
    pub fn over(&mut self, area: Rect, role: Role) {
        let style = self.style(role);
        let area = area.intersection(self.buf.area);
        self.buf.set_style(area, style);
    }

    /// Makes cells blank and plain.
    pub fn clear(&mut self, area: Rect) {
        let area = area.intersection(self.buf.area);
        for position in area.positions() {
            if let Some(cell) = self.buf.cell_mut(position) {
                cell.reset();
            }
        }
    }

    /// Where there is only ASCII, the sign for what was cut is another.
    pub fn finish(&mut self) {
        if self.glyphs == Glyphs::Unicode {
            return;
        }
        for cell in self.buf.content.iter_mut().filter(|cell| cell.symbol() == "…") {
            cell.set_symbol(self.glyphs.cut());
        }
    }

    /// Takes every look away and makes it dim: what is not now, or lies below.
    pub fn fade(&mut self, area: Rect) {
        let dim = self.style(Role::Dim);
        let area = area.intersection(self.buf.area);
        for position in area.positions() {
            if let Some(cell) = self.buf.cell_mut(position) {
                cell.set_style(Style::reset());
                cell.set_style(dim);
            }
        }
    }

    /// A rule with a title at its left and facts at its right, as wide as `area`: `─[1 plan]──── path 2/7 ─`.
    pub fn rule(&mut self, area: Rect, title: &str, facts: &str, focused: bool) {
        if area.is_empty() {
            return;
        }
        let role = if focused { Role::BorderFocus } else { Role::Border };
        let across = self.glyphs.across();
        for x in area.left()..area.right() {
            self.text(x, area.y, 1, across, Role::Border);
        }
        let room = area.width.saturating_sub(2);
        let after = self.put(area.x + 1, area.y, room, title, self.style(role));
        let needed = u16::try_from(text::width(facts)).unwrap_or(u16::MAX).saturating_add(2);
        let end = area.right().saturating_sub(1);
        if facts.is_empty() || end.saturating_sub(after) <= needed {
            return;
        }
        let x = end - needed;
        self.text(x, area.y, needed, &format!(" {facts} "), Role::Border);
    }

    /// A box over what is there: one empty column at both sides, a title in its rule. Returns the room inside, without the
    /// frame and one blank at both sides.
    pub fn boxed(&mut self, area: Rect, title: &str, facts: &str) -> Rect {
        let around = Rect { x: area.x.saturating_sub(1), width: area.width.saturating_add(2), ..area };
        self.clear(around);
        if area.width < 4 || area.height < 2 {
            return Rect::default();
        }
        let frame = self.glyphs.frame();
        let (left, right) = (area.left(), area.right() - 1);
        let (top, bottom) = (area.top(), area.bottom() - 1);
        let [top_left, top_right, bottom_right, bottom_left] = frame.corners;
        for y in top..=bottom {
            self.text(left, y, 1, frame.down, Role::Border);
            self.text(right, y, 1, frame.down, Role::Border);
        }
        self.rule(Rect::new(left + 1, top, area.width - 2, 1), &format!(" {title} "), facts, false);
        for x in left..=right {
            self.text(x, bottom, 1, frame.across, Role::Border);
        }
        self.text(left, top, 1, top_left, Role::Border);
        self.text(right, top, 1, top_right, Role::Border);
        self.text(right, bottom, 1, bottom_right, Role::Border);
        self.text(left, bottom, 1, bottom_left, Role::Border);
        Rect::new(left + 2, top + 1, area.width - 4, area.height - 2)
    }

    /// A line across a box.
    pub fn line_across(&mut self, area: Rect, y: u16) {
        let frame = self.glyphs.frame();
        let [left, right] = frame.joints;
        for x in area.left()..area.right() {
            self.text(x, y, 1, frame.across, Role::Border);
        }
        self.text(area.left(), y, 1, left, Role::Border);
        self.text(area.right() - 1, y, 1, right, Role::Border);
    }
}
