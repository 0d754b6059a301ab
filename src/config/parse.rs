//! TOML text becomes a tree with places; what the syntax forbids becomes findings.

use std::collections::BTreeSet;

use toml::Spanned;
use toml::de::{DeTable, DeValue, Error};

use super::report::{At, Report};
use super::source::Source;

/// Errors of syntax that are reported; after the first few the rest follow from them.
const MAX_SYNTAX_ERRORS: usize = 5;
/// Repeated keys that are looked at. Reason: each looks for its header, and a file can hold tens of thousands.
const MAX_REPEATED: usize = 2 * super::report::MAX_FINDINGS;
const REPEATED: &str = "duplicate key";

/// The tree of the file, as far as it can be read. None: the syntax is broken, and what is read would mislead.
pub(super) fn parse<'a>(report: &mut Report<'a>) -> Option<Spanned<DeTable<'a>>> {
    let (tree, errors) = DeTable::parse_recoverable(report.source().text());
    let (repeated, broken): (Vec<&Error>, Vec<&Error>) =
        errors.iter().partition(|error| error.message() == REPEATED);
    let spans: Vec<At> = repeated.iter().map(|error| error.span().unwrap_or_default()).collect();
    for at in follows_from_none(report.source(), &spans).into_iter().take(super::report::MAX_FINDINGS) {
        report_repeated(at, tree.get_ref(), report);
    }
    for error in broken.iter().take(MAX_SYNTAX_ERRORS) {
        let help = "text stands in quotes: key = \"value\"".to_owned();
        let helps: &[String] = if error.message().contains("quoted") { &[help] } else { &[] };
        report.error(
            "syntax",
            &error.span().unwrap_or_default(),
            &format!("not TOML: {}", error.message()),
            helps,
        );
    }
    broken.is_empty().then_some(tree)
}

/// Repeated keys without those below a repeated header: these are repeated by it.
fn follows_from_none(source: &Source, repeated: &[At]) -> Vec<At> {
    let line = |at: &At| source.place(at.clone()).line;
    let headers: BTreeSet<usize> =
        repeated.iter().map(line).filter(|number| header(source.line(*number)).is_some()).collect();
    let above = |number: usize| (1..number).rev().find(|number| header(source.line(*number)).is_some());
    let is_first = |at: &&At| {
        let number = line(at);
        headers.contains(&number) || above(number).is_none_or(|number| !headers.contains(&number))
    };
    repeated.iter().take(MAX_REPEATED).filter(is_first).cloned().collect()
}

fn report_repeated(at: At, tree: &DeTable<'_>, report: &mut Report<'_>) {
    let source = report.source();
    let key = source.slice(at.clone()).to_owned();
    let first = first_header(source, &at).or_else(|| first_key(tree, &key, at.start));
    let help = match first {
        Some(first) => format!("the first is at {}; keep one", report.line_col(&first)),
        None => "keep one".to_owned(),
    };
    report.error("repeated_key", &at, &format!("key `{key}` is repeated"), &[help]);
}

/// The same header further up, if `at` is in a header.
fn first_header(source: &Source, at: &At) -> Option<At> {
    let line = source.place(at.clone()).line;
    let header = header(source.line(line))?;
    let above = (1..line).find(|number| self::header(source.line(*number)) == Some(header))?;
    let start = source.start_of(above) + (at.start - source.start_of(line));
    Some(start..start + at.len())
}

fn header(line: &str) -> Option<&str> {
    line.trim().starts_with('[').then(|| line.split('#').next().unwrap_or_default().trim_end())
}

/// The nearest equal key before a place.
fn first_key(tree: &DeTable<'_>, key: &str, before: usize) -> Option<At> {
    let (mut found, mut open) = (None::<At>, vec![tree]);
    while let Some(table) = open.pop() {
        for (other, value) in table {
            let later = found.as_ref().is_none_or(|found| found.start < other.span().start);
            if other.get_ref() == key.trim_matches(['"', '\'']) && other.span().start < before && later {
                found = Some(other.span());
            }
            open.extend(tables(value.get_ref()));
        }
    }
    found
}

fn tables<'t, 'a>(value: &'t DeValue<'a>) -> Vec<&'t DeTable<'a>> {
    match value {
        DeValue::Table(table) => vec![table],
        DeValue::Array(items) => items.iter().filter_map(|item| item.get_ref().as_table()).collect(),
        _ => Vec::new(),
    }
}
