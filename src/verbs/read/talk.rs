//! Messages, questions and answers.
use crate::domain::{Asker, Command};
use crate::text::Untrusted;
use crate::verbs::act::{Act, MemberAct};
use crate::verbs::error::ParseError;
use crate::verbs::reader::Reader;
use crate::verbs::value;

type Result = std::result::Result<Act, ParseError>;

/// A name that nobody has is not refused here: the message is, and that is recorded (R22).
pub(in crate::verbs) fn send(r: &mut Reader<'_>) -> Result {
    let to =
        value::path(&r.word()?).map_err(|e| ParseError { what: "a name is missing here".to_owned(), ..e })?;
    Ok(Act::Ask(Command::Send { to, text: Untrusted::new(r.text()?) }))
}

pub(in crate::verbs) fn broadcast(r: &mut Reader<'_>) -> Result {
    Ok(Act::Ask(Command::Broadcast { text: Untrusted::new(r.text()?) }))
}

pub(in crate::verbs) fn inbox(r: &mut Reader<'_>) -> Result {
    Ok(Act::Inbox { wait_ms: r.one("wait")?.map(|word| value::duration(&word)).transpose()? })
}

pub(in crate::verbs) fn ask(r: &mut Reader<'_>) -> Result {
    let of = value::choice(&r.word()?, &[("person", Asker::Person), ("lead", Asker::Lead)])?;
    let text = Untrusted::new(r.text()?);
    let default = r.one("default")?.map(|word| Untrusted::new(value::text(&word)));
    Ok(Act::Ask(Command::Ask { of, text, default }))
}

pub(in crate::verbs) fn answer(r: &mut Reader<'_>) -> Result {
    Ok(Act::Ask(Command::Answer { of: r.task()?, text: Untrusted::new(r.text()?) }))
}

pub(in crate::verbs) fn say(r: &mut Reader<'_>) -> Result {
    Ok(Act::Member(MemberAct::Say(r.text()?)))
}
