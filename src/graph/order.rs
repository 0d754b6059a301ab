//! Topological order, stable: of all nodes that may come next, the first in the given order does.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt::Debug;

use super::adjacency::Adjacency;
use super::cycle::find_loop;
use super::dag::Dag;

/// Orders nodes so that each comes after its upstreams, ties by the order given.
///
/// Edges of unknown nodes are ignored.
///
/// # Errors
/// The loop, as [`find_cycle`](super::find_cycle) gives it, if there is one.
pub fn topological<K: Copy + Ord>(nodes: &[K], edges: &[(K, K)]) -> Result<Vec<K>, Vec<K>> {
    let graph = Adjacency::build(nodes, edges.iter().copied());
    let order = sorted(&graph);
    let keys =
        |list: Vec<usize>| list.into_iter().filter_map(|position| nodes.get(position).copied()).collect();
    if order.len() == nodes.len() {
        return Ok(keys(order));
    }
    Err(keys(find_loop(&graph).unwrap_or_default()))
}

/// Positions in topological order; those on a loop or below one are missing.
pub(super) fn sorted(graph: &Adjacency) -> Vec<usize> {
    let mut open: Vec<usize> = graph.up.iter().map(Vec::len).collect();
    let mut next: BinaryHeap<Reverse<usize>> = open
        .iter()
        .enumerate()
        .filter(|(_, open)| **open == 0)
        .map(|(position, _)| Reverse(position))
        .collect();
    let mut order = Vec::with_capacity(graph.len());
    while let Some(Reverse(node)) = next.pop() {
        order.push(node);
        for &below in &graph.down[node] {
            open[below] -= 1;
            if open[below] == 0 {
                next.push(Reverse(below));
            }
        }
    }
    order
}

impl<K: Copy + Ord + Debug, E: Copy + Ord> Dag<K, E> {
    /// All nodes, each after its upstreams, ties by key.
    pub fn topological(&self) -> Vec<K> {
        let (nodes, graph) = self.adjacency();
        sorted(&graph).into_iter().filter_map(|position| nodes.get(position).copied()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ties_are_broken_by_the_given_order() {
        assert_eq!(topological(&[3, 1, 2], &[]), Ok(vec![3, 1, 2]));
        assert_eq!(topological(&[1, 2, 3, 4], &[(4, 1), (1, 3)]), Ok(vec![2, 4, 1, 3]));
    }

    #[test]
    fn a_loop_is_given_back_as_the_error() {
        assert_eq!(topological(&[1, 2, 3], &[(1, 2), (2, 3), (3, 2)]), Err(vec![2, 3]));
    }

    #[test]
    fn a_dag_orders_by_key() {
        let dag = Dag::build(&[5, 3, 9], &[(9, 3, ())]).unwrap();
        assert_eq!(dag.topological(), [5, 9, 3]);
    }

    proptest! {
        #[test]
        fn every_node_once_and_after_its_upstreams(
            pairs in proptest::collection::vec((0u32..30, 0u32..30), 0..120),
        ) {
            let nodes: Vec<u32> = (0..30).rev().collect();
            let edges: Vec<(u32, u32)> =
                pairs.into_iter().filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b))).collect();
            let order = topological(&nodes, &edges).unwrap();
            prop_assert_eq!(order.len(), nodes.len());
            let at = |node: u32| order.iter().position(|other| *other == node).unwrap();
            for (from, to) in edges {
                prop_assert!(at(from) < at(to));
            }
        }
    }
}
