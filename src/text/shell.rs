//! Values as words of a POSIX shell: what a variable becomes in `run`.

use thiserror::Error;

/// Why a value cannot be a word of a shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ShellError {
    /// No argument of any process can hold a NUL byte.
    #[error("the value holds a NUL character, which no command can take as an argument; remove it")]
    Nul,
}

/// `value` as exactly one word of a POSIX shell, read back byte for byte, whatever it holds.
pub fn shell_word(value: &str) -> Result<String, ShellError> {
    if value.contains('\0') {
        return Err(ShellError::Nul);
    }
    if !value.is_empty() && value.bytes().all(is_plain) {
        return Ok(value.to_owned());
    }
    Ok(format!("'{}'", value.replace('\'', r"'\''")))
}

/// Bytes that mean themselves anywhere in a word, in every shell.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/' | b':' | b'@' | b',' | b'+')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::sanitise::tests::nasty;
    use super::*;

    #[test]
    fn plain_words_stay_as_they_are_and_all_others_are_quoted() {
        assert_eq!(shell_word("auth-2.rs").unwrap(), "auth-2.rs");
        assert_eq!(shell_word("").unwrap(), "''");
        assert_eq!(shell_word("it's; rm -rf ~").unwrap(), r"'it'\''s; rm -rf ~'");
        assert_eq!(shell_word("a\0b"), Err(ShellError::Nul));
    }

    /// The word that a POSIX shell reads (XCU 2.2), if `text` is exactly one and nothing in it is expanded.
    fn read_back(text: &str) -> Option<String> {
        let (mut word, mut rest) = (String::new(), text);
        while !rest.is_empty() {
            if let Some(quoted) = rest.strip_prefix('\'') {
                let (part, after) = quoted.split_once('\'')?;
                (word, rest) = (word + part, after);
            } else if let Some(after) = rest.strip_prefix("\\'") {
                (word, rest) = (word + "'", after);
            } else {
                let end = rest
                    .find(|c: char| !c.is_ascii_alphanumeric() && !"-_./:@,+".contains(c))
                    .unwrap_or(rest.len());
                let (part, after) = rest.split_at_checked(end).filter(|(part, _)| !part.is_empty())?;
                (word, rest) = (word + part, after);
            }
        }
        Some(word)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn a_shell_reads_back_the_value(text in nasty(), quotes in "['\"$`\\\\!*~ a]{0,12}") {
            let value = format!("{quotes}{text}").replace('\0', "");
            let word = shell_word(&value).unwrap();
            prop_assert!(!word.is_empty());
            prop_assert_eq!(read_back(&word), Some(value));
        }
    }
}
