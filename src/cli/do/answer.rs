//! What a command comes to: asked of the owner, or read from the run, and what is printed of it.
use super::Giver;
use crate::cli::call::{Call, Done, Failed, NOT_FOUND};
use crate::cli::history::History;
use crate::cli::look::{self, Look};
use crate::cli::{export, headless, why};
use crate::config::has_error;
use crate::domain::view::RunView;
use crate::domain::{Actor, Asked, Command, Data, Letter, Name, Rejection, Reply, job};
use crate::runtime::remote::UNSENT;
use crate::script::report::text as report_text;
use crate::script::teller::Silenced;
use crate::script::wait::{self, Stands};
use crate::script::{Page, act, expect, load};
use crate::text::quantity::duration;
use crate::text::{Provenance, Untrusted, quote};
use crate::verbs::{Act, Check, MemberAct, Parsed, Wait, anchored};
use std::path::Path;

/// Does what was understood.
pub(super) async fn perform(call: &mut Call<'_>, giver: &Giver, parsed: Parsed, line: String) -> Done {
    let Parsed { team, act, verb } = parsed;
    match act {
        Act::Ask(command) => {
            let here = std::env::current_dir().unwrap_or_default();
            ask(call, giver, team, line, anchored(command, &here)).await
        }
        Act::Create { path, set, as_name } => {
            let command = create(call, giver, &path, &set, as_name.as_ref())?;
            ask(call, giver, None, line, command).await
        }
        Act::Inbox { wait_ms } => ask(call, giver, team, line, Command::ReadInbox { wait_ms }).await,
        Act::Sleep { ms } => ask(call, giver, team, line, Command::Sleep { ms }).await,
        Act::Read(read) => {
            let look = giver.look().await?;
            let team = team.or_else(|| giver.home(&look.state));
            let id = team.map(|name| look.team(Some(&name)).map(|(id, _)| id)).transpose()?;
            let lines = why::answer(&look, id, &read, giver.flags())?;
            look::warn(call, &look, giver.flags());
            call.lines(&lines)?;
            Ok(0)
        }
        Act::Report { path } => report(call, giver, path.as_deref()).await,
        Act::Export { path, script } => export(call, giver, path.as_deref(), script).await,
        Act::Wait(wait) => self::wait(giver, team, &wait).await,
        Act::Expect(check) => expect(call, giver, team, &check).await,
        Act::Member(act) => Err(by_itself(&act, verb.id)),
    }
}

async fn ask(call: &mut Call<'_>, giver: &Giver, team: Option<Name>, line: String, command: Command) -> Done {
    let reply = submit(call, giver, team, Some(line), command).await?;
    answer(call, &reply)?;
    Ok(0)
}

async fn submit(
    call: &Call<'_>,
    giver: &Giver,
    team: Option<Name>,
    line: Option<String>,
    command: Command,
) -> Result<Reply, Failed> {
    let Some(handle) = &giver.handle else {
        return Err(Failed::new(1, "nobody owns the run").help("look: `teamtui status`"));
    };
    // Only what the person gives is a script some day.
    let line = line.filter(|_| giver.actor == Actor::Person).map(Untrusted::from);
    let asked = Asked { actor: giver.actor.clone(), team, line, command };
    let asked_again = asked.clone();
    match handle.submit(asked).await {
        // An owner that has just gone by itself: the next one is asked.
        Err(rejection) if rejection.what == UNSENT => match giver.again(call).await? {
            Some(next) => next.submit(asked_again).await.map_err(|rejection| refused(&rejection)),
            None => Err(refused(&rejection)),
        },
        reply => reply.map_err(|rejection| refused(&rejection)),
    }
}

fn refused(rejection: &Rejection) -> Failed {
    rejection.help.iter().fold(Failed::new(1, rejection.headline()), |failed, help| failed.help(help))
}

/// An answer alone, messages quoted, else what was done.
fn answer(call: &mut Call<'_>, reply: &Reply) -> Result<(), Failed> {
    match &reply.data {
        Data::Answer(text) => return call.text(&ended(&text.block())),
        Data::Inbox(letters) if !letters.is_empty() => {
            return letters.iter().try_for_each(|letter| call.text(&quoted(letter)));
        }
        _ => {}
    }
    reply.lines.iter().try_for_each(|line| call.whole(line))
}

fn ended(text: &str) -> String {
    if text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}

fn quoted(letter: &Letter) -> String {
    let from = Untrusted::from(job::party(&letter.from));
    let at = duration(letter.sent_ms);
    quote(&Provenance { what: "message", from: &from, at: &at, hop: letter.hop }, &letter.text)
}

/// The team of a file, read here; its errors refuse it.
fn create(
    call: &mut Call<'_>,
    giver: &Giver,
    path: &str,
    set: &[(String, String)],
    as_name: Option<&Name>,
) -> Result<Command, Failed> {
    let Some(project) = &giver.project else {
        return Err(Failed::new(1, "lead only: members do not make teams")
            .help("ask for it: `teamtui do send lead \"...\"`"));
    };
    let choices = headless::choices(&call.cli.run, &project.root, false).map_err(Failed::usage)?;
    let sets: Vec<(String, String)> = choices.sets.iter().chain(set).cloned().collect();
    let (spec, findings) = load::team(Path::new(path), &sets, &choices);
    headless::show(call.err, &findings, &call.terminal);
    match spec.filter(|_| !has_error(&findings)) {
        Some(spec) => Ok(act::create(&load::renamed(spec, as_name))),
        None => Err(Failed::silent(2)),
    }
}

async fn report(call: &mut Call<'_>, giver: &Giver, path: Option<&str>) -> Done {
    let look = giver.look().await?;
    look.team(None)?;
    let view = RunView::of(&look.state, look.now_ms);
    let Some(path) = path else {
        let page = call.terminal.out;
        report_text::report(call.out, &page, &view).map_err(Silenced::from)?;
        return Ok(0);
    };
    let mut text = Vec::new();
    let made = report_text::report(&mut text, &Page::plain(), &view);
    made.and_then(|()| std::fs::write(path, &text)).map_err(|e| unwritten(path, &e))?;
    Ok(0)
}

async fn export(call: &mut Call<'_>, giver: &Giver, path: Option<&str>, script: bool) -> Done {
    if !script {
        return Err(Failed::usage("only the commands are exported here")
            .help("`teamtui do export script=true`")
            .help("the run itself, when it has ended: `teamtui export RUN FILE`"));
    }
    let lines = export::lines(&giver.look().await?).await?;
    match path {
        None => lines.iter().try_for_each(|line| call.whole(line))?,
        Some(path) => std::fs::write(path, lines.join("\n") + "\n").map_err(|e| unwritten(path, &e))?,
    }
    Ok(0)
}

fn unwritten(path: &str, error: &std::io::Error) -> Failed {
    Failed::new(1, format!("cannot write {}: {error}", crate::text::sanitise::line(path)))
        .help("name a file that can be written")
}

/// Stands at a wait of the live run, as a script does.
async fn wait(giver: &Giver, team: Option<Name>, wait: &Wait) -> Done {
    if !giver.actor.is_person() {
        return Err(Failed::new(1, "not yours: `wait` is for whoever runs the team")
            .help("wait for mail: `teamtui do inbox wait=5m`"));
    }
    let look = giver.look().await?;
    let (id, own) = look.team(team.as_ref())?;
    let numbers = wait::numbers(own, &wait.on).map_err(|(what, help)| {
        help.into_iter().fold(Failed::new(NOT_FOUND, format!("not found: {what}")), Failed::help)
    })?;
    let mut history = History::from_now(&look).await?;
    let began_ms = look.now_ms;
    let waited = async {
        loop {
            match wait::stands(&history.state, id, &wait.on, &numbers) {
                Stands::So => return Ok(0),
                Stands::Never(why) if history.is_abreast() => return Err(Failed::new(1, why)),
                Stands::Never(_) | Stands::NotYet => {}
            }
            if history.next().await?.is_none() {
                return Err(Failed::new(1, "the owner of the run has ended").help("look: `teamtui status`"));
            }
        }
    };
    let Some(within_ms) = wait.within_ms else { return waited.await };
    match tokio::time::timeout(std::time::Duration::from_millis(within_ms), waited).await {
        Ok(done) => done,
        Err(_) => {
            let due_ms = began_ms.saturating_add(within_ms);
            Err(Failed::new(1, wait::over_its_time(&history.state, id, &numbers, due_ms)))
        }
    }
}

/// Is it so? An end that was expected counts as one that was asked for.
async fn expect(call: &Call<'_>, giver: &Giver, team: Option<Name>, check: &Check) -> Done {
    if !giver.actor.is_person() {
        return Err(Failed::new(1, "not yours: `expect` is for whoever runs the team"));
    }
    let look = giver.look().await?;
    let (id, own) = look.team(team.as_ref())?;
    match expect::check(&look.state, id, check) {
        Ok(None) => Ok(0),
        Ok(Some(task)) if giver.handle.is_some() => {
            let team = Some(own.name.clone());
            submit(call, giver, team, None, Command::AssertEnd { task }).await.map(|_| 0)
        }
        Ok(Some(_)) => Ok(0),
        Err(unmet) => Err(not_so(&look, giver.flags(), &unmet)),
    }
}

fn not_so(look: &Look, flags: &str, unmet: &expect::Unmet) -> Failed {
    let run = look.state.run.header.number.map_or_else(String::new, |n| format!(" --run {n}"));
    let notes = if unmet.wanted.is_empty() {
        String::new()
    } else {
        format!("\n  - {}\n  + {}", unmet.wanted, unmet.found)
    };
    let failed = Failed::new(1, format!("expect {}{notes}", unmet.what));
    match &unmet.task {
        Some(task) => failed.help(format!("`teamtui why {task}{run}{flags}`")),
        None => failed,
    }
}

/// What a scripted member asks for, a process does by itself.
fn by_itself(act: &MemberAct, id: &str) -> Failed {
    let failed = Failed::new(1, format!("not yours: `{id}` is for scripted members"));
    match act {
        MemberAct::Say(_) | MemberAct::Emit(_) => failed.help("print it: what a process prints is shown"),
        MemberAct::Write { .. } => failed.help("write the file: a process does so by itself"),
        MemberAct::Read { .. } => failed.help("read the file: a process does so by itself"),
        MemberAct::Hang => failed,
        MemberAct::Crash { .. } => failed.help("a script does it too: `crash at event N`"),
    }
}
