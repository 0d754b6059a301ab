//! `teamtui import FILE`: a read-only run of a file that `export` wrote.
use super::call::{Call, Done, Failed};
use super::{look, place, prune};
use crate::domain::view::phrase;
use crate::domain::{DecodeError, Fact, Seq};
use crate::store::Record;
use crate::store::archive::{self, ArchiveError, Imported};
use crate::text::sanitise;
use std::path::Path;

/// Takes it in, whole or not at all.
pub async fn import(call: &mut Call<'_>, path: &Path) -> Done {
    let project = call.project()?;
    let shown = sanitise::line(&path.to_string_lossy()).into_owned();
    let file = open(path, &shown)?;
    let (dir, note) = (project.dir.clone(), prune::note());
    let taken = tokio::task::spawn_blocking(move || archive::import(file, &dir, &note, check)).await;
    let taken = taken.map_err(|_| Failed::usage(format!("not imported: {shown}: it cannot be unpacked")))?;
    let imported = taken.map_err(|error| failed(&shown, error))?;
    let run = imported.run.name();
    call.whole(&line(&shown, &imported))?;
    call.flush()?;
    if !imported.note.is_proved() {
        let events = phrase::plural(whole(imported.note.redacted_events), "event", "events");
        call.say(&format!(
            "warning: secrets were redacted in {events}: the chain of hashes is made anew, and that these are the events that were stored cannot be proved"
        ));
    }
    call.say(&format!(
        "help: look at it: `teamtui status --run {run}{0}`, `teamtui verify {run}{0}`",
        project.flags
    ));
    Ok(0)
}

/// `imported run 43 from run-42.tar.zst: run 42, 211 events in 96 commits, 7 logs; read-only`.
fn line(shown: &str, imported: &Imported) -> String {
    let from = imported.note.from_run.map_or("the standing run".to_owned(), |number| format!("run {number}"));
    format!(
        "imported {} from {shown}: {from}, {} in {}, {}; read-only",
        look::title(imported.run.name()),
        phrase::plural(whole(imported.events), "event", "events"),
        phrase::plural(whole(imported.commits), "commit", "commits"),
        phrase::plural(whole(imported.logs), "log", "logs"),
    )
}

fn whole(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// A plain file: a pipe may never end.
fn open(path: &Path, shown: &str) -> Result<std::fs::File, Failed> {
    let unread = |error: std::io::Error| Failed::usage(format!("cannot read {shown}: {}", error.kind()));
    if !path.metadata().map_err(unread)?.is_file() {
        return Err(Failed::usage(format!("cannot read {shown}: it is no regular file")));
    }
    std::fs::File::open(path).map_err(unread)
}

/// Can the event be read? One of a newer teamtui is taken as it is.
fn check(seq: u64, record: &Record) -> Result<(), String> {
    match Fact::decode(Seq(seq), record.kind, record.version, &record.body) {
        Ok(_) | Err(DecodeError::Newer { .. }) => Ok(()),
        Err(why) => Err(why.to_string()),
    }
}

fn failed(shown: &str, error: ArchiveError) -> Failed {
    match error {
        ArchiveError::Refused(why) => Failed::usage(format!("not imported: {shown}: {why}"))
            .help("nothing was made of it; take it out again: `teamtui export RUN FILE`"),
        ArchiveError::Store(error) => Failed::usage(format!("not imported: {shown}: {}", place::said(error))),
        other => Failed::usage(format!("not imported: {shown}: {}", sanitise::line(&other.to_string()))),
    }
}
