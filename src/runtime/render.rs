//! The text views of the state, for members that read them.
use crate::agent::Render;
use crate::domain::view::{Line, RunView, TeamView, Why, status};
use crate::domain::{State, TeamId};
use crate::verbs::Read;

/// As `teamtui status`, `list`, `get` and `why` print them.
pub struct Views;

impl Render for Views {
    fn read(&self, state: &State, team: TeamId, read: &Read) -> Vec<String> {
        lines(state, team, read, "").unwrap_or_default()
    }

    fn report(&self, state: &State, id: TeamId) -> Vec<String> {
        let run = RunView::of(state, state.elapsed_ms);
        let team = run.teams.iter().find(|t| t.id == id);
        team.map(|team| plain(status::status(&run, team))).unwrap_or_default()
    }
}

/// The lines that answer a reading verb; none where the team or task is not there. `flags` stand in the commands of its
/// help lines.
pub fn lines(state: &State, id: TeamId, read: &Read, flags: &str) -> Option<Vec<String>> {
    read_lines(state, id, read, flags, state.elapsed_ms).map(plain)
}

/// The same with its colours, at a moment of the run's time.
pub fn read_lines(state: &State, id: TeamId, read: &Read, flags: &str, now_ms: u64) -> Option<Vec<Line>> {
    if let Read::Why(task) = read {
        let number = state.team(id)?.find_task(task)?;
        return Why::of(state, id, number, flags).map(|why| why.lines());
    }
    viewed(&RunView::of(state, now_ms), state, id, read)
}

/// The same of a run whose owner ended without closing it; `next` is the command that goes on.
pub fn crashed_lines(state: &State, id: TeamId, read: &Read, flags: &str, next: &str) -> Option<Vec<Line>> {
    if let Read::Why(task) = read {
        let number = state.team(id)?.find_task(task)?;
        let why = Why::of(state, id, number, flags)?;
        let is_over = state.task(id, number)?.status().is_final();
        let why = if is_over { why } else { why.crashed(state.elapsed_ms, next) };
        return Some(why.lines());
    }
    viewed(&RunView::of(state, state.elapsed_ms).unowned(), state, id, read)
}

fn viewed(run: &RunView, state: &State, id: TeamId, read: &Read) -> Option<Vec<Line>> {
    let team = state.team(id)?;
    let view: &TeamView = run.teams.iter().find(|t| t.id == id)?;
    match read {
        Read::Status | Read::Why(_) => Some(status::status(run, view)),
        Read::List { status: goals, assignee } => {
            let words: Vec<&str> = goals.iter().map(|goal| goal.word()).collect();
            Some(status::list(view, &words, assignee.first()))
        }
        Read::Get(task) => {
            let number = team.find_task(task)?;
            Some(status::get(view.task(number)?, team, team.task(number)?))
        }
    }
}

fn plain(lines: Vec<Line>) -> Vec<String> {
    lines.iter().map(Line::plain).collect()
}
