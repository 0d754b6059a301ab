//! PURE: projections of the state, as data and as lines. What a face shows is computed here once, so that text, NDJSON,
//! JUnit, the screen and the exit code cannot differ.
//!
//! Invariant: every `String` in a view is harmless text; what is still [`Untrusted`](crate::text::Untrusted) says so.
mod advice;
pub mod begun;
pub mod columns;
pub mod ending;
mod field;
pub mod line;
pub mod live;
pub mod log;
pub mod moment;
pub mod narrator;
pub mod ndjson;
pub mod note;
pub mod object;
mod pasted;
pub mod phrase;
pub mod plan;
pub mod recovery;
pub mod run;
pub mod runs;
pub mod stand;
pub mod status;
pub mod task;
pub mod team;
pub mod why;

pub use columns::Columns;
pub use ending::Ending;
pub use line::{Line, Tint};
pub use live::{Estimate, LiveAttempt, LiveView};
pub use log::Entry;
pub use narrator::{Narrator, Told};
pub use ndjson::Stream;
pub use note::{Note, Word, next_slow};
pub use recovery::RecoveryView;
pub use run::{RunView, verdict};
pub use runs::RunRow;
pub use task::{AttemptView, Blocker, TaskView, Wait};
pub use team::{Counts, TeamView};
pub use why::{Link, Why};

#[cfg(test)]
pub(crate) mod chance;
#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;
