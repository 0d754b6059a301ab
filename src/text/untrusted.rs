//! The type of text that others wrote: it cannot be printed by accident.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::sanitise;

/// Text that a model, a process, a file or a person outside wrote.
///
/// It has no `Display`, `Deref` or `AsRef<str>`: whoever shows it chooses [`line`](Self::line),
/// [`block`](Self::block) or [`shown`](Self::shown). Serialised as the plain string, every byte kept.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Untrusted(String);

impl Untrusted {
    /// Takes text as it came.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Whether there is no text at all, not even an invisible character.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Its length in bytes as it came, for limits.
    pub fn len_bytes(&self) -> usize {
        self.0.len()
    }

    /// The text as it came, only for storing, hashing, comparing and handing to a process as data.
    ///
    /// Never for a terminal, a report or a prompt: these take one of the renderings.
    pub fn raw(&self) -> &str {
        &self.0
    }

    /// One harmless line, see [`sanitise::line`].
    pub fn line(&self) -> Cow<'_, str> {
        sanitise::line(&self.0)
    }

    /// Harmless lines, see [`sanitise::block`].
    pub fn block(&self) -> Cow<'_, str> {
        sanitise::block(&self.0)
    }

    /// One line with nothing hidden, for where a person decides, see [`sanitise::shown`].
    pub fn shown(&self) -> Cow<'_, str> {
        sanitise::shown(&self.0)
    }
}

impl Untrusted {
    /// Its lines with nothing hidden, each as [`Untrusted::shown`] has it; blank ones at the ends are left out.
    pub fn shown_lines(&self) -> Vec<String> {
        let lines = self.0.trim_matches(['\n', '\r']).lines();
        lines.map(|line| sanitise::shown(line).into_owned()).collect()
    }

    /// The same in one line.
    pub fn shown_line(&self) -> String {
        let lines = self.shown_lines();
        lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

/// Prints the text as [`Untrusted::shown`], so that logs and failed assertions are harmless too.
impl fmt::Debug for Untrusted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.shown(), f)
    }
}

impl From<String> for Untrusted {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Untrusted {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_prints_no_control_character() {
        assert_eq!(format!("{:?}", Untrusted::from("a\x1b[2Jb")), "\"a<U+001B>[2Jb\"");
    }

    #[test]
    fn serialised_it_is_the_string_as_it_came() {
        let text = Untrusted::from("a\u{202e}b\x1b");
        let json = serde_json::to_string(&text).unwrap();
        assert_eq!(json, "\"a\u{202e}b\\u001b\"");
        assert_eq!(serde_json::from_str::<Untrusted>(&json).unwrap(), text);
    }

    #[test]
    fn lengths_are_those_of_the_text_as_it_came() {
        assert_eq!(Untrusted::from("é\x1b").len_bytes(), 3);
        assert!(!Untrusted::from("\u{200b}").is_empty());
        assert!(Untrusted::default().is_empty());
    }
}
