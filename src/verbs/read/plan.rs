//! What is to be done, by whom: adding, assigning, changing.
use crate::domain::{Command, Name, Needs, Replan, Revision, TaskChange, TaskSpec};
use crate::text::Untrusted;
use crate::verbs::act::Act;
use crate::verbs::error::ParseError;
use crate::verbs::lex::{Span, Word};
use crate::verbs::member;
use crate::verbs::reader::Reader;
use crate::verbs::replan;
use crate::verbs::value;

type Result = std::result::Result<Act, ParseError>;

const EVERYWHERE: Span = Span { start: 0, end: usize::MAX };

/// A string, or several words of one argument, is the subject of a task; a name is that of a member. With `to=` it is
/// a task in any case.
pub(in crate::verbs) fn add(r: &mut Reader<'_>) -> Result {
    let what = r.word()?;
    let to = r.one("to")?;
    if to.is_none() && !is_subject(&what) {
        return add_member(r, &what);
    }
    let subject = what.text();
    if subject.trim().is_empty() {
        return Err(ParseError::new("a task needs a subject", what.span).usage(r.verb));
    }
    let to = to
        .ok_or_else(|| r.missing("to=").help("a task is for someone; to add a member write its name bare"))?;
    let brief = member::brief(r, EVERYWHERE)?;
    let spec = TaskSpec { title: Some(Untrusted::new(subject)), assignee: Some(value::name(&to)?), ..brief };
    Ok(Act::Ask(Command::AddTask(Box::new(spec))))
}

fn is_subject(word: &Word) -> bool {
    word.begins_quoted() || word.text().contains(char::is_whitespace)
}

fn add_member(r: &mut Reader<'_>, name: &Word) -> Result {
    let added = member::read(r, value::new_name(name)?, name.span, EVERYWHERE, false)?;
    Ok(Act::Ask(Command::AddMember(Box::new(added))))
}

pub(in crate::verbs) fn replan(r: &mut Reader<'_>) -> Result {
    let steps = replan::steps(r)?;
    let at = r.one("at")?.map(|word| value::number(&word).map(Revision)).transpose()?;
    Ok(Act::Ask(Command::Replan(Replan { steps, at, dry_run: r.flag("dry_run")? })))
}

pub(in crate::verbs) fn remove(r: &mut Reader<'_>) -> Result {
    Ok(Act::Ask(Command::Remove { member: r.member()? }))
}

pub(in crate::verbs) fn assign(r: &mut Reader<'_>) -> Result {
    let task = r.task()?;
    let to: Name = value::name(&r.must("to")?)?;
    Ok(Act::Ask(Command::Assign { task, to }))
}

pub(in crate::verbs) fn update(r: &mut Reader<'_>) -> Result {
    let task = r.task()?;
    let change = TaskChange {
        title: r.one("title")?.map(|word| Untrusted::new(value::text(&word))),
        priority: r.one("priority")?.map(|word| value::number(&word)).transpose()?,
        optional: r.one("optional")?.map(|word| value::flag(&word)).transpose()?,
    };
    if change == TaskChange::default() {
        return Err(r.missing("title=, priority= or optional="));
    }
    Ok(Act::Ask(Command::Update { task, change }))
}

/// The edges of an `after=`; one empty value is no edge.
pub(in crate::verbs) fn edges(
    words: &[Word],
    needs: Needs,
) -> std::result::Result<Vec<crate::domain::EdgeSpec>, ParseError> {
    match words {
        [only] if only.text().is_empty() => Ok(Vec::new()),
        _ => words.iter().map(|word| value::edge(word, needs)).collect(),
    }
}
