//! Phrases that every face has in common: quoted words, lists of names, short durations, reasons.
use crate::domain::state::Task;
use crate::domain::{AttemptId, Outcome};
use crate::text::{self, Untrusted, quantity};

/// Columns of a quoted text; a longer one is cut. Reason: one line of a report.
pub const MAX_QUOTED: usize = 400;
/// Names that a list shows; the rest is counted.
pub const MAX_LISTED: usize = 3;

/// How reasons begin that teamtui gives itself; any other was said by someone and stands in quotes.
const OWN_REASONS: [&str; 28] = [
    "exit ",
    "signal ",
    "no output for ",
    "its guard was lost",
    "the owner ended",
    "given up by ",
    "no check was run",
    "the process guard did not start",
    "output ",
    "outputs ",
    "check ",
    "checks ",
    "check refused",
    "interrupted",
    "cut off by dissolve",
    "cancelled",
    "over its time",
    "stalled",
    "let go",
    "outcome unknown",
    "may or may not",
    "could not start",
    "not started",
    "ended without",
    "replaced by",
    "by a replan",
    "sent back",
    "crashed",
];

/// A text in quotes on one line, cut at [`MAX_QUOTED`].
pub fn quoted(text: &Untrusted) -> String {
    format!("\"{}\"", text::cut(text.line().trim(), MAX_QUOTED))
}

/// Was this said by someone, or is it a reason of teamtui's own?
pub fn is_said(reason: &Untrusted) -> bool {
    !OWN_REASONS.iter().any(|own| reason.raw().starts_with(own))
}

/// A reason as it is shown: teamtui's own as it is, another's in quotes; none if it is empty.
pub fn reason(reason: &Untrusted) -> Option<String> {
    if reason.line().trim().is_empty() {
        return None;
    }
    if is_said(reason) {
        Some(quoted(reason))
    } else {
        Some(text::cut(&reason.line(), MAX_QUOTED).into_owned())
    }
}

/// The reason of an attempt that did not complete; its outcome, where it has none.
pub fn end_reason(outcome: Outcome, text: &Untrusted) -> Option<String> {
    match outcome {
        Outcome::Completed => None,
        _ => reason(text).or_else(|| Some(outcome.word().to_owned())),
    }
}

/// A result of one line, in quotes; none if it has more lines or none.
pub fn one_line(result: &Untrusted) -> Option<String> {
    let block = result.block();
    let text = block.trim();
    (!text.is_empty() && !text.contains('\n')).then(|| quoted(&Untrusted::from(text)))
}

/// A duration as it is typed, without an end of zeros: `30m`, `10s`, `1m30s`.
pub fn terse(ms: u64) -> String {
    let whole = quantity::duration(ms);
    let short = |tail: &str, unit: &str| {
        let head = whole.strip_suffix(tail)?;
        Some(format!("{head}{unit}"))
    };
    match ms {
        0..60_000 => short(".0s", "s"),
        60_000..3_600_000 => short("m00s", "m"),
        3_600_000..86_400_000 => short("h00m", "h"),
        _ => short("d00h", "d"),
    }
    .unwrap_or(whole)
}

/// `a, b and c`; beyond [`MAX_LISTED`] `a, b, c and 4 more`.
pub fn list(names: &[String]) -> String {
    let shown = names.get(..MAX_LISTED).unwrap_or(names);
    let more = names.len().saturating_sub(shown.len());
    if more == 0 { list_all(names) } else { format!("{} and {more} more", shown.join(", ")) }
}

/// `a, b and c`, whatever their number.
pub fn list_all(names: &[String]) -> String {
    match names.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, head)) => format!("{} and {last}", head.join(", ")),
    }
}

/// `a, b, c`; beyond [`MAX_LISTED`] `a, b, c and 4 more`.
pub fn commas(names: &[String]) -> String {
    if names.len() > MAX_LISTED { list(names) } else { names.join(", ") }
}

/// `1 task`, `2 tasks`.
pub fn plural(n: usize, one: &str, many: &str) -> String {
    let count = quantity::count(u64::try_from(n).unwrap_or(u64::MAX));
    if n == 1 { format!("{count} {one}") } else { format!("{count} {many}") }
}

/// How a command refers to a task: its name, else its bare number.
pub fn reference(task: &Task) -> String {
    task.spec.name.as_ref().map_or_else(|| task.number.to_string(), ToString::to_string)
}

/// The most attempts there may be, as known at attempt `nth`: one, the retries, and what was interrupted before it.
pub fn most(task: &Task, retries: u32, nth: u32, live: Option<AttemptId>) -> u32 {
    let lost = |outcome| matches!(outcome, Outcome::Interrupted | Outcome::Unknown);
    let before =
        task.attempts.iter().filter(|a| a.nth < nth && Some(a.id) != live && lost(a.outcome)).count();
    let before = u32::try_from(before).unwrap_or(u32::MAX);
    retries.saturating_add(1).saturating_add(before).max(nth)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_lose_their_zeros_and_nothing_else() {
        let cases = [
            (0, "0s"),
            (10_000, "10s"),
            (10_500, "10.5s"),
            (120_000, "2m"),
            (61_000, "1m01s"),
            (1_800_000, "30m"),
            (3_600_000, "1h"),
            (86_400_000, "1d"),
        ];
        for (ms, text) in cases {
            assert_eq!(terse(ms), text);
        }
    }

    #[test]
    fn lists_count_what_they_leave_out() {
        let names: Vec<String> = ["a", "b", "c", "d", "e"].map(String::from).to_vec();
        assert_eq!(list(&names[..1]), "a");
        assert_eq!(list(&names[..2]), "a and b");
        assert_eq!(list(&names), "a, b, c and 2 more");
        assert_eq!(commas(&names[..3]), "a, b, c");
        assert_eq!(list(&[]), "");
    }

    #[test]
    fn what_someone_said_stands_in_quotes() {
        assert_eq!(reason(&"no access".into()), Some("\"no access\"".into()));
        assert_eq!(reason(&"exit 100".into()), Some("exit 100".into()));
        assert_eq!(reason(&"\u{200b} ".into()), None);
        assert_eq!(one_line(&"a\nb".into()), None);
        assert_eq!(one_line(&"  1 finding\n".into()), Some("\"1 finding\"".into()));
    }
}
