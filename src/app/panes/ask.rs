//! What the selected task asks of the person, and the line that answers it.
use crate::domain::Asker;

use super::super::Model;
use super::{handle, title};

/// A question, and how it is answered: both harmless.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// Who asks what.
    pub question: String,
    /// The line of the palette that answers it.
    pub answer: String,
}

/// What the selected task asks of the person; none while it asks nothing.
pub fn asked(model: &Model) -> Option<Asked> {
    let team = model.team()?;
    let task = team.task(model.rail.selected?)?;
    let attempt = model.state.live.get(&super::attempt_of(task)?)?;
    let (name, typed) = (title(task), handle(task));
    match &attempt.question {
        Some(question) if question.of == Asker::Person || !team.has_lead() => Some(Asked {
            question: format!("{name} asks: {}", question.text.shown()),
            answer: format!(": answer {typed} TEXT"),
        }),
        None if attempt.human => Some(Asked {
            question: format!("{name} is yours to do"),
            answer: format!(": complete {typed} TEXT, or : fail {typed} TEXT"),
        }),
        _ => None,
    }
}
