//! Where things stand, for any size of the terminal: pure geometry. The rows from the top are tabs, panes, attention,
//! status, hints; these never move, and what lies in a pane never moves another.
use ratatui::layout::Rect;

use super::panes::asked;
use super::{Model, Pane};

/// Columns below which there is one line only.
const LINE_COLUMNS: u16 = 20;
/// Rows below which there is one line only.
const LINE_ROWS: u16 = 6;
/// Columns below which there is one pane only.
const PANE_COLUMNS: u16 = 60;
/// Rows below which there is one pane only.
const PANE_ROWS: u16 = 15;
/// Columns from which the first item of attention has a line of its own.
const ATTENTION_COLUMNS: u16 = 120;
/// Rows from which it does.
const ATTENTION_ROWS: u16 = 40;
/// Columns from which the rail has a row of headings.
const HEADED_COLUMNS: u16 = 160;
/// Lanes take at most so many columns, and at most a third of the pane.
const MAX_GUTTER_COLUMNS: u16 = 24;
/// Widths of the rail by width of the terminal; between them it grows evenly.
const RAIL_COLUMNS: [(u16, u16); 4] = [(60, 28), (80, 36), (120, 48), (200, 52)];
/// Rows of a log from which a question stands below it.
const ASKING_ROWS: u16 = 6;
/// Most columns of a box over the panes.
const MAX_BOX_COLUMNS: u16 = 72;
/// The row where a box begins: below the first row of the panes, so that the cursor's pane stays known.
const BOX_ROW: u16 = 3;

/// How much room there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// None at all.
    Nothing,
    /// One line.
    Line,
    /// One pane.
    One,
    /// Panes side by side.
    Two,
}

/// A pane: its title rule, headings, text, and a foot at its bottom. Parts that are not there are empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Slot {
    /// One row.
    pub title: Rect,
    /// One row, where there are headings.
    pub head: Rect,
    /// The text.
    pub body: Rect,
    /// What there is to say of the selected row.
    pub foot: Rect,
}

/// Everything that has a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// How much room there is.
    pub shape: Shape,
    /// Team and panes.
    pub tabs: Rect,
    /// The rail.
    pub rail: Option<Slot>,
    /// The log.
    pub log: Option<Slot>,
    /// The first item of attention.
    pub attention: Option<Rect>,
    /// Counts, money, time.
    pub status: Rect,
    /// Keys.
    pub hints: Rect,
    /// All that is between the tabs and the status.
    pub panes: Rect,
}

/// How much room a terminal of that size gives.
pub fn shape(width: u16, height: u16) -> Shape {
    match (width, height) {
        (0, _) | (_, 0) => Shape::Nothing,
        _ if width < LINE_COLUMNS || height < LINE_ROWS => Shape::Line,
        _ if width < PANE_COLUMNS || height < PANE_ROWS => Shape::One,
        _ => Shape::Two,
    }
}

/// Places everything.
pub fn layout(model: &Model) -> Layout {
    let (width, height) = model.size;
    let shape = shape(width, height);
    let row = |y: u16| Rect::new(0, y, width, u16::from(y < height));
    let bottom = height.saturating_sub(2);
    let has_attention = width >= ATTENTION_COLUMNS && height >= ATTENTION_ROWS && !model.attention.is_empty();
    let end = bottom - u16::from(has_attention);
    let mut placed = Layout {
        shape,
        tabs: row(0),
        rail: None,
        log: None,
        attention: has_attention.then(|| row(end)),
        status: row(bottom),
        hints: row(height.saturating_sub(1)),
        panes: Rect::new(0, 1, width, end.saturating_sub(1)),
    };
    if matches!(shape, Shape::Nothing | Shape::Line) {
        return placed;
    }
    let panes = placed.panes;
    let is_one = shape == Shape::One || model.zoomed;
    let rail_width = if is_one { width } else { rail_columns(width) };
    if !is_one || model.focus == Pane::Plan {
        placed.rail = Some(rail_slot(model, Rect { width: rail_width, ..panes }));
    }
    if !is_one || model.focus == Pane::Logs {
        let x = if is_one { 0 } else { rail_width + 1 };
        placed.log = Some(log_slot(model, Rect { x, width: width - x, ..panes }));
    }
    placed
}

/// Most lanes of a rail that has so many columns.
pub fn max_lanes(columns: u16) -> usize {
    usize::from(MAX_GUTTER_COLUMNS.min(columns / 3)) / crate::graph::rail::CELLS_PER_LANE
}

/// A box over the panes with so many rows of text and so many columns between its margins, the frame included. It grows
/// down from row 3 and is never higher than what is above the status; where there is little room it begins higher.
pub fn boxed(size: (u16, u16), text_rows: usize, columns: u16) -> Rect {
    let (width, height) = size;
    let most = height.saturating_sub(2);
    let wanted = u16::try_from(text_rows).unwrap_or(u16::MAX).saturating_add(2);
    let rows = wanted.min(most);
    let y = BOX_ROW.min(most - rows);
    let columns = columns.min(width.saturating_sub(2));
    Rect::new((width - columns) / 2, y, columns, rows)
}

/// The width of a box at that width of the terminal.
pub fn box_columns(width: u16) -> u16 {
    MAX_BOX_COLUMNS.min(width.saturating_sub(2))
}

/// Below the log stands what its task asks, and how it is answered.
fn log_slot(model: &Model, area: Rect) -> Slot {
    let rows = asked(model).map_or(0, |asked| asked.rows(usize::from(area.width)).len() + 1);
    let rows = u16::try_from(rows).unwrap_or(0);
    slot(area, 0, if area.height >= ASKING_ROWS { rows.min(area.height / 2) } else { 0 })
}

fn rail_slot(model: &Model, area: Rect) -> Slot {
    let headed = u16::from(model.size.0 >= HEADED_COLUMNS);
    let room = usize::from(area.height.saturating_sub(1 + headed));
    let lines = model.rail.lines().len();
    let wanted: &[u16] = match model.size.1 {
        0..22 => &[0],
        22..32 => &[3],
        32..50 => &[6, 3],
        50.. => &[14, 6, 3],
    };
    let fits = |foot: &&u16| lines + 1 + usize::from(**foot) <= room;
    let foot = wanted.iter().find(fits).copied().unwrap_or(0);
    slot(area, headed, foot)
}

fn slot(area: Rect, head: u16, foot: u16) -> Slot {
    let title = Rect { height: area.height.min(1), ..area };
    let rest = area.height.saturating_sub(1);
    let head = head.min(rest);
    let foot = foot.min(rest - head);
    let body = rest - head - foot;
    let at = |y: u16, height: u16| Rect { y: area.y + y, height, ..area };
    Slot { title, head: at(1, head), body: at(1 + head, body), foot: at(1 + head + body, foot) }
}

fn rail_columns(width: u16) -> u16 {
    let pairs = RAIL_COLUMNS.iter().zip(RAIL_COLUMNS.iter().skip(1));
    for (&(from, narrow), &(to, wide)) in pairs {
        if width < to {
            let grown =
                u32::from(width.saturating_sub(from)) * u32::from(wide - narrow) / u32::from(to - from);
            return narrow + u16::try_from(grown).unwrap_or(0);
        }
    }
    RAIL_COLUMNS.last().map_or(width, |(_, columns)| *columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rail_has_the_widths_of_the_frames() {
        assert_eq!([60, 80, 120, 200, 240].map(rail_columns), [28, 36, 48, 52, 52]);
    }

    #[test]
    fn the_room_decides_the_shape() {
        assert_eq!(shape(0, 9), Shape::Nothing);
        assert_eq!(shape(19, 60), Shape::Line);
        assert_eq!(shape(59, 60), Shape::One);
        assert_eq!(shape(200, 14), Shape::One);
        assert_eq!(shape(60, 15), Shape::Two);
    }

    #[test]
    fn a_box_lies_within_any_terminal() {
        for width in 0..100 {
            for height in 0..40 {
                let area = boxed((width, height), 12, box_columns(width));
                assert!(area.right() <= width && area.bottom() <= height, "{width}x{height}: {area}");
            }
        }
    }
}
