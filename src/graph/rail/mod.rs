//! The rail: a graph drawn as one row per node with lanes at the left and all names aligned.
//!
//! Pure data: rows of [`Cell`]s, no colour and no status. Rows are ordered by structure only and never move when a status
//! changes; the order of siblings is the caller's. Edges are bundled: `u -> v` rides the *fan-out lane* of `u` if `u` has
//! at least as many downstreams as `v` has upstreams, else the *join lane* of `v`. A lane lives from its first to its last
//! row and takes the leftmost column that is free all that while. Edges that a longer path implies are not drawn.
//!
//! ```text
//! ╭─────✓  a lane begins
//! ├─┬───✓  it is met, another begins
//! ╰─┼─┬─✓  it ends, the second is only crossed, a third begins
//!   ├─╪─✓  two are met
//!   ╰─┴─✓  both end
//! ```
//!
//! Invariant: a lane has one owner. In a fan-out lane that is its first row, upstream of all others; in a join lane its
//! last, downstream of all others. So two rows joined by a lane are an edge exactly if one of them is its owner.

mod cell;
mod draw;
mod lane;
mod row;
mod sequence;
mod window;

#[cfg(test)]
mod tests;

pub use cell::{Cell, Stroke};
pub use draw::{Charset, draw};
pub use lane::{Lane, LaneRole, Stop};
pub use window::Window;

use std::collections::BTreeMap;

use super::adjacency::positions;
use super::reduce::reduce;
use lane::{bundle, into_columns};
use sequence::sequence;

/// The cells that one lane takes: its own and the one that leads on to the right.
pub const CELLS_PER_LANE: usize = 2;

/// A graph laid out: which node stands in which row, and where the lanes run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rail<K> {
    nodes: Vec<K>,
    columns: Vec<Vec<Lane>>,
    undrawn: Vec<(K, K)>,
}

/// Lays a graph out, choosing the rows: topological and depth first, so that a chain stays together.
///
/// `order` is the order of siblings and roots (by number in practice); `orders_only` says which kinds of edges are drawn
/// dashed. Appending nodes that nothing old depends on leaves the old rows in their order. Of a loop
/// one edge is left out and told by [`Rail::undrawn`]. Unknown nodes are ignored. About linear, but for [`reduce`].
pub fn layout<K: Copy + Ord, E: Copy>(
    order: &[K],
    edges: &[(K, K, E)],
    orders_only: impl Fn(E) -> bool,
) -> Rail<K> {
    layout_rows(&sequence(order, edges), edges, orders_only)
}

/// Lays a graph out in the rows given, upstreams before downstreams.
///
/// An edge that would go up, as one that closes a loop does, is left out and told by [`Rail::undrawn`].
pub fn layout_rows<K: Copy + Ord, E: Copy>(
    rows: &[K],
    edges: &[(K, K, E)],
    orders_only: impl Fn(E) -> bool,
) -> Rail<K> {
    let row_of = positions(rows);
    let row_pair = |from: &K, to: &K| Some((*row_of.get(from)?, *row_of.get(to)?));
    let known = edges.iter().copied().filter(|(from, to, _)| row_pair(from, to).is_some());
    let (down, up): (Vec<_>, Vec<_>) = known.partition(|(from, to, _)| row_of.get(from) < row_of.get(to));
    let mut drawn = BTreeMap::new();
    for (from, to, kind) in reduce(rows, &down) {
        if let Some(pair) = row_pair(&from, &to) {
            *drawn.entry(pair).or_insert(true) &= orders_only(kind);
        }
    }
    let undrawn = up.into_iter().map(|(from, to, _)| (from, to)).collect();
    let columns = into_columns(bundle(rows.len(), &drawn));
    Rail { nodes: rows.to_vec(), columns, undrawn }
}

impl<K: Copy + Ord> Rail<K> {
    /// The nodes by row.
    pub fn nodes(&self) -> &[K] {
        &self.nodes
    }

    /// The row of a node.
    pub fn row_of(&self, node: K) -> Option<usize> {
        self.nodes.iter().position(|other| *other == node)
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The number of columns that the lanes take.
    pub fn lane_count(&self) -> usize {
        self.columns.len()
    }

    /// The width of the gutter in cells; the glyph of every row stands right behind it.
    pub fn width(&self) -> usize {
        self.columns.len() * CELLS_PER_LANE
    }

    /// The lanes that a row meets with their columns, from the left: what to light up with its node.
    pub fn lanes_met(&self, row: usize) -> impl Iterator<Item = (usize, &Lane)> {
        let columns = self.columns.iter().enumerate();
        columns
            .filter_map(move |(column, lanes)| Some((column, lane::at(lanes, row)?)))
            .filter(move |(_, lane)| lane.meets(row))
    }

    /// Edges (upstream, downstream) that are not drawn because they lead up: each is part of a loop, or of rows in
    /// another order than the edges.
    pub fn undrawn(&self) -> &[(K, K)] {
        &self.undrawn
    }
}
