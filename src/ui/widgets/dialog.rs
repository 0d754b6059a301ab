//! The boxes that ask or tell.
use ratatui::layout::Rect;

use super::recovery;
use crate::app::dialog::{
    DETAIL_LABEL, Dissolve, Fact, Reply, detail_rows, dissolve_facts, quit_lines, reply_rows,
};
use crate::app::layout::{box_columns, boxed};
use crate::app::panes::detail;
use crate::app::tally::Look;
use crate::app::{Dialog, Model};
use crate::domain::TaskNo;
use crate::text::{Untrusted, cut_words, width};
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
        Dialog::Recovery(at) => recovery::draw(model, *at, paint),
        Dialog::Quit => quit(model, paint),
        Dialog::Dissolve(open) => dissolve(model, open, paint),
        Dialog::Detail(number, top) => one_task(model, *number, *top, paint),
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

fn one_task(model: &Model, number: TaskNo, top: usize, paint: &mut Paint<'_>) {
    let Some(task) = model.team().and_then(|team| team.task(number)) else { return };
    let rows = detail_rows(model, number);
    let area = boxed(model.size, rows.len(), box_columns(model.size.0));
    let heading = detail::heading(model, task);
    let heading = cut_words(&heading, usize::from(area.width.saturating_sub(16)));
    let inner = paint.boxed(area, &heading, &below(rows.len(), top, area));
    for (y, (label, text, is_wrong)) in (inner.y..inner.bottom()).zip(rows.iter().skip(top)) {
        let columns = u16::try_from(DETAIL_LABEL).unwrap_or(0).min(inner.width);
        paint.text(inner.x, y, columns, label, Role::Dim);
        let x = inner.x + columns;
        let role = if *is_wrong { Role::Error } else { Role::Text };
        paint.text(x, y, inner.right().saturating_sub(x), text, role);
    }
}

fn answer(model: &Model, reply: &Reply, paint: &mut Paint<'_>) {
    let rows = reply_rows(model, reply);
    let area = boxed(model.size, rows.len(), box_columns(model.size.0));
    let title = Untrusted::from(reply.line.as_str());
    let title = cut_words(&title.line(), usize::from(area.width.saturating_sub(16))).into_owned();
    let state = if reply.refused { "refused".to_owned() } else { below(rows.len(), reply.top, area) };
    let inner = paint.boxed(area, &title, &state);
    for (y, (at, line)) in (inner.y..inner.bottom()).zip(rows.iter().enumerate().skip(reply.top)) {
        let is_first = reply.refused && at == 0;
        paint.text(inner.x, y, inner.width, line, if is_first { Role::Error } else { Role::Text });
        if is_first {
            paint.text(inner.x, y, 1, paint.glyphs.status(Look::Failed), Role::Error);
        }
    }
}

/// How many rows of a box are below it.
pub(super) fn below(rows: usize, top: usize, area: Rect) -> String {
    let end = top + usize::from(area.height.saturating_sub(2));
    let below = rows.saturating_sub(end);
    if below > 0 { format!("{below} below, j goes down") } else { String::new() }
}
