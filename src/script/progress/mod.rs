//! What a run prints while it goes on: lines, and on a terminal a block below them that is redrawn in place.
pub mod live;
pub mod painter;
pub mod plain;

pub use live::{Shape, block};
pub use painter::Painter;
pub use plain::Plain;
