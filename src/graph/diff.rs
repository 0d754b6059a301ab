//! What changed between two graphs: what a replan shows before it is applied.

use std::collections::BTreeSet;
use std::fmt::Debug;

use super::dag::Dag;

/// The difference of two graphs; every list is sorted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphDiff<K, E> {
    /// Nodes of both.
    pub kept: Vec<K>,
    /// Nodes of the second only.
    pub added: Vec<K>,
    /// Nodes of the first only.
    pub dropped: Vec<K>,
    /// Edges (upstream, downstream, kind) of the second only; an edge whose kind changed is here and in `edges_removed`.
    pub edges_added: Vec<(K, K, E)>,
    /// Edges of the first only.
    pub edges_removed: Vec<(K, K, E)>,
    /// Kept nodes whose upstreams, or their kinds, changed.
    pub rewired: Vec<K>,
}

impl<K, E> GraphDiff<K, E> {
    /// Whether the two graphs are equal.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty()
            && self.dropped.is_empty()
            && self.edges_added.is_empty()
            && self.edges_removed.is_empty()
    }
}

/// Compares a graph with what it is to become.
pub fn diff<K: Copy + Ord + Debug, E: Copy + Ord>(before: &Dag<K, E>, after: &Dag<K, E>) -> GraphDiff<K, E> {
    let old: BTreeSet<(K, K, E)> = before.edges().into_iter().collect();
    let new: BTreeSet<(K, K, E)> = after.edges().into_iter().collect();
    let changed: BTreeSet<K> = old.symmetric_difference(&new).map(|(_, to, _)| *to).collect();
    let is_kept = |node: &K| before.contains(*node) && after.contains(*node);
    GraphDiff {
        kept: before.nodes().filter(is_kept).collect(),
        added: after.nodes().filter(|node| !before.contains(*node)).collect(),
        dropped: before.nodes().filter(|node| !after.contains(*node)).collect(),
        edges_added: new.difference(&old).copied().collect(),
        edges_removed: old.difference(&new).copied().collect(),
        rewired: changed.into_iter().filter(is_kept).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replacement_is_one_dropped_one_added_and_its_dependents_rewired() {
        let before = Dag::build(&[1, 2, 3], &[(1, 2, 'c'), (2, 3, 'c')]).unwrap();
        let after = Dag::build(&[1, 3, 4], &[(1, 4, 'c'), (4, 3, 'c')]).unwrap();
        let found = diff(&before, &after);
        assert_eq!(found.kept, [1, 3]);
        assert_eq!(found.added, [4]);
        assert_eq!(found.dropped, [2]);
        assert_eq!(found.edges_added, [(1, 4, 'c'), (4, 3, 'c')]);
        assert_eq!(found.edges_removed, [(1, 2, 'c'), (2, 3, 'c')]);
        assert_eq!(found.rewired, [3]);
        assert!(!found.is_empty());
    }

    #[test]
    fn a_changed_kind_rewires_and_equal_graphs_differ_in_nothing() {
        let before = Dag::build(&[1, 2], &[(1, 2, 'c')]).unwrap();
        let after = Dag::build(&[1, 2], &[(1, 2, 'f')]).unwrap();
        let found = diff(&before, &after);
        assert_eq!(found.rewired, [2]);
        assert_eq!((found.edges_removed.len(), found.edges_added.len()), (1, 1));
        assert!(diff(&before, &before).is_empty());
    }
}
