//! Reading a run: from its owner where it has one, else from its store.
use super::call::{Call, Failed, NOT_FOUND};
use super::place::{self, Project};
use super::restored;
use crate::domain::state::Team;
use crate::domain::view::RunView;
use crate::domain::{Name, Rejection, State, TeamId};
use crate::runtime::{ConnectError, Handle, OwnerError, Remote, read_or_restore};
use crate::script::act;
use crate::store::{OwnerNote, Restored, RunDir, RunName, StoreError, owner_of};
use crate::text::quantity::duration;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Between two looks at a run whose owner comes or goes.
const LOOK_TIME: Duration = Duration::from_millis(20);
/// How long an owner may take to listen, or to answer.
pub const OWNER_TIME: Duration = Duration::from_secs(5);

/// A run as it stands.
pub struct Look {
    /// Its folder.
    pub run: RunDir,
    /// The fold of its log.
    pub state: Arc<State>,
    /// The run's time.
    pub now_ms: u64,
    /// Its owner; none: nobody owns it.
    pub handle: Option<Handle>,
    /// It was named, or it is the standing one: line one need not name it.
    pub expected: bool,
    /// What had to be restored of it, to be said once.
    pub restored: Option<Restored>,
}

impl Look {
    /// The team that is meant: the named one, else the live one that was made last, else the last.
    pub fn team(&self, name: Option<&Name>) -> Result<(TeamId, &Team), Failed> {
        let id = match name {
            Some(name) => self.state.find_team(name).map(|(id, _)| id),
            None => act::last_team(&self.state),
        };
        let found = id.and_then(|id| self.state.team(id).map(|team| (id, team)));
        found.ok_or_else(|| match name {
            Some(name) => no_team(&self.state, name),
            None => Failed::new(NOT_FOUND, format!("not found: {} has no team yet", title(self.run.name())))
                .help("make one: `teamtui do create FILE`"),
        })
    }

    /// Its number, where it came from an archive.
    pub fn imported(&self) -> Option<u64> {
        match self.run.name() {
            RunName::Numbered(number) if self.run.is_imported() => Some(number),
            _ => None,
        }
    }

    /// Its owner ended without closing it: what is recorded as live does not run.
    pub fn is_crashed(&self) -> bool {
        self.handle.is_none() && self.state.run.closed.is_none() && !self.state.live.is_empty()
    }

    /// The run as every face shows it.
    pub fn view(&self) -> RunView {
        let view = RunView::of(&self.state, self.now_ms);
        if self.is_crashed() { view.unowned() } else { view }
    }

    /// The command that goes on with a run whose owner died.
    pub fn next(&self, flags: &str) -> String {
        match self.run.name() {
            RunName::Numbered(number) => format!("`teamtui resume {number}{flags}`"),
            RunName::Standing => format!("`teamtui{flags}`; without a terminal: `teamtui{flags} do status`"),
        }
    }

    /// `run 42: ci`, where the caller may not expect that it is this one.
    pub fn first_line(&self) -> Option<String> {
        let team = act::last_team(&self.state).and_then(|id| self.state.team(id));
        let team = team.map_or_else(String::new, |team| format!(": {}", team.name));
        (!self.expected).then(|| format!("{}{team}", title(self.run.name())))
    }
}

fn no_team(state: &State, name: &Name) -> Failed {
    let failed = Failed::new(NOT_FOUND, format!("not found: there is no team `{name}`"));
    let names: Vec<&str> = state.teams.values().map(|t| t.name.as_str()).collect();
    match crate::text::nearest(name.as_str(), names.iter().copied()) {
        Some(near) => failed.help(format!("did you mean `{near}`?")),
        None if names.is_empty() => failed,
        None => failed.help(format!("there are: {}", names.join(", "))),
    }
}

/// `run 42`, or `the standing run`.
pub fn title(run: RunName) -> String {
    match run {
        RunName::Standing => "the standing run".to_owned(),
        RunName::Numbered(number) => format!("run {number}"),
    }
}

/// The folder of the run that is named: `standing` or a number.
pub fn named(project: &Project, name: &str) -> Result<RunDir, Failed> {
    if name == "standing" {
        return project.dir.standing().map_err(failed);
    }
    let number: u64 = name.parse().map_err(|_| {
        Failed::usage(format!("`{}` is no run", crate::text::sanitise::line(name)))
            .help("it is `standing` or a number; those there are: `teamtui runs`")
    })?;
    project.dir.run(number).map_err(|error| match error {
        StoreError::Missing { .. } => not_found(project, number),
        other => failed(other),
    })
}

fn not_found(project: &Project, number: u64) -> Failed {
    const SHOWN: usize = 10;
    let missing = Failed::new(NOT_FOUND, format!("not found: there is no run {number}"));
    let runs = project.dir.runs().unwrap_or_default();
    let newest: Vec<String> = runs.iter().rev().take(SHOWN).map(u64::to_string).collect();
    if newest.is_empty() {
        return missing.help("there is none yet; run a file: `teamtui --script FILE`");
    }
    let more = if runs.len() > SHOWN { ", .." } else { "" };
    missing.help(format!("there are: {}{more}; all of them: `teamtui runs`", newest.join(", ")))
}

/// A store error as an end of the call.
pub fn failed(error: StoreError) -> Failed {
    Failed::usage(place::said(error))
}

/// The run to read. One whose owner died is said to be so: what is shown as running is not.
pub async fn seen(call: &mut Call<'_>, project: &Project) -> Result<Look, Failed> {
    let look = look(project, call.cli.at.run.as_deref()).await?;
    restored::of_look(call, &look);
    warn(call, &look, &project.flags);
    Ok(look)
}

/// Says of a run whose owner died that nothing of it runs, and how it goes on.
pub fn warn(call: &mut Call<'_>, look: &Look, flags: &str) {
    if !look.is_crashed() {
        return;
    }
    if look.imported().is_some() {
        let title = title(look.run.name());
        return call
            .say(&format!("warning: {title} was not closed when it was exported; nothing of it runs"));
    }
    let at = duration(look.state.elapsed_ms);
    let title = title(look.run.name());
    call.say(&format!("warning: the owner of {title} ended at {at} without closing it; nothing of it runs"));
    call.say(&format!("help: go on with it: {}", look.next(flags)));
}

/// The run to read: the named one, else the only live one, the standing one if it has a live team, the newest.
pub async fn look(project: &Project, name: Option<&str>) -> Result<Look, Failed> {
    if let Some(name) = name {
        return Ok(Look { expected: true, ..open(&named(project, name)?).await? });
    }
    let standing = open(&project.dir.standing().map_err(failed)?).await?;
    let is_in_use = standing.state.live_teams().next().is_some();
    let numbers = project.dir.runs().map_err(failed)?;
    let mut live = Vec::new();
    for number in &numbers {
        let run = project.dir.run(*number).map_err(failed)?;
        if owner_of(&run).ok().flatten().is_some() {
            live.push(run);
        }
    }
    let stands = is_in_use && standing.handle.is_some();
    match live.as_slice() {
        [run] if !stands => return open(run).await,
        _ if is_in_use => return Ok(Look { expected: true, ..standing }),
        _ => {}
    }
    match numbers.last() {
        Some(newest) => open(&project.dir.run(*newest).map_err(failed)?).await,
        None if standing.state.seq.0 > 0 => Ok(Look { expected: true, ..standing }),
        None => Err(Failed::new(NOT_FOUND, "not found: there is no run yet")
            .help("run a file: `teamtui --script FILE`; write one: `teamtui init`")),
    }
}

/// Looks at one run, from its owner or its store.
pub async fn open(run: &RunDir) -> Result<Look, Failed> {
    let until = Instant::now() + OWNER_TIME;
    loop {
        let tried = match owner_of(run).map_err(failed)? {
            Some(note) => from_owner(run, &note).await,
            None => from_store(run).await,
        };
        match tried {
            Ok(look) => return Ok(look),
            Err(Missed::Now(failed)) if Instant::now() >= until => return Err(failed),
            Err(Missed::Now(_)) => tokio::time::sleep(LOOK_TIME).await,
            Err(Missed::Ever(failed)) => return Err(failed),
        }
    }
}

/// Why a run cannot be looked at.
enum Missed {
    /// Its owner comes or goes: try again.
    Now(Failed),
    /// For good.
    Ever(Failed),
}

async fn from_owner(run: &RunDir, note: &OwnerNote) -> Result<Look, Missed> {
    let handle = connect(run, note).await?;
    let gone = |_| Missed::Now(Failed::usage(format!("the owner of {} has ended", title(run.name()))));
    let state = handle.snapshot().await.map_err(gone)?;
    let now_ms = handle.elapsed_ms().await.map_err(gone)?;
    Ok(Look { run: run.clone(), state, now_ms, handle: Some(handle), expected: false, restored: None })
}

async fn connect(run: &RunDir, note: &OwnerNote) -> Result<Handle, Missed> {
    let Some(socket) = &note.socket else {
        return Err(Missed::Ever(owned(run.name(), note)));
    };
    let connected = tokio::time::timeout(OWNER_TIME, Remote::connect(Path::new(socket), run)).await;
    match connected {
        Ok(Ok(remote)) => Ok(Handle::Remote(remote)),
        Ok(Err(error @ ConnectError::Version { .. })) => Err(Missed::Ever(other_version(&error, note))),
        Ok(Err(ConnectError::Refused(rejection))) => Err(Missed::Ever(refused(&rejection))),
        Ok(Err(error)) => Err(Missed::Now(Failed::usage(error.to_string()))),
        Err(_) => Err(Missed::Ever(
            Failed::usage(format!(
                "the owner of {} (process {}) does not answer",
                title(run.name()),
                note.pid
            ))
            .help(format!("look what it does: `ps {}`", note.pid)),
        )),
    }
}

/// The owner does not talk to this process: why, and what to do.
pub fn refused(rejection: &Rejection) -> Failed {
    let failed = Failed::new(NOT_FOUND, rejection.headline());
    rejection.help.iter().fold(failed, |failed, step| failed.help(step))
}

/// The owner is another teamtui: what can be done about it.
pub fn other_version(error: &ConnectError, note: &OwnerNote) -> Failed {
    Failed::usage(error.to_string()).help(format!("use teamtui {} while it works", note.version)).help(
        format!("or end it, its live attempts are interrupted and can be tried again: `kill {}`", note.pid),
    )
}

async fn from_store(run: &RunDir) -> Result<Look, Missed> {
    let look = |state: State, restored| Look {
        run: run.clone(),
        now_ms: state.elapsed_ms,
        state: Arc::new(state),
        handle: None,
        expected: false,
        restored,
    };
    if !run.has_store() {
        return match run.name() {
            RunName::Standing => Ok(look(State::default(), None)),
            RunName::Numbered(number) => Err(Missed::Ever(
                Failed::new(
                    NOT_FOUND,
                    format!("run {number} is empty: its owner ended before the first fact"),
                )
                .help("the others: `teamtui runs`"),
            )),
        };
    }
    let folder = run.clone();
    match tokio::task::spawn_blocking(move || read_or_restore(&folder, &place::command_line())).await {
        Ok(Ok((state, restored))) => Ok(renumbered(look(state, restored))),
        Ok(Err(OwnerError::Store(error @ (StoreError::Owned { .. } | StoreError::InUse { .. })))) => {
            Err(Missed::Now(failed(error)))
        }
        Ok(Err(error)) => Err(Missed::Ever(unowned(run.name(), error))),
        Err(error) => Err(Missed::Ever(Failed::usage(error.to_string()))),
    }
}

/// Why a run that nobody owns cannot be opened.
pub fn unowned(run: RunName, error: OwnerError) -> Failed {
    let newer = |by: &str, what: String| {
        let (title, own) = (title(run), env!("CARGO_PKG_VERSION"));
        let by = crate::text::sanitise::line(by);
        let file = match run {
            RunName::Standing => "standing.tar.zst".to_owned(),
            RunName::Numbered(number) => format!("run-{number}.tar.zst"),
        };
        Failed::usage(format!(
            "newer: {title} was written by teamtui {by} ({what}), this is {own}; nothing was changed"
        ))
        .help(format!("take it out as it is: `teamtui export --run {run} {file}`"))
    };
    match error {
        OwnerError::Store(StoreError::Owned { owner, .. }) => owned(run, &owner),
        OwnerError::Store(StoreError::Imported { .. }) => imported(run),
        OwnerError::Store(StoreError::Newer { format, created_by, .. }) => {
            newer(&created_by, format!("store format {format}"))
        }
        OwnerError::Newer { kind, version, written_by } => {
            newer(&written_by, format!("event {kind} v{version}"))
        }
        OwnerError::Store(error) => failed(error),
        other => Failed::usage(other.to_string()),
    }
}

/// An imported run is shown under the number that it has here.
fn renumbered(mut look: Look) -> Look {
    if let Some(number) = look.imported() {
        Arc::make_mut(&mut look.state).run.header.number = Some(number);
    }
    look
}

/// The run came from an archive: nobody owns it, ever.
pub fn imported(run: RunName) -> Failed {
    Failed::usage(format!(
        "imported: {} came from an archive and is read-only: nothing of it goes on",
        title(run)
    ))
    .help("run its file again: `teamtui --script FILE`")
}

/// The run is somebody else's: `owned: run 48 is owned by process 71760 since 19:45:17`.
pub fn owned(run: RunName, note: &OwnerNote) -> Failed {
    let flag = match run {
        RunName::Standing => String::new(),
        RunName::Numbered(number) => format!(" --run {number}"),
    };
    let command = crate::text::sanitise::line(&note.command).into_owned();
    let since = place::clock(note.since_ms);
    let why = format!("owned: {} is owned by process {} since {since} (`{command}`)", title(run), note.pid);
    Failed::usage(why).help(format!("watch it: `teamtui status{flag} --watch`"))
}
