//! `teamtui serve`: the owner of the standing run.
use super::args::Cli;
use super::{headless, place, signal};
use crate::domain::RunHeader;
use crate::server::{self, Served};
use crate::store::RunDir;
use std::io::Write;

/// Owns the standing run until it is not needed.
pub async fn serve(cli: &Cli, err: &mut dyn Write) -> u8 {
    let project = match place::project(&cli.at) {
        Ok(project) => project,
        Err(why) => return headless::refuse(err, &why, &[]),
    };
    let run = match project.dir.standing() {
        Ok(run) => run,
        Err(error) => return headless::refuse(err, &place::said(error), &[]),
    };
    // Its own session: closing the terminal it was started from ends no work.
    let _ = rustix::process::setsid();
    let owned = match headless::own(&run, header(&run)).await {
        Ok(owned) => owned,
        Err(error) => {
            return headless::refuse(
                err,
                &headless::owner_said(error),
                &["watch it: `teamtui status --watch`"],
            );
        }
    };
    let listening = match headless::listening(&owned, &run) {
        Ok(listening) => listening,
        Err(why) => {
            return headless::refuse(err, &format!("the socket of the run cannot be opened: {why}"), &[]);
        }
    };
    let Ok(mut signals) = signal::signals() else {
        return headless::refuse(err, "signals cannot be handled here", &[]);
    };
    let signal = async move { signals.recv().await.unwrap_or_default() };
    match server::serve(owned, listening, signal).await {
        Served::Idle | Served::Asked => 0,
        Served::Signal(number) => u8::try_from(128_i32.saturating_add(number)).unwrap_or(u8::MAX),
    }
}

/// The first event of a standing run that has none.
pub fn header(run: &RunDir) -> Option<RunHeader> {
    let header = RunHeader { run: uuid::Uuid::now_v7().to_string(), ..RunHeader::default() };
    (!run.has_store()).then_some(header)
}
