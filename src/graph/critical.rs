//! The critical path: the chain of nodes whose weights add up to the most.

use std::fmt::Debug;

use super::dag::Dag;
use super::order::sorted;

/// The heaviest path from a node without upstreams to one without downstreams.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CriticalPath<K> {
    /// Its nodes, upstream first; empty only for an empty graph.
    pub nodes: Vec<K>,
    /// The sum of their weights, in the unit of the weights (ms in practice).
    pub weight: u64,
}

impl<K: Copy + Ord> CriticalPath<K> {
    /// Whether a node is on the path.
    pub fn contains(&self, node: K) -> bool {
        self.nodes.contains(&node)
    }

    /// What is left of the path, given what is left of each node.
    pub fn remaining(&self, left: impl Fn(K) -> u64) -> u64 {
        self.nodes.iter().fold(0, |sum, &node| sum.saturating_add(left(node)))
    }
}

impl<K: Copy + Ord + Debug, E: Copy + Ord> Dag<K, E> {
    /// The critical path by the weight of each node; of equal paths the one whose nodes come first by key.
    ///
    /// Sums saturate. Linear in nodes and edges, but for finding the keys.
    pub fn critical_path(&self, weight: impl Fn(K) -> u64) -> CriticalPath<K> {
        let (nodes, graph) = self.adjacency();
        let mut tail = vec![0u64; nodes.len()];
        for at in sorted(&graph).into_iter().rev() {
            let below = graph.down[at].iter().map(|&below| tail[below]).max().unwrap_or(0);
            tail[at] = below.saturating_add(weight(nodes[at]));
        }
        let roots = (0..nodes.len()).filter(|&at| graph.up[at].is_empty());
        let mut path = CriticalPath { nodes: Vec::new(), weight: 0 };
        let mut next = heaviest(roots, &tail);
        path.weight = next.map_or(0, |at| tail[at]);
        while let Some(at) = next {
            path.nodes.push(nodes[at]);
            next = heaviest(graph.down[at].iter().copied(), &tail);
        }
        path
    }
}

/// The first of the heaviest.
fn heaviest(candidates: impl Iterator<Item = usize>, tail: &[u64]) -> Option<usize> {
    candidates.reduce(|best, at| if tail[at] > tail[best] { at } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_heaviest_path_is_found_not_the_longest() {
        let dag = Dag::build(&[1, 2, 3, 4, 5], &[(1, 2, ()), (2, 3, ()), (3, 5, ()), (1, 4, ()), (4, 5, ())])
            .unwrap();
        let path = dag.critical_path(|node| if node == 4 { 10 } else { 1 });
        assert_eq!(path, CriticalPath { nodes: vec![1, 4, 5], weight: 12 });
        assert!(path.contains(4) && !path.contains(2));
        assert_eq!(path.remaining(|node| if node == 1 { 0 } else { 5 }), 10);
    }

    #[test]
    fn of_equal_paths_the_first_by_key_wins() {
        let dag = Dag::build(&[4, 3, 2, 1], &[(1, 3, ()), (1, 2, ()), (2, 4, ()), (3, 4, ())]).unwrap();
        assert_eq!(dag.critical_path(|_| 7).nodes, [1, 2, 4]);
    }

    #[test]
    fn an_empty_graph_has_an_empty_path_and_sums_saturate() {
        assert_eq!(Dag::<u32, ()>::new().critical_path(|_| 1), CriticalPath::default());
        let dag = Dag::build(&[1, 2], &[(1, 2, ())]).unwrap();
        assert_eq!(dag.critical_path(|_| u64::MAX).weight, u64::MAX);
    }

    proptest! {
        #[test]
        fn no_path_is_heavier(
            pairs in proptest::collection::vec((0u32..9, 0u32..9), 0..25),
            weights in proptest::collection::vec(0u64..50, 9),
        ) {
            let edges: std::collections::BTreeSet<(u32, u32, ())> =
                pairs.into_iter().filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b), ())).collect();
            let edges: Vec<_> = edges.into_iter().collect();
            let nodes: Vec<u32> = (0..9).collect();
            let dag = Dag::build(&nodes, &edges).unwrap();
            let path = dag.critical_path(|node| weights[node as usize]);
            prop_assert_eq!(path.remaining(|node| weights[node as usize]), path.weight);
            for pair in path.nodes.windows(2) {
                prop_assert!(dag.kind(pair[0], pair[1]).is_some());
            }
            // Every path, by brute force.
            let mut open: Vec<(u32, u64)> = nodes.iter().map(|&node| (node, weights[node as usize])).collect();
            while let Some((at, sum)) = open.pop() {
                prop_assert!(sum <= path.weight);
                open.extend(dag.downstream(at).into_iter().map(|(next, ())| (next, sum + weights[next as usize])));
            }
        }
    }
}
