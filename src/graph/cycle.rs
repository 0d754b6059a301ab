//! Finds a loop and names exactly its nodes, not the path that leads into it.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use super::adjacency::Adjacency;

/// Where the walk stands with a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    Never,
    OnPath,
    Done,
}

/// Finds one loop of the graph, or `None` if it is acyclic.
///
/// `a -> b -> c -> a` is given as `[a, b, c]`, each upstream before its downstream, beginning with the node that comes
/// first in `nodes`; a self edge is `[a]`. Edges of unknown nodes are ignored. Deterministic whatever the order of the
/// edges; linear in nodes and edges, but for finding the keys.
pub fn find_cycle<K: Copy + Ord>(nodes: &[K], edges: &[(K, K)]) -> Option<Vec<K>> {
    let graph = Adjacency::build(nodes, edges.iter().copied());
    let found = find_loop(&graph)?;
    Some(found.into_iter().filter_map(|position| nodes.get(position).copied()).collect())
}

/// Finds a loop as positions, rotated to begin at the smallest.
pub(super) fn find_loop(graph: &Adjacency) -> Option<Vec<usize>> {
    let found = walk(graph, |path, back_to| {
        ControlFlow::Break(path.iter().copied().skip_while(|&node| node != back_to).collect())
    });
    found.break_value().map(rotate_to_smallest)
}

/// The edges (from, to) without which there is no loop: each closes one, walking depth first in the given order.
pub(super) fn closing_edges(graph: &Adjacency) -> BTreeSet<(usize, usize)> {
    let mut closing = BTreeSet::new();
    let _ = walk(graph, |path, back_to| {
        closing.extend(path.last().map(|&from| (from, back_to)));
        ControlFlow::<()>::Continue(())
    });
    closing
}

/// Walks depth first and calls `closes(path, node)` for each edge from the end of the path back to a node on it.
///
/// The path is kept apart, so a long chain costs memory, never stack.
fn walk<B>(graph: &Adjacency, mut closes: impl FnMut(&[usize], usize) -> ControlFlow<B>) -> ControlFlow<B> {
    let mut seen = vec![Seen::Never; graph.len()];
    let mut path = Vec::new();
    let mut untried = Vec::new();
    for root in 0..graph.len() {
        if seen[root] != Seen::Never {
            continue;
        }
        enter(graph, root, &mut seen, &mut path, &mut untried);
        while let (Some(&node), Some(rest)) = (path.last(), untried.last_mut()) {
            match rest.next() {
                None => {
                    seen[node] = Seen::Done;
                    path.pop();
                    untried.pop();
                }
                Some(&next) => match seen[next] {
                    Seen::Done => {}
                    Seen::OnPath => closes(&path, next)?,
                    Seen::Never => enter(graph, next, &mut seen, &mut path, &mut untried),
                },
            }
        }
    }
    ControlFlow::Continue(())
}

fn enter<'a>(
    graph: &'a Adjacency,
    node: usize,
    seen: &mut [Seen],
    path: &mut Vec<usize>,
    untried: &mut Vec<std::slice::Iter<'a, usize>>,
) {
    seen[node] = Seen::OnPath;
    path.push(node);
    untried.push(graph.down[node].iter());
}

fn rotate_to_smallest(mut found: Vec<usize>) -> Vec<usize> {
    let smallest = found.iter().enumerate().min_by_key(|(_, position)| **position).map_or(0, |(at, _)| at);
    found.rotate_left(smallest);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn r5_a_cycle_is_exactly_its_loop_without_the_path_into_it() {
        // d <- a, a <- b, b <- c, c <- a, as upstream to downstream.
        let edges = [("a", "d"), ("b", "a"), ("c", "b"), ("a", "c")];
        assert_eq!(find_cycle(&["d", "a", "b", "c"], &edges), Some(vec!["a", "c", "b"]));
        let into = [("x", "y"), ("y", "b"), ("b", "c"), ("c", "a"), ("a", "b")];
        assert_eq!(find_cycle(&["x", "y", "a", "b", "c"], &into), Some(vec!["a", "b", "c"]));
    }

    #[test]
    fn r5_a_cycle_begins_at_the_node_that_comes_first_in_the_given_order() {
        let edges = [(11, 12), (12, 13), (13, 11)];
        assert_eq!(find_cycle(&[13, 12, 11], &edges), Some(vec![13, 11, 12]));
        assert_eq!(find_cycle(&[11, 12, 13], &edges), Some(vec![11, 12, 13]));
    }

    #[test]
    fn c001_a_node_that_needs_itself_is_a_loop_of_one() {
        assert_eq!(find_cycle(&[1, 2], &[(1, 2), (2, 2)]), Some(vec![2]));
    }

    #[test]
    fn an_acyclic_graph_and_an_empty_one_have_no_loop() {
        assert_eq!(find_cycle(&[1, 2, 3, 4], &[(1, 2), (1, 3), (2, 4), (3, 4)]), None);
        assert_eq!(find_cycle::<u32>(&[], &[]), None);
        assert_eq!(find_cycle(&[1], &[(1, 9), (9, 1)]), None);
    }

    #[test]
    fn a_chain_of_ten_thousand_and_its_closing_edge_need_no_stack() {
        let nodes: Vec<u32> = (0..10_000).collect();
        let mut edges: Vec<(u32, u32)> = nodes.windows(2).map(|pair| (pair[0], pair[1])).collect();
        assert_eq!(find_cycle(&nodes, &edges), None);
        edges.push((9_999, 0));
        assert_eq!(find_cycle(&nodes, &edges), Some(nodes));
    }

    proptest! {
        #[test]
        fn what_is_found_is_a_simple_loop_of_real_edges_and_the_order_of_edges_does_not_matter(
            mut edges in proptest::collection::vec((0u32..12, 0u32..12), 0..40),
        ) {
            let nodes: Vec<u32> = (0..12).collect();
            let found = find_cycle(&nodes, &edges);
            if let Some(found) = &found {
                for (at, from) in found.iter().enumerate() {
                    let to = found[(at + 1) % found.len()];
                    prop_assert!(edges.contains(&(*from, to)));
                    prop_assert_eq!(found.iter().filter(|other| *other == from).count(), 1);
                }
                prop_assert_eq!(found.first(), found.iter().min());
            } else {
                prop_assert!(crate::graph::topological(&nodes, &edges).is_ok());
            }
            edges.reverse();
            prop_assert_eq!(found, find_cycle(&nodes, &edges));
        }
    }
}
