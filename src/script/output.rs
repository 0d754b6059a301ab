//! The end of an attempt's output, as blocks of prefixed lines.
use crate::domain::AttemptId;
use crate::domain::view::{AttemptView, TaskView};
use crate::text::{self, Row, quantity};
use std::io;

/// Rows of output that are shown of each task that failed, unless told otherwise.
pub const TAIL_ROWS: usize = 30;
/// Columns of one row of output; a longer one is cut.
pub const MAX_COLUMNS: usize = 400;

/// Gives the end of what an attempt wrote.
pub trait OutputTail {
    /// The last `rows` rows, and how much there is in all.
    ///
    /// # Errors
    /// What reading it came to; the block says so in its place.
    fn tail(&self, attempt: AttemptId, rows: usize) -> io::Result<Tail>;
}

/// The end of an output.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tail {
    /// Its last rows, oldest first.
    pub rows: Vec<Row>,
    /// Lines in all.
    pub lines: u64,
    /// Bytes in all.
    pub bytes: u64,
}

/// `output of test-2, attempt 2, exit 100`.
pub fn heading(task: &TaskView, attempt: &AttemptView) -> String {
    let optional = if task.optional { " (optional)" } else { "" };
    let reason = attempt.reason.as_ref().map_or_else(String::new, |why| format!(", {why}"));
    let lost = attempt.output_lost.as_ref().map_or_else(String::new, |why| format!("; {why}"));
    format!("output of {}{optional}, attempt {}{reason}{lost}", task.label, attempt.nth)
}

/// The last rows of an attempt as harmless text, without colour, cut; and what was left out.
///
/// `whole` is the command that prints all of it.
pub fn rows(tails: &dyn OutputTail, attempt: AttemptId, rows: usize, whole: &str) -> Vec<String> {
    let tail = match tails.tail(attempt, rows) {
        Ok(tail) => tail,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Tail::default(),
        Err(error) => {
            let why = text::sanitise::line(&error.to_string()).into_owned();
            return vec![format!("(its output could not be read: {why}; try `{whole}`)")];
        }
    };
    let skip = tail.rows.len().saturating_sub(rows);
    let cut = |row: &Row| text::cut(&text::sanitise::block(&row.plain()), MAX_COLUMNS).into_owned();
    let mut out: Vec<String> = tail.rows.iter().skip(skip).map(cut).collect();
    out.push(left_out(&tail, out.len(), whole));
    out
}

fn left_out(tail: &Tail, shown: usize, whole: &str) -> String {
    let size = quantity::size(tail.bytes);
    let lines = if tail.lines == 1 { "line" } else { "lines" };
    let all = quantity::count(tail.lines);
    match u64::try_from(shown) {
        _ if tail.lines == 0 && tail.bytes == 0 => "(no output)".to_owned(),
        Ok(shown) if shown >= tail.lines => format!("(all of {all} {lines}, {size})"),
        _ => format!("(the last {shown} of {all} {lines}, {size}; all of it: `{whole}`)"),
    }
}
