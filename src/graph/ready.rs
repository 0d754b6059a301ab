//! Which nodes wait for nothing any more.

use std::fmt::Debug;

use petgraph::Direction;

use super::dag::Dag;

impl<K: Copy + Ord + Debug, E: Copy + Ord> Dag<K, E> {
    /// Whether every edge into a node is satisfied; true for a node without upstreams.
    ///
    /// `satisfied` is asked (upstream, downstream, kind): a kind, or a waiver on one edge, may decide.
    pub fn is_ready(&self, node: K, satisfied: impl Fn(K, K, E) -> bool) -> bool {
        self.adjacent(node, Direction::Incoming).all(|(from, kind)| satisfied(from, node, kind))
    }

    /// All nodes whose every upstream edge is satisfied, by key.
    pub fn ready(&self, satisfied: impl Fn(K, K, E) -> bool) -> Vec<K> {
        self.nodes().filter(|&node| self.is_ready(node, &satisfied)).collect()
    }

    /// The direct downstreams of a node whose every upstream edge is satisfied, by key: what its end may start.
    pub fn ready_below(&self, node: K, satisfied: impl Fn(K, K, E) -> bool) -> Vec<K> {
        let below = self.downstream(node).into_iter().map(|(below, _)| below);
        below.filter(|&below| self.is_ready(below, &satisfied)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Dag<u32, char> {
        Dag::build(&[1, 2, 3, 4], &[(1, 3, 'c'), (2, 3, 'f'), (3, 4, 'c')]).unwrap()
    }

    #[test]
    fn a_node_is_ready_when_all_its_upstreams_are_done() {
        assert_eq!(plan().ready(|_, _, _| false), [1, 2]);
        assert_eq!(plan().ready(|from, _, _| from == 1), [1, 2]);
        assert_eq!(plan().ready(|from, _, _| from <= 2), [1, 2, 3]);
    }

    #[test]
    fn the_kind_of_an_edge_or_the_edge_itself_may_decide() {
        assert_eq!(plan().ready(|from, _, kind| from == 1 || kind == 'f'), [1, 2, 3]);
        assert_eq!(plan().ready(|from, to, _| (from, to) == (3, 4)), [1, 2, 4]);
    }

    #[test]
    fn what_an_end_may_start_is_only_directly_below_it() {
        assert_eq!(plan().ready_below(2, |from, _, _| from <= 2), [3]);
        assert_eq!(plan().ready_below(1, |from, _, _| from == 1), Vec::<u32>::new());
        assert_eq!(plan().ready_below(4, |_, _, _| true), Vec::<u32>::new());
    }
}
