//! The live block of a terminal: a head line, the live attempts, what waits for a person, the critical path.
use crate::domain::view::{Line, LiveAttempt, LiveView, Tint, phrase};
use crate::script::output::OutputTail;
use crate::text::{self, pad_left, pad_right, quantity};

/// Most lines of the block.
pub const MAX_LINES: usize = 12;
const MAX_NAME: usize = 24;

/// The terminal that it is drawn on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Its columns.
    pub columns: usize,
    /// Its rows; the block takes a third of them.
    pub rows: usize,
    /// Only ASCII is drawn.
    pub ascii: bool,
}

/// The lines of the block, each within the columns; none on a terminal of fewer than three rows.
pub fn block(view: &LiveView, tails: &dyn OutputTail, shape: Shape) -> Vec<Line> {
    let room = MAX_LINES.min(shape.rows / 3);
    let below: Vec<Line> = [waits(view), path(view, shape)].into_iter().flatten().collect();
    let above: Vec<Line> = match room {
        0 => return Vec::new(),
        1 | 2 => vec![head(view)],
        _ => vec![rule(shape), head(view)],
    };
    let below: Vec<Line> = below.into_iter().take(room.saturating_sub(above.len() + 1)).collect();
    let left = room.saturating_sub(above.len() + below.len());
    let mut lines = above;
    lines.extend(attempts(view, tails, shape, left));
    lines.extend(below);
    lines.truncate(room);
    lines.iter().map(|l| l.cut(shape.columns)).collect()
}

fn rule(shape: Shape) -> Line {
    let glyph = if shape.ascii { "-" } else { "─" };
    Line::new().and(Tint::Time, glyph.repeat(shape.columns.saturating_sub(1)))
}

fn head(view: &LiveView) -> Line {
    let (ended, total) = view.ended;
    let counts: String = view.counts.iter().map(|c| format!(", {c}")).collect();
    Line::new()
        .and(Tint::Time, pad_left(&quantity::duration(view.elapsed_ms), 6))
        .and(Tint::Plain, "  ")
        .and(Tint::Name, view.team.as_str())
        .and(Tint::Plain, format!("  {ended} of {total} ended{counts}"))
}

fn attempts(view: &LiveView, tails: &dyn OutputTail, shape: Shape, room: usize) -> Vec<Line> {
    let shown = if view.attempts.len() > room { room.saturating_sub(1) } else { room };
    let name =
        view.attempts.iter().take(shown).map(|a| text::width(&a.label)).max().unwrap_or(0).min(MAX_NAME);
    let mut lines: Vec<Line> =
        view.attempts.iter().take(shown).map(|a| attempt(a, name, tails, shape)).collect();
    let more = view.attempts.len().saturating_sub(shown);
    if more > 0 && room > 0 {
        lines.push(Line::new().and(Tint::Plain, format!("    and {more} more")));
    }
    lines
}

fn attempt(a: &LiveAttempt, name: usize, tails: &dyn OutputTail, shape: Shape) -> Line {
    let glyph = match (a.asks, shape.ascii) {
        (true, _) => "?",
        (false, true) => "*",
        (false, false) => "◐",
    };
    let mark = match (a.critical, shape.ascii) {
        (true, true) => ">",
        (true, false) => "▌",
        (false, _) => " ",
    };
    let last =
        tails.tail(a.id, 1).ok().and_then(|t| t.rows.last().map(|row| row.plain())).unwrap_or_default();
    let label = text::cut(&a.label, MAX_NAME);
    Line::new()
        .and(Tint::Plain, format!(" {glyph} {mark}"))
        .and(Tint::Name, pad_right(&label, name))
        .and(Tint::Plain, format!("  {}", pad_right(&a.fraction, 3)))
        .and(Tint::Time, format!("  {}", pad_left(&quantity::duration(a.took_ms), 6)))
        .and(Tint::Plain, format!("  {}", text::sanitise::line(&last)))
}

fn waits(view: &LiveView) -> Option<Line> {
    let (who, what) = view.waits.first()?;
    let more = view.waits.len() - 1;
    let more = if more == 0 { String::new() } else { format!("; and {more} more") };
    Some(
        Line::new()
            .and(Tint::Warn, " ? ")
            .and(Tint::Name, who.as_str())
            .and(Tint::Plain, format!(" waits on a person: {what}{more}")),
    )
}

fn path(view: &LiveView, shape: Shape) -> Option<Line> {
    if view.path.is_empty() {
        return None;
    }
    let mark = if shape.ascii { ">" } else { "▌" };
    let left = view
        .left
        .map_or_else(String::new, |(ms, run)| format!("; about {} left, by run {run}", whole_seconds(ms)));
    Some(Line::new().and(Tint::Plain, format!(" {mark}critical path: {}{left}", phrase::commas(&view.path))))
}

/// An estimate is not told in tenths.
fn whole_seconds(ms: u64) -> String {
    if ms < 60_000 { format!("{}s", ms / 1000) } else { quantity::duration(ms) }
}
