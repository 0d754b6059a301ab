//! Words to values: names, tasks, numbers, times. Each error points at the word.
use super::act::Goal;
use super::error::{ParseError, shown};
use super::lex::Word;
use crate::domain::{EdgeSpec, Name, Needs, Reviewer, TaskNo, TaskRef};
use crate::text::quantity;
use std::str::FromStr;

/// The values of a list with commas.
pub(super) fn each<T>(word: &Word, read: fn(&Word) -> Result<T, ParseError>) -> Result<Vec<T>, ParseError> {
    word.split(',', usize::MAX).iter().map(read).collect()
}

/// A text as one word or string.
pub(super) fn text(word: &Word) -> String {
    word.text()
}

/// A text that may not be empty: a path, a name of something outside.
pub(super) fn path(word: &Word) -> Result<String, ParseError> {
    let path = word.text();
    if path.is_empty() {
        return Err(ParseError::new("a path is missing here", word.span));
    }
    Ok(path)
}

/// A name that refers to something.
pub(super) fn name(word: &Word) -> Result<Name, ParseError> {
    one_part(word)?;
    Name::reference(&word.text()).map_err(|e| ParseError::new(e.to_string(), word.span))
}

/// A name that is being given to something.
pub(super) fn new_name(word: &Word) -> Result<Name, ParseError> {
    one_part(word)?;
    Name::parse(&word.text()).map_err(|e| ParseError::new(e.to_string(), word.span))
}

/// `#12` or a name. A bare `12` is a number too: whoever looks it up takes a task of that name first. Quoted, it is a name.
pub(super) fn task(word: &Word) -> Result<TaskRef, ParseError> {
    let bare = word.bare().unwrap_or_default();
    let Some(digits) = bare.strip_prefix('#') else {
        return task_number(bare).map_or_else(|| name(word).map(TaskRef::Name), |no| Ok(TaskRef::Number(no)));
    };
    let wrong = || ParseError::new(format!("`#{}` is no number of a task", shown(digits)), word.span);
    task_number(digits).map(TaskRef::Number).ok_or_else(|| wrong().help("write it like `#12`"))
}

/// The number that is written like that: no sign, no zeros before it.
pub(super) fn task_number(digits: &str) -> Option<TaskNo> {
    let no: u32 = digits.parse().ok()?;
    (no > 0 && no.to_string() == digits).then_some(TaskNo(no))
}

/// `TASK`, `TASK:finished` or `TASK:completed`; where it does not say, `needs`.
pub(super) fn edge(word: &Word, needs: Needs) -> Result<EdgeSpec, ParseError> {
    let mut halves = word.split(':', 2).into_iter();
    let (Some(on), needed) = (halves.next(), halves.next()) else { return Err(empty(word)) };
    let needs = match needed {
        Some(needed) => choice(&needed, &[("completed", Needs::Completed), ("finished", Needs::Finished)])?,
        None => needs,
    };
    Ok(EdgeSpec { on: task(&on)?, needs })
}

/// A member, the lead or the person.
pub(super) fn reviewer(word: &Word) -> Result<Reviewer, ParseError> {
    let name = name(word)?;
    Ok(match name.key() {
        "person" => Reviewer::Person,
        "lead" => Reviewer::Lead,
        _ => Reviewer::Member(name),
    })
}

/// A status, `held` or `settled`.
pub(super) fn goal(word: &Word) -> Result<Goal, ParseError> {
    let text = word.text();
    word.bare().and_then(Goal::from_word).ok_or_else(|| {
        if text.is_empty() {
            return ParseError::new("a status is missing here", word.span);
        }
        ParseError::new(format!("`{}` is no status", shown(&text)), word.span)
            .nearest(&text, Goal::WORDS)
            .help(Goal::WORDS.join(" "))
    })
}

/// One of these words.
pub(super) fn choice<T: Copy>(word: &Word, choices: &[(&str, T)]) -> Result<T, ParseError> {
    let text = word.text();
    if let Some((_, value)) = choices.iter().find(|(name, _)| *name == text) {
        return Ok(*value);
    }
    let names: Vec<String> = choices.iter().map(|(name, _)| format!("`{name}`")).collect();
    Err(ParseError::new(format!("`{}` is none of {}", shown(&text), names.join(", ")), word.span)
        .nearest(&text, choices.iter().map(|(name, _)| *name)))
}

/// `true` or `false`.
pub(super) fn flag(word: &Word) -> Result<bool, ParseError> {
    choice(word, &[("true", true), ("false", false)])
}

/// A whole number of that type.
pub(super) fn number<T: FromStr>(word: &Word) -> Result<T, ParseError> {
    let text = word.text();
    text.parse().map_err(|_| {
        let digits = text.strip_prefix('-').unwrap_or(&text);
        let why = if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
            "is out of range"
        } else {
            "is no whole number"
        };
        ParseError::new(format!("`{}` {why}", shown(&text)), word.span)
    })
}

/// Milliseconds of `1m42s`.
pub(super) fn duration(word: &Word) -> Result<u64, ParseError> {
    quantity::parse_duration(&word.text()).map_err(|e| ParseError::new(e.to_string(), word.span))
}

/// Micro-dollars of `2.00`.
pub(super) fn money(word: &Word) -> Result<u64, ParseError> {
    quantity::parse_money(&word.text()).map_err(|e| ParseError::new(e.to_string(), word.span))
}

/// A word that is quoted as a whole or not at all.
fn one_part(word: &Word) -> Result<(), ParseError> {
    match word.parts.len() {
        0 => Err(empty(word)),
        1 => Ok(()),
        _ => Err(ParseError::new("a name is quoted as a whole or not at all", word.span)),
    }
}

fn empty(word: &Word) -> ParseError {
    ParseError::new("a name is missing here", word.span).help("lists have commas without blanks: `a,b`")
}
