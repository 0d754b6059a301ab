//! A text of the file, decoded, that still knows where each of its bytes was written.

use std::ops::Range;

use super::report::At;

/// A decoded text and the way back to the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Text {
    /// What it says.
    pub value: String,
    /// Where all of it stands, quotes included.
    pub at: At,
    /// Bytes from there to the content, which stands there as it is up to the first mark; none: nothing is before it.
    skip: Option<u8>,
    marks: Vec<Mark>,
}

/// From `text` on, byte `text + n` was written at `file + n`, or, fixed, all of it at `file`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mark {
    text: usize,
    file: usize,
    fixed: bool,
}

impl Text {
    /// A TOML string `value` that was written as `raw` at `at`.
    pub fn read(value: &str, raw: &str, at: At) -> Self {
        let (skip, marks) = marks(raw, at.start);
        Self { value: value.to_owned(), at, skip: Some(skip), marks }
    }

    /// A text without content at a place, to be built by the `push` functions.
    pub fn empty(at: At) -> Self {
        Self { value: String::new(), at, skip: None, marks: Vec::new() }
    }

    /// Adds a part of another text, which keeps its places.
    pub fn push_part(&mut self, other: &Self, range: Range<usize>) {
        let shift = self.value.len();
        let inside = other.marks.iter().filter(|mark| range.start < mark.text && mark.text < range.end);
        let first = other.mark_at(range.start);
        self.marks.push(Mark { text: shift, ..first });
        self.marks.extend(inside.map(|mark| Mark { text: mark.text - range.start + shift, ..*mark }));
        self.value.push_str(other.value.get(range).unwrap_or_default());
    }

    /// Adds a text that stands for what was written at one place.
    pub fn push_value(&mut self, value: &str, file: usize) {
        self.marks.push(Mark { text: self.value.len(), file, fixed: true });
        self.value.push_str(value);
    }

    /// Where a range of bytes of the value was written.
    pub fn range(&self, range: Range<usize>) -> At {
        let start = self.mark_at(range.start).file;
        let last = self.mark_at(range.end.saturating_sub(1).max(range.start));
        let end = if last.fixed || range.is_empty() { last.file } else { last.file + 1 };
        let end = if range.end >= self.value.len() && last.fixed { self.at.end } else { end };
        start..end.max(start).min(self.at.end.max(start))
    }

    /// Where one byte was written, as a mark that begins there.
    fn mark_at(&self, text: usize) -> Mark {
        let index = self.marks.partition_point(|mark| mark.text <= text);
        let Some(mark) = index.checked_sub(1).and_then(|index| self.marks.get(index)) else {
            let shift = self.skip.map(|skip| text + usize::from(skip));
            return Mark { text, file: self.at.start + shift.unwrap_or_default(), fixed: shift.is_none() };
        };
        let moved = if mark.fixed { 0 } else { text - mark.text };
        Mark { text, file: mark.file + moved, fixed: mark.fixed }
    }
}

/// Where the content of a TOML string begins, and its marks: two around each escape.
fn marks(raw: &str, start: usize) -> (u8, Vec<Mark>) {
    let (quote, before) = opening(raw);
    let mut marks = Vec::new();
    let skip = usize::from(before);
    let body = raw.get(skip..).unwrap_or_default();
    if quote != '"' {
        return (before, marks);
    }
    let (mut text, mut chars) = (0, body.char_indices().peekable());
    while let Some((at, c)) = chars.next() {
        if c != '\\' {
            text += c.len_utf8();
            continue;
        }
        marks.push(Mark { text, file: start + skip + at, fixed: true });
        text += escape(&mut chars);
        let next = chars.peek().map_or(raw.len(), |(at, _)| skip + at);
        marks.push(Mark { text, file: start + next, fixed: false });
    }
    (before, marks)
}

/// The kind of quote (blank: none), and where the content begins.
fn opening(raw: &str) -> (char, u8) {
    for (mark, quote) in [("\"\"\"", '"'), ("'''", '\'')] {
        if let Some(rest) = raw.strip_prefix(mark) {
            return (quote, 3 + u8::from(rest.starts_with('\n')));
        }
    }
    match raw.chars().next() {
        Some(quote @ ('"' | '\'')) => (quote, 1),
        _ => (' ', 0),
    }
}

/// Reads what follows a backslash; how many bytes it comes to.
fn escape(chars: &mut std::iter::Peekable<std::str::CharIndices<'_>>) -> usize {
    let digits = match chars.next() {
        Some((_, 'x')) => 2,
        Some((_, 'u')) => 4,
        Some((_, 'U')) => 8,
        Some((_, c)) if c.is_whitespace() => {
            while chars.next_if(|(_, c)| c.is_whitespace()).is_some() {}
            return 0;
        }
        _ => return 1,
    };
    let number: String = std::iter::from_fn(|| chars.next().map(|(_, c)| c)).take(digits).collect();
    let scalar = u32::from_str_radix(&number, 16).ok().and_then(char::from_u32);
    scalar.map_or(0, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where each `!` of the decoded text was written, as an offset in `raw`.
    fn bangs(raw: &str) -> Vec<usize> {
        let document = format!("k = {raw}");
        let table = toml::de::DeTable::parse(&document).unwrap();
        let value = table.get_ref().get("k").unwrap();
        let text = Text::read(value.get_ref().as_str().unwrap(), &document[value.span()], value.span());
        let found = text.value.match_indices('!');
        found.map(|(at, _)| text.range(at..at + 1).start - 4).collect()
    }

    #[test]
    fn places_are_found_through_quotes_and_escapes() {
        for raw in [
            r#""a!b!""#,
            r#"'a!\!'"#,
            r#""\t!\u00e9!\U0001F980!\x41!é!""#,
            "\"\"\"\na!\\n!\"!\"\"\"",
            "'''a\n!'''",
            "\"\"\"a \\\n   ! b\\\n\n !\"\"\"",
        ] {
            let expected: Vec<usize> = raw.match_indices('!').map(|(at, _)| at).collect();
            assert_eq!(bangs(raw), expected, "{raw}");
        }
    }
}
