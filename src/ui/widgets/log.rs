//! The log: the title says whose, and the newest rows stand below it until someone scrolls up.
use ratatui::layout::Rect;

use crate::app::layout::{Shape, Slot, shape};
use crate::app::panes::{asked, clock_time, title};
use crate::app::tally::Look;
use crate::app::{Link, Model, Pane};
use crate::domain::state::{Phase, Task};
use crate::text::{quantity, wrap};
use crate::ui::Role;
use crate::ui::paint::Paint;

/// Columns from which the title says more than whose it is.
const WIDE_COLUMNS: u16 = 60;
/// Columns below which it does not say which pane it is.
const NAMED_COLUMNS: u16 = 40;

/// Draws the log with its title.
pub fn draw(model: &Model, paint: &mut Paint<'_>, slot: &Slot) {
    let columns = usize::from(slot.body.width);
    let (lines, below) = model.log.view(columns, usize::from(slot.body.height));
    heading(model, paint, slot.title, below);
    foot(model, paint, slot.foot);
    if lines.is_empty() {
        empty(model, paint, slot.body);
        return;
    }
    for (at, line) in lines.iter().enumerate() {
        let y = slot.body.y + u16::try_from(at).unwrap_or(u16::MAX);
        paint.spans(slot.body.x, y, slot.body.width, line);
    }
}

fn heading(model: &Model, paint: &mut Paint<'_>, area: Rect, below: usize) {
    let is_one = shape(model.size.0, model.size.1) == Shape::One;
    let is_focus = model.focus == Pane::Logs;
    let pane = match (is_one || area.width < NAMED_COLUMNS, is_focus) {
        (true, true) if !is_one => "[2]",
        (true, _) => "",
        (_, true) => "[2 logs]",
        (_, false) => " 2 logs ",
    };
    let task = selected(model);
    let whose = task.map(|task| {
        let member = super::column::who(task);
        format!(" {member}{}#{} {} ", if member.is_empty() { "" } else { " " }, task.number, title(task))
    });
    let live = model.log.attempt.and_then(|id| model.state.live.get(&id));
    let took = live.map(|attempt| clock_time(attempt.took_ms(model.run_ms())));
    let below = (below > 0).then(|| format!("{} below", quantity::count(u64::try_from(below).unwrap_or(0))));
    let following =
        live.filter(|_| model.log.is_following() && model.is_up()).map(|_| "following".to_owned());
    let parts = match area.width {
        WIDE_COLUMNS.. => [took, below.or(following)],
        NAMED_COLUMNS.. => [below.or(following), None],
        _ => [below.or(took), None],
    };
    let facts: Vec<String> = match model.link {
        Link::Lost { .. } => Vec::new(),
        _ => parts.into_iter().flatten().collect(),
    };
    let whose = whose.unwrap_or_default();
    let room = usize::from(area.width.saturating_sub(4)).saturating_sub(crate::text::width(pane));
    let whose = crate::text::cut(&whose, room);
    paint.rule(area, &format!("{pane}{whose}"), &facts.join(", "), is_focus && !is_one);
}

fn selected(model: &Model) -> Option<&Task> {
    model.team()?.task(model.rail.selected?)
}

/// What its task asks, and the line that answers it.
fn foot(model: &Model, paint: &mut Paint<'_>, area: Rect) {
    let Some(asked) = asked(model).filter(|_| !area.is_empty()) else { return };
    let last = area.bottom().saturating_sub(1);
    for (y, row) in (area.y..last).zip(asked.rows(usize::from(area.width))) {
        paint.text(area.x, y, area.width, &row, Role::NeedsYou);
    }
    paint.text(area.x, last, area.width, &asked.answer, Role::Accent);
}

/// What would be here.
fn empty(model: &Model, paint: &mut Paint<'_>, body: Rect) {
    let (Some(team), Some(task)) = (model.team(), selected(model)) else { return };
    let name = title(task);
    let text = match task.phase {
        Phase::Running(_) if Look::of(&model.state, team, task) == Look::Asking => {
            format!("{name} has not written yet: it waits for you.")
        }
        Phase::Running(id) => {
            let took = model.state.live.get(&id).map_or(0, |attempt| attempt.took_ms(model.run_ms()));
            format!("{name} has not written yet (running {}).", clock_time(took))
        }
        _ if !task.attempts.is_empty() && !model.log.is_heard() => return,
        _ if task.attempts.is_empty() => {
            let look = Look::of(&model.state, team, task).word();
            format!("{name} has not started: it is {look}. w says why.")
        }
        _ => format!("{name} wrote nothing."),
    };
    for (at, line) in wrap(&text, usize::from(body.width)).iter().enumerate() {
        let y = body.y + u16::try_from(at).unwrap_or(u16::MAX);
        if y < body.bottom() {
            paint.text(body.x, y, body.width, line, Role::Dim);
        }
    }
}
