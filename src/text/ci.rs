//! Text under GitHub Actions: lines that are not read as workflow commands, and what goes into our own commands.
//!
//! Source: <https://docs.github.com/actions/reference/workflow-commands-for-github-actions> and the runner's
//! `ActionCommand.cs`: `::` counts first in a line after blanks, the older `##[` anywhere in it.

use std::borrow::Cow;

/// `text` with no line that the runner reads as a command: `::error::` becomes `: :error::`, `##[` becomes `# #[`.
///
/// For sanitised text, and for each whole line with its prefix, as the last step before it is written.
pub fn neutralise(text: &str) -> Cow<'_, str> {
    if !text.contains("::") && !text.contains("##[") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 1);
    for line in text.split_inclusive(['\n', '\r']) {
        let start = line.trim_start();
        match start.strip_prefix("::") {
            Some(rest) => {
                out.extend(line.chars().take_while(|c| c.is_whitespace()));
                out.push_str(": :");
                out.push_str(rest);
            }
            None => out.push_str(line),
        }
    }
    Cow::Owned(out.replace("##[", "# #["))
}

/// The message of a command, `::error::MESSAGE`: line ends and `%` escaped.
pub fn escape_data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property, `::error file=VALUE`: as [`escape_data`], and `:` and `,`.
pub fn escape_property(text: &str) -> String {
    escape_data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::sanitise;
    use super::super::sanitise::tests::nasty;
    use super::*;

    #[test]
    fn x19_commands_in_a_log_are_neutralised() {
        let cases = [
            ("::error::x", ": :error::x"),
            ("  ::set-output name=a::b", "  : :set-output name=a::b"),
            ("a ##[error]x", "a # #[error]x"),
            ("###[x", "## #[x"),
            (":::debug::x", ": ::debug::x"),
            ("\t::error::x", "\t: :error::x"),
            ("ok\n::stop-commands::t\r::x\n", "ok\n: :stop-commands::t\r: :x\n"),
            ("std::vec and C::D", "std::vec and C::D"),
        ];
        for (text, harmless) in cases {
            assert_eq!(neutralise(text), harmless);
        }
    }

    #[test]
    fn x19_annotations_are_escaped() {
        assert_eq!(escape_data("50%\r\n::x, y"), "50%25%0D%0A::x, y");
        assert_eq!(escape_property("a:b,c%\n"), "a%3Ab%2Cc%25%0A");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn x19_no_line_is_a_command(text in nasty()) {
            let block = sanitise::block(&text);
            let out = neutralise(&block);
            prop_assert!(!out.contains("##["));
            prop_assert!(!out.split(['\n', '\r']).any(|line| line.trim_start().starts_with("::")));
        }
    }
}
