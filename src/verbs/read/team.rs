//! The team as a whole: making it, looking at it, pausing and ending it; and waiting for it.
use crate::domain::Command;
use crate::verbs::act::{Act, Goal, Read, Wait, WaitOn};
use crate::verbs::error::ParseError;
use crate::verbs::reader::Reader;
use crate::verbs::value;

type Result = std::result::Result<Act, ParseError>;

pub(in crate::verbs) fn create(r: &mut Reader<'_>) -> Result {
    let path = value::path(&r.word()?)?;
    let set = r.many("set").iter().map(setting).collect::<std::result::Result<_, _>>()?;
    let as_name = r.one("as")?.map(|word| value::new_name(&word)).transpose()?;
    Ok(Act::Create { path, set, as_name })
}

fn setting(word: &crate::verbs::lex::Word) -> std::result::Result<(String, String), ParseError> {
    let text = word.text();
    match text.split_once('=').filter(|(name, _)| !name.is_empty()) {
        Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
        None => Err(ParseError::new("a variable is set like `set=NAME=VALUE`", word.span)),
    }
}

pub(in crate::verbs) fn dissolve(_: &mut Reader<'_>) -> Result {
    Ok(Act::Ask(Command::Dissolve))
}

pub(in crate::verbs) fn status(_: &mut Reader<'_>) -> Result {
    Ok(Act::Read(Read::Status))
}

pub(in crate::verbs) fn pause(r: &mut Reader<'_>) -> Result {
    Ok(Act::Ask(Command::Pause { member: r.maybe_member()? }))
}

pub(in crate::verbs) fn resume(r: &mut Reader<'_>) -> Result {
    Ok(Act::Ask(Command::Resume { member: r.maybe_member()? }))
}

pub(in crate::verbs) fn interrupt(r: &mut Reader<'_>) -> Result {
    Ok(Act::Ask(Command::Interrupt { member: r.member()? }))
}

pub(in crate::verbs) fn report(r: &mut Reader<'_>) -> Result {
    let path = r.maybe_word()?.map(|word| value::path(&word)).transpose()?;
    Ok(Act::Report { path })
}

pub(in crate::verbs) fn export(r: &mut Reader<'_>) -> Result {
    let path = r.maybe_word()?.map(|word| value::path(&word)).transpose()?;
    Ok(Act::Export { path, script: r.flag("script")? })
}

pub(in crate::verbs) fn list(r: &mut Reader<'_>) -> Result {
    let status = r.many("status").iter().map(value::goal).collect::<std::result::Result<_, _>>()?;
    let assignee = r.many("assignee").iter().map(value::name).collect::<std::result::Result<_, _>>()?;
    Ok(Act::Read(Read::List { status, assignee }))
}

pub(in crate::verbs) fn get(r: &mut Reader<'_>) -> Result {
    Ok(Act::Read(Read::Get(r.task()?)))
}

pub(in crate::verbs) fn why(r: &mut Reader<'_>) -> Result {
    Ok(Act::Read(Read::Why(r.task()?)))
}

pub(in crate::verbs) fn wait(r: &mut Reader<'_>) -> Result {
    let what = r.word()?;
    let tasks = if what.bare() == Some("all") { None } else { Some(value::each(&what, value::task)?) };
    let until = match r.maybe_word()? {
        Some(word) if tasks.is_none() => {
            return Err(ParseError::new("`wait all` has no `until`", word.span).usage(r.verb));
        }
        Some(word) => value::each(&word, value::goal)?,
        None => Goal::OVER.to_vec(),
    };
    let within_ms = r.maybe_word()?.map(|word| value::duration(&word)).transpose()?;
    let on = match tasks {
        Some(tasks) => WaitOn::Tasks { tasks, until },
        None => WaitOn::All,
    };
    Ok(Act::Wait(Wait { on, within_ms }))
}

pub(in crate::verbs) fn sleep(r: &mut Reader<'_>) -> Result {
    Ok(Act::Sleep { ms: value::duration(&r.word()?)? })
}
