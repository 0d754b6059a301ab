//! `teamtui serve`: the owner of the standing run.
use super::call::{Call, Done, Failed};
use super::{headless, look, signal};
use crate::domain::RunHeader;
use crate::runtime::OwnerError;
use crate::server::{self, Served};
use crate::store::{RunDir, StoreError};

/// Owns the standing run until it is not needed.
pub async fn serve(call: &mut Call<'_>) -> Done {
    let project = call.project()?;
    let run = project.dir.standing().map_err(look::failed)?;
    // Its own session: closing the terminal it was started from ends no work. One who leads a group stays in its own.
    let _ = rustix::process::setsid();
    let signals =
        signal::signals().map_err(|e| Failed::usage(format!("signals cannot be handled here: {e}")))?;
    let owned = headless::own(&run, header(&run)).await.map_err(|error| refused(&run, error))?;
    let listening = match headless::listening(&owned, &run) {
        Ok(listening) => listening,
        Err(why) => {
            owned.end().await;
            return Err(Failed::usage(format!("the socket of the run cannot be opened: {why}")));
        }
    };
    call.say(&format!(
        "serving the standing run of {} at {}; it ends by itself when nothing is left to do",
        shown(&project.root),
        server::sockets(&run).map_or_else(|_| String::new(), |sockets| shown(&sockets.owner))
    ));
    match server::serve(owned, listening, signals).await {
        Served::Idle => Ok(0),
        Served::Signal(number) => Ok(signal::rc(number)),
    }
}

fn shown(path: &std::path::Path) -> String {
    crate::text::sanitise::line(&path.to_string_lossy()).into_owned()
}

/// Why a run is not ours.
pub fn refused(run: &RunDir, error: OwnerError) -> Failed {
    match error {
        OwnerError::Store(StoreError::Owned { owner, .. }) => look::owned(run.name(), &owner),
        OwnerError::Store(StoreError::Imported { .. }) => look::imported(run.name()),
        other => Failed::usage(headless::owner_said(other)),
    }
}

/// The first event of a standing run, where it has none yet.
pub fn header(run: &RunDir) -> Option<RunHeader> {
    let header = RunHeader { run: uuid::Uuid::now_v7().to_string(), ..RunHeader::default() };
    (!run.has_store()).then_some(header)
}
