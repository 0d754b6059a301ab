//! The only code that touches the terminal: it takes it and gives it back, reads keys, draws frames, and carries out what
//! the screen asks for. It waits for nobody: input, news, output and answers are one stream of messages.
mod client;
mod clipboard;
mod error;
mod frame;
mod guard;
mod input;
mod run;
mod signal;
mod suspend;

#[cfg(test)]
mod tests;

pub use client::ScreenClient;
pub use error::TermError;
pub use guard::restore;
pub use run::{ExitKind, ScreenOptions, run};
