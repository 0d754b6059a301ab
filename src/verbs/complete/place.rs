//! Where in the form of its verb a line stands: what may come next, and what must.
use crate::verbs::act::{Cmp, Goal};
use crate::verbs::lex::Word;
use crate::verbs::replan::STEPS;
use crate::verbs::verb::{Kind, Slot, Verb};

/// What may come next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// A value of that kind.
    Kind(Kind),
    /// One of these words.
    Words(&'static [&'static str]),
}

/// A place in a form.
#[derive(Debug, Default)]
pub(super) struct Place {
    /// What may come next, besides keys.
    pub next: Vec<Next>,
    /// What must, as the usage names it.
    pub missing: Option<String>,
    /// Which keys go here.
    pub keys: Keys,
}

/// Which keys go in a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Keys {
    /// All of the verb.
    #[default]
    All,
    /// Those of the verb, not of what it adds.
    Own,
    /// This one alone.
    Only(&'static str),
    /// None.
    None,
}

impl Place {
    fn needs(kind: Kind, name: &str) -> Self {
        Self { next: vec![Next::Kind(kind)], missing: Some(name.to_owned()), keys: Keys::All }
    }

    fn word(words: &'static [&'static str], name: &str) -> Self {
        Self { next: vec![Next::Words(words)], missing: Some(name.to_owned()), keys: Keys::All }
    }

    fn may(words: &'static [&'static str]) -> Self {
        Self { next: vec![Next::Words(words)], ..Self::default() }
    }
}

/// The place after these words, which follow the verb.
pub(super) fn place(verb: &'static Verb, words: &[Word]) -> Place {
    let is_pair = |word: &&Word| word.pair().is_some_and(|(name, _)| verb.key_of(name).is_some());
    let mut rest: Vec<&Word> = words.iter().filter(|word| !is_pair(word)).collect();
    rest.reverse();
    // The task of `complete` and its like is named by a key, too.
    let own_by_key = words.iter().filter_map(Word::pair).any(|(name, _)| name == "task");
    let mut place = Place::default();
    for slot in verb.args.slots.iter().filter(|slot| !(own_by_key && slot.kind == Kind::Own)) {
        match slot.kind {
            Kind::Steps => return steps(words),
            Kind::Check => return check(&mut rest),
            _ => {}
        }
        if fill(slot, &mut rest, &mut place) {
            continue;
        }
        if slot.required {
            place.missing = Some(slot.name.to_owned());
            break;
        }
        if place.missing.is_some() {
            break;
        }
    }
    place
}

/// Takes the words that fill a slot off the end of `rest`, which is reversed. If there are none, adds what may.
fn fill(slot: &'static Slot, rest: &mut Vec<&Word>, place: &mut Place) -> bool {
    for (index, lead) in slot.lead.iter().enumerate() {
        match rest.last() {
            Some(word) if word.bare() == Some(lead) => drop(rest.pop()),
            Some(_) => return false,
            None => {
                place.next.push(Next::Words(slot.lead.get(index..=index).unwrap_or_default()));
                place.missing = (index > 0).then(|| format!("{lead} {}", slot.name));
                return false;
            }
        }
    }
    let Some(word) = rest.last() else {
        place.next.push(Next::Kind(slot.kind));
        if !slot.lead.is_empty() {
            place.missing = Some(slot.name.to_owned());
        }
        return false;
    };
    match slot.kind {
        Kind::Text => rest.clear(),
        Kind::Choice(words) if !slot.required && word.bare().is_none_or(|word| !words.contains(&word)) => {
            return false;
        }
        _ => drop(rest.pop()),
    }
    true
}

fn steps(words: &[Word]) -> Place {
    let mut last = Place { missing: Some("a step".to_owned()), keys: Keys::None, ..Place::may(&STEPS) };
    let begins = |word: &Word| word.bare().is_some_and(|word| STEPS.contains(&word));
    let mut rest = words;
    while let Some(begin) = rest.iter().position(begins) {
        let (step, arguments) = (rest.get(begin), rest.get(begin + 1..).unwrap_or_default());
        // The first argument is one whatever it looks like.
        let end = arguments.iter().skip(1).position(begins).map_or(arguments.len(), |end| end + 1);
        last = self::step(
            step.and_then(Word::bare).unwrap_or_default(),
            arguments.get(..end).unwrap_or_default(),
        );
        rest = arguments.get(end..).unwrap_or_default();
    }
    last
}

fn step(step: &str, arguments: &[Word]) -> Place {
    let words: Vec<&Word> =
        arguments.iter().filter(|word| step == "replace" || word.pair().is_none()).collect();
    let done = || Place { keys: Keys::Own, ..Place::may(&STEPS) };
    match (step, words.len()) {
        ("cancel", 0) => Place::needs(Kind::Tasks, "TASK,.."),
        ("cancel", 1) => {
            Place { next: vec![Next::Words(&["hold", "release"]), Next::Words(&STEPS)], ..done() }
        }
        ("add", 0) => Place { keys: Keys::None, ..Place::needs(Kind::NewName, "NAME") },
        ("add", _) => Place { keys: Keys::All, ..done() },
        ("rewire", 0) => Place { keys: Keys::None, ..Place::needs(Kind::Task, "TASK") },
        ("rewire", _) if !arguments.iter().filter_map(Word::pair).any(|(name, _)| name == "after") => {
            Place { next: Vec::new(), missing: Some("after=".to_owned()), keys: Keys::Only("after") }
        }
        ("prompt", 0) => Place::needs(Kind::Task, "TASK"),
        ("prompt", 1) => Place::needs(Kind::Value, "\"TEXT\""),
        ("replace", 0) => Place::needs(Kind::Task, "OLD=NEW"),
        _ => done(),
    }
}

const SIGNS: &[&str] =
    &[Cmp::Less.sign(), Cmp::AtMost.sign(), Cmp::Equal.sign(), Cmp::AtLeast.sign(), Cmp::More.sign()];

fn check(rest: &mut Vec<&Word>) -> Place {
    let mut words: Vec<Option<&str>> = Vec::new();
    while let Some(word) = rest.pop() {
        words.push(word.bare());
    }
    match words.as_slice() {
        [] => Place {
            next: vec![Next::Kind(Kind::Task), Next::Words(&["messages", "cost"])],
            ..Place::needs(Kind::Task, "what to check")
        },
        [Some("messages")] => Place {
            next: vec![Next::Kind(Kind::Member), Next::Words(&Goal::WORDS)],
            ..Place::needs(Kind::Member, "MEMBER")
        },
        [Some("messages"), _] => Place::word(&["->"], "->"),
        [Some("messages"), _, Some("->")] => Place::needs(Kind::Member, "MEMBER"),
        [Some("messages"), _, Some("->"), _] => Place::word(SIGNS, "a sign"),
        [Some("messages"), _, Some("->"), _, _] => Place::needs(Kind::Number, "N"),
        [Some("cost")] => Place::word(SIGNS, "a sign"),
        [Some("cost"), _] => Place::needs(Kind::Money, "MONEY"),
        [_] => Place {
            next: vec![Next::Words(&Goal::WORDS), Next::Words(&["held by", "assigned", "result contains"])],
            ..Place::word(&[], "STATUS")
        },
        [_, Some("held")] => Place::may(&["by"]),
        [_, Some("held"), Some("by")] => Place::needs(Kind::Tasks, "TASK,.."),
        [_, Some("assigned")] => Place::needs(Kind::Member, "MEMBER"),
        [_, Some("result")] => Place::word(&["contains"], "contains"),
        [_, Some("result"), Some("contains")] => Place::needs(Kind::Value, "\"TEXT\""),
        _ => Place::default(),
    }
}
