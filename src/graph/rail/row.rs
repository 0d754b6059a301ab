//! The cells of a row, or of a run of rows folded into one.

use std::ops::Range;

use super::{CELLS_PER_LANE, Cell, Lane, Rail, Stroke};

/// What the lanes of one column do in a row, or in a run of rows taken as one.
#[derive(Clone, Copy, Default)]
struct Joint {
    from_above: bool,
    to_below: bool,
    /// The run that begins here or is met, if any.
    run: Option<Stroke>,
}

impl<K: Copy + Ord> Rail<K> {
    /// The gutter of a row: [`Rail::width`] cells; all blank past the end.
    pub fn row(&self, row: usize) -> Vec<Cell> {
        self.folded(row..row.saturating_add(1))
    }

    /// The gutter of a run of rows taken as one: what leads into it and out of it, without the edges inside.
    pub fn folded(&self, rows: Range<usize>) -> Vec<Cell> {
        let mut cells = Vec::with_capacity(self.width());
        let mut run: Option<Stroke> = None;
        for column in &self.columns {
            let joint = joint(column, &rows);
            cells.push(cell(joint, run));
            run = stronger(run, joint.run);
            cells.resize(cells.len() + CELLS_PER_LANE - 1, run.map_or(Cell::Blank, Cell::Run));
        }
        cells
    }
}

fn joint(column: &[Lane], rows: &Range<usize>) -> Joint {
    let first = column.partition_point(|lane| lane.last() < rows.start);
    let alive = column.iter().skip(first).take_while(|lane| lane.first() < rows.end);
    let leads_out = alive.filter(|lane| lane.first() < rows.start || lane.last() >= rows.end);
    leads_out.fold(Joint::default(), |joint, lane| Joint {
        from_above: joint.from_above || lane.first() < rows.start,
        to_below: joint.to_below || lane.last() >= rows.end,
        run: stronger(joint.run, met(lane, rows)),
    })
}

/// The run of a lane's stops within some rows.
fn met(lane: &Lane, rows: &Range<usize>) -> Option<Stroke> {
    let first = lane.stops().partition_point(|stop| stop.row < rows.start);
    let stops = lane.stops().iter().skip(first).take_while(|stop| stop.row < rows.end);
    let strokes = stops.map(|stop| if stop.orders_only { Stroke::Dashed } else { Stroke::Solid });
    strokes.fold(None, |run, stroke| stronger(run, Some(stroke)))
}

/// Two runs on one line: solid if one of them is.
fn stronger(one: Option<Stroke>, other: Option<Stroke>) -> Option<Stroke> {
    match (one, other) {
        (Some(Stroke::Solid), _) | (_, Some(Stroke::Solid)) => Some(Stroke::Solid),
        (dashed, None) | (None, dashed) => dashed,
        (Some(Stroke::Dashed), Some(Stroke::Dashed)) => Some(Stroke::Dashed),
    }
}

/// The cell of a joint, with the run that comes from the left.
fn cell(joint: Joint, run: Option<Stroke>) -> Cell {
    match (joint.from_above, joint.to_below, joint.run, run) {
        (false, false, _, None) => Cell::Blank,
        (false, false, _, Some(stroke)) => Cell::Run(stroke),
        (_, _, None, None) => Cell::Lane,
        (_, _, None, Some(_)) => Cell::Cross,
        (true, true, Some(_), None) => Cell::Branch,
        (true, true, Some(_), Some(_)) => Cell::Meet,
        (false, true, Some(_), None) => Cell::Begin,
        (false, true, Some(_), Some(_)) => Cell::BeginAtRun,
        (true, false, Some(_), None) => Cell::End,
        (true, false, Some(_), Some(_)) => Cell::EndAtRun,
    }
}
