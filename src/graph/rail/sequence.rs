//! The order of the rows: by structure only, each node below its upstreams, chains together.

use std::collections::BTreeSet;

use crate::graph::adjacency::Adjacency;
use crate::graph::cycle::closing_edges;

/// Orders nodes depth first: below a node come those that only waited for it, in the given order, each with what follows
/// from it, before anything that could already come earlier. Equal nodes count once.
///
/// Edges that close a loop do not count.
///
/// Why depth first: a lane lives until its last row, so what was begun is best finished before something else begins.
pub(super) fn sequence<K: Copy + Ord, E>(order: &[K], edges: &[(K, K, E)]) -> Vec<K> {
    let nodes = without_repeats(order);
    let graph = Adjacency::build(&nodes, edges.iter().map(|(from, to, _)| (*from, *to)));
    let closing = closing_edges(&graph);
    let mut open: Vec<usize> = graph.up.iter().map(Vec::len).collect();
    for &(_, to) in &closing {
        open[to] -= 1;
    }
    let mut rows = Vec::with_capacity(nodes.len());
    let mut next: Vec<usize> = (0..nodes.len()).rev().filter(|&at| open[at] == 0).collect();
    while let Some(at) = next.pop() {
        rows.push(nodes[at]);
        for &below in graph.down[at].iter().rev().filter(|&&below| !closing.contains(&(at, below))) {
            open[below] -= 1;
            if open[below] == 0 {
                next.push(below);
            }
        }
    }
    rows
}

fn without_repeats<K: Copy + Ord>(order: &[K]) -> Vec<K> {
    let mut seen = BTreeSet::new();
    order.iter().copied().filter(|node| seen.insert(*node)).collect()
}
