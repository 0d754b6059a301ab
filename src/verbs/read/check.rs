//! What `expect` asserts.
use crate::verbs::act::{Act, Check, Cmp};
use crate::verbs::error::ParseError;
use crate::verbs::lex::{Span, Word};
use crate::verbs::reader::Reader;
use crate::verbs::value;

/// After a task stands one of these, or a status.
const RELATIONS: [&str; 3] = ["held by", "assigned", "result contains"];

pub(in crate::verbs) fn expect(r: &mut Reader<'_>) -> Result<Act, ParseError> {
    let first = r.word()?;
    check(r, &first).map(Act::Expect)
}

fn check(r: &mut Reader<'_>, first: &Word) -> Result<Check, ParseError> {
    if let Some(check) = first.bare().and_then(|word| measure(r, word, first.span)) {
        return check;
    }
    let task = value::task(first)?;
    if r.take("held") {
        if !r.take("by") {
            return Ok(Check::Status { task, is: crate::verbs::act::Goal::Held });
        }
        let by = r.next().ok_or_else(|| r.missing("TASK,.. after `held by`"))?;
        return Ok(Check::HeldBy { task, by: value::each(&by, value::task)? });
    }
    if r.take("assigned") {
        let to = r.next().ok_or_else(|| r.missing("MEMBER after `assigned`"))?;
        return Ok(Check::Assigned { task, to: value::name(&to)? });
    }
    if r.take("result") {
        return result(r, task);
    }
    let status = r.next().ok_or_else(|| r.missing("STATUS"))?;
    let is = value::goal(&status).map_err(|e| e.help(format!("or one of: {}", RELATIONS.join(", "))))?;
    Ok(Check::Status { task, is })
}

fn result(r: &mut Reader<'_>, task: crate::domain::TaskRef) -> Result<Check, ParseError> {
    if !r.take("contains") {
        let here = r.here();
        let span = r.peek().map_or(Span::new(here, here), |word| word.span);
        return Err(ParseError::new("after `result` stands `contains`", span).usage(r.verb));
    }
    let text = r.next().ok_or_else(|| r.missing("TEXT after `result contains`"))?;
    Ok(Check::Result { task, contains: text.text() })
}

/// `messages A -> B >= 2` and `cost < 2.00`, where what follows looks like it: else it is a task of that name.
fn measure(r: &mut Reader<'_>, word: &str, span: Span) -> Option<Result<Check, ParseError>> {
    let mut pieces = Pieces::default();
    let read = if word == "messages" && r.has_ahead("->") {
        messages
    } else {
        let rest = word.strip_prefix("cost")?;
        let follows = if rest.is_empty() { r.peek().and_then(Word::bare).unwrap_or_default() } else { rest };
        sign(follows)?;
        pieces.add_bare(rest, span.start + "cost".len());
        cost
    };
    while let Some(word) = r.next() {
        pieces.add(&word);
    }
    Some(read(&pieces).unwrap_or_else(|| Err(pieces.error(r))))
}

fn cost(pieces: &Pieces) -> Option<Result<Check, ParseError>> {
    let [Piece::Cmp(cmp), Piece::Word(amount)] = pieces.list.as_slice() else { return None };
    Some(value::money(amount).map(|micros| Check::Cost { cmp: *cmp, micros }))
}

fn messages(pieces: &Pieces) -> Option<Result<Check, ParseError>> {
    let [Piece::Word(from), Piece::Arrow, Piece::Word(to), Piece::Cmp(cmp), Piece::Word(n)] =
        pieces.list.as_slice()
    else {
        return None;
    };
    let read = || {
        let (from, to) = (value::name(from)?, value::name(to)?);
        Ok(Check::Messages { from, to, cmp: *cmp, n: value::number(n)? })
    };
    Some(read())
}

/// The sign that a text begins with, and what follows.
fn sign(text: &str) -> Option<(Cmp, &str)> {
    Cmp::ALL.into_iter().find_map(|cmp| Some((cmp, text.strip_prefix(cmp.sign())?)))
}

/// Names, numbers and signs, with blanks between them or not.
#[derive(Default)]
struct Pieces {
    list: Vec<Piece>,
}

enum Piece {
    Word(Word),
    Cmp(Cmp),
    Arrow,
}

impl Pieces {
    fn add(&mut self, word: &Word) {
        for part in &word.parts {
            if part.quoted {
                self.list.push(Piece::Word(Word { parts: vec![part.clone()], span: part.span }));
            } else {
                self.add_bare(&part.text, part.span.start);
            }
        }
    }

    fn add_bare(&mut self, text: &str, start: usize) {
        let (mut rest, mut at, mut begun) = (text, start, start);
        while let Some(c) = rest.chars().next() {
            let found = match rest.strip_prefix("->") {
                Some(after) => Some((Piece::Arrow, after)),
                None => sign(rest).map(|(cmp, after)| (Piece::Cmp(cmp), after)),
            };
            let Some((piece, after)) = found else {
                at += c.len_utf8();
                rest = rest.get(c.len_utf8()..).unwrap_or_default();
                continue;
            };
            self.add_word(text, start, Span::new(begun, at));
            self.list.push(piece);
            at += rest.len() - after.len();
            begun = at;
            rest = after;
        }
        self.add_word(text, start, Span::new(begun, at));
    }

    fn add_word(&mut self, text: &str, start: usize, span: Span) {
        let word = Span::new(span.start - start, span.end - start).of(text);
        if !word.is_empty() {
            self.list.push(Piece::Word(Word::plain(word, span)));
        }
    }

    fn error(&self, r: &Reader<'_>) -> ParseError {
        let here = r.here();
        ParseError::new("this comparison is not complete", Span::new(here, here))
            .help("`expect messages A -> B >= 2`, `expect cost < 2.00`")
    }
}
