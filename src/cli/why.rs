//! `teamtui why TASK`: why a task is not done.
use super::call::{Call, Done, Failed, NOT_FOUND};
use super::look::{self, Look};
use crate::domain::view::Line;
use crate::domain::{Name, State, TaskRef, TeamId};
use crate::runtime::render;
use crate::script::{act, wait};
use crate::verbs::{self, Act, Read};

/// Prints it.
pub async fn why(call: &mut Call<'_>, task: &str) -> Done {
    let asked = verbs::parse_words(&["why".to_owned(), task.to_owned()], false);
    let parsed =
        asked.map_err(|error| error.help.iter().fold(Failed::usage(&error.what), |f, h| f.help(h)))?;
    let Some(Act::Read(read)) = parsed.map(|parsed| parsed.act) else {
        return Err(Failed::usage("no task is named"));
    };
    let project = call.project()?;
    let look = look::seen(call, &project).await?;
    look.team(None)?;
    let lines = answer(&look, None, &read, &project.flags)?;
    if let Some(first) = look.first_line() {
        call.whole(&first)?;
    }
    call.lines(&lines)?;
    Ok(0)
}

/// What a reading verb answers of a state. Without a team it is the live one, or the last that has the task.
pub fn answer(look: &Look, team: Option<TeamId>, read: &Read, flags: &str) -> Result<Vec<Line>, Failed> {
    let state = &look.state;
    let id = team.or_else(|| having(state, read)).or_else(|| act::last_team(state));
    let none = || {
        Failed::new(NOT_FOUND, "not found: there is no team yet").help("make one: `teamtui do create FILE`")
    };
    let id = id.ok_or_else(none)?;
    let team = state.team(id).ok_or_else(none)?;
    let lines = if look.is_crashed() {
        render::crashed_lines(state, id, read, flags, &look.next(flags))
    } else {
        render::read_lines(state, id, read, flags, look.now_ms)
    };
    lines.ok_or_else(|| match read {
        Read::Get(task) | Read::Why(task) => missing(team, task),
        Read::Status | Read::List { .. } => none(),
    })
}

/// The team with the task that is asked for: a live one, else the last.
fn having(state: &State, read: &Read) -> Option<TeamId> {
    let (Read::Get(task) | Read::Why(task)) = read else { return None };
    let has = |id: &TeamId| state.team(*id).is_some_and(|team| team.find_task(task).is_some());
    let live = state.live_teams().map(|(id, _)| id).rev().find(has);
    live.or_else(|| state.teams.keys().rev().copied().find(has))
}

/// There is no such task.
pub fn missing(team: &crate::domain::state::Team, task: &TaskRef) -> Failed {
    let (what, help) = wait::no_task(team, task);
    let failed = Failed::new(NOT_FOUND, format!("not found: {what}"));
    if help.is_empty() {
        let names: Vec<&str> =
            team.tasks.iter().filter_map(|t| t.spec.name.as_ref()).map(Name::as_str).take(10).collect();
        return if names.is_empty() {
            failed
        } else {
            failed.help(format!("there are: {}", names.join(", ")))
        };
    }
    help.into_iter().fold(failed, Failed::help)
}
