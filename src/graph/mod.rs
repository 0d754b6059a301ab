//! The pure, generic graph room: acyclic graphs, what follows from them, and how they are drawn.
//!
//! It knows nothing of tasks. A node is a key `K` (a task number in practice), an edge goes from an upstream to a
//! downstream and carries a kind `E` (what it needs of its upstream). Nothing here reads a clock, a file or a status:
//! what a status decides is asked of the caller as a predicate. No algorithm recurses, so no chain is too long.

mod adjacency;
mod critical;
mod cycle;
mod dag;
mod diff;
mod fold;
mod order;
pub mod rail;
mod reach;
mod ready;
mod reduce;

pub use critical::CriticalPath;
pub use cycle::find_cycle;
pub use dag::{Dag, DagError};
pub use diff::{GraphDiff, diff};
pub use fold::{FoldRule, FoldedRow, fold};
pub use order::topological;
pub use reduce::{REDUCE_NODE_LIMIT, reduce};
