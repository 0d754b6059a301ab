//! The table of runs: what `teamtui runs` shows of each.
use super::{Line, Tint};
use crate::text::{pad_left, pad_right, quantity, width};

/// One run in the table. What only the rim knows (size, clock, whether its owner lives) is handed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRow {
    /// `runs/N`; none: the standing run.
    pub run: Option<u64>,
    /// Its team, or the last of them.
    pub team: String,
    /// live, crashed, or how it closed.
    pub state: String,
    /// Exit code, once closed.
    pub rc: Option<u8>,
    /// Time it was owned; none: that cannot be read now.
    pub took_ms: Option<u64>,
    /// Tasks completed, and tasks counted; none: that cannot be read now.
    pub completed: Option<(usize, usize)>,
    /// Bytes of the store and the outputs.
    pub size_bytes: u64,
    /// Local clock or date of its opening, as it is shown.
    pub started: String,
}

impl RunRow {
    fn cells(&self) -> [String; 8] {
        [
            self.run.map_or_else(|| "standing".to_owned(), |n| n.to_string()),
            self.team.clone(),
            self.state.clone(),
            self.rc.map_or_else(|| "-".to_owned(), |rc| rc.to_string()),
            self.took_ms.map_or_else(|| "-".to_owned(), quantity::duration),
            self.completed.map_or_else(|| "-".to_owned(), |(done, all)| format!("{done} of {all}")),
            quantity::size(self.size_bytes),
            self.started.clone(),
        ]
    }
}

/// The table with its heading; the first three columns left, the others right.
pub fn table(rows: &[RunRow]) -> Vec<Line> {
    let heading = ["run", "team", "state", "rc", "took", "completed", "size", "started"].map(String::from);
    let cells: Vec<[String; 8]> = std::iter::once(heading).chain(rows.iter().map(RunRow::cells)).collect();
    let wide = |at: usize| cells.iter().filter_map(|c| c.get(at)).map(|c| width(c)).max().unwrap_or(0);
    let widths: Vec<usize> = (0..8).map(wide).collect();
    let line = |row: &[String; 8]| {
        let cell = |(at, (text, columns)): (usize, (&String, &usize))| {
            if at < 3 { pad_right(text, *columns) } else { pad_left(text, *columns) }
        };
        let cells: Vec<String> = row.iter().zip(&widths).enumerate().map(cell).collect();
        Line::new().and(Tint::Plain, cells.join("  "))
    };
    cells.iter().map(line).collect()
}
