//! Known secret values taken out of a text before it is written anywhere.

use std::borrow::Cow;
use std::fmt;

/// Shorter values are not looked for: they would turn up in any text, and redacting those tells what they are.
pub const MIN_SECRET_BYTES: usize = 4;

/// What stands for a secret.
const REDACTED: &str = "[redacted]";

/// The secret values that this process knows. They are never printed.
#[derive(Clone, Default)]
pub struct Redactor {
    secrets: Vec<String>,
}

impl Redactor {
    /// Takes the values to hide; those under [`MIN_SECRET_BYTES`] are left out.
    pub fn new(secrets: impl IntoIterator<Item = String>) -> Self {
        Self { secrets: secrets.into_iter().filter(|secret| secret.len() >= MIN_SECRET_BYTES).collect() }
    }

    /// `text` with `[redacted]` for each secret, and one for several that overlap or touch.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut found: Vec<(usize, usize)> =
            self.secrets.iter().flat_map(|secret| occurrences(text, secret)).collect();
        if found.is_empty() {
            return Cow::Borrowed(text);
        }
        found.sort_unstable();
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for (index, (start, end)) in found.into_iter().enumerate() {
            if start > done || index == 0 {
                out.push_str(text.get(done..start).unwrap_or_default());
                out.push_str(REDACTED);
            }
            done = done.max(end);
        }
        out.push_str(text.get(done..).unwrap_or_default());
        Cow::Owned(out)
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redactor").field("secrets", &self.secrets.len()).finish()
    }
}

/// Start and end of every place where `secret` stands, those that overlap included.
fn occurrences<'a>(text: &'a str, secret: &'a str) -> impl Iterator<Item = (usize, usize)> + 'a {
    let step = secret.chars().next().map_or(1, char::len_utf8);
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + text.get(from..)?.find(secret)?;
        from = start + step;
        Some((start, start + secret.len()))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn redactor(secrets: &[&str]) -> Redactor {
        Redactor::new(secrets.iter().map(|secret| (*secret).to_owned()))
    }

    #[test]
    fn secrets_are_replaced_wherever_they_stand() {
        let known = redactor(&["sk-1234", "sk-1234-long", "pässwörd", "abc", ""]);
        assert_eq!(known.redact("sk-1234-long sk-1234 abc"), "[redacted] [redacted] abc");
        assert_eq!(known.redact("KEY=pässwörd;"), "KEY=[redacted];");
        assert_eq!(known.redact("nothing"), "nothing");
    }

    #[test]
    fn overlapping_secrets_leave_no_piece() {
        assert_eq!(redactor(&["abcd", "cdef"]).redact("xabcdefy"), "x[redacted]y");
        assert_eq!(redactor(&["aaaa"]).redact("aaaaaa"), "[redacted]");
        assert_eq!(redactor(&["redacted"]).redact("redacted"), "[redacted]");
    }

    #[test]
    fn a_redactor_never_prints_what_it_knows() {
        assert_eq!(format!("{:?}", redactor(&["hunter22"])), "Redactor { secrets: 1 }");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn no_secret_survives(text in "[ABé]{0,40}", secrets in proptest::collection::vec("[ABé]{4,6}", 0..4)) {
            let redactor = Redactor::new(secrets.clone());
            let out = redactor.redact(&text);
            prop_assert!(secrets.iter().all(|secret| !out.contains(secret.as_str())));
        }
    }
}
