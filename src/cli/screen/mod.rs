//! `teamtui`: the screen, a client of the standing run's owner; with `--here` it owns the run itself.
mod client;
mod commands;
mod first;
mod line;
mod owner;
mod seen;

use super::args::Cli;
use super::{headless, place, restored, serve};
use crate::app::Start;
use crate::domain::StopCause;
use crate::term::{self, ExitKind, ScreenOptions};
use crate::ui::{Glyphs, Theme};
use client::{Client, Way};
use std::io::{IsTerminal, Write};
use std::path::PathBuf;

/// Shows the screen to its exit code.
pub async fn screen(cli: &Cli, err: &mut dyn Write) -> u8 {
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        return headless::refuse(err, "no terminal", &["headless: `teamtui --script FILE`"]);
    }
    let project = match place::project(&cli.at) {
        Ok(project) => project,
        Err(why) => return headless::refuse(err, &why, &[]),
    };
    let run = match project.dir.standing() {
        Ok(run) => run,
        Err(error) => return headless::refuse(err, &place::said(error), &[]),
    };
    let (start, seen) = (first::look(&project, &run), seen::path(&run));
    if let Err(failed) = restored::mend(&run, err).await {
        let help: Vec<&str> = failed.help.iter().map(String::as_str).collect();
        return headless::refuse(err, &failed.why, &help);
    }
    if !cli.here {
        let standing = owner::Standing { run, root: project.root.clone(), state: cli.at.state.clone() };
        let client = Client::new(Way::Standing(standing), project.root.clone(), seen);
        return show(client, start, project.root, err).await;
    }
    let header = serve::header(&run);
    let owned = match headless::own(&run, header).await {
        Ok(owned) => owned,
        Err(error) => return headless::refuse(err, &headless::owner_said(error), &["watch it: `teamtui`"]),
    };
    restored::of_owner(&owned, &run, err).await;
    let listening = headless::listening(&owned, &run);
    let client = Client::new(Way::Here(owned.handle.clone()), project.root.clone(), seen);
    let rc = show(client, start, project.root, err).await;
    owned.interrupt(StopCause::Signal).await;
    drop(listening);
    owned.end().await;
    rc
}

async fn show(client: Client, start: Start, root: PathBuf, err: &mut dyn Write) -> u8 {
    let no_colour = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    let dumb = std::env::var_os("TERM").is_none_or(|t| t.is_empty() || t == "dumb");
    let glyphs = if dumb || !place::is_utf8() { Glyphs::Ascii } else { Glyphs::Unicode };
    let options = ScreenOptions {
        // One screen in a process: its table lives as long.
        commands: Box::leak(Box::new(commands::Table { root })),
        start,
        utc_offset_s: place::utc_offset_s(),
        theme: Theme::chosen(no_colour, dumb),
        glyphs,
    };
    match term::run(client, options).await {
        Ok(ExitKind::Quit) => 0,
        Ok(ExitKind::Signal(number)) => u8::try_from(128_i32.saturating_add(number)).unwrap_or(u8::MAX),
        Ok(ExitKind::Gone) => 129,
        Ok(ExitKind::Ended) => {
            headless::refuse(err, "the owner of the run has ended", &["start again: `teamtui`"])
        }
        Err(error) => headless::refuse(err, &error.to_string(), &[]),
    }
}
