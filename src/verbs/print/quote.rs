//! Words as the lexer reads them back: strings, bare names, exact quantities.
use crate::domain::{Name, TaskRef};
use crate::text::quantity::money;
use crate::text::sanitise::is_hidden;
use crate::verbs::value::task_number;
use std::fmt::Write as _;

/// A text in quotes; what has no shape of its own is escaped, so that a script can be read as it is.
pub(super) fn string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            // Writing to a string does not fail.
            c if c != ' ' && (c.is_control() || c.is_whitespace() || is_hidden(c)) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A text as one word where it can be one, else in quotes.
pub(super) fn value(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '@' | '+' | '~' | '*');
    if !text.is_empty() && text.chars().all(plain) { text.to_owned() } else { string(text) }
}

/// A name, quoted where it would be one of these keywords.
pub(super) fn name(name: &Name, keywords: &[&str]) -> String {
    let text = name.as_str();
    if keywords.contains(&text) { string(text) } else { text.to_owned() }
}

/// A task, likewise.
pub(super) fn task(task: &TaskRef, keywords: &[&str]) -> String {
    match task {
        TaskRef::Number(no) => format!("#{no}"),
        TaskRef::Name(of) if task_number(of.as_str()).is_some() => string(of.as_str()),
        TaskRef::Name(of) => name(of, keywords),
    }
}

/// Tasks with commas. Only one task alone can be a keyword.
pub(super) fn tasks(tasks: &[TaskRef], keywords: &[&str]) -> String {
    let keywords = if tasks.len() == 1 { keywords } else { &[] };
    tasks.iter().map(|of| task(of, keywords)).collect::<Vec<_>>().join(",")
}

/// A duration that is read back to the same millisecond; the one of `text` is cut.
pub(super) fn exact_duration(ms: u64) -> String {
    const UNITS: [(&str, u64); 5] =
        [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];
    if ms == 0 {
        return "0s".to_owned();
    }
    let mut rest = ms;
    let mut out = String::new();
    for (unit, size) in UNITS.into_iter().filter(|(_, size)| *size <= ms) {
        if rest / size > 0 {
            let _ = write!(out, "{}{unit}", rest / size);
        }
        rest %= size;
    }
    out
}

/// Money that is read back to the same micro-dollar; the one of `text` is cut to cents.
pub(super) fn exact_money(micros: u64) -> String {
    if micros.is_multiple_of(10_000) {
        return money(micros);
    }
    format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)
}
