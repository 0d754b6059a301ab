//! The arguments of one line, handed to the conversion of its verb slot by slot and key by key.
use super::error::{ParseError, shown};
use super::lex::{Span, Word};
use super::value;
use super::verb::{Key, Kind, Slot, Verb};
use crate::domain::{Name, TaskRef};

/// A slot for what the form does not have; no row asks for it, the tests see to that.
const NO_SLOT: Slot = Slot { name: "ARGUMENT", kind: Kind::Value, required: true, lead: &[] };

/// What follows a verb, taken from the front.
pub(super) struct Reader<'a> {
    source: &'a str,
    /// Its row.
    pub(super) verb: &'static Verb,
    words: Vec<Positional>,
    pairs: Vec<Pair>,
    at: usize,
    slot: usize,
    end: usize,
    inside: bool,
    arguments: bool,
}

/// A word that is no pair.
struct Positional {
    word: Word,
    /// No pair stands between it and the word before.
    joined: bool,
}

/// `key=value`.
pub(super) struct Pair {
    key: &'static Key,
    value: Word,
    span: Span,
    taken: bool,
}

/// How the words came to be.
#[derive(Clone, Copy)]
pub(super) struct Origin<'a> {
    /// What spans point into.
    pub(super) source: &'a str,
    /// Where a missing argument would stand.
    pub(super) end: usize,
    /// The caller has an attempt.
    pub(super) inside: bool,
    /// The words are arguments of a process: nothing in them is quoted, and blanks may be.
    pub(super) arguments: bool,
}

impl<'a> Reader<'a> {
    /// Tells pairs from other words.
    ///
    /// Errors: a key that the verb does not have, where no text could begin like that.
    pub(super) fn new(verb: &'static Verb, words: Vec<Word>, origin: Origin<'a>) -> Result<Self, ParseError> {
        let Origin { source, end, inside, arguments } = origin;
        let mut reader = Self {
            source,
            verb,
            words: Vec::new(),
            pairs: Vec::new(),
            at: 0,
            slot: 0,
            end,
            inside,
            arguments,
        };
        let mut joined = true;
        for word in words {
            let pair = reader.pair(&word);
            joined &= pair.is_none();
            match pair {
                Some(pair) => reader.pairs.push(pair),
                None => {
                    reader.words.push(Positional { word, joined });
                    joined = true;
                }
            }
        }
        let loose = |kind| matches!(kind, Kind::Text | Kind::Path | Kind::Value | Kind::Check | Kind::Steps);
        if !verb.args.slots.iter().any(|slot| loose(slot.kind)) {
            reader.words.iter().try_for_each(|p| reader.known_key(&p.word))?;
        }
        Ok(reader)
    }

    fn pair(&self, word: &Word) -> Option<Pair> {
        let before = self.words.last().and_then(|p| p.word.bare());
        let replaces =
            before == Some("replace") && self.verb.args.slots.iter().any(|s| s.kind == Kind::Steps);
        let (name, value) = word.pair().filter(|_| !replaces)?;
        let key = self.verb.key_of(name)?;
        let is_text =
            self.arguments && !key.kind.has_blanks() && value.text().trim().contains(char::is_whitespace);
        (!is_text).then_some(Pair { key, value, span: word.span, taken: false })
    }

    /// Refuses a word that looks like a pair: its key is none of the verb's.
    pub(super) fn known_key(&self, word: &Word) -> Result<(), ParseError> {
        let Some((name, _)) = word.pair().filter(|(name, _)| is_key_like(name)) else { return Ok(()) };
        let span = Span::new(word.span.start, word.span.start + name.len());
        let known = || self.verb.keys().map(|key| key.name);
        let error = ParseError::new(format!("`{}` has no key `{name}`", self.verb.id), span);
        Err(match known().next() {
            Some(_) => error
                .nearest(name, known())
                .help(format!("its keys: {}", known().collect::<Vec<_>>().join(" "))),
            None => error.usage(self.verb),
        })
    }

    /// The next word, taken.
    pub(super) fn next(&mut self) -> Option<Word> {
        let word = self.peek()?.clone();
        self.at += 1;
        Some(word)
    }

    /// The next word, left where it is.
    pub(super) fn peek(&self) -> Option<&Word> {
        self.words.get(self.at).map(|p| &p.word)
    }

    /// Takes the next word if it is this keyword.
    pub(super) fn take(&mut self, keyword: &str) -> bool {
        let found = self.peek().and_then(Word::bare) == Some(keyword);
        self.at += usize::from(found);
        found
    }

    /// Where the next word begins; without one, the end.
    pub(super) fn here(&self) -> usize {
        self.peek().map_or(self.end, |word| word.span.start)
    }

    /// The slot that is filled next.
    fn slot(&mut self) -> &'static Slot {
        let slot = self.verb.args.slots.get(self.slot).unwrap_or(&NO_SLOT);
        self.slot += 1;
        slot
    }

    /// The word that fills the next slot.
    pub(super) fn word(&mut self) -> Result<Word, ParseError> {
        let slot = self.slot();
        self.next().ok_or_else(|| self.missing(slot.name))
    }

    /// The word that fills the next slot, if there is one and the words before it are there.
    pub(super) fn maybe_word(&mut self) -> Result<Option<Word>, ParseError> {
        let slot = self.slot();
        let lead = slot.lead.iter().enumerate();
        let led = lead.clone().all(|(i, lead)| {
            self.words.get(self.at + i).and_then(|p| p.word.bare()).is_some_and(|word| word == *lead)
        });
        if !led {
            return Ok(None);
        }
        self.at += lead.count();
        match self.next() {
            None if !slot.lead.is_empty() => Err(self.missing(slot.name)),
            word => Ok(word),
        }
    }

    /// That something is not there.
    pub(super) fn missing(&self, name: &str) -> ParseError {
        let what = format!("`{}` needs {name}", self.verb.id);
        ParseError::new(what, Span::new(self.end, self.end)).usage(self.verb)
    }

    /// One task, in the next slot.
    pub(super) fn task(&mut self) -> Result<TaskRef, ParseError> {
        value::task(&self.word()?)
    }

    /// Tasks with commas, in the next slot.
    pub(super) fn tasks(&mut self) -> Result<Vec<TaskRef>, ParseError> {
        value::each(&self.word()?, value::task)
    }

    /// A member, in the next slot.
    pub(super) fn member(&mut self) -> Result<Name, ParseError> {
        value::name(&self.word()?)
    }

    /// A member, in the next slot, or none.
    pub(super) fn maybe_member(&mut self) -> Result<Option<Name>, ParseError> {
        self.maybe_word()?.map(|word| value::name(&word)).transpose()
    }

    /// The task that `complete`, `fail`, `approve` and `send_back` are about; none: the caller's own.
    pub(super) fn own(&mut self) -> Result<Option<TaskRef>, ParseError> {
        let slot = self.slot();
        if let Some(word) = self.one("task")? {
            return value::task(&word).map(Some);
        }
        if self.inside {
            return Ok(None);
        }
        let word = self.next().ok_or_else(|| {
            self.missing(slot.name)
                .help("who has no attempt names the task first; inside one it is one's own")
        })?;
        value::task(&word).map(Some)
    }

    /// Text to the end of the line or the next key, in the next slot. It may not be empty.
    pub(super) fn text(&mut self) -> Result<String, ParseError> {
        let slot = self.slot();
        let here = self.here();
        let text = self.run_of_words()?.ok_or_else(|| self.missing(slot.name))?;
        if text.is_empty() {
            let empty = ParseError::new(format!("{} is empty", slot.name), Span::new(here, here + 2));
            return Err(empty.usage(self.verb));
        }
        Ok(text)
    }

    /// Text to the end of the line or the next key, in the next slot; none is empty.
    pub(super) fn maybe_text(&mut self) -> Result<String, ParseError> {
        self.slot();
        Ok(self.run_of_words()?.unwrap_or_default())
    }

    fn run_of_words(&mut self) -> Result<Option<String>, ParseError> {
        let Some(first) = self.next() else { return Ok(None) };
        if let Some(text) = first.string() {
            return match self.words.get(self.at).filter(|p| p.joined) {
                Some(more) => Err(goes_on(more.word.span)),
                None => Ok(Some(text.to_owned())),
            };
        }
        if first.begins_quoted() {
            let more = first.parts.get(1).map_or(first.span, |part| part.span);
            return Err(goes_on(more));
        }
        let mut span = first.span;
        while let Some(more) = self.words.get(self.at).filter(|p| p.joined) {
            span = span.to(more.word.span);
            self.at += 1;
        }
        Ok(Some(span.of(self.source).to_owned()))
    }

    /// The value of a key that is given at most once.
    pub(super) fn one(&mut self, name: &str) -> Result<Option<Word>, ParseError> {
        self.one_in(name, Span::new(0, usize::MAX))
    }

    /// The same, of pairs between those bytes.
    pub(super) fn one_in(&mut self, name: &str, within: Span) -> Result<Option<Word>, ParseError> {
        let mut found = None;
        for pair in self.pairs.iter_mut().filter(|p| p.key.name == name && p.is_in(within)) {
            pair.taken = true;
            if found.replace(pair.value.clone()).is_some() {
                return Err(ParseError::new(format!("`{name}=` is given twice"), pair.span));
            }
        }
        Ok(found)
    }

    /// The values of a key: with commas, or by giving it again. `None`: it is not given.
    pub(super) fn many_in(&mut self, name: &str, within: Span) -> Option<Vec<Word>> {
        let mut values = Vec::new();
        for pair in self.pairs.iter_mut().filter(|p| p.key.name == name && p.is_in(within)) {
            pair.taken = true;
            // An argument of a process is one text as it is.
            let whole = self.arguments && pair.key.kind.has_blanks();
            values.extend(pair.value.split(',', if whole { 1 } else { usize::MAX }));
        }
        (!values.is_empty()).then_some(values)
    }

    /// The values of a key anywhere in the line.
    pub(super) fn many(&mut self, name: &str) -> Vec<Word> {
        self.many_in(name, Span::new(0, usize::MAX)).unwrap_or_default()
    }

    /// The value of a key that must be given.
    pub(super) fn must(&mut self, name: &str) -> Result<Word, ParseError> {
        self.one(name)?.ok_or_else(|| self.missing(&format!("{name}=")))
    }

    /// A key that says true or false; not given, it is false.
    pub(super) fn flag(&mut self, name: &str) -> Result<bool, ParseError> {
        Ok(self.one(name)?.map(|word| value::flag(&word)).transpose()?.unwrap_or(false))
    }

    /// Leaves the next slot to the caller.
    pub(super) fn skip_slot(&mut self) {
        self.slot();
    }

    /// Where pairs that follow the word taken last end: at the next word.
    pub(super) fn next_word_start(&self) -> usize {
        self.peek().map_or(usize::MAX, |word| word.span.start)
    }

    /// Which keys are given between those bytes, in the order of the table.
    pub(super) fn given_in(&self, within: Span) -> Vec<&'static str> {
        let given = |name: &str| self.pairs.iter().any(|pair| pair.key.name == name && pair.is_in(within));
        self.verb.args.added.iter().map(|key| key.name).filter(|name| given(name)).collect()
    }

    /// Where a key is given.
    pub(super) fn span_in(&self, name: &str, within: Span) -> Span {
        let pair = self.pairs.iter().find(|pair| pair.key.name == name && pair.is_in(within));
        pair.map_or(Span::new(self.end, self.end), |pair| pair.span)
    }

    /// Does a word that is not taken have that in it, unquoted?
    pub(super) fn has_ahead(&self, sign: &str) -> bool {
        let rest = self.words.iter().skip(self.at).flat_map(|p| &p.word.parts);
        rest.filter(|part| !part.quoted).any(|part| part.text.contains(sign))
    }

    /// The text that words and spans were read from.
    pub(super) fn source(&self) -> &'a str {
        self.source
    }

    /// Refuses what is left over.
    pub(super) fn finish(self) -> Result<(), ParseError> {
        if let Some(word) = self.peek() {
            self.known_key(word)?;
            let what = format!("`{}` does not belong here", shown(word.span.of(self.source)));
            let error = ParseError::new(what, word.span).usage(self.verb);
            let list =
                self.verb.args.slots.iter().any(|slot| slot.kind.is_list() || slot.kind == Kind::AllOrTasks);
            return Err(if list { error.help("lists have commas without blanks: `a,b`") } else { error });
        }
        match self.pairs.iter().find(|pair| !pair.taken) {
            Some(pair) => {
                Err(ParseError::new(format!("`{}=` does not belong here", pair.key.name), pair.span)
                    .usage(self.verb))
            }
            None => Ok(()),
        }
    }
}

impl Pair {
    fn is_in(&self, within: Span) -> bool {
        (within.start..within.end).contains(&self.span.start)
    }
}

/// Could it be meant as a key?
fn is_key_like(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
}

fn goes_on(span: Span) -> ParseError {
    ParseError::new("the text goes on after its closing quote", span)
        .help("put all of it in one pair of quotes; a quote inside is `\\\"`")
}
