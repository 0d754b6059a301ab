//! Transitive reduction: the edges that a drawing needs. For drawing only: a plan keeps all its edges.

use super::adjacency::{Adjacency, positions};
use super::order::sorted;

/// The most nodes that are reduced: reachability takes `nodes * nodes / 8` bytes, 32 MiB here. A larger graph keeps all
/// its edges: it is drawn busier, not wrong.
pub const REDUCE_NODE_LIMIT: usize = 16_384;

/// The bits of one word of a row of reachability.
const WORD: usize = u64::BITS as usize;

/// Leaves out each edge (upstream, downstream, kind) that a longer path implies; the others keep their order.
///
/// An edge of an unknown node or on a loop is kept. About `edges * nodes / 64` steps, and see [`REDUCE_NODE_LIMIT`].
pub fn reduce<K: Copy + Ord, E: Copy>(nodes: &[K], edges: &[(K, K, E)]) -> Vec<(K, K, E)> {
    if nodes.len() > REDUCE_NODE_LIMIT {
        return edges.to_vec();
    }
    let position = positions(nodes);
    let graph = Adjacency::build(nodes, edges.iter().map(|&(from, to, _)| (from, to)));
    let implied = implied_edges(&graph);
    let is_implied = |from: &K, to: &K| match (position.get(from), position.get(to)) {
        (Some(&from), Some(&to)) => implied[from].binary_search(&to).is_ok(),
        _ => false,
    };
    edges.iter().filter(|(from, to, _)| !is_implied(from, to)).copied().collect()
}

/// For each node those of its direct downstreams that it reaches another way too, ascending.
fn implied_edges(graph: &Adjacency) -> Vec<Vec<usize>> {
    let order = sorted(graph);
    let mut rank = vec![usize::MAX; graph.len()];
    for (at, &node) in order.iter().enumerate() {
        rank[node] = at;
    }
    let mut reach = Reach::new(graph.len());
    let mut implied = vec![Vec::new(); graph.len()];
    for &node in order.iter().rev() {
        // In topological order: what another downstream leads to comes after that one.
        let mut below: Vec<usize> =
            graph.down[node].iter().copied().filter(|&to| rank[to] != usize::MAX).collect();
        below.sort_unstable_by_key(|&to| rank[to]);
        for to in below {
            if reach.has(node, to) {
                implied[node].push(to);
            } else {
                reach.add(node, to);
            }
        }
        implied[node].sort_unstable();
    }
    implied
}

/// Which node reaches which: a row of bits for each node.
struct Reach {
    words: usize,
    bits: Vec<u64>,
}

impl Reach {
    fn new(nodes: usize) -> Self {
        let words = nodes.div_ceil(WORD);
        Self { words, bits: vec![0; nodes * words] }
    }

    fn has(&self, from: usize, to: usize) -> bool {
        self.bits[from * self.words + to / WORD] & (1 << (to % WORD)) != 0
    }

    /// `from` reaches `to` and all that `to` reaches.
    fn add(&mut self, from: usize, to: usize) {
        for word in 0..self.words {
            self.bits[from * self.words + word] |= self.bits[to * self.words + word];
        }
        self.bits[from * self.words + to / WORD] |= 1 << (to % WORD);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Dag;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn an_edge_that_a_longer_path_implies_is_left_out() {
        let edges = [(1, 4, 'x'), (1, 2, 'a'), (2, 3, 'b'), (3, 4, 'c'), (1, 3, 'y')];
        assert_eq!(reduce(&[1, 2, 3, 4], &edges), [(1, 2, 'a'), (2, 3, 'b'), (3, 4, 'c')]);
    }

    #[test]
    fn a_diamond_is_kept_whole() {
        let edges = [(1, 2, ()), (1, 3, ()), (2, 4, ()), (3, 4, ())];
        assert_eq!(reduce(&[4, 3, 2, 1], &edges), edges);
    }

    #[test]
    fn edges_on_a_loop_are_kept() {
        let edges = [(1, 2, ()), (2, 1, ()), (3, 1, ())];
        assert_eq!(reduce(&[1, 2, 3], &edges), edges);
    }

    #[test]
    fn a_thousand_nodes_and_five_thousand_edges_are_reduced() {
        let nodes: Vec<u32> = (0..1_000).collect();
        let steps = [1, 2, 3, 5, 8];
        let edges: Vec<(u32, u32, ())> = nodes
            .iter()
            .flat_map(|&from| steps.map(|step| (from, from + step, ())))
            .filter(|(_, to, ())| *to < 1_000)
            .collect();
        assert_eq!(reduce(&nodes, &edges).len(), 999);
    }

    proptest! {
        #[test]
        fn reach_is_the_same_and_no_edge_left_is_implied(
            pairs in proptest::collection::vec((0u32..70, 0u32..70), 0..200),
        ) {
            let edges: BTreeSet<(u32, u32, ())> =
                pairs.into_iter().filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b), ())).collect();
            let edges: Vec<_> = edges.into_iter().collect();
            let nodes: Vec<u32> = (0..70).rev().collect();
            let full = Dag::build(&nodes, &edges).unwrap();
            let mut reduced = Dag::build(&nodes, &reduce(&nodes, &edges)).unwrap();
            for &node in &nodes {
                prop_assert_eq!(full.all_downstream(node), reduced.all_downstream(node));
            }
            for (from, to, ()) in reduced.edges() {
                reduced.remove_edge(from, to);
                prop_assert!(!reduced.all_downstream(from).contains(&to));
                reduced.add_edge(from, to, ()).unwrap();
            }
        }
    }
}
