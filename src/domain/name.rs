//! Names of teams, members and tasks (R1, R2): compared folded, kept as written, never made into a path.
use crate::text;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Most characters of a name.
pub const MAX_CHARS: usize = 64;
/// Most bytes of a name in UTF-8.
pub const MAX_BYTES: usize = 128;
/// Names that mean something of their own and can be given to nothing.
pub const RESERVED: [&str; 8] = ["lead", "broadcast", "all", "user", "human", "person", "system", "main"];

/// A valid name. Equality, order and hash are those of its folded form.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Name {
    written: Arc<str>,
    key: Arc<str>,
}

/// Why a text is not a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Nothing is left after trimming.
    #[error("a name is empty")]
    Empty,
    /// Over 64 characters or 128 bytes.
    #[error("the name `{0}` is too long: at most 64 characters and 128 bytes")]
    TooLong(String),
    /// A character that names do not have.
    #[error("the name `{name}` has {found} in it: names have letters, digits, `-`, `_` and `.`")]
    Character {
        /// The name as it can be shown.
        name: String,
        /// The character as it can be shown.
        found: String,
    },
    /// The first is no letter or digit, or the last is a dot.
    #[error("the name `{0}` must begin with a letter or a digit and not end with a dot")]
    Edge(String),
    /// One of the reserved names.
    #[error("the name `{0}` is reserved")]
    Reserved(String),
}

impl Name {
    /// Reads a name that is being given to something: every rule of R1 holds for it.
    pub fn parse(written: &str) -> Result<Self, NameError> {
        let name = Self::reference(written)?;
        if name.written.contains('~') {
            return Err(NameError::Character { name: name.written.to_string(), found: "`~`".to_owned() });
        }
        if RESERVED.contains(&name.key()) {
            return Err(NameError::Reserved(name.written.to_string()));
        }
        Ok(name)
    }

    /// Reads a name that refers to something: reserved names and `NAME~1` of history are allowed.
    pub fn reference(written: &str) -> Result<Self, NameError> {
        let trimmed = written.trim();
        let shown = || text::cut(&text::Untrusted::from(trimmed).shown(), MAX_CHARS).into_owned();
        if trimmed.is_empty() {
            return Err(NameError::Empty);
        }
        if trimmed.chars().count() > MAX_CHARS || trimmed.len() > MAX_BYTES {
            return Err(NameError::TooLong(shown()));
        }
        let plain = match trimmed.rsplit_once('~') {
            Some((head, age)) if !age.is_empty() && age.bytes().all(|b| b.is_ascii_digit()) => head,
            _ => trimmed,
        };
        if let Some(c) = plain.chars().find(|c| !is_name_char(*c)) {
            let found = if c.is_control() || c.is_whitespace() {
                "a blank or control character".to_owned()
            } else {
                format!("`{c}`")
            };
            return Err(NameError::Character { name: shown(), found });
        }
        let first_fits = plain.chars().next().is_some_and(char::is_alphanumeric);
        if !first_fits || plain.ends_with('.') {
            return Err(NameError::Edge(shown()));
        }
        Ok(Self { written: Arc::from(trimmed), key: Arc::from(text::fold(trimmed)) })
    }

    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// The folded form that names are compared by.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The name of the lead's chair.
    pub fn lead() -> Self {
        Self { written: Arc::from("lead"), key: Arc::from("lead") }
    }

    /// Is this the lead's chair?
    pub fn is_lead(&self) -> bool {
        &*self.key == "lead"
    }

    /// The name with a suffix, as `rev-2`; cut so that it stays a name.
    pub fn with_suffix(&self, suffix: &str) -> Self {
        let mut head: String = self.written.chars().take(MAX_CHARS.saturating_sub(suffix.len())).collect();
        while head.len() + suffix.len() > MAX_BYTES && head.pop().is_some() {}
        let written = format!("{head}{suffix}");
        let key = text::fold(&written);
        Self { written: Arc::from(written), key: Arc::from(key) }
    }
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.') || is_mark(c)
}

/// Combining marks belong to letters: NFD input folds to the same name as NFC.
fn is_mark(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
}

impl TryFrom<String> for Name {
    type Error = NameError;
    fn try_from(written: String) -> Result<Self, NameError> {
        Self::reference(&written)
    }
}

impl From<Name> for String {
    fn from(name: Name) -> Self {
        name.written.to_string()
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Name {}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.cmp(&other.key)
    }
}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key.hash(state);
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r1_names_are_compared_folded_and_kept_as_written() {
        let a = Name::parse("Böb").unwrap();
        let b = Name::parse("BO\u{308}B").unwrap();
        assert_eq!(a, b);
        assert_eq!(a.as_str(), "Böb");
        assert_eq!(Name::parse("1.0").unwrap().as_str(), "1.0");
        assert_eq!(Name::parse("no").unwrap().as_str(), "no");
    }

    #[test]
    fn r1_bad_names_are_refused_with_the_reason() {
        for bad in ["", "  ", "../../x", "/etc/x", "a/b", "..", "x\0y", "-rf", "a b", "end.", "a\u{202e}b"] {
            assert!(Name::parse(bad).is_err(), "{bad:?}");
        }
        assert!(Name::parse(&"é".repeat(300)).is_err());
        assert!(Name::parse(&"a".repeat(64)).is_ok());
        assert!(Name::parse(&"a".repeat(65)).is_err());
    }

    #[test]
    fn r1_history_marks_are_given_to_nothing() {
        assert!(Name::parse("a~1").is_err());
        assert!(Name::reference("a~").is_err());
    }

    #[test]
    fn r1_reserved_names_are_given_to_nothing_but_can_be_referred_to() {
        for name in ["lead", "Broadcast", "USER", "person"] {
            assert_eq!(Name::parse(name), Err(NameError::Reserved(name.to_owned())));
            assert!(Name::reference(name).is_ok());
        }
        assert!(Name::reference("auth-review~1").is_ok());
        assert!(Name::parse("CON").is_ok());
    }

    #[test]
    fn a_suffixed_name_is_still_a_name() {
        let long = Name::parse(&"é".repeat(64)).unwrap();
        assert!(Name::parse(long.with_suffix("-2").as_str()).is_ok());
        assert_eq!(Name::parse("rev").unwrap().with_suffix("-2").as_str(), "rev-2");
    }
}
