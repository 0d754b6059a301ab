//! `teamtui export`: a run as one file, or the commands that were given as a script.
mod text;

use super::call::{Call, Done, Failed};
use super::history::History;
use super::look::{self, Look};
use super::place::Project;
use super::restored;
use crate::domain::view::phrase;
use crate::runtime::OwnerError;
use crate::store::archive::{self, ArchiveError, Exported, Secrets};
use crate::store::{Reader, RunDir, RunName, StoreError};
use crate::text::quantity::size;
use crate::text::sanitise;
use std::path::{Path, PathBuf};
use text::Told;

/// Writes the file. A run with an owner is refused: it still grows.
pub async fn export(call: &mut Call<'_>, words: &[PathBuf], force: bool) -> Done {
    let project = call.project()?;
    let (run, file) = meant(call, &project, words).await?;
    if !run.has_store() {
        let why = format!("not found: {} has no facts yet", look::title(run.name()));
        return Err(Failed::new(super::call::NOT_FOUND, why).help("the others: `teamtui runs`"));
    }
    let (folder, to) = (run.clone(), file.clone());
    let written = tokio::task::spawn_blocking(move || write(&folder, &to, force)).await;
    let written = written.map_err(|error| Failed::usage(error.to_string()))?;
    let (said, exported) = written.map_err(|error| failed(&run, &file, error))?;
    let exported_line = line(&run, &said, &exported);
    call.whole(&exported_line)?;
    Ok(0)
}

/// `exported run 42: 211 events, 7 logs, ci.toml, the report; 604 KiB; 2 secrets redacted`.
fn line(run: &RunDir, said: &str, exported: &Exported) -> String {
    let plural =
        |n: u64, one: &str, many: &str| phrase::plural(usize::try_from(n).unwrap_or(usize::MAX), one, many);
    format!(
        "exported {}: {}, {}{said}; {}; {} redacted",
        look::title(run.name()),
        plural(exported.events, "event", "events"),
        plural(exported.logs, "log", "logs"),
        size(exported.bytes),
        plural(exported.secrets, "secret", "secrets"),
    )
}

/// The run and the file that are meant: `RUN FILE`, `RUN`, `--run RUN FILE`, `FILE` or nothing.
async fn meant(call: &Call<'_>, project: &Project, words: &[PathBuf]) -> Result<(RunDir, PathBuf), Failed> {
    let named = call.cli.at.run.as_deref();
    let is_run = |word: &Path| {
        let word = word.to_str().unwrap_or_default();
        word == "standing" || (!word.is_empty() && word.bytes().all(|b| b.is_ascii_digit()))
    };
    let (name, file) = match (named, words) {
        (Some(_), [_, second]) => {
            let second = sanitise::line(&second.to_string_lossy()).into_owned();
            return Err(Failed::usage(format!("`{second}` is one argument too many: `--run` says the run"))
                .help("`teamtui export --run RUN FILE`"));
        }
        (Some(name), rest) => (Some(name.to_owned()), rest.first()),
        (None, [first, rest @ ..]) if is_run(first) => (first.to_str().map(str::to_owned), rest.first()),
        (None, [first, _]) => {
            let first = sanitise::line(&first.to_string_lossy()).into_owned();
            return Err(Failed::usage(format!("`{first}` is no run"))
                .help("it is `standing` or a number: `teamtui export RUN FILE`"));
        }
        (None, rest) => (None, rest.first()),
    };
    let run = match name {
        Some(name) => look::named(project, &name)?,
        None => look::look(project, None).await?.run,
    };
    let file = file.cloned().unwrap_or_else(|| PathBuf::from(format!("run-{}.tar.zst", run.name())));
    if file.is_dir() {
        let shown = sanitise::line(&file.to_string_lossy()).into_owned();
        return Err(Failed::usage(format!("{shown} is a folder")).help("name a file in it"));
    }
    Ok((run, file))
}

fn write(run: &RunDir, to: &Path, force: bool) -> Result<(String, Exported), ArchiveError> {
    // Held from here on: what is told and what goes out are one run.
    let reader = Reader::open(run)?;
    let (texts, said, mut variables) = match Told::of(run) {
        Ok(told) => (told.texts(), told.said(), told.variables()),
        Err(OwnerError::Store(error)) => return Err(error.into()),
        // What this teamtui cannot read goes out as it is.
        Err(_) => (Vec::new(), String::new(), Vec::new()),
    };
    variables.extend(
        std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?))),
    );
    let exported = archive::export(&reader, run, &texts, Secrets::of(variables), to, force)?;
    Ok((said, exported))
}

fn failed(run: &RunDir, file: &Path, error: ArchiveError) -> Failed {
    let shown = sanitise::line(&file.to_string_lossy()).into_owned();
    match error {
        ArchiveError::Store(StoreError::Owned { owner, .. }) => look::owned(run.name(), &owner)
            .help(format!("export it when nobody owns it: `teamtui export {}`", run.name())),
        ArchiveError::Store(error) if error.word() == "damaged" => {
            look::failed(error).help(format!("see what can be trusted: `teamtui verify {}`", run.name()))
        }
        ArchiveError::Store(error) => look::failed(error),
        ArchiveError::Exists { .. } => {
            let name = match run.name() {
                RunName::Standing => "standing".to_owned(),
                RunName::Numbered(number) => number.to_string(),
            };
            let pasted = crate::text::shell_word(&shown).unwrap_or(shown.clone());
            Failed::usage(format!("{shown} exists"))
                .help(format!("write over it: `teamtui export {name} {pasted} --force`"))
        }
        other => Failed::usage(sanitise::line(&other.to_string()).into_owned()),
    }
}

/// Prints the commands as a script.
pub async fn script(call: &mut Call<'_>) -> Done {
    let project = call.project()?;
    let look = look::look(&project, call.cli.at.run.as_deref()).await?;
    restored::of_look(call, &look);
    for line in lines(&look).await? {
        call.whole(&line)?;
    }
    Ok(0)
}

/// The line of each command that a person or a script gave, in order.
pub async fn lines(look: &Look) -> Result<Vec<String>, Failed> {
    given(History::of(look).await?).await
}

/// The same of facts that were there when it began.
pub async fn given(mut history: History) -> Result<Vec<String>, Failed> {
    let mut lines = Vec::new();
    while !history.is_caught_up() {
        let Some(fact) = history.next().await? else { break };
        lines.extend(fact.line.iter().map(|line| line.line().into_owned()));
    }
    Ok(lines)
}
