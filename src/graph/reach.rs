//! What lies downstream or upstream of a node, and how many nodes a node holds up.

use std::collections::BTreeSet;
use std::fmt::Debug;

use petgraph::Direction;

use super::adjacency::positions;
use super::dag::Dag;
use super::order::sorted;

/// How many nodes one pass follows: the bits of a word.
const SOURCES_PER_PASS: usize = 64;

impl<K: Copy + Ord + Debug, E: Copy + Ord> Dag<K, E> {
    /// Everything downstream of a node, directly or not, by key; without the node itself.
    pub fn all_downstream(&self, node: K) -> BTreeSet<K> {
        self.reach(node, Direction::Outgoing, |_, _, _| true)
    }

    /// Everything upstream of a node, directly or not, by key; without the node itself.
    pub fn all_upstream(&self, node: K) -> BTreeSet<K> {
        self.reach(node, Direction::Incoming, |_, _, _| true)
    }

    /// Everything downstream of a node along edges for which `follow(upstream, downstream, kind)` holds, by key.
    pub fn downstream_along(&self, node: K, follow: impl Fn(K, K, E) -> bool) -> BTreeSet<K> {
        self.reach(node, Direction::Outgoing, follow)
    }

    /// How many nodes for which `counts` holds are downstream of each of `sources`, in their order.
    ///
    /// Answers 64 sources a pass over the graph; an unknown source holds up 0.
    pub fn holds_up(&self, sources: &[K], counts: impl Fn(K) -> bool) -> Vec<usize> {
        let (nodes, graph) = self.adjacency();
        let order = sorted(&graph);
        let position = positions(&nodes);
        let counted: Vec<bool> = nodes.iter().map(|&node| counts(node)).collect();
        let mut held = Vec::with_capacity(sources.len());
        for pass in sources.chunks(SOURCES_PER_PASS) {
            let mut is_source = vec![0u64; nodes.len()];
            for (bit, source) in pass.iter().enumerate() {
                if let Some(&at) = position.get(source) {
                    is_source[at] |= 1 << bit;
                }
            }
            let mut above = vec![0u64; nodes.len()];
            let mut tally = vec![0usize; pass.len()];
            for &node in &order {
                let mask = graph.up[node].iter().fold(0, |mask, &up| mask | above[up] | is_source[up]);
                above[node] = mask;
                if counted[node] {
                    add_bits(&mut tally, mask);
                }
            }
            held.append(&mut tally);
        }
        held
    }

    fn reach(&self, node: K, way: Direction, follow: impl Fn(K, K, E) -> bool) -> BTreeSet<K> {
        let mut found = BTreeSet::new();
        let mut open = vec![node];
        while let Some(at) = open.pop() {
            for (next, kind) in self.adjacent(at, way) {
                let (from, to) = if way == Direction::Outgoing { (at, next) } else { (next, at) };
                if follow(from, to, kind) && found.insert(next) {
                    open.push(next);
                }
            }
        }
        found
    }
}

/// Adds one to the tally of each bit that is set.
fn add_bits(tally: &mut [usize], mut mask: u64) {
    while mask != 0 {
        if let Some(count) = tally.get_mut(mask.trailing_zeros() as usize) {
            *count += 1;
        }
        mask &= mask - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn downstream_and_upstream_are_transitive_and_leave_the_node_out() {
        let dag = Dag::build(&[1, 2, 3, 4, 5], &[(1, 2, 'c'), (2, 3, 'f'), (3, 4, 'c')]).unwrap();
        assert_eq!(dag.all_downstream(1), BTreeSet::from([2, 3, 4]));
        assert_eq!(dag.all_upstream(4), BTreeSet::from([1, 2, 3]));
        assert_eq!(dag.all_downstream(5), BTreeSet::new());
        assert_eq!(dag.all_downstream(77), BTreeSet::new());
        assert_eq!(dag.downstream_along(1, |_, _, kind| kind == 'c'), BTreeSet::from([2]));
    }

    #[test]
    fn what_a_node_holds_up_is_counted_once_and_only_if_it_counts() {
        let dag = Dag::build(&[1, 2, 3, 4], &[(1, 2, ()), (1, 3, ()), (2, 4, ()), (3, 4, ())]).unwrap();
        assert_eq!(dag.holds_up(&[1, 4, 2, 9], |_| true), [3, 0, 1, 0]);
        assert_eq!(dag.holds_up(&[1], |node| node != 3), [2]);
    }

    proptest! {
        #[test]
        fn counting_many_at_once_equals_counting_each(
            pairs in proptest::collection::vec((0u32..150, 0u32..150), 0..300),
        ) {
            let nodes: Vec<u32> = (0..150).collect();
            let edges: BTreeSet<(u32, u32, ())> =
                pairs.into_iter().filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b), ())).collect();
            let edges: Vec<_> = edges.into_iter().collect();
            let dag = Dag::build(&nodes, &edges).unwrap();
            let each: Vec<usize> = nodes.iter().map(|&node| dag.all_downstream(node).len()).collect();
            prop_assert_eq!(dag.holds_up(&nodes, |_| true), each);
        }
    }
}
