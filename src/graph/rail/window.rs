//! The part of a gutter that a narrow pane can show.

use std::ops::Range;

use super::{CELLS_PER_LANE, Cell, Rail};

/// Which lanes are shown; those left and right of them are one column each, `⋮` where there are any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    lanes: usize,
    shown: Range<usize>,
    cut_left: bool,
    cut_right: bool,
}

impl Window {
    /// The width in cells of what is shown.
    pub fn width(&self) -> usize {
        (self.shown.len() + usize::from(self.cut_left) + usize::from(self.cut_right)) * CELLS_PER_LANE
    }

    /// Whether lanes are hidden.
    pub fn is_cut(&self) -> bool {
        self.shown.len() < self.lanes
    }

    /// What is shown of a full row of cells, as [`Rail::row`] and [`Rail::folded`] give it.
    pub fn of(&self, row: &[Cell]) -> Vec<Cell> {
        let lanes = |lanes: Range<usize>| {
            row.get(lanes.start * CELLS_PER_LANE..lanes.end * CELLS_PER_LANE).unwrap_or_default()
        };
        let mut cells = Vec::with_capacity(self.width());
        if self.cut_left {
            cells.extend(hidden(lanes(0..self.shown.start)));
        }
        cells.extend_from_slice(lanes(self.shown.clone()));
        if self.cut_right {
            cells.extend(hidden(lanes(self.shown.end..row.len() / CELLS_PER_LANE)));
        }
        cells
    }
}

/// Hidden lanes as one: `⋮` if there are any in this row, and the run that leads on.
fn hidden(cells: &[Cell]) -> [Cell; CELLS_PER_LANE] {
    let run = cells.last().copied().unwrap_or(Cell::Blank);
    let any = cells.iter().any(|cell| cell.has_lane());
    [if any { Cell::More } else { run }, run]
}

impl<K: Copy + Ord> Rail<K> {
    /// Chooses at most `max_lanes` columns: as far left as possible with the rightmost lane that `focus_row` meets.
    ///
    /// Where lanes are cut, `⋮` takes a column of the cap at that side. No column at all if `max_lanes` is 0.
    pub fn window(&self, max_lanes: usize, focus_row: usize) -> Window {
        let lanes = self.lane_count();
        let window = |shown, cut_left, cut_right| Window { lanes, shown, cut_left, cut_right };
        if lanes <= max_lanes || max_lanes == 0 {
            return window(0..lanes.min(max_lanes), false, false);
        }
        let needed = self.lanes_met(focus_row).last().map_or(0, |(column, _)| column + 1);
        if needed < max_lanes || max_lanes == 1 {
            return window(0..max_lanes - 1, false, true);
        }
        if needed + 1 >= lanes {
            return window(lanes - (max_lanes - 1)..lanes, true, false);
        }
        window(needed - (max_lanes - 2)..needed, true, true)
    }
}
