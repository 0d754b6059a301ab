//! What each pane shows and where it stands, without a cell of how it is drawn.
pub mod ask;
pub mod attention;
pub mod detail;
pub mod log;
pub mod rail;
pub mod recovery;

pub use ask::asked;
pub use attention::Item;
pub use detail::{Detail, detail};
pub use log::LogPane;
pub use rail::RailPane;

use crate::domain::state::{Phase, Task, Team};
use crate::domain::{AttemptId, State};

/// What a person reads: its title where one was given, else its name, else `#12`.
pub fn title(task: &Task) -> String {
    match &task.spec.title {
        Some(title) if !title.line().trim().is_empty() => title.line().trim().to_owned(),
        _ => handle(task),
    }
}

/// What is shown beside that: the title of the member whose brief it is.
pub fn beside(team: &Team, task: &Task) -> Option<String> {
    team.title_of(task).filter(|beside| *beside != title(task))
}

/// What a person types: its name, else `#12`.
pub fn handle(task: &Task) -> String {
    task.spec.name.as_ref().map_or_else(|| format!("#{}", task.number), ToString::to_string)
}

/// The attempt whose output belongs to a task now: the live one, its review's, else the last.
pub fn attempt_of(task: &Task) -> Option<AttemptId> {
    match task.phase {
        Phase::Running(id) => Some(id),
        _ => task.review.live.or_else(|| task.attempts.last().map(|record| record.id)),
    }
}

/// Time spent in attempts at a task, the live one among them, ms. None: no attempt has begun.
pub fn time_of(state: &State, task: &Task, run_ms: u64) -> Option<u64> {
    let ended = task.attempts.iter().fold(0_u64, |sum, record| sum.saturating_add(record.took_ms));
    let live = match task.phase {
        Phase::Running(id) => state.live.get(&id).map(|attempt| attempt.took_ms(run_ms)),
        _ => None,
    };
    (live.is_some() || !task.attempts.is_empty()).then(|| ended.saturating_add(live.unwrap_or(0)))
}

/// A duration as the screen has it: `0m48`, `14m02`, `2h11`, `3d04`.
pub fn clock_time(ms: u64) -> String {
    let (minutes, seconds) = (ms / 60_000, ms / 1000 % 60);
    match minutes {
        0..60 => format!("{minutes}m{seconds:02}"),
        60..1440 => format!("{}h{:02}", minutes / 60, minutes % 60),
        _ => format!("{}d{:02}", minutes / 1440, minutes / 60 % 24),
    }
}
