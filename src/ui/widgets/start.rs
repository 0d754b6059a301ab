//! The first screen: what there is in this project, and the ways to begin.
use ratatui::layout::Rect;

use crate::app::Model;
use crate::text::{pad_right, width};
use crate::ui::Role;
use crate::ui::paint::Paint;

/// Columns of the labels.
const LABEL: usize = 10;
/// Rows from which there is air between the parts.
const AIRY_ROWS: u16 = 18;

/// Draws it.
pub fn draw(model: &Model, paint: &mut Paint<'_>, area: Rect) {
    paint.rule(Rect { height: area.height.min(1), ..area }, "[start]", "", true);
    let start = &model.start;
    let is_airy = area.height >= AIRY_ROWS;
    let end = area.right().saturating_sub(1);
    let mut y = area.y + if is_airy { 4 } else { 1 };
    let mut lines: Vec<(u16, String, Role)> = Vec::new();
    let intro = "teamtui runs a team of agents on this project and shows all of it.";
    lines.push((2, intro.to_owned(), Role::Text));
    lines.push((2, String::new(), Role::Text));
    let project = width(&start.project);
    let gap = if start.project_note.is_empty() { 0 } else { (project + 4).max(22) };
    lines.push((
        2,
        labelled("project", &format!("{}{}", pad_right(&start.project, gap), start.project_note)),
        Role::Text,
    ));
    for (at, member) in start.members.iter().enumerate() {
        lines.push((2, labelled(if at == 0 { "members" } else { "" }, member), Role::Text));
    }
    lines.push((2, String::new(), Role::Text));
    for (x, line, role) in lines {
        if y < area.bottom() {
            paint.text(x, y, end.saturating_sub(x), &line, role);
        }
        y += 1;
    }
    y = ways(model, paint, area, y);
    if is_airy {
        for line in outro(model) {
            y += 1;
            if y < area.bottom() {
                paint.text(2, y, end.saturating_sub(2), line, Role::Dim);
            }
        }
    }
}

/// What there is already, and that nothing of it needs the screen.
fn outro(model: &Model) -> [&'static str; 2] {
    if !model.state.teams.is_empty() {
        return [
            "No team is live. What the last one did is kept: `:report` shows how it ended,",
            "and `teamtui log` all that was written.",
        ];
    }
    if model.start.runs > 0 {
        return [
            "No team is live. A team keeps running when this screen closes and is here",
            "again when you come back. Runs of files: `teamtui runs` lists them.",
        ];
    }
    [
        "No team has been made here yet. A team keeps running when this screen closes",
        "and is here again when you come back.",
    ]
}

fn ways(model: &Model, paint: &mut Paint<'_>, area: Rect, y: u16) -> u16 {
    let end = area.right().saturating_sub(1);
    let widest = model.start.ways.iter().map(|way| width(&way.word)).max().unwrap_or(0);
    let mut y = y;
    for (at, way) in model.start.ways.iter().enumerate() {
        if y >= area.bottom() {
            break;
        }
        let is_chosen = at == model.start.chosen;
        if is_chosen {
            paint.text(0, y, 1, ">", Role::Accent);
        }
        let x = paint.text(2, y, 2, &way.key.to_string(), Role::Accent);
        paint.text(x + 2, y, end.saturating_sub(x + 2), &way.word, Role::Critical);
        let x = x + 2 + u16::try_from(widest).unwrap_or(0) + 8;
        paint.text(x, y, end.saturating_sub(x), &way.help, Role::Text);
        if is_chosen {
            paint.over(Rect::new(0, y, end, 1), Role::Selection);
        }
        y += 1;
    }
    y
}

fn labelled(label: &str, text: &str) -> String {
    format!("{}{text}", pad_right(label, LABEL))
}
