//! A source file as text: its words without comments, the paths it names, and what of it is only for tests.
use std::collections::BTreeMap;
use std::path::Path;

/// One file, read.
pub struct Source {
    /// From the top of the repository, with `/`.
    pub path: String,
    /// As it is written.
    pub text: String,
    /// Its words and marks, comments left out.
    pub tokens: Vec<Token>,
    /// The whole file is a test module.
    pub is_test: bool,
}

/// A word, a mark or the text of a string literal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Counted from 1.
    pub line: usize,
    /// What it is.
    pub kind: Kind,
    /// Only compiled for tests.
    pub is_test: bool,
    /// Inline modules around it.
    pub depth: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    Word(String),
    Colons,
    Mark(char),
    Text(String),
}

/// A path that code names, use trees spelled out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    pub line: usize,
    pub segments: Vec<String>,
    pub is_test: bool,
}

impl Source {
    pub fn new(path: &str, text: &str) -> Self {
        let mut tokens = lex(text);
        mark_tests(&mut tokens);
        mark_depth(&mut tokens);
        Self { path: path.to_owned(), text: text.to_owned(), tokens, is_test: false }
    }

    /// The room it is in; none for `lib.rs` and `main.rs`.
    pub fn room(&self) -> Option<&str> {
        let (room, _) = self.path.strip_prefix("src/")?.split_once('/')?;
        Some(room)
    }

    /// Modules from the crate's root to this file.
    pub fn module(&self) -> Vec<String> {
        let inner = self.path.strip_prefix("src/").unwrap_or(&self.path);
        let mut module: Vec<String> = inner.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
        if module.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
            module.pop();
        }
        module
    }

    /// Every path, those that begin with `super` or `self` made absolute where they leave the file's room.
    pub fn paths(&self) -> Vec<Named> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < self.tokens.len() {
            match word(&self.tokens, at) {
                Some(_) => {
                    at = path(&self.tokens, at, &mut Vec::new(), &mut |named, depth| {
                        found.push(absolute(named, &self.module(), depth));
                    })
                }
                None => at += 1,
            }
        }
        found
    }

    /// Lines that are compiled without tests.
    pub fn lines_without_tests(&self) -> usize {
        let total = self.text.lines().count();
        let mut lines = total;
        let mut first: Option<usize> = None;
        for token in &self.tokens {
            match (token.is_test, first) {
                (true, None) => first = Some(token.line),
                (false, Some(from)) => {
                    lines -= token.line - from;
                    first = None;
                }
                _ => {}
            }
        }
        first.map_or(lines, |from| lines + from - 1 - total)
    }
}

/// Every `.rs` file under `src`, whole test modules marked.
pub fn read_all(root: &Path) -> Vec<Source> {
    let mut files = BTreeMap::new();
    gather(root, &root.join("src"), &mut files);
    of(files.iter().map(|(path, text)| (path.as_str(), text.as_str())))
}

/// Sources from paths and texts.
pub fn of<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<Source> {
    let mut sources: Vec<Source> = files.into_iter().map(|(path, text)| Source::new(path, text)).collect();
    let tests: Vec<String> = sources.iter().flat_map(test_modules).collect();
    for source in &mut sources {
        let module = source.module().join("/");
        source.is_test = tests.iter().any(|t| module == *t || module.starts_with(&format!("{t}/")));
        if source.is_test {
            source.tokens.iter_mut().for_each(|t| t.is_test = true);
        }
    }
    sources
}

fn gather(root: &Path, folder: &Path, into: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            gather(root, &path, into);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            into.insert(name, std::fs::read_to_string(&path).unwrap());
        }
    }
}

/// Files that `#[cfg(test)] mod NAME;` declares.
fn test_modules(source: &Source) -> Vec<String> {
    let mut found = Vec::new();
    for (at, token) in source.tokens.iter().enumerate() {
        let is_mod = token.is_test && word(&source.tokens, at) == Some("mod");
        let ends = matches!(source.tokens.get(at + 2).map(|t| &t.kind), Some(Kind::Mark(';')));
        if let (true, Some(name), true) = (is_mod, word(&source.tokens, at + 1), ends) {
            let mut module = source.module();
            module.push(name.to_owned());
            found.push(module.join("/"));
        }
    }
    found
}

pub fn word(tokens: &[Token], at: usize) -> Option<&str> {
    match tokens.get(at).map(|t| &t.kind) {
        Some(Kind::Word(word)) => Some(word),
        _ => None,
    }
}

pub fn mark(tokens: &[Token], at: usize) -> Option<char> {
    match tokens.get(at).map(|t| &t.kind) {
        Some(Kind::Mark(mark)) => Some(*mark),
        _ => None,
    }
}

/// Reads the path that begins at a word; gives the place after it.
fn path(
    tokens: &[Token],
    mut at: usize,
    prefix: &mut Vec<String>,
    found: &mut impl FnMut(Named, usize),
) -> usize {
    let kept = prefix.len();
    let (line, is_test, depth) = tokens.get(at).map_or((0, false, 0), |t| (t.line, t.is_test, t.depth));
    let mut is_group = false;
    loop {
        match tokens.get(at).map(|t| &t.kind) {
            Some(Kind::Word(word)) => prefix.push(word.clone()),
            Some(Kind::Mark('*')) if prefix.len() > kept => prefix.push("*".to_owned()),
            Some(Kind::Mark('{')) if prefix.len() > kept => {
                is_group = true;
                at = group(tokens, at + 1, prefix, found);
                break;
            }
            _ => break,
        }
        at += 1;
        if tokens.get(at).map(|t| &t.kind) != Some(&Kind::Colons) {
            break;
        }
        at += 1;
    }
    if !is_group {
        found(Named { line, segments: prefix.clone(), is_test }, depth);
    }
    prefix.truncate(kept);
    at
}

fn group(
    tokens: &[Token],
    mut at: usize,
    prefix: &mut Vec<String>,
    found: &mut impl FnMut(Named, usize),
) -> usize {
    while at < tokens.len() {
        match &tokens[at].kind {
            Kind::Mark('}') => return at + 1,
            Kind::Word(word) if word == "as" => at += 2,
            Kind::Word(_) => at = path(tokens, at, prefix, found),
            _ => at += 1,
        }
    }
    at
}

/// `super::super::store` of `src/app/panes/x.rs` may be `crate::store`.
fn absolute(mut named: Named, module: &[String], depth: usize) -> Named {
    let ups = named.segments.iter().take_while(|s| *s == "super").count();
    if ups == 0 {
        return named;
    }
    // Inline modules are left first.
    let up = ups.saturating_sub(depth).min(module.len());
    let mut segments = vec!["crate".to_owned()];
    segments.extend(module[..module.len() - up].iter().cloned());
    segments.extend(named.segments.drain(ups..));
    Named { segments, ..named }
}

fn mark_tests(tokens: &mut [Token]) {
    let mut at = 0;
    while at < tokens.len() {
        let is_attribute = mark(tokens, at) == Some('#') && word(tokens, at + 2) == Some("cfg");
        let is_test = is_attribute
            && (word(tokens, at + 4) == Some("test")
                || (word(tokens, at + 4) == Some("all") && word(tokens, at + 6) == Some("test")));
        if !is_test {
            at += 1;
            continue;
        }
        let end = item_end(tokens, at);
        tokens[at..end].iter_mut().for_each(|t| t.is_test = true);
        at = end;
    }
}

/// The place after the item that an attribute at this place belongs to.
fn item_end(tokens: &[Token], from: usize) -> usize {
    let mut open = 0_usize;
    let mut at = from;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token.kind {
            Kind::Mark('{' | '(' | '[') => open += 1,
            Kind::Mark('}') => {
                open = open.saturating_sub(1);
                if open == 0 {
                    return at;
                }
            }
            Kind::Mark(')' | ']') => open = open.saturating_sub(1),
            Kind::Mark(';') if open == 0 => return at,
            _ => {}
        }
    }
    at
}

fn mark_depth(tokens: &mut [Token]) {
    let mut open = 0_usize;
    let mut modules: Vec<usize> = Vec::new();
    for at in 0..tokens.len() {
        let opens_module =
            word(tokens, at.saturating_sub(2)) == Some("mod") && word(tokens, at.saturating_sub(1)).is_some();
        match mark(tokens, at) {
            Some('{') => {
                if opens_module {
                    modules.push(open);
                }
                open += 1;
            }
            Some('}') => {
                open = open.saturating_sub(1);
                if modules.last() == Some(&open) {
                    modules.pop();
                }
            }
            _ => {}
        }
        tokens[at].depth = modules.len();
    }
}

fn lex(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut line = 1;
    let mut at = 0;
    while let Some(c) = chars.get(at).copied() {
        let (kind, end) = token(&chars, at, c);
        if let Some(kind) = kind {
            tokens.push(Token { line, kind, is_test: false, depth: 0 });
        }
        line += chars[at..end].iter().filter(|c| **c == '\n').count();
        at = end;
    }
    tokens
}

/// What begins at this place, and where it ends.
fn token(chars: &[char], at: usize, c: char) -> (Option<Kind>, usize) {
    let next = chars.get(at + 1).copied();
    match (c, next) {
        ('/', Some('/')) => (None, find(chars, at, |c| c == '\n')),
        ('/', Some('*')) => (None, comment_end(chars, at)),
        ('"', _) => text(chars, at + 1),
        ('\'', _) => quote(chars, at),
        (':', Some(':')) => (Some(Kind::Colons), at + 2),
        _ if is_raw(chars, at) => raw(chars, at),
        ('b', Some('"')) => text(chars, at + 2),
        _ if is_word(c) => {
            let end = find(chars, at, |c| !is_word(c));
            (Some(Kind::Word(chars[at..end].iter().collect())), end)
        }
        _ if c.is_whitespace() => (None, at + 1),
        _ => (Some(Kind::Mark(c)), at + 1),
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn find(chars: &[char], from: usize, ends: impl Fn(char) -> bool) -> usize {
    (from..chars.len()).find(|at| ends(chars[*at])).unwrap_or(chars.len())
}

fn comment_end(chars: &[char], from: usize) -> usize {
    let mut open = 0;
    let mut at = from;
    while at + 1 < chars.len() {
        match (chars[at], chars[at + 1]) {
            ('/', '*') => open += 1,
            ('*', '/') => open -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if open == 0 {
            return at;
        }
    }
    chars.len()
}

fn text(chars: &[char], from: usize) -> (Option<Kind>, usize) {
    let mut at = from;
    while at < chars.len() && chars[at] != '"' {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    let end = at.min(chars.len());
    (Some(Kind::Text(chars[from..end].iter().collect())), (end + 1).min(chars.len()))
}

fn is_raw(chars: &[char], at: usize) -> bool {
    let begins = if chars[at] == 'b' { at + 1 } else { at };
    if chars.get(begins) != Some(&'r') {
        return false;
    }
    let quote = find(chars, begins + 1, |c| c != '#');
    chars.get(quote) == Some(&'"')
}

fn raw(chars: &[char], at: usize) -> (Option<Kind>, usize) {
    let open = find(chars, at, |c| c == '#' || c == '"');
    let quote = find(chars, open, |c| c == '"');
    let hashes = quote - open;
    let closes = |at: usize| chars[at] == '"' && (1..=hashes).all(|n| chars.get(at + n) == Some(&'#'));
    let end = (quote + 1..chars.len()).find(|at| closes(*at)).unwrap_or(chars.len());
    let inside = chars.get(quote + 1..end).unwrap_or_default().iter().collect();
    (Some(Kind::Text(inside)), (end + 1 + hashes).min(chars.len()))
}

/// A char literal is passed over; a lifetime is a mark.
fn quote(chars: &[char], at: usize) -> (Option<Kind>, usize) {
    if chars.get(at + 1) == Some(&'\\') {
        return (None, find(chars, at + 3, |c| c == '\'') + 1);
    }
    if chars.get(at + 2) == Some(&'\'') {
        return (None, at + 3);
    }
    (Some(Kind::Mark('\'')), at + 1)
}

mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        Source::new("src/app/panes/x.rs", text).paths().iter().map(|p| p.segments.join("::")).collect()
    }

    #[test]
    fn a_use_tree_is_spelled_out() {
        let found = paths("use crate::{store::{Reader, self}, domain as d, text::*};");
        for path in ["crate::store::Reader", "crate::store::self", "crate::domain", "crate::text::*"] {
            assert!(found.contains(&path.to_owned()), "{found:?}");
        }
    }

    #[test]
    fn super_is_followed_to_the_root_and_out_of_inline_modules() {
        assert!(paths("use super::super::super::store::X;").contains(&"crate::store::X".to_owned()));
        assert!(
            paths("mod a { use super::super::super::super::store::X; }")
                .contains(&"crate::store::X".to_owned())
        );
        assert!(paths("use super::super::tally::X;").contains(&"crate::app::tally::X".to_owned()));
    }

    #[test]
    fn comments_strings_and_chars_are_no_code() {
        let text = "// redb\n/* /* redb */ redb */ let a = \"redb \\\" redb\"; let b = r#\"redb \" redb\"#; let c = ('\"', '\\'', 'x'); fn f<'a>() {}";
        assert!(!paths(text).iter().any(|p| p.contains("redb")), "{:?}", paths(text));
    }

    #[test]
    fn test_code_is_known_in_the_file_and_in_files_of_its_own() {
        let sources = of([
            (
                "src/app/mod.rs",
                "fn a() {}\n#[cfg(test)]\nmod trial;\nfn b() {}\n#[cfg(test)]\nmod tests {\n fn c() {}\n}\n",
            ),
            ("src/app/trial.rs", "fn d() {}"),
        ]);
        let names: Vec<(&str, bool)> = (0..sources[0].tokens.len())
            .filter_map(|at| Some((word(&sources[0].tokens, at)?, sources[0].tokens[at].is_test)))
            .filter(|(word, _)| word.len() == 1)
            .collect();
        assert_eq!(names, [("a", false), ("b", false), ("c", true)]);
        assert!(sources[1].is_test);
        assert_eq!(sources[0].lines_without_tests(), 2);
    }
}
