//! What members of the scripted driver do to the world.
use crate::verbs::act::{Act, MemberAct};
use crate::verbs::error::ParseError;
use crate::verbs::reader::Reader;
use crate::verbs::value;

type Result = std::result::Result<Act, ParseError>;

/// The text may be empty: so may a file.
pub(in crate::verbs) fn write(r: &mut Reader<'_>) -> Result {
    let path = value::path(&r.word()?)?;
    Ok(Act::Member(MemberAct::Write { path, text: r.maybe_text()? }))
}

pub(in crate::verbs) fn read(r: &mut Reader<'_>) -> Result {
    Ok(Act::Member(MemberAct::Read { path: value::path(&r.word()?)? }))
}

pub(in crate::verbs) fn emit(r: &mut Reader<'_>) -> Result {
    Ok(Act::Member(MemberAct::Emit(value::text(&r.word()?))))
}

pub(in crate::verbs) fn hang(_: &mut Reader<'_>) -> Result {
    Ok(Act::Member(MemberAct::Hang))
}

pub(in crate::verbs) fn crash(r: &mut Reader<'_>) -> Result {
    let at = r.maybe_word()?.map(|word| value::number(&word)).transpose()?;
    Ok(Act::Member(MemberAct::Crash { at }))
}
