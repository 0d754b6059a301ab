//! What the last recovery found and did, and what it leaves to decide: shown once after an unclean end, and on demand.
use super::title;
use crate::app::Model;
use crate::domain::view::{RecoveryView, RunView};
use crate::domain::{Name, TaskNo, TeamId};
use crate::text::quantity;

/// Names of held tasks that are shown; the rest is counted.
const MAX_HELD: usize = 3;

/// One row of the report, harmless.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row {
    /// Nothing.
    Gap,
    /// A sentence.
    Text(String),
    /// A loss.
    Lost(String),
    /// What was found, and what was done.
    Pair(String, String),
    /// Something to decide, by its number in [`choices`].
    Choice(usize, String),
    /// What can be decided about the one above.
    Keys(String),
}

/// Something to decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Of which team.
    pub team: TeamId,
    /// Its name.
    pub team_name: Name,
    /// The task.
    pub number: TaskNo,
    /// How a command refers to it.
    pub reference: String,
}

/// What is still to be decided, in order.
pub fn choices(model: &Model) -> Vec<Choice> {
    let Some(view) = RecoveryView::of(&model.state) else { return Vec::new() };
    let waiting = view.rows.iter().filter(|row| row.waits);
    waiting
        .filter_map(|row| {
            let task = row.task.as_ref()?;
            let team_name = model.state.team(row.team)?.name.clone();
            let reference = task.reference.clone();
            Some(Choice { team: row.team, team_name, number: task.number, reference })
        })
        .collect()
}

/// The facts of the title rule: `14:32:10, done in 0.6s`.
pub fn facts(model: &Model, view: &RecoveryView) -> String {
    let done = quantity::duration(view.took_ms);
    format!("{}, done in {done}", model.clock.wall(view.at_ms))
}

/// The whole report. `at`: which choice is looked at.
pub fn rows(model: &Model, view: &RecoveryView, at: usize) -> Vec<Row> {
    let when = if view.last_at_ms > 0 {
        format!("at {} ", model.clock.wall(view.last_at_ms))
    } else {
        String::new()
    };
    let mut rows = vec![Row::Text(format!("The owner ended without closing {when}(kill or crash)."))];
    rows.extend(view.lost.iter().map(|lost| Row::Lost(format!("Lost: {lost}."))));
    if view.lost.is_empty() {
        let events = quantity::count(view.last_seq.0);
        rows.push(Row::Text(format!("Nothing acknowledged was lost: {events} events read, chain intact.")));
    }
    rows.extend([Row::Gap, Row::Pair("found".to_owned(), "done".to_owned())]);
    for row in view.rows.iter().filter(|row| !row.waits) {
        let number = row.task.as_ref().map(|task| format!("#{} ", task.number)).unwrap_or_default();
        rows.push(Row::Pair(format!("{number}{}: {}", row.what, row.word), row.done.clone()));
    }
    rows.extend(view.notes.iter().map(|(found, done)| Row::Pair(found.clone(), done.clone())));
    rows.push(Row::Gap);
    decide(model, view, at, &mut rows);
    rows.extend([Row::Gap, Row::Text("the same as text: teamtui status --recovery".to_owned())]);
    rows
}

fn decide(model: &Model, view: &RecoveryView, at: usize, rows: &mut Vec<Row>) {
    let waiting: Vec<_> = view.rows.iter().filter(|row| row.waits).collect();
    rows.push(Row::Text(match waiting.len() {
        0 if !model.attention.is_empty() => {
            format!("nothing new needs you; {} waits in the plan, ] goes there", model.attention.len())
        }
        0 => "nothing needs you: it goes on by itself".to_owned(),
        1 => "one thing needs you".to_owned(),
        n => format!("{n} things need you"),
    }));
    for (nth, row) in waiting.into_iter().enumerate() {
        let Some(task) = &row.task else { continue };
        let named = model.state.task(row.team, task.number).map(title).unwrap_or_default();
        let asked = match row.word {
            "unknown" => "did it finish? It may have written files.".to_owned(),
            word => format!("{word}: {}", row.done),
        };
        rows.push(Row::Choice(nth, format!("#{} {named}   {asked}", task.number)));
        if nth == at {
            let next = task.attempts.len() + 1;
            rows.push(Row::Keys(format!("t retry it as attempt {next}   enter its log   s later")));
            rows.extend(holds(model, row.team, task.number).map(Row::Keys));
        }
    }
}

/// What waits for a task, on the screen as `it holds a, b and 3 more`.
fn holds(model: &Model, team: TeamId, number: TaskNo) -> Option<String> {
    let run = RunView::of(&model.state, model.state.elapsed_ms);
    let tasks = &run.teams.iter().find(|view| view.id == team)?.tasks;
    let held = tasks.iter().filter(|task| task.held_by.iter().any(|cause| cause.number == number));
    let held: Vec<&str> = held.map(|task| task.label.as_str()).collect();
    let more = held.len().saturating_sub(MAX_HELD);
    let named = held.get(..held.len().min(MAX_HELD)).unwrap_or_default().join(", ");
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!held.is_empty()).then(|| format!("it holds {named}{more}; the rest goes on by itself"))
}

/// The first row that is shown so that the choice that is looked at stays in view.
pub fn top(rows: &[Row], at: usize, height: usize) -> usize {
    let is_it = |row: &Row| matches!(row, Row::Choice(nth, _) if *nth == at);
    let wanted = rows.iter().position(is_it).map_or(0, |row| row + 3);
    wanted.saturating_sub(height).min(rows.len().saturating_sub(height))
}
