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
    use std::process::Command;

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

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn a_shell_reads_back_the_value(text in nasty(), quotes in "['\"$`\\\\!*~ a]{0,12}") {
            let value = format!("{quotes}{text}").replace('\0', "");
            let script = format!("printf %s {}", shell_word(&value).unwrap());
            let output = Command::new("sh").arg("-c").arg(script).output().unwrap();
            prop_assert_eq!(output.stdout, value.into_bytes());
        }
    }
}
