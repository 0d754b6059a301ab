//! Reads a shell line as far as lint needs it: its pipelines, and the words of each command. What it does not
//! understand (compound commands, here documents) it gives up on rather than guess.

use std::ops::Range;

/// A word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// Without its quotes.
    pub text: String,
    /// Bytes of the line.
    pub at: Range<usize>,
    /// Nothing in it is expanded.
    pub plain: bool,
}

/// What stands between two `|`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Command {
    /// Its words without assignments and redirections; the first is the program.
    pub words: Vec<Word>,
}

/// Commands joined by `|`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Pipeline {
    /// In order.
    pub commands: Vec<Command>,
    /// What ends it: `&&`, `||`, `;`, `&`, or nothing at the end of the line.
    pub end: &'static str,
}

/// Words that begin what is not read here.
const COMPOUND: [&str; 12] =
    ["if", "for", "while", "until", "case", "function", "{", "}", "do", "then", "fi", "esac"];
/// Words that only say how the command after them is run.
const PREFIXES: [&str; 4] = ["!", "exec", "command", "time"];

/// The pipelines of a line; none where a part of it is not understood.
pub(super) fn pipelines(line: &str) -> Vec<Pipeline> {
    let mut reader =
        Reader { line, at: 0, done: Vec::new(), pipeline: Pipeline::default(), command: Command::default() };
    reader.read().map_or_else(Vec::new, |()| reader.done)
}

struct Reader<'a> {
    line: &'a str,
    at: usize,
    done: Vec<Pipeline>,
    pipeline: Pipeline,
    command: Command,
}

impl Reader<'_> {
    /// Reads all of the line. None: it holds what is not understood.
    fn read(&mut self) -> Option<()> {
        while let Some(c) = self.peek() {
            let before = self.at;
            match c {
                '\n' => {
                    self.skip(c);
                    self.end_pipeline(";");
                }
                c if c.is_whitespace() => self.skip(c),
                '#' => self.skip_comment(),
                '(' | ')' => return None,
                '|' | '&' | ';' => self.operator(),
                '<' | '>' => self.redirect()?,
                _ => self.word()?,
            }
            // Whatever it is, it must be passed: nothing makes the reader stand still.
            if self.at == before {
                return None;
            }
        }
        self.end_pipeline("");
        Some(())
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn rest(&self) -> &str {
        self.line.get(self.at..).unwrap_or_default()
    }

    fn skip(&mut self, c: char) {
        self.at += c.len_utf8();
    }

    fn skip_comment(&mut self) {
        self.at += self.rest().find('\n').unwrap_or(self.rest().len());
    }

    fn operator(&mut self) {
        let known = ["&&", "||", "|&", "|", ";", "&"];
        let Some(operator) = known.into_iter().find(|operator| self.rest().starts_with(operator)) else {
            return;
        };
        self.at += operator.len();
        match operator {
            "|" | "|&" => self.end_command(),
            end => self.end_pipeline(end),
        }
    }

    fn end_command(&mut self) {
        let command = std::mem::take(&mut self.command);
        if !command.words.is_empty() {
            self.pipeline.commands.push(command);
        }
    }

    fn end_pipeline(&mut self, end: &'static str) {
        self.end_command();
        let pipeline = std::mem::take(&mut self.pipeline);
        if !pipeline.commands.is_empty() {
            self.done.push(Pipeline { end, ..pipeline });
        }
    }

    /// A redirection and its target. None: a here document.
    fn redirect(&mut self) -> Option<()> {
        if self.rest().starts_with("<<") {
            return None;
        }
        while let Some(c @ ('<' | '>' | '&' | '|')) = self.peek() {
            self.skip(c);
        }
        while let Some(c @ (' ' | '\t')) = self.peek() {
            self.skip(c);
        }
        self.lex().map(drop)
    }

    fn word(&mut self) -> Option<()> {
        let word = self.lex()?;
        let is_number = !word.text.is_empty() && word.text.bytes().all(|byte| byte.is_ascii_digit());
        if is_number && matches!(self.peek(), Some('<' | '>')) {
            return Some(());
        }
        if !self.command.words.is_empty() {
            self.command.words.push(word);
            return Some(());
        }
        if word.plain && COMPOUND.contains(&word.text.as_str()) {
            return None;
        }
        if !is_assignment(&word.text) && !is_prefix(&word) {
            self.command.words.push(word);
        }
        Some(())
    }

    /// One word. None: a quote or parenthesis is not closed.
    fn lex(&mut self) -> Option<Word> {
        let mut word = Word { text: String::new(), at: self.at..self.at, plain: true };
        while let Some(c) = self.peek() {
            match c {
                c if c.is_whitespace() || matches!(c, '|' | '&' | ';' | '<' | '>' | '(' | ')') => break,
                '\'' => self.single(&mut word)?,
                '"' => self.double(&mut word)?,
                '$' | '`' => self.expansion(&mut word)?,
                '\\' => self.escaped(&mut word),
                c => {
                    word.plain &= !matches!(c, '*' | '?' | '[' | '~');
                    self.push(&mut word, c);
                }
            }
        }
        word.at.end = self.at;
        Some(word)
    }

    fn push(&mut self, word: &mut Word, c: char) {
        word.text.push(c);
        self.skip(c);
    }

    fn escaped(&mut self, word: &mut Word) {
        self.skip('\\');
        if let Some(c) = self.peek() {
            self.push(word, c);
        }
    }

    fn single(&mut self, word: &mut Word) -> Option<()> {
        self.skip('\'');
        let len = self.rest().find('\'')?;
        word.text.push_str(self.rest().get(..len)?);
        self.at += len + 1;
        Some(())
    }

    fn double(&mut self, word: &mut Word) -> Option<()> {
        self.skip('"');
        loop {
            match self.peek()? {
                '"' => break self.skip('"'),
                '\\' => self.escaped(word),
                '$' | '`' => self.expansion(word)?,
                c => self.push(word, c),
            }
        }
        Some(())
    }

    /// `$NAME`, `${..}`, `$(..)` or a command in backquotes, passed over as it stands.
    fn expansion(&mut self, word: &mut Word) -> Option<()> {
        word.plain = false;
        let start = self.at;
        let first = self.peek()?;
        self.skip(first);
        let (open, close) = match (first, self.peek()) {
            ('`', _) => ('`', '`'),
            (_, Some('(')) => ('(', ')'),
            (_, Some('{')) => ('{', '}'),
            _ => ('$', '$'),
        };
        if close != '$' {
            self.pass(open, close, usize::from(first == '`'))?;
        }
        word.text.push_str(self.line.get(start..self.at)?);
        Some(())
    }

    /// Passes over nested text up to the close that belongs to `depth`.
    fn pass(&mut self, open: char, close: char, mut depth: usize) -> Option<()> {
        loop {
            let c = self.peek()?;
            self.skip(c);
            match c {
                '\\' => {
                    let escaped = self.peek()?;
                    self.skip(escaped);
                }
                c if c == close => depth -= 1,
                c if c == open => depth += 1,
                _ => {}
            }
            if depth == 0 {
                return Some(());
            }
        }
    }
}

fn is_prefix(word: &Word) -> bool {
    word.plain && PREFIXES.contains(&word.text.as_str())
}

fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    let first = name.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    first && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str) -> String {
        let pipelines = pipelines(line);
        let words = |command: &Command| {
            command.words.iter().map(|word| word.text.clone()).collect::<Vec<_>>().join(" ")
        };
        let commands =
            |pipeline: &Pipeline| pipeline.commands.iter().map(words).collect::<Vec<_>>().join(" | ");
        pipelines.iter().map(|pipeline| format!("[{}]{}", commands(pipeline), pipeline.end)).collect()
    }

    #[test]
    fn lines_are_read_as_pipelines_of_commands() {
        let cases = [
            ("a b|c 'd | e' && f", "[a b | c d | e]&&[f]"),
            ("A=1 B=\"2 3\" make -j4 2>&1 >out.txt | tail", "[make -j4 | tail]"),
            ("echo $(a | b) `c | d` ${e} | wc", "[echo $(a | b) `c | d` ${e} | wc]"),
            ("! exec a; b & c || d # e | f", "[a];[b]&[c]||[d]"),
            ("a \\| b", "[a | b]"),
            ("a\nb", "[a];[b]"),
            ("cat <in | sort", "[cat | sort]"),
            ("a#b", "[a#b]"),
        ];
        for (line, expected) in cases {
            assert_eq!(shown(line), expected, "{line}");
        }
    }

    #[test]
    fn what_is_not_understood_is_left_alone() {
        for line in [
            "if a; then b | c; fi",
            "(a | b)",
            "cat <<E\nx | y\nE",
            "a 'b",
            "a $(b",
            "for x in y; do z; done",
            "",
        ] {
            assert_eq!(pipelines(line), [], "{line}");
        }
    }

    /// Lines of a shell, and anything else, up to a length that shows what is not linear.
    fn line() -> impl proptest::strategy::Strategy<Value = String> {
        use proptest::prelude::*;
        let piece = prop_oneof![
            prop::sample::select(vec![
                "'", "\"", "$(", "${", "$((", "`", ")", "}", "|", "||", "&&", "&", ";", "<", "<<", ">>",
                ">&", "2>&1", "\\", "#", " # it's", "=", "A=1 ", "\n", "\\\n", " ", "a", "if", "!", "*", "é",
                "\u{202e}", "\0",
            ])
            .prop_map(str::to_owned),
            "\\PC{0,6}",
        ];
        prop::collection::vec(piece, 0..300).prop_map(|pieces| pieces.concat())
    }

    proptest::proptest! {
        #[test]
        fn any_line_is_read_to_its_end_in_steps_that_go_on(line in line()) {
            let read = pipelines(&line);
            let words = read.iter().flat_map(|pipeline| &pipeline.commands).flat_map(|command| &command.words);
            let mut end = 0;
            for word in words {
                proptest::prop_assert!(word.at.start >= end && word.at.end > word.at.start, "{:?}", word);
                proptest::prop_assert!(line.get(word.at.clone()).is_some());
                end = word.at.end;
            }
        }

        #[test]
        fn any_line_is_read_without_a_panic(line in "[a-z '\"$(){}`\\\\|&;<>#=\né]{0,40}") {
            for pipeline in pipelines(&line) {
                for word in pipeline.commands.iter().flat_map(|command| &command.words) {
                    proptest::prop_assert!(line.get(word.at.clone()).is_some());
                }
            }
        }
    }
}
