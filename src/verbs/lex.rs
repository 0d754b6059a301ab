//! Lines to words: strings, blocks, pairs and comments, each with the bytes it stands at. What a word means is left to
//! the form of its verb.
use super::error::ParseError;

/// No key is longer, in bytes.
const MAX_KEY_BYTES: usize = 32;

/// Bytes of a text, from `start` up to `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl Span {
    /// From one byte up to another.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// From the start of one to the end of the other.
    pub fn to(self, last: Self) -> Self {
        Self { start: self.start, end: last.end }
    }

    /// The text there.
    pub fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

/// A stretch of a word that is quoted as a whole or not at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// What it says, escapes read.
    pub text: String,
    /// It stood in quotes.
    pub quoted: bool,
    /// Where, quotes included.
    pub span: Span,
}

/// What stands between two blanks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Its stretches, none for the empty value of `key=`.
    pub parts: Vec<Part>,
    /// Where.
    pub span: Span,
}

impl Word {
    /// One unquoted word, as an argument of a process is.
    pub(super) fn plain(text: &str, span: Span) -> Self {
        Self { parts: vec![Part { text: text.to_owned(), quoted: false, span }], span }
    }

    /// Its text, when nothing of it is quoted: only such a word can be a keyword.
    pub fn bare(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [part] if !part.quoted => Some(&part.text),
            _ => None,
        }
    }

    /// Its text, when it is one string.
    pub fn string(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [part] if part.quoted => Some(&part.text),
            _ => None,
        }
    }

    /// Does it begin with a quote?
    pub fn begins_quoted(&self) -> bool {
        self.parts.first().is_some_and(|part| part.quoted)
    }

    /// All its text.
    pub fn text(&self) -> String {
        self.parts.iter().map(|part| part.text.as_str()).collect()
    }

    /// The key and the value of `key=value`, where the key is bare.
    pub fn pair(&self) -> Option<(&str, Self)> {
        let first = self.parts.first().filter(|part| !part.quoted)?;
        let (key, _) = first.text.split_once('=')?;
        let mut halves = self.split('=', 2);
        let value = halves.pop()?;
        Some((key, value))
    }

    /// Its pieces between unquoted separators, at most `most` of them; an empty piece has no parts.
    pub fn split(&self, separator: char, most: usize) -> Vec<Self> {
        let at = self.span.start;
        let mut pieces = vec![Self { parts: Vec::new(), span: Span::new(at, at) }];
        for part in &self.parts {
            let mut start = part.span.start;
            let mut rest = part.text.as_str();
            while let Some((head, tail)) =
                rest.split_once(separator).filter(|_| !part.quoted && pieces.len() < most)
            {
                push(&mut pieces, head, false, Span::new(start, start + head.len()));
                start += head.len() + separator.len_utf8();
                rest = tail;
                pieces.push(Self { parts: Vec::new(), span: Span::new(start, start) });
            }
            push(&mut pieces, rest, part.quoted, Span::new(start, part.span.end));
        }
        pieces
    }
}

fn push(pieces: &mut [Word], text: &str, quoted: bool, span: Span) {
    if let Some(piece) = pieces.last_mut().filter(|_| quoted || !text.is_empty()) {
        piece.parts.push(Part { text: text.to_owned(), quoted, span });
        piece.span.end = span.end;
    }
}

/// Reads words off a text, line by line.
#[derive(Debug)]
pub struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    /// At the start of a text; a byte order mark is skipped.
    pub fn new(text: &'a str) -> Self {
        Self { text, at: if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 } }
    }

    /// Where it stands, in bytes.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Is everything read?
    pub fn is_done(&self) -> bool {
        self.at >= self.text.len()
    }

    /// Goes behind the next end of a line.
    pub fn skip_line(&mut self) {
        let rest = self.rest();
        self.at += rest.find('\n').map_or(rest.len(), |index| index + 1);
    }

    /// The next word of this line; `None` at its end or a comment. `is_key`: whether a string may begin after that key
    /// and `=`.
    ///
    /// Errors: a string that does not end, an unknown escape.
    pub fn word(&mut self, is_key: impl Fn(&str) -> bool) -> Result<Option<Word>, ParseError> {
        self.skip_blanks();
        if self.at_line_end() || self.at_comment() {
            return Ok(None);
        }
        let start = self.at;
        let mut parts: Vec<Part> = Vec::new();
        let mut bare_from = start;
        while let Some(c) = self.peek().filter(|c| !c.is_whitespace()) {
            if c == '"'
                && let Some(part) = self.quoted(start, &parts, bare_from, &is_key)?
            {
                self.close(bare_from, part.span.start, &mut parts);
                bare_from = part.span.end;
                parts.push(part);
            } else {
                self.at += c.len_utf8();
            }
        }
        self.close(bare_from, self.at, &mut parts);
        Ok(Some(Word { parts, span: Span::new(start, self.at) }))
    }

    /// The string that begins here, if a string may. Elsewhere in a word a quote is a character like any other.
    fn quoted(
        &mut self,
        start: usize,
        parts: &[Part],
        bare_from: usize,
        is_key: &impl Fn(&str) -> bool,
    ) -> Result<Option<Part>, ParseError> {
        let before = self.text.get(bare_from..self.at).unwrap_or_default();
        let first = parts.first().map_or(before, |part| if part.quoted { "" } else { &part.text });
        let joins = before.is_empty() || before.ends_with(['=', ',']);
        let key_value = joins && key_of(first).is_some_and(is_key);
        if self.at == start || (joins && (key_value || parts.first().is_some_and(|part| part.quoted))) {
            return self.string().map(Some);
        }
        if !before.ends_with(['=', ',']) {
            return Ok(None);
        }
        let here = self.at;
        let part = self.line_string().ok();
        if part.is_none() {
            self.at = here;
        }
        Ok(part)
    }

    fn string(&mut self) -> Result<Part, ParseError> {
        if self.rest().starts_with("\"\"\"") { self.block() } else { self.line_string() }
    }

    fn block(&mut self) -> Result<Part, ParseError> {
        let start = self.at;
        let body = self.rest().get(3..).unwrap_or_default();
        let Some((body, _)) = body.split_once("\"\"\"") else {
            self.at = self.text.len();
            return Err(ParseError::new("this block of text does not end", Span::new(start, start + 3))
                .help("end it with `\"\"\"`"));
        };
        self.at = start + 3 + body.len() + 3;
        let text = body.replace("\r\n", "\n");
        let text = text.strip_prefix('\n').unwrap_or(&text).to_owned();
        Ok(Part { text, quoted: true, span: Span::new(start, self.at) })
    }

    fn line_string(&mut self) -> Result<Part, ParseError> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            match self.peek() {
                None | Some('\n') => return Err(self.unended(start)),
                Some('\r') if self.rest().starts_with("\r\n") => return Err(self.unended(start)),
                Some('"') => break,
                Some('\\') => text.push(self.escape()?),
                Some(c) => {
                    text.push(c);
                    self.at += c.len_utf8();
                }
            }
        }
        self.at += 1;
        Ok(Part { text, quoted: true, span: Span::new(start, self.at) })
    }

    fn unended(&self, start: usize) -> ParseError {
        ParseError::new("this string does not end", Span::new(start, self.at))
            .help("end it with `\"`; text of more lines stands between `\"\"\"` and `\"\"\"`")
    }

    fn escape(&mut self) -> Result<char, ParseError> {
        let start = self.at;
        let rest = self.rest().get(1..).unwrap_or_default();
        let (read, length) = match rest.chars().next() {
            Some(c @ ('"' | '\\')) => (Some(c), 2),
            Some('n') => (Some('\n'), 2),
            Some('t') => (Some('\t'), 2),
            Some('u') => unicode_escape(rest).map_or((None, 2), |(c, length)| (Some(c), length + 1)),
            Some(c) if !c.is_control() => (None, 1 + c.len_utf8()),
            _ => (None, 1),
        };
        self.at += length;
        let span = Span::new(start, self.at);
        read.ok_or_else(|| {
            ParseError::new(format!("`{}` is no escape", span.of(self.text)), span)
                .help(r#"the escapes are `\"`, `\\`, `\n`, `\t` and `\u{1f600}`"#)
        })
    }

    /// Ends the bare stretch, if there is one.
    fn close(&self, from: usize, to: usize, parts: &mut Vec<Part>) {
        let span = Span::new(from, to);
        let text = span.of(self.text);
        if !text.is_empty() {
            parts.push(Part { text: text.to_owned(), quoted: false, span });
        }
    }

    fn skip_blanks(&mut self) {
        while let Some(c) = self.peek().filter(|c| c.is_whitespace() && *c != '\n') {
            self.at += c.len_utf8();
        }
    }

    /// At the end of the line or of the text?
    pub fn at_line_end(&self) -> bool {
        matches!(self.peek(), None | Some('\n'))
    }

    fn at_comment(&self) -> bool {
        self.rest().strip_prefix('#').is_some_and(|rest| rest.chars().next().is_none_or(char::is_whitespace))
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }
}

/// What stands before the first `=`; nothing longer than keys are is looked at.
fn key_of(text: &str) -> Option<&str> {
    let at = text.bytes().take(MAX_KEY_BYTES).position(|b| b == b'=')?;
    text.get(..at)
}

/// The character of `u{HEX}` and the bytes it takes.
fn unicode_escape(text: &str) -> Option<(char, usize)> {
    let (hex, _) = text.strip_prefix("u{")?.split_once('}')?;
    let fits = (1..=6).contains(&hex.len()) && hex.bytes().all(|b| b.is_ascii_hexdigit());
    let c = char::from_u32(u32::from_str_radix(hex, 16).ok().filter(|_| fits)?)?;
    Some((c, hex.len() + 3))
}
