//! The columns of the rail beside the name. What leaves first when it gets narrow: cost, attempt, member, time.
use crate::app::Model;
use crate::app::panes::{attempt_of, clock_time, time_of, title};
use crate::app::tally::Look;
use crate::domain::Status;
use crate::domain::state::{Standing, Task, Team};
use crate::text::quantity::money;
use crate::text::{Untrusted, width};

/// Names get at least so many columns.
const MIN_NAME: usize = 12;
/// Names get no more before every other column has its place.
const ENOUGH_NAME: usize = 20;
/// A name of a member gets at most so many columns.
const MAX_WHO: usize = 12;
/// Blanks before a column.
const GAP: usize = 2;
/// Blanks before the time and a bare number: they are rarely as wide as their column.
const TIME_GAP: usize = 1;
/// A note gets at least so many columns, or is not there.
const MIN_NOTE: usize = 16;

/// The columns that there are, each with its width and without the blanks before it; 0: not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Columns {
    /// The name.
    pub name: usize,
    /// The member.
    pub who: usize,
    /// The time spent.
    pub time: usize,
    /// The attempt.
    pub attempt: usize,
    /// The money.
    pub cost: usize,
    /// Why it waits, or what it asks.
    pub note: usize,
    /// The attempt is a bare number below a heading.
    pub headed: bool,
}

impl Columns {
    /// Blanks before member, time, attempt, cost and note.
    pub fn gaps(self) -> [u16; 5] {
        [2, 1, if self.headed { 1 } else { 2 }, 2, 2]
    }
}

/// Shares out what is right of the glyph and the mark.
pub fn columns(team: &Team, room: usize, headed: bool) -> Columns {
    let longest = team.tasks.iter().map(|task| width(&title(task))).max().unwrap_or(0);
    let who =
        team.tasks.iter().filter_map(|task| task.assignee.as_ref()).map(|name| width(name.as_str())).max();
    // Below a heading there is room for the heading.
    let who = who.map(|who| if headed { who.max(3) } else { who });
    let wanted_name = longest.clamp(1, ENOUGH_NAME).max(MIN_NAME);
    let mut left = room;
    let mut take = |columns: usize, gap: usize, keep: usize| {
        let fits = columns > 0 && left >= keep + columns + gap;
        if fits {
            left -= columns + gap;
        }
        if fits { columns } else { 0 }
    };
    let time = take(5, TIME_GAP, MIN_NAME);
    let who = take(who.unwrap_or(0).min(MAX_WHO), GAP, wanted_name);
    let attempt = take(if headed { 3 } else { 5 }, if headed { TIME_GAP } else { GAP }, wanted_name);
    let cost = take(if headed { 5 } else { 0 }, GAP, wanted_name);
    let note = if left >= wanted_name + MIN_NOTE + 2 { left - wanted_name - 2 } else { 0 };
    let name = if note > 0 { wanted_name } else { left };
    Columns { name, who, time, attempt, cost, note, headed }
}

/// Member of a task.
pub fn who(task: &Task) -> String {
    let name = task.assignee.as_ref();
    name.map(|name| Untrusted::from(name.as_str()).line().into_owned()).unwrap_or_default()
}

/// Time spent on a task, if it was begun.
pub fn time(model: &Model, task: &Task) -> String {
    time_of(&model.state, task, model.run_ms()).map(clock_time).unwrap_or_default()
}

/// Which attempt it is at: where there is no heading, only from the second on.
pub fn attempt(task: &Task, headed: bool) -> String {
    match (headed, task.begun) {
        (_, 0) | (false, 1) => String::new(),
        (true, begun) => begun.to_string(),
        (false, begun) => format!("att {begun}"),
    }
}

/// Money spent on a task. Where the price is not known nothing is guessed.
pub fn cost(task: &Task) -> String {
    let spent = task.attempts.iter().fold(0_u64, |sum, record| sum.saturating_add(record.spent_micros));
    if spent > 0 { money(spent) } else { String::new() }
}

/// Why it waits, or what it does.
pub fn note(model: &Model, team: &Team, task: &Task) -> String {
    match Look::of(&model.state, team, task) {
        Look::Asking => question(model, task),
        Look::Held => waits(team, task, "held by", |standing| standing == Standing::Over),
        Look::Blocked => waits(team, task, "after", |_| true),
        Look::Pending => "next".to_owned(),
        Look::Paused => "paused".to_owned(),
        Look::Running => task.progress.as_ref().map(|(_, step)| step.line().into_owned()).unwrap_or_default(),
        Look::Failed | Look::Stale | Look::Cancelled => task.reason.line().into_owned(),
        Look::InReview if task.status() == Status::InReview => "in review".to_owned(),
        Look::InReview | Look::Completed => {
            task.result.as_ref().map(|result| result.text.line().into_owned()).unwrap_or_default()
        }
    }
}

fn question(model: &Model, task: &Task) -> String {
    let attempt = attempt_of(task).and_then(|id| model.state.live.get(&id));
    let question = attempt.and_then(|attempt| attempt.question.as_ref());
    question.map(|question| format!("asks: {}", question.text.shown_line())).unwrap_or_default()
}

fn waits(team: &Team, task: &Task, word: &str, counts: impl Fn(Standing) -> bool) -> String {
    let open: Vec<String> = team
        .open_edges(task)
        .into_iter()
        .filter(|(_, standing)| counts(*standing))
        .filter_map(|(edge, _)| team.task(edge.on))
        .map(title)
        .collect();
    match open.as_slice() {
        [] => String::new(),
        [one] => format!("{word} {one}"),
        many => format!("{word} {} tasks", many.len()),
    }
}
