//! RENDER ONLY: the model becomes cells. Nothing here changes the model, reads a clock or writes to a terminal.
//!
//! Architecture invariant: text of others reaches a cell only through a rendering of `Untrusted` or as a log row.
pub mod glyph;
pub mod theme;
pub mod view;
pub mod widgets;

mod paint;

#[cfg(test)]
mod tests;

pub use glyph::Glyphs;
pub use theme::{Role, Theme, ThemeError};
pub use view::view;
