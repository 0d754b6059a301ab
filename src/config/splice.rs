//! `{{ vars.NAME }}` and `{{ each }}` in texts become their values.

use std::ops::Range;

use super::report::Report;
use super::set::Vars;
use super::string::Text;
use crate::text::shell_word;

/// Bytes that all splicing of one file may come to. Reason: `each` times a long text would fill the memory.
pub const MAX_SPLICED_BYTES: usize = 16 << 20;

/// Longer braces are no placeholder. Reason: looking for the end of each stays cheap.
const MAX_PLACEHOLDER_BYTES: usize = 256;

/// How a value is written into a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// As it is.
    Plain,
    /// As one word of a shell.
    Shell,
}

/// Splices the texts of one file.
pub(super) struct Splicer<'v> {
    vars: &'v Vars,
    each: Option<String>,
    spent: usize,
}

impl<'v> Splicer<'v> {
    /// With these variables, and no value of `each`.
    pub fn new(vars: &'v Vars) -> Self {
        Self { vars, each: None, spent: 0 }
    }

    /// From here on `{{ each }}` is this.
    pub fn set_each(&mut self, each: Option<&str>) {
        self.each = each.map(str::to_owned);
    }

    /// Is there no room for more?
    pub fn is_spent(&self) -> bool {
        self.spent > MAX_SPLICED_BYTES
    }

    /// Puts the values in; what has none is an error and stays. Once spent, nothing changes.
    pub fn splice(&mut self, text: &mut Text, style: Style, report: &mut Report<'_>) {
        if self.is_spent() {
            return;
        }
        self.spent += text.value.len();
        let holes = placeholders(&text.value);
        if holes.is_empty() {
            return;
        }
        let mut out = Text::empty(text.at.clone());
        let (mut done, mut quotes) = (0, Quotes::default());
        for hole in holes {
            let literal = text.value.get(done..hole.start).unwrap_or_default();
            quotes.pass(literal);
            out.push_part(text, done..hole.start);
            match self.value(text, &hole, style, &quotes, report) {
                Some(value) => {
                    quotes.pass_value();
                    self.spent += value.len();
                    out.push_value(&value, text.range(hole.clone()).start);
                }
                None => out.push_part(text, hole.clone()),
            }
            done = hole.end;
        }
        out.push_part(text, done..text.value.len());
        *text = out;
    }

    /// What stands for a placeholder; an error is reported.
    fn value(
        &self,
        text: &Text,
        hole: &Range<usize>,
        style: Style,
        quotes: &Quotes,
        report: &mut Report<'_>,
    ) -> Option<String> {
        let written = text.value.get(hole.clone()).unwrap_or_default();
        let name = written.trim_matches(['{', '}']).trim();
        let at = text.range(hole.clone());
        let Some(value) = self.find(name) else {
            if report.skips_error() {
                return None;
            }
            let message = format!("unknown placeholder `{{{{ {name} }}}}`");
            let help = self.hint(name, report);
            report.error("unknown_placeholder", &at, &message, &[help]);
            return None;
        };
        if style == Style::Plain || quotes.is_comment && !value.contains('\n') {
            return Some(value.to_owned());
        }
        if quotes.is_comment {
            let message =
                format!("`{{{{ {name} }}}}` stands in a comment, and its value has more than one line");
            report.error("quoted_placeholder", &at, &message, &["take it out of the comment".to_owned()]);
        }
        let word = match shell_word(value) {
            Ok(word) => word,
            Err(why) => {
                report.error("bad_value", &at, &format!("`{{{{ {name} }}}}`: {why}"), &[]);
                return None;
            }
        };
        if quotes.open.is_none() {
            return Some(word);
        }
        if !value.is_empty() && word != value {
            let help = "take it out of the quotes: its value is quoted as one word by itself".to_owned();
            let message =
                format!("`{{{{ {name} }}}}` stands inside quotes, where its value could run as a command");
            report.error("quoted_placeholder", &at, &message, &[help]);
        }
        Some(value.to_owned())
    }

    fn find(&self, name: &str) -> Option<&str> {
        match name.strip_prefix("vars.") {
            Some(var) => self.vars.get(var),
            None => self.each.as_deref().filter(|_| name == "each"),
        }
    }

    fn hint(&self, name: &str, report: &mut Report<'_>) -> String {
        if name == "each" {
            return "give the member `each = [\"1\", \"2\"]`: one member a value".to_owned();
        }
        let known: Vec<String> = self.vars.names().map(|var| format!("vars.{var}")).collect();
        let exact = known.iter().find(|var| var.strip_prefix("vars.") == Some(name));
        let near =
            exact.map(String::as_str).or_else(|| report.nearest(name, known.iter().map(String::as_str)));
        match near {
            Some(near) => format!("did you mean `{{{{ {near} }}}}`?"),
            None => {
                "declare it in `[vars]`; a text that is to stay as it is can be the value of one".to_owned()
            }
        }
    }
}

/// Where the placeholders of a text are. Braces around anything but a dotted word are none.
fn placeholders(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(open) = text.get(from..).and_then(|rest| rest.find("{{")) {
        let start = from + open;
        let inner = start + 2;
        let end = word_end(text, inner);
        found.extend(end.map(|end| start..end));
        from = end.unwrap_or(start + 1);
    }
    found
}

/// Where a placeholder whose content begins at `inner` ends, if it is one.
fn word_end(text: &str, inner: usize) -> Option<usize> {
    let bytes = text.as_bytes().get(inner..)?;
    let near = bytes.get(..MAX_PLACEHOLDER_BYTES).unwrap_or(bytes);
    let len = near.windows(2).position(|pair| pair == b"}}")?;
    text.get(inner..inner + len).is_some_and(|inner| is_word(inner.trim())).then_some(inner + len + 2)
}

fn is_word(text: &str) -> bool {
    let first = text.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
    first && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// Which quotes of a shell are open, and whether a comment is, as far as literal text goes.
#[derive(Debug, Default)]
struct Quotes {
    open: Option<char>,
    is_comment: bool,
    /// A word has begun: a `#` in it begins no comment.
    in_word: bool,
}

impl Quotes {
    fn pass(&mut self, text: &str) {
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            if self.is_comment {
                self.is_comment = c != '\n';
                continue;
            }
            match (self.open, c) {
                (None | Some('"'), '\\') => {
                    // A line that goes on begins no word.
                    self.in_word |= chars.next() != Some('\n');
                    continue;
                }
                (None, '#') if !self.in_word => self.is_comment = true,
                (None, '\'' | '"') => self.open = Some(c),
                (Some(open), c) if open == c => self.open = None,
                _ => {}
            }
            self.in_word = !c.is_whitespace() && !matches!(c, ';' | '&' | '|' | '(' | ')');
        }
    }

    /// A value is part of a word.
    fn pass_value(&mut self) {
        self.in_word = true;
    }
}
