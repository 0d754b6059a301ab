//! Known secrets taken out of what is exported: out of texts, out of the strings of events, out of raw output.

use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::text::Redactor;

/// Shorter values are not looked for: they would turn up in names and words, and an export would be spoilt.
pub const MIN_SECRET_BYTES: usize = 8;

/// Parts of the name of an environment variable that holds a secret.
const PARTS: &[&str] = &[
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "API_KEY",
    "APIKEY",
    "ACCESS_KEY",
    "PRIVATE_KEY",
    "SESSION_KEY",
    "AUTH_KEY",
];
/// Ends of such names.
const ENDS: &[&str] = &["_KEY", "_PASS", "_PAT", "_PWD", "_DSN"];

/// The secrets that are looked for, and which of them were found.
pub struct Secrets {
    /// Each with what it looks like inside one or two strings of JSON or of a script.
    known: Vec<Vec<String>>,
    redactor: Redactor,
    found: BTreeSet<usize>,
}

/// Is an environment variable of that name a secret?
pub fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    PARTS.iter().any(|part| name.contains(part)) || ENDS.iter().any(|end| name.ends_with(end))
}

impl Secrets {
    /// Of names and values, those that are called like a secret.
    pub fn of(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        let secret = variables.into_iter().filter(|(name, _)| is_secret(name)).map(|(_, value)| value);
        let values: BTreeSet<String> = secret
            .map(|value| value.trim().to_owned())
            .filter(|value| value.len() >= MIN_SECRET_BYTES)
            .collect();
        let known: Vec<Vec<String>> = values.into_iter().map(looks).collect();
        let redactor = Redactor::new(known.iter().flatten().cloned());
        Self { known, redactor, found: BTreeSet::new() }
    }

    /// How many different ones were found so far.
    pub fn found(&self) -> u64 {
        u64::try_from(self.found.len()).unwrap_or(u64::MAX)
    }

    /// The text without them.
    pub fn text<'a>(&mut self, text: &'a str) -> Cow<'a, str> {
        if self.note(text.as_bytes()) { self.redactor.redact(text) } else { Cow::Borrowed(text) }
    }

    /// JSON values, one a line, without them in their strings; what is no JSON is covered. None: nothing was found.
    pub fn json(&mut self, lines: &[u8]) -> Option<Vec<u8>> {
        if !self.note(lines) {
            return None;
        }
        self.values(lines).or_else(|| {
            let mut bytes = lines.to_vec();
            self.cover(&mut bytes);
            Some(bytes)
        })
    }

    fn values(&self, lines: &[u8]) -> Option<Vec<u8>> {
        let mut out = Vec::with_capacity(lines.len());
        for (at, line) in lines.split(|byte| *byte == b'\n').enumerate() {
            if at > 0 {
                out.push(b'\n');
            }
            if line.is_empty() {
                continue;
            }
            let mut value: Value = serde_json::from_slice(line).ok()?;
            self.strings(&mut value);
            serde_json::to_writer(&mut out, &value).ok()?;
        }
        Some(out)
    }

    fn strings(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Cow::Owned(redacted) = self.redactor.redact(text) {
                    *text = redacted;
                }
            }
            Value::Array(values) => values.iter_mut().for_each(|value| self.strings(value)),
            Value::Object(fields) => fields.values_mut().for_each(|value| self.strings(value)),
            _ => {}
        }
    }

    /// Covers them in raw output, byte for byte, so that every offset stays; says whether there were any.
    pub fn cover(&mut self, bytes: &mut [u8]) -> bool {
        let mut places = Vec::new();
        for (at, looks) in self.known.iter().enumerate() {
            for look in looks {
                let found = occurrences(bytes, look.as_bytes());
                if !found.is_empty() {
                    self.found.insert(at);
                }
                places.extend(found.into_iter().map(|start| (start, look.len())));
            }
        }
        for (start, len) in &places {
            let cover = b"[redacted]".iter().copied().chain(std::iter::repeat(b'*'));
            let room = bytes.get_mut(*start..start + len).unwrap_or_default();
            room.iter_mut().zip(cover).for_each(|(to, from)| *to = from);
        }
        !places.is_empty()
    }

    /// Remembers which of them are in there.
    fn note(&mut self, bytes: &[u8]) -> bool {
        let mut any = false;
        for (at, looks) in self.known.iter().enumerate() {
            if looks.iter().any(|look| first(bytes, look.as_bytes(), 0).is_some()) {
                self.found.insert(at);
                any = true;
            }
        }
        any
    }
}

/// A value as it is, and as it is written inside a string, and inside a string in a string.
fn looks(value: String) -> Vec<String> {
    let quoted = |text: &str| {
        let json = Value::String(text.to_owned()).to_string();
        json.strip_prefix('"').and_then(|json| json.strip_suffix('"')).unwrap_or(text).to_owned()
    };
    let once = quoted(&value);
    let twice = quoted(&once);
    let mut looks = vec![value, once, twice];
    looks.dedup();
    looks
}

fn occurrences(bytes: &[u8], of: &[u8]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = first(bytes, of, from) {
        found.push(start);
        from = start + 1;
    }
    found
}

/// Where it stands first, from an offset on. The last byte is looked for first: many secrets begin alike.
fn first(bytes: &[u8], of: &[u8], from: usize) -> Option<usize> {
    let (last, before) = of.split_last()?;
    let mut at = from.checked_add(before.len())?;
    loop {
        at += bytes.get(at..)?.iter().position(|byte| byte == last)?;
        let start = at - before.len();
        if bytes.get(start..at) == Some(before) {
            return Some(start);
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(pairs: &[(&str, &str)]) -> Secrets {
        Secrets::of(pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())))
    }

    #[test]
    fn a_variable_is_a_secret_by_its_name() {
        for name in ["GITHUB_TOKEN", "aws_secret_access_key", "DB_PASSWORD", "OPENAI_API_KEY", "DEPLOY_KEY"] {
            assert!(is_secret(name), "{name}");
        }
        for name in ["PATH", "HOME", "KEYBOARD", "PWD", "CARGO_HOME", "LANG", "MONKEY"] {
            assert!(!is_secret(name), "{name}");
        }
    }

    #[test]
    fn secrets_go_from_strings_and_json_stays_json() {
        let mut known =
            secrets(&[("A_TOKEN", "say \"hi\" now"), ("B_TOKEN", "12345678"), ("C_TOKEN", "short")]);
        let line = r#"{"t":12345678,"l":"do \"say \\\"hi\\\" now\"","x":["12345678 short"]}"#;
        let both = format!("{line}\n{{\"a\":\"say \\\"hi\\\" now\"}}");
        let out = String::from_utf8(known.json(both.as_bytes()).unwrap()).unwrap();
        assert_eq!(
            out,
            "{\"l\":\"do \\\"[redacted]\\\"\",\"t\":12345678,\"x\":[\"[redacted] short\"]}\n{\"a\":\"[redacted]\"}"
        );
        assert_eq!(known.found(), 2);
        assert_eq!(known.json(b"{\"a\":1}"), None);
        assert_eq!(known.json(b"no json: 12345678").unwrap(), b"no json: [redacte");
        assert_eq!(known.text("x 12345678 y"), "x [redacted] y");
    }

    #[test]
    fn raw_output_keeps_its_length() {
        let mut known = secrets(&[("A_TOKEN", "aaaaaaaa"), ("B_KEY", "hunter22-and-more")]);
        let mut bytes = b"\xffaaaaaaaaaa hunter22-and-more\n".to_vec();
        let len = bytes.len();
        assert!(known.cover(&mut bytes));
        assert_eq!(bytes.len(), len);
        let text = String::from_utf8_lossy(&bytes);
        assert!(
            !text.contains("aaa") && !text.contains("hunter") && text.ends_with("[redacted]*******\n"),
            "{text}"
        );
        assert_eq!(known.found(), 2);
        assert!(!known.cover(&mut b"nothing".to_vec()));
    }
}
