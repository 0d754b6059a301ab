//! A graph by positions in a given order: the form that the linear algorithms walk.

use std::collections::BTreeMap;

/// Neighbours by position, both ways, each list ascending: independent of the order in which edges were given.
pub(super) struct Adjacency {
    /// For each node the positions of its direct upstreams.
    pub(super) up: Vec<Vec<usize>>,
    /// For each node the positions of its direct downstreams.
    pub(super) down: Vec<Vec<usize>>,
}

impl Adjacency {
    /// Builds from nodes in their given order and edges (upstream, downstream).
    ///
    /// Edges of unknown nodes are left out, equal edges count once, of equal nodes the first has the edges.
    pub(super) fn build<K: Copy + Ord>(nodes: &[K], edges: impl IntoIterator<Item = (K, K)>) -> Self {
        let positions = positions(nodes);
        let mut up = vec![Vec::new(); nodes.len()];
        let mut down = vec![Vec::new(); nodes.len()];
        for (from, to) in edges {
            if let (Some(&from), Some(&to)) = (positions.get(&from), positions.get(&to)) {
                up[to].push(from);
                down[from].push(to);
            }
        }
        for list in up.iter_mut().chain(&mut down) {
            list.sort_unstable();
            list.dedup();
        }
        Self { up, down }
    }

    /// The number of nodes.
    pub(super) fn len(&self) -> usize {
        self.down.len()
    }
}

/// The position of each node; of equal nodes the first.
pub(super) fn positions<K: Copy + Ord>(nodes: &[K]) -> BTreeMap<K, usize> {
    let mut positions = BTreeMap::new();
    for (position, &node) in nodes.iter().enumerate() {
        positions.entry(node).or_insert(position);
    }
    positions
}
