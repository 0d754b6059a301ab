//! Why the screen could not be shown.
use std::io;

/// Why the screen could not be shown.
#[derive(Debug, thiserror::Error)]
pub enum TermError {
    /// Standard input or output is no terminal.
    #[error("no terminal; headless: `teamtui --script FILE`")]
    NoTerminal,
    /// The terminal did not take or give something.
    #[error("the terminal failed: {0}; what runs is not affected")]
    Io(#[from] io::Error),
}
