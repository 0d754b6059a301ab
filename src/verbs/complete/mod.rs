//! Completion: what may stand at the cursor, and what is missing next.
mod place;

use super::act::Goal;
use super::key::TEAM;
use super::lex::{Lexer, Span, Word};
use super::table::{TABLE, find};
use super::verb::{Key, Kind, Verb};
use crate::text::fold;
use place::{Keys, Next, place};

/// What has a name now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Names {
    /// Tasks of the team that is meant.
    pub tasks: Vec<Named>,
    /// Its members.
    pub members: Vec<Named>,
    /// Live teams.
    pub teams: Vec<Named>,
    /// Agents that can sit in a chair.
    pub agents: Vec<Named>,
}

/// A name with what is to be said of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// As it is typed: a name, or `#12`.
    pub name: String,
    /// A few words beside it.
    pub note: String,
}

impl Named {
    /// A name and a few words.
    pub fn new(name: impl Into<String>, note: impl Into<String>) -> Self {
        Self { name: name.into(), note: note.into() }
    }
}

/// One way to go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// What stands in the span afterwards.
    pub insert: String,
    /// What it replaces, in bytes of the line; up to the cursor.
    pub span: Span,
    /// A few words beside it.
    pub note: String,
}

/// What may stand at the cursor (in bytes), in the order to show it: what the place is for, then keys. Empty inside a
/// text, a comment, or where only the person knows.
pub fn complete(line: &str, cursor: usize, names: &Names) -> Vec<Candidate> {
    let Some(typed) = line.get(..cursor) else { return Vec::new() };
    let Some(mut words) = words(typed) else { return Vec::new() };
    let at_word = words.last().is_some_and(|word| word.span.end == cursor);
    let current = if at_word { words.pop() } else { None };
    let current = current.unwrap_or(Word { parts: Vec::new(), span: Span::new(cursor, cursor) });
    let Some(first) = words.first() else { return matching(&current, verbs()) };
    let Some(verb) = first.bare().and_then(find) else { return Vec::new() };
    if let Some((name, value)) = current.pair()
        && let Some(key) = verb.key_of(name)
    {
        return values(key.kind, &value, names);
    }
    let place = place(verb, words.get(1..).unwrap_or_default());
    let mut found: Vec<Candidate> = place.next.iter().flat_map(|next| at(*next, &current, names)).collect();
    if !current.begins_quoted() {
        found.extend(matching(&current, keys(verb, place.keys, words.get(1..).unwrap_or_default())));
    }
    found
}

/// What the line still needs, as the usage names it: `TEXT`, `to=`. `None`: nothing, or it is not a command.
pub fn needs(line: &str) -> Option<String> {
    let words = words(line)?;
    let Some(first) = words.first() else { return Some("a command".to_owned()) };
    let verb = first.bare().and_then(find)?;
    let rest = words.get(1..).unwrap_or_default();
    let missing = place(verb, rest).missing;
    missing.or_else(|| {
        let absent = |key: &&Key| key.required && !is_given(rest, key);
        verb.keys().find(absent).map(|key| format!("{}=", key.name))
    })
}

/// The words of a line; `None` inside a string or a comment.
fn words(line: &str) -> Option<Vec<Word>> {
    let mut lexer = Lexer::new(line);
    let mut words: Vec<Word> = Vec::new();
    let mut verb: Option<&'static Verb> = None;
    while let Some(word) = lexer.word(|name| verb.is_some_and(|verb| verb.key_of(name).is_some())).ok()? {
        if words.is_empty() {
            verb = word.bare().and_then(find);
        }
        words.push(word);
    }
    lexer.at_line_end().then_some(words)
}

fn verbs() -> impl Iterator<Item = Named> {
    TABLE.iter().filter(|verb| verb.is_in_palette()).map(|verb| Named::new(verb.id, verb.title))
}

/// The keys that go there and are not given, with their `=`.
fn keys(verb: &'static Verb, which: Keys, words: &[Word]) -> impl Iterator<Item = Named> {
    let own = verb.args.keys.iter();
    let fitting: Vec<&'static Key> = match which {
        Keys::All => verb.keys().chain([&TEAM]).collect(),
        Keys::Own => own.chain([&TEAM]).collect(),
        Keys::Only(name) => verb.key_of(name).into_iter().collect(),
        Keys::None => Vec::new(),
    };
    let free: Vec<&Key> =
        fitting.into_iter().filter(|key| key.kind.is_list() || !is_given(words, key)).collect();
    free.into_iter().map(|key| Named::new(format!("{}=", key.name), key.about))
}

fn is_given(words: &[Word], key: &Key) -> bool {
    words.iter().any(|word| word.pair().is_some_and(|(name, _)| name == key.name))
}

fn at(next: Next, current: &Word, names: &Names) -> Vec<Candidate> {
    match next {
        Next::Kind(kind) => values(kind, current, names),
        Next::Words(words) => matching(current, words.iter().map(|word| Named::new(*word, ""))),
    }
}

/// What fits a kind; of a list the piece after the last comma.
fn values(kind: Kind, typed: &Word, names: &Names) -> Vec<Candidate> {
    let listed = kind.is_list() || kind == Kind::AllOrTasks;
    let pieces = typed.split(',', if listed { usize::MAX } else { 1 });
    let Some(piece) = pieces.last() else { return Vec::new() };
    if kind == Kind::Edges
        && let [_, needs] = piece.split(':', 2).as_slice()
    {
        return matching(needs, ["finished", "completed"].into_iter().map(|word| Named::new(word, "")));
    }
    let first = pieces.len() == 1;
    let extra: &[&str] = match kind {
        Kind::AllOrTasks if first => &["all"],
        Kind::To | Kind::Reviewers => &["lead", "person"],
        Kind::Choice(words) => words,
        Kind::Goals => &Goal::WORDS,
        _ => &[],
    };
    let (named, more): (&[Named], &[Named]) = match kind {
        Kind::Task | Kind::Tasks | Kind::Own | Kind::Edges | Kind::AllOrTasks => (&names.tasks, &[]),
        Kind::Member | Kind::Members | Kind::To | Kind::Reviewers => (&names.members, &[]),
        Kind::Agent => (&names.agents, &names.members),
        Kind::Team => (&names.teams, &[]),
        _ => (&[], &[]),
    };
    let mut all: Vec<Named> = named.to_vec();
    let known = |all: &[Named], name: &str| all.iter().any(|known| known.name == name);
    for named in more {
        if !known(&all, &named.name) {
            all.push(named.clone());
        }
    }
    // A task that has the name of a keyword is quoted, so that it is no keyword.
    if kind == Kind::AllOrTasks && first {
        all.iter_mut()
            .filter(|named| named.name == "all")
            .for_each(|named| named.name = "\"all\"".to_owned());
    }
    for word in extra {
        if !known(&all, word) {
            all.push(Named::new(*word, ""));
        }
    }
    matching(piece, all.into_iter())
}

/// Those that begin with what is typed; where none does, those that have it in them.
fn matching(typed: &Word, all: impl Iterator<Item = Named>) -> Vec<Candidate> {
    let prefix = fold(&typed.text());
    let all: Vec<(String, Named)> =
        all.map(|named| (fold(named.name.trim_start_matches('"')), named)).collect();
    let begins = |name: &String| name.starts_with(&prefix);
    let any = all.iter().any(|(name, _)| begins(name));
    all.into_iter()
        .filter(|(name, _)| if any { begins(name) } else { name.contains(&prefix) })
        .map(|(_, named)| Candidate { insert: named.name, span: typed.span, note: named.note })
        .collect()
}

#[cfg(test)]
mod tests;
