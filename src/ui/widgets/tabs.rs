//! The top line: the team, the panes that there are, and how much waits on the person. While the owner is lost, that.
use ratatui::layout::Rect;

use crate::app::layout::{Shape, shape};
use crate::app::panes::clock_time;
use crate::app::{Link, Model, Pane};
use crate::ui::Role;
use crate::ui::paint::Paint;

/// Columns from which tabs have gaps and whole words.
const WIDE_COLUMNS: u16 = 80;

/// Draws the top line.
pub fn draw(model: &Model, paint: &mut Paint<'_>, area: Rect) {
    let is_wide = area.width >= WIDE_COLUMNS;
    let gap = if is_wide { 3 } else { 2 };
    let end = area.right();
    let room = |x: u16| end.saturating_sub(x);
    let name = match model.team() {
        Some(team) => team.title.as_ref().map_or(team.name.to_string(), |title| title.line().into_owned()),
        None if model.start.version.is_empty() => "teamtui".to_owned(),
        None => format!("teamtui {}", model.start.version),
    };
    let name_columns = room(1).min((end / 2).max(12));
    let x = paint.text(1, area.y, name_columns, &name, Role::Critical) + gap;
    if let Link::Lost { loss, since_ms } = &model.link {
        let for_ms = model.clock.now_ms.saturating_sub(*since_ms);
        let (what, then) = if loss.gone {
            ("OWNER GONE", "ended; starting a new one, then recovery")
        } else {
            ("OWNER SILENT", "lives and does not answer; work goes on")
        };
        let x = paint.text(x, area.y, room(x), &format!("{what} {}", clock_time(for_ms)), Role::Warn) + gap;
        paint.text(x, area.y, room(x), &format!("pid {} {then}", loss.pid), Role::Text);
        return;
    }
    if model.team.is_none() {
        return;
    }
    let mut x = x;
    let is_one = shape(model.size.0, model.size.1) == Shape::One;
    for pane in Pane::ALL {
        let is_focus = pane == model.focus;
        let text = match (is_one, is_focus) {
            (true, true) => format!("[{} {}]", pane.digit(), pane.word()),
            (true, false) => pane.digit().to_string(),
            (false, _) => format!("{} {}", pane.digit(), pane.word()),
        };
        let role = if is_focus { Role::Accent } else { Role::Text };
        x = paint.text(x, area.y, room(x), &text, role) + if is_wide { 2 } else { 1 };
    }
    let teams = model.state.live_teams().count();
    if teams > 1 {
        let text = if is_wide { format!("0 teams {teams}") } else { format!("0 {teams}") };
        x = paint.text(x, area.y, room(x), &text, Role::Text) + if is_wide { 2 } else { 1 };
    }
    let waiting = model.attention.len();
    if waiting > 0 {
        let text = if is_wide { format!(" needs you {waiting} ") } else { format!(" ?{waiting} ") };
        paint.text(x, area.y, room(x), &text, Role::NeedsYou);
    }
}
