//! Work on tasks: finishing, deciding, reviewing.
use crate::domain::{Command, Dependents};
use crate::text::Untrusted;
use crate::verbs::act::Act;
use crate::verbs::error::ParseError;
use crate::verbs::reader::Reader;
use crate::verbs::value;

type Result = std::result::Result<Act, ParseError>;

/// Progress is a percentage.
const MOST_PERCENT: u8 = 100;

pub(in crate::verbs) fn complete(r: &mut Reader<'_>) -> Result {
    Ok(Act::Ask(Command::Complete { task: r.own()?, text: Untrusted::new(r.maybe_text()?) }))
}

pub(in crate::verbs) fn fail(r: &mut Reader<'_>) -> Result {
    Ok(Act::Ask(Command::Fail { task: r.own()?, text: Untrusted::new(r.maybe_text()?) }))
}

pub(in crate::verbs) fn approve(r: &mut Reader<'_>) -> Result {
    Ok(Act::Ask(Command::Approve { task: r.own()?, text: Untrusted::new(r.maybe_text()?) }))
}

pub(in crate::verbs) fn send_back(r: &mut Reader<'_>) -> Result {
    Ok(Act::Ask(Command::SendBack { task: r.own()?, text: Untrusted::new(r.text()?) }))
}

pub(in crate::verbs) fn claim(r: &mut Reader<'_>) -> Result {
    Ok(Act::Ask(Command::Claim { task: r.task()? }))
}

pub(in crate::verbs) fn progress(r: &mut Reader<'_>) -> Result {
    let word = r.word()?;
    let percent = value::number(&word)?;
    if percent > MOST_PERCENT {
        return Err(ParseError::new(format!("`{percent}` is more than {MOST_PERCENT} percent"), word.span));
    }
    Ok(Act::Ask(Command::Progress { percent, text: Untrusted::new(r.maybe_text()?) }))
}

pub(in crate::verbs) fn comment(r: &mut Reader<'_>) -> Result {
    Ok(Act::Ask(Command::Comment { task: r.task()?, text: Untrusted::new(r.text()?) }))
}

pub(in crate::verbs) fn cancel(r: &mut Reader<'_>) -> Result {
    let tasks = r.tasks()?;
    r.skip_slot();
    let dependents = dependents(r);
    Ok(Act::Ask(Command::Cancel { tasks, dependents, text: Untrusted::new(r.maybe_text()?) }))
}

/// `hold` or `release`, if it is there.
pub(in crate::verbs) fn dependents(r: &mut Reader<'_>) -> Option<Dependents> {
    if r.take("hold") {
        return Some(Dependents::Hold);
    }
    r.take("release").then_some(Dependents::Release)
}

pub(in crate::verbs) fn retry(r: &mut Reader<'_>) -> Result {
    Ok(Act::Ask(Command::Retry { tasks: r.tasks()?, text: Untrusted::new(r.maybe_text()?) }))
}

pub(in crate::verbs) fn reject(r: &mut Reader<'_>) -> Result {
    let task = r.task()?;
    let text = Untrusted::new(r.text()?);
    Ok(Act::Ask(Command::Reject { task, text, release: r.flag("release")? }))
}

pub(in crate::verbs) fn adopt(r: &mut Reader<'_>) -> Result {
    let task = r.task()?;
    let attempt = r.one("attempt")?.map(|word| value::number(&word)).transpose()?;
    Ok(Act::Ask(Command::Adopt { task, attempt }))
}

pub(in crate::verbs) fn review(r: &mut Reader<'_>) -> Result {
    let task = r.task()?;
    let by = r.many("by").iter().map(value::reviewer).collect::<std::result::Result<Vec<_>, _>>()?;
    if by.is_empty() {
        return Err(r.missing("by="));
    }
    Ok(Act::Ask(Command::SetReviewers { task, by }))
}
