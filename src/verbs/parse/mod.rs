//! Lines, scripts and arguments to what they ask for.
use super::act::Parsed;
use super::error::{ParseError, shown};
use super::lex::{Lexer, Span, Word};
use super::reader::{Origin, Reader};
use super::table::{TABLE, find};
use super::value;
use crate::domain::limits;

/// Errors of one script that are reported; it is not read further. Reason: nobody mends more at once.
pub const MAX_ERRORS: usize = 100;

/// A line of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptLine {
    /// From 1; of a line with a block of text the first.
    pub number: u32,
    /// As it is written, without blanks around it and without its comment.
    pub text: String,
    /// What it asks for.
    pub parsed: Parsed,
    /// Where it stands, in bytes of the script.
    pub span: Span,
}

/// Reads one line. `inside_attempt`: whoever gives it has an attempt, so `complete` is about that one (see `own`).
///
/// `None`: it is blank or a comment. Errors: what is wrong first, with its place in the line.
pub fn parse_line(line: &str, inside_attempt: bool) -> Result<Option<Parsed>, ParseError> {
    let mut lexer = Lexer::new(line);
    let read = read_line(&mut lexer, line, inside_attempt).and_then(|read| {
        lexer.skip_line();
        let end = lexer.at();
        match line.get(end..).is_some_and(|rest| !rest.trim().is_empty()) {
            true => Err(ParseError::new("a second line begins here", Span::new(end, line.len()))
                .help("give one line at a time, or a file: `teamtui --script FILE`")),
            false => Ok(read),
        }
    });
    read.map(|read| read.map(|(parsed, _)| parsed)).map_err(|e| e.placed(line))
}

/// Reads a whole script.
///
/// Errors: every line that is not understood, up to `MAX_ERRORS`, in order.
pub fn parse_script(text: &str, inside_attempt: bool) -> Result<Vec<ScriptLine>, Vec<ParseError>> {
    if u64::try_from(text.len()).unwrap_or(u64::MAX) > limits::MAX_SCRIPT_BYTES {
        let what = format!("the script has {} bytes, more than {}", text.len(), limits::MAX_SCRIPT_BYTES);
        return Err(vec![ParseError::new(what, Span::default())]);
    }
    let mut lexer = Lexer::new(text);
    let (mut lines, mut errors) = (Vec::new(), Vec::new());
    let (mut number, mut counted) = (1_usize, 0_usize);
    while !lexer.is_done() && errors.len() < MAX_ERRORS {
        let begin = lexer.at();
        number += Span::new(counted, begin).of(text).matches('\n').count();
        counted = begin;
        match read_line(&mut lexer, text, inside_attempt) {
            Ok(None) => {}
            Ok(Some((parsed, span))) => {
                let number = u32::try_from(number).unwrap_or(u32::MAX);
                lines.push(ScriptLine { number, text: span.of(text).to_owned(), parsed, span });
            }
            Err(e) => errors.push(e.placed(text)),
        }
        lexer.skip_line();
    }
    if errors.is_empty() { Ok(lines) } else { Err(errors) }
}

/// Reads arguments of a process as one line: each is one word, quoted as it is. Spans are those of the arguments joined
/// by one blank each.
///
/// `None`: there are none.
pub fn parse_words(arguments: &[String], inside_attempt: bool) -> Result<Option<Parsed>, ParseError> {
    let source = arguments.join(" ");
    let mut at = 0;
    let mut words = arguments.iter().map(|argument| {
        let span = Span::new(at, at + argument.len());
        at = span.end + 1;
        Word::plain(argument, span)
    });
    let Some(first) = words.next() else { return Ok(None) };
    let words = words.collect();
    let origin = Origin { source: &source, end: source.len(), inside: inside_attempt, arguments: true };
    convert(&first, words, origin).map(Some).map_err(|e| e.placed(&source))
}

/// Reads the line at which the lexer stands, up to its end; the lexer is left somewhere in it.
fn read_line(
    lexer: &mut Lexer<'_>,
    source: &str,
    inside: bool,
) -> Result<Option<(Parsed, Span)>, ParseError> {
    let Some(first) = lexer.word(|_| false)? else { return Ok(None) };
    let verb = first.bare().and_then(find);
    let is_key = |name: &str| verb.is_some_and(|verb| verb.key_of(name).is_some());
    let mut words = Vec::new();
    let mut end = first.span.end;
    while verb.is_some()
        && let Some(word) = lexer.word(is_key)?
    {
        end = word.span.end;
        words.push(word);
    }
    let span = Span::new(first.span.start, end);
    let parsed = convert(&first, words, Origin { source, end, inside, arguments: false })?;
    Ok(Some((parsed, span)))
}

fn convert(first: &Word, words: Vec<Word>, origin: Origin<'_>) -> Result<Parsed, ParseError> {
    let text = first.text();
    let verb = first.bare().and_then(find).ok_or_else(|| {
        let error = ParseError::new(format!("`{}` is no command", shown(&text)), first.span);
        let error = error.nearest(&text, TABLE.iter().map(|verb| verb.id));
        if error.help.is_empty() { error.help("all of them: `teamtui help`") } else { error }
    })?;
    let mut reader = Reader::new(verb, words, origin)?;
    let team = reader.one("team")?.map(|word| value::name(&word)).transpose()?;
    let act = (verb.read)(&mut reader)?;
    reader.finish()?;
    Ok(Parsed { verb, team, act })
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
