//! The boxes that ask or tell.
use ratatui::layout::Rect;

use crate::app::dialog::{Dissolve, Fact, Reply, dissolve_facts, quit_lines};
use crate::app::layout::{box_columns, boxed};
use crate::app::panes::detail;
use crate::app::tally::Look;
use crate::app::{Dialog, Model};
use crate::domain::TaskNo;
use crate::text::{Untrusted, cut_words, width, wrap};
use crate::ui::Role;
use crate::ui::paint::Paint;

/// Columns of the labels of the dissolve box.
const LABEL: u16 = 13;
/// Columns of its counts, the gap behind them counted.
const COUNT: u16 = 5;

/// Draws a box.
pub fn draw(model: &Model, dialog: &Dialog, paint: &mut Paint<'_>) {
    match dialog {
        // The keys have a widget of their own.
        Dialog::Help(_) => {}
        Dialog::Quit => quit(model, paint),
        Dialog::Dissolve(open) => dissolve(model, open, paint),
        Dialog::Detail(number) => one_task(model, *number, paint),
        Dialog::Reply(reply) => answer(model, reply, paint),
    }
}

fn quit(model: &Model, paint: &mut Paint<'_>) {
    let lines = quit_lines(model);
    let widest = lines.iter().map(|line| width(line)).max().unwrap_or(0);
    let columns = u16::try_from(widest + 4).unwrap_or(u16::MAX).clamp(40, 72);
    let area = boxed(model.size, lines.len(), columns);
    let inner = paint.boxed(area, "quit", "");
    for (y, line) in (inner.y..inner.bottom()).zip(&lines) {
        paint.text(inner.x, y, inner.width, line, Role::Text);
    }
}

fn dissolve(model: &Model, open: &Dissolve, paint: &mut Paint<'_>) {
    let facts = dissolve_facts(model, open);
    let name = model.state.team(open.team).map(|team| team.name.to_string()).unwrap_or_default();
    let area = boxed(model.size, facts.len(), box_columns(model.size.0));
    let warning = if open.asked.is_none() { "cannot be undone" } else { "" };
    let inner = paint.boxed(area, &format!("dissolve {name}"), warning);
    let has_labels = facts.iter().any(|fact| !fact.label.is_empty());
    for (y, fact) in (inner.y..inner.bottom()).zip(&facts) {
        let row = Rect { y, height: 1, ..inner };
        if has_labels {
            labelled(paint, row, fact);
        } else {
            paint.text(row.x, row.y, row.width, &fact.fitting(usize::from(row.width)), Role::Text);
        }
    }
}

/// A fact with its label and count; zero counts are dim, so that the eye finds what is not zero.
fn labelled(paint: &mut Paint<'_>, row: Rect, fact: &Fact) {
    let role = if fact.count == Some(0) { Role::Dim } else { Role::Text };
    paint.text(row.x, row.y, LABEL.min(row.width), fact.label, role);
    let x = row.x + LABEL;
    if let Some(count) = fact.count {
        paint.text(x, row.y, row.right().saturating_sub(x), &count.to_string(), role);
    }
    let x = x + COUNT;
    let room = row.right().saturating_sub(x);
    paint.text(x, row.y, room, &fact.fitting(usize::from(room)), role);
}

fn one_task(model: &Model, number: TaskNo, paint: &mut Paint<'_>) {
    let Some(task) = model.team().and_then(|team| team.task(number)) else { return };
    let columns = box_columns(model.size.0);
    let room = usize::from(columns.saturating_sub(12));
    let mut rows: Vec<(&str, String, Role)> = Vec::new();
    for line in detail(model, task) {
        let role = if line.is_wrong { Role::Error } else { Role::Text };
        for (at, text) in wrap(&line.whole(), room).into_iter().enumerate() {
            rows.push((if at == 0 { line.label } else { "" }, text, role));
        }
    }
    let area = boxed(model.size, rows.len(), columns);
    let heading = detail::heading(model, task);
    let inner = paint.boxed(area, &cut_words(&heading, usize::from(columns.saturating_sub(6))), "");
    for (y, (label, text, role)) in (inner.y..inner.bottom()).zip(&rows) {
        paint.text(inner.x, y, inner.width.min(8), label, Role::Dim);
        let x = inner.x + 8;
        paint.text(x, y, inner.right().saturating_sub(x), text, *role);
    }
}

fn answer(model: &Model, reply: &Reply, paint: &mut Paint<'_>) {
    let columns = box_columns(model.size.0);
    let room = usize::from(columns.saturating_sub(4));
    let mark = if reply.refused { format!("{} ", paint.glyphs.status(Look::Failed)) } else { String::new() };
    let mut rows = Vec::new();
    for (at, line) in reply.lines.iter().enumerate() {
        let mark = if at == 0 { mark.as_str() } else { "" };
        rows.extend(wrap(&format!("{mark}{line}"), room));
    }
    if reply.refused {
        rows.push(String::new());
        rows.push("Nothing was applied.".to_owned());
    }
    let area = boxed(model.size, rows.len(), columns);
    let title = Untrusted::from(reply.line.as_str());
    let state = if reply.refused { "refused" } else { "" };
    let inner = paint.boxed(area, &cut_words(&title.line(), room.saturating_sub(12)), state);
    let top = reply.top.min(rows.len().saturating_sub(usize::from(inner.height)));
    for (y, line) in (inner.y..inner.bottom()).zip(rows.iter().skip(top)) {
        let role = if reply.refused && y == inner.y { Role::Error } else { Role::Text };
        paint.text(inner.x, y, inner.width, line, role);
    }
}
