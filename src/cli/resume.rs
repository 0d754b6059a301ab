//! `teamtui resume RUN`: goes on with a run that was closed by a cap, a question, a signal or a failure.
use super::call::{Call, Done, Failed, USAGE};
use super::look;
use super::place;
use super::{headless, recovery, restored, serve, signal, verdict};
use crate::config;
use crate::domain::{Actor, Asked, CloseReason, Command, Limits, Rejection, ResumeRun, Seq, State, TaskRef};
use crate::runtime::Owned;
use crate::script::run;
use crate::store::{RunDir, RunName};
use crate::text::Untrusted;
use crate::verbs::{self, Act};

/// How it goes on.
pub struct How<'a> {
    /// Try again what failed or is stale.
    pub failed: bool,
    /// `NAME=VALUE` each.
    pub answers: &'a [String],
    /// `TASK` each.
    pub approves: &'a [String],
    /// `TASK=FEEDBACK` each.
    pub sends_back: &'a [String],
}

/// Owns the run and goes on with it to its exit code.
pub async fn resume(call: &mut Call<'_>, name: &str, how: How<'_>) -> Done {
    let project = call.project()?;
    let run = look::named(&project, name).map_err(|failed| Failed { rc: USAGE, ..failed })?;
    let RunName::Numbered(number) = run.name() else {
        return Err(Failed::usage("the standing run goes on by itself; it is told what to do")
            .help("try a task again: `teamtui do retry TASK`"));
    };
    let answers = how.answers.iter().map(|text| answer(text)).collect::<Result<Vec<_>, _>>()?;
    let before = stand(call, &run).await?;
    if before.run.closed.as_ref().is_some_and(|c| c.reason == CloseReason::Completed) {
        return Err(Failed::usage(format!("run {number} is completed: there is nothing to go on with"))
            .help(format!("see how it ended: `teamtui report --run {number}{}`", project.flags)));
    }
    let verdicts = verdict::read(&how, &before)?;
    headless::can_write_junit(&call.cli.print).map_err(Failed::usage)?;
    let limits = limits(&before, &call.cli.run.limits)?;
    let signals =
        signal::signals().map_err(|e| Failed::usage(format!("signals cannot be handled here: {e}")))?;
    let streams =
        place::streams().map_err(|e| Failed::usage(format!("the standard streams cannot be shared: {e}")))?;
    let owned = headless::own(&run, None).await.map_err(|error| serve::refused(&run, error))?;
    let listening = match headless::listening(&owned, &run) {
        Ok(listening) => listening,
        Err(why) => {
            owned.end().await;
            return Err(Failed::usage(format!("the socket of the run cannot be opened: {why}")));
        }
    };
    let command = ResumeRun { failed: how.failed, limits, answers };
    let upto = match go_on(call, &owned, &before, command).await {
        Ok(upto) => upto,
        Err(rejection) => {
            drop(listening);
            owned.end().await;
            return Err(rejection
                .help
                .iter()
                .fold(Failed::usage(rejection.headline()), |f, help| f.help(help)));
        }
    };
    let upto = verdict::give(call, &owned, verdicts).await.unwrap_or(upto);
    // Gone already: the rest says so.
    let after = owned.handle.snapshot().await.unwrap_or_default();
    recovery::head(call, &run, &before, &after, &project.flags)?;
    let prints = headless::prints(&call.cli.print, &call.terminal, &project);
    let rc = run::resume(owned, before, upto, &prints, streams, signals).await;
    drop(listening);
    Ok(rc)
}

/// The run before it is owned.
async fn stand(call: &mut Call<'_>, run: &RunDir) -> Result<State, Failed> {
    if let Some(note) = crate::store::owner_of(run).map_err(look::failed)? {
        return Err(look::owned(run.name(), &note));
    }
    let look = look::open(run).await.map_err(|failed| Failed { rc: USAGE, ..failed })?;
    restored::of_look(call, &look);
    Ok(State::clone(&look.state))
}

/// A closed run is resumed; one whose owner died goes on by itself, and is told only what is asked for.
async fn go_on(
    call: &mut Call<'_>,
    owned: &Owned,
    before: &State,
    resume: ResumeRun,
) -> Result<Seq, Rejection> {
    let asks = resume.failed || resume.limits.is_some() || !resume.answers.is_empty();
    if before.run.closed.is_none() && !asks {
        return Ok(owned.local.snapshot().await.unwrap_or_default().seq);
    }
    let asked = Asked { actor: Actor::Person, team: None, line: None, command: Command::ResumeRun(resume) };
    let reply = owned.local.submit(asked).await?;
    // The first line counts what is tried again, and progress tells it.
    reply.lines.iter().skip(1).for_each(|line| call.say(&format!("warning: {line}")));
    Ok(reply.seq)
}

/// `--answer NAME=VALUE`, read as the command `answer` reads it.
fn answer(written: &str) -> Result<(TaskRef, Untrusted), Failed> {
    let shape =
        || Failed::usage(format!("`--answer {}` is not NAME=VALUE", crate::text::sanitise::line(written)));
    let (name, value) = written.split_once('=').ok_or_else(shape)?;
    let words = ["answer", name, value].map(str::to_owned);
    match verbs::parse_words(&words, false) {
        Ok(Some(verbs::Parsed { act: Act::Ask(Command::Answer { of, text }), .. })) => Ok((of, text)),
        Ok(_) => Err(shape()),
        Err(error) => Err(error.help.iter().fold(Failed::usage(&error.what), |f, help| f.help(help))),
    }
}

/// The limits of the run's team with those of the command line on top; none: as they are.
fn limits(state: &State, written: &[String]) -> Result<Option<Limits>, Failed> {
    let team = state.live_teams().next_back().map(|(_, team)| team);
    let Some(team) = team.filter(|_| !written.is_empty()) else { return Ok(None) };
    let mut limits = team.limits.clone();
    for limit in written {
        config::override_limit(&mut limits, limit).map_err(|error| Failed::usage(error.to_string()))?;
    }
    Ok(Some(limits))
}
