//! `teamtui runs`: the runs of this project, the newest first.
use super::call::{Call, Done};
use super::{look, place};
use crate::domain::view::{RunRow, RunView, runs};
use crate::domain::{CloseReason, State};
use crate::runtime::{OwnerError, read_run};
use crate::script::act;
use crate::store::{RunDir, RunName, StoreError, owner_of};

/// Prints the table.
pub async fn runs(call: &mut Call<'_>) -> Done {
    let project = call.project()?;
    let standing = project.dir.standing().map_err(look::failed)?;
    let mut rows = Vec::new();
    if standing.has_store() {
        rows.push(row(&standing).await);
    }
    for number in project.dir.runs().map_err(look::failed)?.into_iter().rev() {
        // One that goes away meanwhile is not listed.
        if let Ok(run) = project.dir.run(number) {
            rows.push(row(&run).await);
        }
    }
    if rows.is_empty() {
        call.say("there is no run yet");
        call.say("help: run a file: `teamtui --script FILE`; write one: `teamtui init`");
        return Ok(0);
    }
    call.lines(&runs::table(&rows))?;
    Ok(0)
}

async fn row(run: &RunDir) -> RunRow {
    let size = run.size().map_or(0, |size| size.bytes());
    let number = match run.name() {
        RunName::Standing => None,
        RunName::Numbered(number) => Some(number),
    };
    let empty = RunRow {
        run: number,
        team: "-".to_owned(),
        state: String::new(),
        rc: None,
        took_ms: None,
        completed: None,
        size_bytes: size,
        started: "-".to_owned(),
    };
    match read(run).await {
        Ok((state, now_ms, live)) => {
            let row = filled(empty, &state, now_ms, live);
            if run.is_imported() { imported(row) } else { row }
        }
        Err(word) => RunRow { state: word.to_owned(), ..empty },
    }
}

/// The state, the run's time, and whether it has an owner; a word for why it cannot be read.
async fn read(run: &RunDir) -> Result<(State, u64, bool), &'static str> {
    if owner_of(run).map_err(|e| e.word())?.is_some() {
        let look = look::open(run).await.map_err(|_| "no answer")?;
        let live = look.handle.is_some();
        return Ok((State::clone(&look.state), look.now_ms, live));
    }
    if !run.has_store() {
        return Err("crashed");
    }
    let folder = run.clone();
    let read = tokio::task::spawn_blocking(move || read_run(&folder)).await;
    match read.map_err(|_| "state")? {
        Ok(state) => Ok((state.clone(), state.elapsed_ms, false)),
        Err(OwnerError::Store(StoreError::Owned { .. } | StoreError::InUse { .. })) => Err("live"),
        Err(OwnerError::Store(error)) => Err(error.word()),
        Err(OwnerError::Newer { .. }) => Err("newer"),
        Err(_) => Err("state"),
    }
}

fn filled(row: RunRow, state: &State, now_ms: u64, live: bool) -> RunRow {
    let view = RunView::of(state, now_ms);
    let team = act::last_team(state).and_then(|id| view.teams.iter().find(|t| t.id == id));
    let closed = state.run.closed.as_ref().map(|closed| closed.reason);
    RunRow {
        team: team.map_or_else(|| "-".to_owned(), |t| t.name.to_string()),
        state: word(state, closed, live).to_owned(),
        rc: closed.map(CloseReason::rc),
        took_ms: Some(view.elapsed_ms),
        completed: Some(team.map_or((0, 0), |t| (t.counts.completed, t.counts.total))),
        started: place::clock_short(view.opened_at_ms),
        ..row
    }
}

/// How it ended where it was run, and that it is only read here.
fn imported(row: RunRow) -> RunRow {
    let how = if row.rc.is_some() { row.state.as_str() } else { "not closed" };
    RunRow { state: format!("{how} (imported)"), ..row }
}

fn word(state: &State, closed: Option<CloseReason>, live: bool) -> &'static str {
    match closed {
        Some(CloseReason::RequiredFailed | CloseReason::ScriptFailed) => "failed",
        Some(reason) => reason.word(),
        None if live => "live",
        // The standing run is never closed: without work it stands still.
        None if state.run.header.number.is_none() && state.live.is_empty() => "idle",
        None => "crashed",
    }
}
