//! A headless run, from a file that was checked to its exit code.
use super::act::{self, Refused};
use super::follow::{Follow, Halt};
use super::load::{Plan, Script};
use super::pen::{Side, Streams};
use super::report::{github, junit, text};
use super::teller::{Format, Silenced, Teller};
use crate::domain::pulse::{is_quiet, is_settled_all};
use crate::domain::view::{RunView, phrase, verdict};
use crate::domain::{Actor, Asked, CloseReason, Command, Seq, State, StopCause, TeamSpec};
use crate::runtime::Owned;
use std::path::PathBuf;
use tokio::sync::mpsc;

/// What a run prints beside its progress.
#[derive(Debug, Clone, Default)]
pub struct Prints {
    /// On the two streams.
    pub format: Format,
    /// A JUnit file.
    pub junit: Option<PathBuf>,
    /// Rows of output that are shown of each task that failed.
    pub tail: usize,
    /// Flags that were given before, as they are pasted: ` --state DIR`.
    pub flags: String,
    /// Under GitHub Actions: a token that no output can guess, and the file for the step's summary.
    pub github: Option<(String, Option<PathBuf>)>,
}

/// How a script goes on after a refused line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Steps {
    /// It runs the rest.
    pub keep_going: bool,
}

/// The signal that a closed standard output stands for.
const SIGPIPE: i32 = 13;

/// Why a script ended before its end.
enum Cut {
    Halted(Halt),
    Refused,
}

/// What is to be done with a run.
#[derive(Clone, Copy)]
enum Work<'a> {
    /// A plan, from its start.
    Plan(&'a Plan, Steps),
    /// What a resumed run has left, from that fact on.
    Rest(Seq),
}

/// Runs a plan on a fresh run, closes it, prints its end; gives the exit code. The owner is given back.
pub async fn run(
    owned: Owned,
    plan: &Plan,
    steps: Steps,
    prints: &Prints,
    streams: Streams,
    signals: mpsc::Receiver<i32>,
) -> u8 {
    let state = State::default();
    let rc = go_on(&owned, state, prints, streams, signals, Work::Plan(plan, steps)).await;
    owned.end().await;
    rc
}

/// Goes on with a run that was resumed: what happened since `state` up to `upto` is told, then what is ready is waited
/// for.
pub async fn resume(
    owned: Owned,
    state: State,
    upto: Seq,
    prints: &Prints,
    streams: Streams,
    signals: mpsc::Receiver<i32>,
) -> u8 {
    let rc = go_on(&owned, state, prints, streams, signals, Work::Rest(upto)).await;
    owned.end().await;
    rc
}

async fn go_on(
    owned: &Owned,
    state: State,
    prints: &Prints,
    streams: Streams,
    signals: mpsc::Receiver<i32>,
    work: Work<'_>,
) -> u8 {
    let number = match owned.handle.run().name() {
        crate::store::RunName::Numbered(number) => Some(number),
        crate::store::RunName::Standing => None,
    };
    let run = owned.handle.run().clone();
    // Without a thread to write with, nothing can be said.
    let teller = Teller::new(streams, prints.format.clone(), run, owned.clock.clone(), &state);
    let Ok(mut teller) = teller else { return 1 };
    let began = teller.begin(number, state.seq);
    let feed = match owned.handle.subscribe(state.seq).await {
        Ok(feed) => feed,
        Err(gone) => {
            teller.say(&format!("error: {gone}"));
            teller.desk().hurry();
            while !teller.desk().is_said(Side::Err) {
                teller.desk().moved().await;
            }
            return 1;
        }
    };
    let mut follow = Follow::new(owned, feed, state, teller, signals);
    follow.reports = !matches!(work, Work::Plan(Plan::Script(_), _));
    let done = match (began, work) {
        (Err(silenced), _) => Err(Cut::Halted(Halt::Silenced(silenced))),
        (Ok(()), Work::Plan(Plan::Team(spec), _)) => team(&mut follow, spec).await,
        (Ok(()), Work::Plan(Plan::Script(lines), steps)) => script(&mut follow, lines, steps).await,
        (Ok(()), Work::Rest(upto)) => match follow.reach(upto).await {
            Ok(()) => rest(&mut follow).await,
            Err(halt) => Err(Cut::Halted(halt)),
        },
    };
    let rc = close(&mut follow, done, prints).await;
    // The last words, too, are waited for: after a signal not for long.
    let said = match follow.said(Side::Out).await {
        Ok(()) => follow.said(Side::Err).await,
        Err(signal) => follow.said(Side::Err).await.and(Err(signal)),
    };
    match said {
        Err(signal) if signal > 0 => CloseReason::Interrupted(signal).rc(),
        _ => rc,
    }
}

/// Create, wait, and dissolve if every required task was completed.
async fn team(follow: &mut Follow<'_>, spec: &TeamSpec) -> Result<(), Cut> {
    let file = spec.file.as_ref().map(|f| f.line().into_owned()).unwrap_or_default();
    let line = format!("create {}", quoted(&file));
    let asked = Asked {
        actor: Actor::Script,
        team: None,
        line: Some(line.as_str().into()),
        command: act::create(spec),
    };
    match follow.ask(asked).await.map_err(Cut::Halted)? {
        Ok(_) => rest(follow).await,
        Err(rejection) => {
            follow.teller.say(&format!("error: {}", rejection.headline()));
            for help in &rejection.help {
                follow.teller.say(&format!("help: {help}"));
            }
            Err(Cut::Refused)
        }
    }
}

fn quoted(path: &str) -> String {
    let plain = !path.is_empty() && path.chars().all(|c| c.is_ascii_alphanumeric() || "/._-+".contains(c));
    if plain { path.to_owned() } else { format!("\"{}\"", path.replace('\\', "\\\\").replace('"', "\\\"")) }
}

/// Waits until nothing more happens by itself; a team that is complete is dissolved.
async fn rest(follow: &mut Follow<'_>) -> Result<(), Cut> {
    loop {
        let over = || follow.state.live_teams().all(|(id, _)| is_settled_all(&follow.state, id));
        if follow.is_abreast() && (is_quiet(&follow.state) || over()) {
            break;
        }
        follow.step().await.map_err(Cut::Halted)?;
    }
    let complete: Vec<_> = follow
        .state
        .live_teams()
        .filter(|(_, t)| t.is_complete())
        .map(|(id, t)| (id, t.name.clone()))
        .collect();
    for (id, name) in complete {
        let asked = Asked { actor: Actor::Script, team: Some(name), line: None, command: Command::Dissolve };
        // A team that ended by itself is dissolved already.
        let _ = follow.ask(asked).await.map_err(Cut::Halted)?;
        while follow.state.team(id).is_some_and(|t| !t.stage.is_ended()) {
            follow.step().await.map_err(Cut::Halted)?;
        }
    }
    Ok(())
}

async fn script(follow: &mut Follow<'_>, script: &Script, steps: Steps) -> Result<(), Cut> {
    let mut refused = false;
    for at in 0..script.lines.len() {
        match act::line(follow, script, at).await.map_err(Cut::Halted)? {
            Ok(()) => {}
            Err(why) => {
                say(follow, &why);
                refused = true;
                if !steps.keep_going {
                    break;
                }
            }
        }
    }
    if let Some(at) = follow.uncrashed().filter(|_| !refused) {
        let ended = follow.state.seq;
        follow
            .teller
            .say(&format!("error: `crash at event {at}` never came: the log ended at event {ended}"));
        follow.teller.say("help: crash at an earlier event; `teamtui log --plain` counts them");
        refused = true;
    }
    // What still runs at the end of a script is ended with it.
    let ending = follow
        .state
        .live_teams()
        .any(|(_, t)| matches!(t.stage, crate::domain::state::Stage::Dissolving { .. }));
    while ending && follow.state.live_teams().any(|(_, t)| t.stage != crate::domain::state::Stage::Live) {
        follow.step().await.map_err(Cut::Halted)?;
    }
    if refused { Err(Cut::Refused) } else { Ok(()) }
}

fn say(follow: &mut Follow<'_>, refused: &Refused) {
    for line in refused.text(None).lines() {
        follow.teller.say(line);
    }
}

/// Ends what is live, closes the run, and prints its end.
async fn close(follow: &mut Follow<'_>, done: Result<(), Cut>, prints: &Prints) -> u8 {
    let mut signal = match &done {
        Err(Cut::Halted(Halt::Signal(signal))) => Some(*signal),
        Err(Cut::Halted(Halt::Silenced(Silenced::Closed))) => Some(SIGPIPE),
        _ => None,
    };
    if matches!(signal, Some(SIGPIPE)) {
        follow.teller.hush();
    }
    let waiting = done.is_ok().then(|| waiting(follow)).flatten();
    let interrupted = follow.live_now().await;
    let ended = matches!(&done, Err(Cut::Halted(Halt::Signal(_))));
    if interrupted > 0 && !ended {
        let closed = matches!(&done, Err(Cut::Halted(Halt::Silenced(_))));
        let cause = if closed { StopCause::Pipe } else { StopCause::ScriptEnd };
        // What cannot be ended is recorded by the next owner.
        signal = signal.or(follow.end_all(cause).await.ok().flatten());
    }
    let waiting = waiting.filter(|_| signal.is_none());
    let reason = match (signal, &done) {
        (Some(signal), _) => CloseReason::Interrupted(signal),
        (None, Err(Cut::Refused)) => CloseReason::ScriptFailed,
        (None, _) => waiting.as_ref().map_or_else(|| verdict(&follow.state), |view| view.reason),
    };
    let close = Asked { actor: Actor::System, team: None, line: None, command: Command::CloseRun { reason } };
    let (closed, late) = follow.ask_last(close).await;
    let unclosed = match closed {
        Ok(Ok(_)) => None,
        Ok(Err(rejection)) => Some(rejection.headline()),
        Err(gone) => Some(gone.to_string()),
    };
    let view = match waiting {
        Some(view) => RunView { last_seq: follow.state.seq, closed: unclosed.is_none(), ..view },
        None => RunView::of(&follow.state, follow.state.elapsed_ms),
    };
    let rc = reason.rc();
    match done {
        Err(Cut::Halted(Halt::Silenced(silenced))) => {
            return said_nothing(follow, &silenced, interrupted, &view, rc, prints);
        }
        Err(Cut::Halted(Halt::Gone(gone))) => {
            follow.teller.say(&format!("error: {gone}"));
            return rc.max(1);
        }
        _ => {}
    }
    if let Some(why) = unclosed {
        follow.teller.say(&format!("error: {why}; the run is kept, not closed"));
        return rc.max(1);
    }
    if let Some(silenced) = late {
        return said_nothing(follow, &silenced, 0, &view, rc, prints);
    }
    ending(follow, &view, rc, prints).await
}

/// The run as it waits on a person, if it does: closing it ends the attempts that ask, and that is not its story.
fn waiting(follow: &mut Follow<'_>) -> Option<RunView> {
    let waits = verdict(&follow.state) == CloseReason::Waiting;
    let view = waits.then(|| RunView::of(&follow.state, follow.state.elapsed_ms))?;
    follow.teller.hush();
    Some(view)
}

/// The end of a run in all its forms. A stream that fails meanwhile costs the exit code its zero.
async fn ending(follow: &mut Follow<'_>, view: &RunView, rc: u8, prints: &Prints) -> u8 {
    let (told, rc) = match tell(follow, view, prints) {
        Err(silenced) => (Err(silenced), rc),
        Ok(()) => match follow.said(Side::Out).await {
            Ok(()) => (follow.teller.silenced(), rc),
            Err(0) => (Err(Silenced::Unread), rc),
            Err(signal) => (Err(Silenced::Unread), CloseReason::Interrupted(signal).rc()),
        },
    };
    match told {
        Ok(()) if finish(follow, view, prints) => rc,
        Ok(()) => rc.max(1),
        Err(silenced) => said_nothing(follow, &silenced, 0, view, rc, prints),
    }
}

/// What failed, and the report.
fn tell(follow: &mut Follow<'_>, view: &RunView, prints: &Prints) -> Result<(), Silenced> {
    // What stderr does not take is not said.
    let (err, page, tails) = follow.teller.err();
    let _ = writeln!(err);
    let shown = match &prints.github {
        Some((token, _)) => github::failed_output(err, view, tails, prints.tail, token, &prints.flags),
        None => text::failed_output(err, page, view, tails, prints.tail, &prints.flags),
    };
    let _ = shown.and_then(|()| if text::failed(view).is_empty() { Ok(()) } else { writeln!(err) });
    if follow.reports {
        follow.teller.report(view)?;
    }
    follow.teller.last(view, &prints.flags)
}

/// The files that were asked for, and the last lines; false: a file could not be written.
fn finish(follow: &mut Follow<'_>, view: &RunView, prints: &Prints) -> bool {
    let (err, page, tails) = follow.teller.err();
    if let Some((_, summary)) = &prints.github {
        let _ = github::annotations(err, view);
        if let Some(path) = summary {
            let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
            let _ = file.and_then(|mut file| github::step_summary(&mut file, view, &prints.flags));
        }
    }
    let mut is_whole = true;
    if let Some(path) = &prints.junit {
        let mut xml = Vec::new();
        let written = junit::write(&mut xml, view, tails, prints.tail).map_err(|e| e.to_string());
        if let Err(why) = written.and_then(|()| std::fs::write(path, &xml).map_err(|e| e.to_string())) {
            let _ = writeln!(err, "error: could not write {}: {why}", path.display());
            is_whole = false;
        }
    }
    let _ = text::end(err, page, view, &prints.flags);
    is_whole
}

/// Standard output is closed or full: what is said of it, and the end of the run on standard error all the same.
fn said_nothing(
    follow: &mut Follow<'_>,
    silenced: &Silenced,
    interrupted: usize,
    view: &RunView,
    rc: u8,
    prints: &Prints,
) -> u8 {
    match silenced {
        Silenced::Closed if !view.closed || view.reason == CloseReason::Interrupted(SIGPIPE) => {
            let attempts = phrase::plural(interrupted, "live attempt was", "live attempts were");
            let attempts = if interrupted == 0 { String::new() } else { format!("{attempts} interrupted, ") };
            follow.teller.say(&format!("error: {silenced}; {attempts}the run is kept"));
            if let Some(next) = crate::domain::view::ending::next(view) {
                follow.teller.say(&format!("{next}{}", prints.flags));
            }
            rc
        }
        Silenced::Closed if finish(follow, view, prints) => rc,
        Silenced::Closed => rc.max(1),
        Silenced::Out(_) | Silenced::Unread => {
            follow.teller.say(&format!("error: {silenced}"));
            finish(follow, view, prints);
            rc.max(1)
        }
    }
}
