//! PURE: the state of the screen. Keys, facts and ticks come in as [`Msg`]s, [`update`] changes the [`Model`] and asks
//! for [`AppEffect`]s; the rim carries them out and `ui` draws what the model says.
//!
//! Architecture invariant: nothing here knows a terminal, a clock, a file or a task of tokio. The screen is a client: it
//! folds facts that others committed and asks for more by script lines, as every face does.
pub mod commands;
pub mod dialog;
pub mod focus;
pub mod help;
pub mod keymap;
pub mod layout;
pub mod model;
pub mod msg;
pub mod palette;
pub mod panes;
pub mod start;
pub mod tally;

pub mod act;
mod jump;
mod recovery;
mod update;

#[cfg(test)]
pub(crate) mod story;
#[cfg(test)]
pub(crate) mod tests;

pub use commands::{Checked, Commands, Completion, Entry, Names};
pub use dialog::Dialog;
pub use focus::Pane;
pub use model::{Clock, Link, Model, Notice, Over, Owner};
pub use msg::{AppEffect, Chunk, Loss, Msg, News};
pub use palette::Palette;
pub use start::{Start, Way, WayAct};
pub use tally::Tally;
pub use update::update;
