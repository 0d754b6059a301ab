//! The rail: lanes, glyph, mark and name of each task, and what there is room for beside them.
use ratatui::layout::Rect;

use super::column::{self, Columns};
use super::ruler;
use crate::app::layout::{Shape, Slot, max_lanes, shape};
use crate::app::panes::rail::span;
use crate::app::panes::{beside as beside_name, title};
use crate::app::tally::Look;
use crate::app::{Link, Model, Over, Pane};
use crate::domain::state::{Phase, Task, Team};
use crate::graph::FoldedRow;
use crate::graph::rail::{Cell, Window};
use crate::text::{pad_left, pad_right};
use crate::ui::Role;
use crate::ui::glyph::role;
use crate::ui::paint::Paint;

/// The margin: the cursor, and a mark.
const MARGIN: u16 = 2;
/// Behind the lanes: glyph, blank, mark of the longest chain.
const MARKS: u16 = 3;

/// A title beside a name gets at least so many columns, or is not there.
const MIN_BESIDE: u16 = 6;

/// Draws the rail with its title.
pub fn draw(model: &Model, paint: &mut Paint<'_>, slot: &Slot) {
    let is_one = shape(model.size.0, model.size.1) == Shape::One;
    let is_focus = model.focus == Pane::Plan;
    let name = match (is_one, is_focus) {
        (true, _) => "",
        (_, true) => "[1 plan]",
        (_, false) => " 1 plan ",
    };
    paint.rule(slot.title, name, &facts(model, slot.body.height), is_focus && !is_one);
    let Some(team) = model.team() else { return };
    if team.tasks.is_empty() {
        empty(paint, slot.body);
        return;
    }
    let Some(rail) = model.rail.rail() else { return };
    let has_ruler = ruler::is_shown(model, slot.body.height);
    let window = rail.window(max_lanes(slot.body.width), model.rail.selected_row().unwrap_or(0));
    let gutter = u16::try_from(window.width()).unwrap_or(u16::MAX);
    let before = MARGIN + gutter + MARKS;
    let after = if has_ruler { 2 } else { 1 };
    let room = usize::from(slot.body.width.saturating_sub(before + after));
    let columns = column::columns(team, room, !slot.head.is_empty());
    if !slot.head.is_empty() && columns.headed {
        headings(paint, slot.head, before, columns);
    }
    let selected = model.rail.selected_line();
    let rows = Rows { model, team, window: &window, columns, before, selected };
    for (at, line) in model.rail.view(usize::from(slot.body.height)).enumerate() {
        let y = slot.body.y + u16::try_from(at).unwrap_or(u16::MAX);
        let area = Rect { y, height: 1, width: slot.body.width - (after - 1), ..slot.body };
        rows.draw(paint, area, line);
    }
    if has_ruler {
        ruler::draw(model, team, paint, slot.body);
    }
}

/// Facts of the whole plan: how far it is, and what is out of view.
fn facts(model: &Model, height: u16) -> String {
    if let Link::Lost { .. } = model.link {
        return format!("as of {}", model.clock.heard_at());
    }
    let Some(team) = model.team() else { return String::new() };
    let lines = model.rail.lines().len();
    let view = model.rail.view(usize::from(height));
    let path = model.rail.path();
    let done = path.iter().filter(|number| team.task(**number).is_some_and(|t| t.phase == Phase::Completed));
    let mut facts = Vec::new();
    if ruler::is_shown(model, height) {
        facts.push(format!("{}/{}", model.tally.completed, model.tally.total));
    } else {
        let below = lines.saturating_sub(view.end);
        facts.extend((view.start > 0).then(|| format!("{} above", view.start)));
        facts.extend((below > 0).then(|| format!("{below} below")));
    }
    let is_plain = facts.is_empty() || ruler::is_shown(model, height);
    if is_plain && path.len() > 1 {
        facts.push(format!("path {}/{}", done.count(), path.len()));
    }
    facts.join(", ")
}

fn empty(paint: &mut Paint<'_>, body: Rect) {
    let text = "No tasks yet. a adds one, : create makes a team from a file.";
    for (at, line) in crate::text::wrap(text, usize::from(body.width.saturating_sub(2))).iter().enumerate() {
        let y = body.y + u16::try_from(at).unwrap_or(u16::MAX);
        if y < body.bottom() {
            paint.text(body.x + 1, y, body.width.saturating_sub(2), line, Role::Dim);
        }
    }
}

fn headings(paint: &mut Paint<'_>, head: Rect, before: u16, columns: Columns) {
    let x = head.x + before + u16::try_from(columns.name).unwrap_or(0);
    let cells = [
        (columns.who, pad_right("who", columns.who)),
        (columns.time, pad_left("time", columns.time)),
        (columns.attempt, pad_left("att", columns.attempt)),
        (columns.cost, pad_left("USD", columns.cost)),
        (0, String::new()),
    ];
    beside(paint, Rect { x, width: head.right().saturating_sub(x), ..head }, columns, &cells, Role::Dim);
}

/// What all rows share.
struct Rows<'a> {
    model: &'a Model,
    team: &'a Team,
    window: &'a Window,
    columns: Columns,
    before: u16,
    selected: Option<usize>,
}

impl Rows<'_> {
    fn draw(&self, paint: &mut Paint<'_>, area: Rect, line: usize) {
        let (Some(folded), Some(rail)) = (self.model.rail.lines().get(line), self.model.rail.rail()) else {
            return;
        };
        let is_selected = self.selected == Some(line);
        if is_selected {
            paint.text(area.x, area.y, 1, ">", Role::Accent);
        }
        let cells = rail.folded(span(folded));
        let x = self.lanes(paint, area, &self.window.of(&cells));
        match folded {
            FoldedRow::Row(row) => {
                let task = self.model.rail.rows().get(*row).and_then(|number| self.team.task(*number));
                if let Some(task) = task {
                    self.task(paint, area, x, task);
                }
            }
            FoldedRow::Folded(rows) => {
                let x = paint.text(x, area.y, 1, paint.glyphs.more(), Role::Dim) + 2;
                let text = format!("{} completed", rows.len());
                paint.text(x, area.y, area.right().saturating_sub(x), &text, Role::Dim);
            }
        }
        if is_selected && self.model.focus == Pane::Plan && matches!(self.model.over, Over::Nothing) {
            paint.over(Rect { width: area.width - area.width.min(1), ..area }, Role::Selection);
        }
    }

    fn lanes(&self, paint: &mut Paint<'_>, area: Rect, cells: &[Cell]) -> u16 {
        let mut x = area.x + MARGIN;
        let charset = paint.glyphs.lanes();
        for cell in cells {
            let glyph = cell.glyph(charset);
            paint.text(x, area.y, 1, glyph.encode_utf8(&mut [0; 4]), Role::Border);
            x += 1;
        }
        x
    }

    fn task(&self, paint: &mut Paint<'_>, area: Rect, x: u16, task: &Task) {
        let look = Look::of(&self.model.state, self.team, task);
        let is_critical = self.model.rail.is_critical(task.number);
        paint.text(x, area.y, 1, paint.glyphs.status(look), role(look));
        if is_critical {
            paint.text(x + 2, area.y, 1, paint.glyphs.critical(), Role::Critical);
        }
        let is_over = matches!(look, Look::Completed | Look::Cancelled);
        let side = if is_over { Role::Dim } else { Role::Text };
        let named = match look {
            _ if is_over => Role::Dim,
            Look::Failed => Role::Error,
            _ if is_critical => Role::Critical,
            _ => Role::Text,
        };
        let x = area.x + self.before;
        let name_columns = u16::try_from(self.columns.name).unwrap_or(0);
        paint.text(x, area.y, name_columns.min(area.right().saturating_sub(x)), &title(task), named);
        self.beside(paint, Rect { x, y: area.y, width: name_columns, height: 1 }, task);
        let columns = self.columns;
        let model = self.model;
        let cells = [
            (columns.who, pad_right(&column::who(task), columns.who)),
            (columns.time, pad_left(&column::time(model, task), columns.time)),
            (columns.attempt, pad_left(&column::attempt(task, columns.headed), columns.attempt)),
            (columns.cost, pad_left(&column::cost(task), columns.cost)),
            (columns.note, column::note(model, self.team, task)),
        ];
        let x = x + name_columns;
        let place = Rect { x, width: area.right().saturating_sub(x), ..area };
        beside(paint, place, columns, &cells, side);
    }
}

impl Rows<'_> {
    /// What stands beside a name, in what the name leaves of its column.
    fn beside(&self, paint: &mut Paint<'_>, area: Rect, task: &Task) {
        let Some(text) = beside_name(self.team, task) else { return };
        let used = u16::try_from(crate::text::width(&title(task))).unwrap_or(u16::MAX).saturating_add(2);
        let room = area.width.saturating_sub(used);
        if room >= MIN_BESIDE {
            let text = crate::text::cut_words(&text, usize::from(room));
            paint.text(area.x + used, area.y, room, &text, Role::Dim);
        }
    }
}

/// Cells beside a name, each as wide as its column.
fn beside(paint: &mut Paint<'_>, area: Rect, columns: Columns, cells: &[(usize, String); 5], role: Role) {
    let mut x = area.x;
    for ((width, text), gap) in cells.iter().zip(columns.gaps()).filter(|((width, _), _)| *width > 0) {
        let width = u16::try_from(*width).unwrap_or(0);
        x += gap;
        paint.text(x, area.y, width.min(area.right().saturating_sub(x)), text, role);
        x += width;
    }
}
