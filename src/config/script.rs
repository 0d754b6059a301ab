//! The script language of this build, as lint asks it.

use std::ops::Range;

use super::probe::ScriptCheck;
use crate::verbs::parse_line;

/// Lines are those that the command table reads.
#[derive(Debug, Clone, Copy, Default)]
pub struct Scripts;

impl ScriptCheck for Scripts {
    fn check(&self, line: &str, inside: bool) -> Result<(), (Range<usize>, String, Vec<String>)> {
        match parse_line(line, inside) {
            Ok(_) => Ok(()),
            Err(error) => Err((error.span.start..error.span.end, error.what, error.help)),
        }
    }
}
