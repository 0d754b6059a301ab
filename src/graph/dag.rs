//! The graph itself: nodes and typed edges that can never form a loop.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use petgraph::Direction;
use petgraph::algo::has_path_connecting;
use petgraph::stable_graph::{NodeIndex, StableDiGraph};
use petgraph::visit::EdgeRef;
use thiserror::Error;

use super::adjacency::Adjacency;
use super::cycle::find_cycle;

/// An acyclic graph of keys; an edge goes from an upstream to a downstream and has a kind.
///
/// Whatever lists nodes or edges gives them by key, so equal graphs answer equally however they were built.
#[derive(Clone, Debug)]
pub struct Dag<K, E> {
    graph: StableDiGraph<K, E>,
    index: BTreeMap<K, NodeIndex>,
}

/// Why a graph was refused; the graph it was asked of is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DagError<K: Debug> {
    /// The nodes of the loop, each upstream before its downstream, the last is upstream of the first.
    #[error("these would wait for each other for good: {}; leave out one of these edges", show_loop(.nodes))]
    Cycle {
        /// The loop, beginning with the node that comes first in the given order.
        nodes: Vec<K>,
    },
    /// An edge from a node to itself.
    #[error("{node:?} cannot depend on itself; leave out that edge")]
    SelfEdge {
        /// The node.
        node: K,
    },
    /// An edge, or a request, names a node that is not there.
    #[error("there is no node {node:?}; add it first or name another")]
    UnknownNode {
        /// The node that is not there.
        node: K,
    },
    /// The same upstream twice for one downstream, whatever the kinds.
    #[error("{to:?} depends on {from:?} already; name it once")]
    DuplicateEdge {
        /// The upstream.
        from: K,
        /// The downstream.
        to: K,
    },
    /// A node that is there already.
    #[error("there is a node {node:?} already; use another key")]
    DuplicateNode {
        /// The node.
        node: K,
    },
}

/// `1 -> 2 -> 1`.
fn show_loop<K: Debug>(nodes: &[K]) -> String {
    let steps: Vec<String> = nodes.iter().chain(nodes.first()).map(|node| format!("{node:?}")).collect();
    steps.join(" -> ")
}

impl<K, E> Default for Dag<K, E> {
    fn default() -> Self {
        Self { graph: StableDiGraph::default(), index: BTreeMap::new() }
    }
}

impl<K: Copy + Ord + Debug, E: Copy + Ord> PartialEq for Dag<K, E> {
    fn eq(&self, other: &Self) -> bool {
        self.nodes().eq(other.nodes()) && self.edges() == other.edges()
    }
}

impl<K: Copy + Ord + Debug, E: Copy + Ord> Eq for Dag<K, E> {}

impl<K: Copy + Ord + Debug, E: Copy + Ord> Dag<K, E> {
    /// An empty graph.
    pub fn new() -> Self {
        Self::default()
    }

    /// Builds a graph of nodes and edges (upstream, downstream, kind); a loop is named in the order of `nodes`.
    ///
    /// Linear in nodes and edges, but for finding the keys.
    ///
    /// # Errors
    /// The first thing wrong: duplicate nodes, then each edge in turn, then loops.
    pub fn build(nodes: &[K], edges: &[(K, K, E)]) -> Result<Self, DagError<K>> {
        let mut dag = Self::new();
        for &node in nodes {
            dag.add_node(node)?;
        }
        let mut known = BTreeSet::new();
        for &(from, to, kind) in edges {
            let (from_index, to_index) = dag.endpoints(from, to)?;
            if !known.insert((from, to)) {
                return Err(DagError::DuplicateEdge { from, to });
            }
            dag.graph.add_edge(from_index, to_index, kind);
        }
        let pairs: Vec<(K, K)> = known.into_iter().collect();
        match find_cycle(nodes, &pairs) {
            Some(nodes) => Err(DagError::Cycle { nodes }),
            None => Ok(dag),
        }
    }

    /// Adds a node without edges.
    ///
    /// # Errors
    /// [`DagError::DuplicateNode`].
    pub fn add_node(&mut self, node: K) -> Result<(), DagError<K>> {
        if self.contains(node) {
            return Err(DagError::DuplicateNode { node });
        }
        let index = self.graph.add_node(node);
        self.index.insert(node, index);
        Ok(())
    }

    /// Adds an edge, if it closes no loop.
    ///
    /// Looks only at what is downstream of `to`: nothing, when `to` is new.
    ///
    /// # Errors
    /// Any of [`DagError`] but a duplicate node; the graph is unchanged then.
    pub fn add_edge(&mut self, from: K, to: K, kind: E) -> Result<(), DagError<K>> {
        let (from_index, to_index) = self.endpoints(from, to)?;
        if self.graph.find_edge(from_index, to_index).is_some() {
            return Err(DagError::DuplicateEdge { from, to });
        }
        if has_path_connecting(&self.graph, to_index, from_index, None) {
            return Err(DagError::Cycle { nodes: self.loop_closed_by(from, to) });
        }
        self.graph.add_edge(from_index, to_index, kind);
        Ok(())
    }

    /// Removes a node with all its edges; false if it was not there.
    pub fn remove_node(&mut self, node: K) -> bool {
        let Some(index) = self.index.remove(&node) else { return false };
        self.graph.remove_node(index).is_some()
    }

    /// Removes an edge and gives its kind, if it was there.
    pub fn remove_edge(&mut self, from: K, to: K) -> Option<E> {
        let edge = self.graph.find_edge(*self.index.get(&from)?, *self.index.get(&to)?)?;
        self.graph.remove_edge(edge)
    }

    /// Whether the node is there.
    pub fn contains(&self, node: K) -> bool {
        self.index.contains_key(&node)
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// The number of edges.
    pub fn edge_count(&self) -> usize {
        self.graph.edge_count()
    }

    /// All nodes by key.
    pub fn nodes(&self) -> impl Iterator<Item = K> + '_ {
        self.index.keys().copied()
    }

    /// All edges (upstream, downstream, kind), sorted.
    pub fn edges(&self) -> Vec<(K, K, E)> {
        let mut edges: Vec<(K, K, E)> = self.edges_unsorted().collect();
        edges.sort_unstable();
        edges
    }

    /// The kind of an edge, if it is there.
    pub fn kind(&self, from: K, to: K) -> Option<E> {
        let edge = self.graph.find_edge(*self.index.get(&from)?, *self.index.get(&to)?)?;
        self.graph.edge_weight(edge).copied()
    }

    /// What a node directly depends on, with the kinds, by key; empty if the node is unknown.
    pub fn upstream(&self, node: K) -> Vec<(K, E)> {
        self.neighbours(node, Direction::Incoming)
    }

    /// What directly depends on a node, with the kinds, by key; empty if the node is unknown.
    pub fn downstream(&self, node: K) -> Vec<(K, E)> {
        self.neighbours(node, Direction::Outgoing)
    }

    /// The direct neighbours one way with the kinds, in no promised order, without allocating.
    pub(super) fn adjacent(&self, node: K, way: Direction) -> impl Iterator<Item = (K, E)> + '_ {
        let edges = self.index.get(&node).map(|index| self.graph.edges_directed(*index, way));
        edges.into_iter().flatten().filter_map(move |edge| {
            let end = if way == Direction::Incoming { edge.source() } else { edge.target() };
            self.graph.node_weight(end).map(|key| (*key, *edge.weight()))
        })
    }

    /// The nodes by key, and the graph by their positions.
    pub(super) fn adjacency(&self) -> (Vec<K>, Adjacency) {
        let nodes: Vec<K> = self.nodes().collect();
        let graph = Adjacency::build(&nodes, self.edges_unsorted().map(|(from, to, _)| (from, to)));
        (nodes, graph)
    }

    fn edges_unsorted(&self) -> impl Iterator<Item = (K, K, E)> + '_ {
        let key = |index| self.graph.node_weight(index).copied();
        self.graph.edge_indices().filter_map(move |edge| {
            let (from, to) = self.graph.edge_endpoints(edge)?;
            Some((key(from)?, key(to)?, *self.graph.edge_weight(edge)?))
        })
    }

    fn neighbours(&self, node: K, way: Direction) -> Vec<(K, E)> {
        let mut found: Vec<(K, E)> = self.adjacent(node, way).collect();
        found.sort_unstable();
        found
    }

    fn endpoints(&self, from: K, to: K) -> Result<(NodeIndex, NodeIndex), DagError<K>> {
        let find = |node| self.index.get(&node).copied().ok_or(DagError::UnknownNode { node });
        let found = (find(from)?, find(to)?);
        if from == to {
            return Err(DagError::SelfEdge { node: from });
        }
        Ok(found)
    }

    /// The loop that an edge would close. Every loop has that edge, for there is none without it.
    fn loop_closed_by(&self, from: K, to: K) -> Vec<K> {
        let nodes: Vec<K> = self.nodes().collect();
        let mut pairs: Vec<(K, K)> = self.edges_unsorted().map(|(from, to, _)| (from, to)).collect();
        pairs.push((from, to));
        find_cycle(&nodes, &pairs).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Plan = Dag<u32, char>;

    fn diamond() -> Plan {
        Dag::build(&[1, 2, 3, 4], &[(1, 2, 'c'), (1, 3, 'f'), (2, 4, 'c'), (3, 4, 'c')]).unwrap()
    }

    #[test]
    fn neighbours_come_by_key_with_their_kinds() {
        let dag = diamond();
        assert_eq!(dag.downstream(1), [(2, 'c'), (3, 'f')]);
        assert_eq!(dag.upstream(4), [(2, 'c'), (3, 'c')]);
        assert_eq!(dag.upstream(99), []);
        assert_eq!((dag.len(), dag.edge_count(), dag.kind(1, 3)), (4, 4, Some('f')));
    }

    #[test]
    fn r5_building_refuses_what_is_wrong_and_names_it() {
        let build = |edges: &[(u32, u32, char)]| Plan::build(&[1, 2, 3], edges).map(|_| ()).unwrap_err();
        assert_eq!(build(&[(1, 1, 'c')]), DagError::SelfEdge { node: 1 });
        assert_eq!(build(&[(1, 9, 'c')]), DagError::UnknownNode { node: 9 });
        assert_eq!(build(&[(1, 2, 'c'), (1, 2, 'f')]), DagError::DuplicateEdge { from: 1, to: 2 });
        let cycle = build(&[(3, 2, 'c'), (2, 1, 'c'), (1, 3, 'c')]);
        assert_eq!(cycle, DagError::Cycle { nodes: vec![1, 3, 2] });
        assert!(cycle.to_string().contains("1 -> 3 -> 2 -> 1"), "{cycle}");
        assert_eq!(Plan::build(&[1, 1], &[]).unwrap_err(), DagError::DuplicateNode { node: 1 });
    }

    #[test]
    fn r5_an_edge_that_would_close_a_loop_is_refused_and_nothing_changes() {
        let mut dag = diamond();
        assert_eq!(dag.add_edge(4, 1, 'c'), Err(DagError::Cycle { nodes: vec![1, 2, 4] }));
        assert_eq!(dag.add_edge(1, 2, 'f'), Err(DagError::DuplicateEdge { from: 1, to: 2 }));
        assert_eq!(dag.add_edge(2, 2, 'c'), Err(DagError::SelfEdge { node: 2 }));
        assert_eq!(dag.add_edge(2, 7, 'c'), Err(DagError::UnknownNode { node: 7 }));
        assert_eq!(dag, diamond());
    }

    #[test]
    fn removing_a_node_takes_its_edges_and_opens_what_they_closed() {
        let mut dag = Plan::build(&[1, 2, 3], &[(1, 2, 'c'), (2, 3, 'c')]).unwrap();
        assert!(dag.add_edge(3, 1, 'c').is_err());
        assert!(dag.remove_node(2));
        assert!(!dag.remove_node(2));
        assert_eq!(dag.edges(), []);
        assert_eq!(dag.add_edge(3, 1, 'c'), Ok(()));
        assert_eq!(dag.remove_edge(3, 1), Some('c'));
        assert_eq!(dag.remove_edge(3, 1), None);
    }

    #[test]
    fn equal_graphs_are_equal_however_they_were_built() {
        let mut other = Plan::new();
        for node in [4, 9, 3, 2, 1] {
            other.add_node(node).unwrap();
        }
        other.remove_node(9);
        for (from, to, kind) in diamond().edges().into_iter().rev() {
            other.add_edge(from, to, kind).unwrap();
        }
        assert_eq!(other, diamond());
        other.remove_edge(1, 3);
        assert_ne!(other, diamond());
    }

    proptest! {
        #[test]
        fn no_sequence_of_changes_makes_a_loop(
            steps in proptest::collection::vec((0u8..8, 0u32..10, 0u32..10), 0..120),
        ) {
            let mut dag = Dag::<u32, ()>::new();
            for (what, a, b) in steps {
                match what {
                    0 => { let _ = dag.add_node(a); }
                    1 => { dag.remove_node(a); }
                    2 => { dag.remove_edge(a, b); }
                    _ => { let _ = dag.add_node(a); let _ = dag.add_node(b); let _ = dag.add_edge(a, b, ()); }
                }
                let nodes: Vec<u32> = dag.nodes().collect();
                let pairs: Vec<(u32, u32)> = dag.edges().into_iter().map(|(from, to, ())| (from, to)).collect();
                prop_assert_eq!(find_cycle(&nodes, &pairs), None);
                prop_assert_eq!(dag.topological().len(), dag.len());
            }
        }
    }
}
