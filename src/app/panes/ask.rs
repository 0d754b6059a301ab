//! What the selected task asks of the person, and the line that answers it.
use crate::domain::Asker;
use crate::domain::state::{Phase, Task, Team};
use crate::text::wrap;

use super::super::Model;
use super::attention::waits_for_person;
use super::{handle, title};

/// Rows of a question that are shown below a log; the rest is counted.
const MAX_ROWS: usize = 4;

/// A question, and how it is answered: both harmless.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// Who asks what, by line.
    pub question: Vec<String>,
    /// The line of the palette that answers it.
    pub answer: String,
}

impl Asked {
    /// The question in rows of at most so many columns.
    pub fn rows(&self, columns: usize) -> Vec<String> {
        let mut rows: Vec<String> = self.question.iter().flat_map(|line| wrap(line, columns)).collect();
        if rows.len() > MAX_ROWS {
            let more = rows.len() - MAX_ROWS + 1;
            rows.truncate(MAX_ROWS - 1);
            rows.push(format!("and {more} more lines; enter shows all"));
        }
        rows
    }
}

/// What the selected task asks of the person; none while it asks nothing.
pub fn asked(model: &Model) -> Option<Asked> {
    let team = model.team()?;
    let task = team.task(model.rail.selected?)?;
    let (name, typed) = (title(task), handle(task));
    if task.phase == Phase::InReview && waits_for_person(team, task) {
        return Some(Asked {
            question: vec![format!("{name} waits for your review")],
            answer: format!(": approve {typed}, or : send_back {typed} TEXT"),
        });
    }
    if let Some(lines) = question(model, team, task) {
        let mut lines = lines.into_iter();
        let first = format!("{name} asks: {}", lines.next().unwrap_or_default());
        return Some(Asked {
            question: std::iter::once(first).chain(lines).collect(),
            answer: format!(": answer {typed} TEXT"),
        });
    }
    let attempt = model.state.live.get(&super::attempt_of(task)?)?;
    attempt.human.then(|| Asked {
        question: vec![format!("{name} is yours to do")],
        answer: format!(": complete {typed} TEXT, or : fail {typed} TEXT"),
    })
}

/// What a task asks of the person, by line.
pub fn question(model: &Model, team: &Team, task: &Task) -> Option<Vec<String>> {
    let attempt = model.state.live.get(&super::attempt_of(task)?)?;
    let question = attempt.question.as_ref()?;
    (question.of == Asker::Person || !team.has_lead()).then(|| question.text.shown_lines())
}
