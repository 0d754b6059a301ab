//! What holds for the drawing of every graph.

use super::reader::lanes_read;
use super::*;
use crate::graph::Dag;
use proptest::prelude::*;
use std::collections::BTreeSet;

type Graph = (Vec<u32>, Vec<(u32, u32, bool)>);

/// An acyclic graph of up to `most` nodes, its siblings in any order.
fn graph(most: u32) -> impl Strategy<Value = Graph> {
    (1..=most).prop_flat_map(move |count| {
        let nodes: Vec<u32> = (0..count).collect();
        let edge = (0..count, 0..count, any::<bool>());
        let edges = proptest::collection::vec(edge, 0..(count as usize * 2)).prop_map(|edges| {
            let down =
                edges.into_iter().filter(|(a, b, _)| a != b).map(|(a, b, kind)| ((a.min(b), a.max(b)), kind));
            let unique: BTreeMap<(u32, u32), bool> = down.collect();
            unique.into_iter().map(|((from, to), kind)| (from, to, kind)).collect::<Vec<_>>()
        });
        (Just(nodes).prop_shuffle(), edges)
    })
}

fn laid_out((order, edges): &Graph) -> Rail<u32> {
    layout(order, edges, |kind| kind)
}

/// The bundles of the rule, as the rows of their nodes, worked out in the plainest way.
fn bundles_by_the_rule(rail: &Rail<u32>, edges: &[(u32, u32)]) -> Vec<BTreeSet<usize>> {
    let out = |node| edges.iter().filter(|(from, _)| *from == node).count();
    let into = |node| edges.iter().filter(|(_, to)| *to == node).count();
    let mut bundles: BTreeMap<(bool, u32), BTreeSet<usize>> = BTreeMap::new();
    for &(from, to) in edges {
        let is_fan_out = out(from) >= into(to);
        let bundle = bundles.entry((is_fan_out, if is_fan_out { from } else { to })).or_default();
        bundle.extend([rail.row_of(from).unwrap(), rail.row_of(to).unwrap()]);
    }
    let mut bundles: Vec<_> = bundles.into_values().collect();
    bundles.sort();
    bundles
}

/// The edges that no longer path implies, worked out in the plainest way.
fn reduced_plainly((order, edges): &Graph) -> Vec<(u32, u32)> {
    let mut dag = Dag::build(order, edges).unwrap();
    for &(from, to, kind) in edges {
        dag.remove_edge(from, to);
        if !dag.all_downstream(from).contains(&to) {
            dag.add_edge(from, to, kind).unwrap();
        }
    }
    dag.edges().into_iter().map(|(from, to, _)| (from, to)).collect()
}

proptest! {
    #[test]
    fn a_reader_of_the_characters_finds_exactly_the_bundles_of_the_rule(graph in graph(16)) {
        let rail = laid_out(&graph);
        let mut read = lanes_read(&draw(&rail, Charset::Unicode));
        read.sort();
        prop_assert_eq!(&read, &bundles_by_the_rule(&rail, &reduced_plainly(&graph)));
    }

    #[test]
    fn every_edge_can_be_traced_and_nothing_else_can(graph in graph(16)) {
        let rail = laid_out(&graph);
        let edges: BTreeSet<(u32, u32)> = reduced_plainly(&graph).into_iter().collect();
        let mut traced = BTreeSet::new();
        for lane in rail.columns.iter().flatten() {
            for stop in lane.stops().iter().filter(|stop| stop.row != lane.owner()) {
                let (upper, lower) = (stop.row.min(lane.owner()), stop.row.max(lane.owner()));
                let is_new = traced.insert((rail.nodes()[upper], rail.nodes()[lower]));
                prop_assert!(is_new, "an edge is drawn twice");
            }
        }
        prop_assert_eq!(traced, edges);
    }

    #[test]
    fn rows_are_topological_and_every_node_has_one(graph in graph(16)) {
        let rail = laid_out(&graph);
        prop_assert_eq!(rail.len(), graph.0.len());
        for (from, to, _) in &graph.1 {
            prop_assert!(rail.row_of(*from) < rail.row_of(*to));
        }
        prop_assert_eq!(rail.undrawn(), &[]);
    }

    #[test]
    fn the_rail_depends_on_structure_only_not_on_the_order_of_edges_or_their_kinds(graph in graph(16)) {
        let rail = laid_out(&graph);
        let (order, mut edges) = graph;
        edges.reverse();
        prop_assert_eq!(&layout(&order, &edges, |kind| kind), &rail);
        let plain = layout(&order, &edges, |_| false);
        prop_assert_eq!(plain.nodes(), rail.nodes());
        let solid = draw(&rail, Charset::Unicode).join("\n").replace('╌', "─");
        prop_assert_eq!(draw(&plain, Charset::Unicode).join("\n"), solid);
    }

    #[test]
    fn appended_nodes_leave_the_old_rows_in_their_order(
        (order, edges) in graph(12),
        new in proptest::collection::vec(proptest::collection::btree_set(0u32..100, 0..4), 1..6),
    ) {
        let before = layout(&order, &edges, |kind| kind);
        let (mut order, mut edges) = (order, edges);
        for upstreams in new {
            let node = order.len() as u32;
            let known: BTreeSet<u32> = upstreams.into_iter().map(|upstream| upstream % node).collect();
            edges.extend(known.into_iter().map(|upstream| (upstream, node, false)));
            order.push(node);
        }
        let after = layout(&order, &edges, |kind| kind);
        let old: Vec<u32> = after.nodes().iter().copied().filter(|node| before.row_of(*node).is_some()).collect();
        prop_assert_eq!(old, before.nodes());
    }

    #[test]
    fn any_edges_at_all_are_laid_out_and_only_edges_of_loops_are_left_out(
        edges in proptest::collection::vec((0u32..9, 0u32..9, any::<bool>()), 0..30),
    ) {
        let order: Vec<u32> = (0..8).collect();
        let rail = layout(&order, &edges, |kind| kind);
        prop_assert_eq!(rail.len(), order.len());
        lanes_read(&draw(&rail, Charset::Unicode));
        let reaches = |from: u32, to: u32| {
            let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
            while let Some(at) = open.pop() {
                open.extend(edges.iter().filter(|edge| edge.0 == at && seen.insert(edge.1)).map(|edge| edge.1));
            }
            from == to || seen.contains(&to)
        };
        for &(from, to) in rail.undrawn() {
            prop_assert!(reaches(to, from), "{from} -> {to} is on no loop");
        }
    }

    #[test]
    fn a_window_keeps_to_its_cap_and_shows_the_rightmost_lane_of_its_row(
        graph in graph(16), most in 0usize..6, focus in 0usize..16,
    ) {
        let rail = laid_out(&graph);
        let window = rail.window(most, focus);
        prop_assert!(window.width() <= most * CELLS_PER_LANE);
        prop_assert_eq!(window.is_cut(), rail.lane_count() > most);
        for row in 0..rail.len() {
            let cells = window.of(&rail.row(row));
            prop_assert_eq!(cells.len(), window.width());
            prop_assert!(window.is_cut() || cells == rail.row(row));
        }
        if let (Some((column, _)), true) = (rail.lanes_met(focus).last(), most >= 3) {
            let full = rail.row(focus)[column * CELLS_PER_LANE];
            prop_assert!(window.of(&rail.row(focus)).contains(&full));
        }
    }

    #[test]
    fn a_fold_draws_all_that_leads_in_and_out(graph in graph(16), start in 0usize..16, length in 1usize..8) {
        let rail = laid_out(&graph);
        let start = start.min(rail.len() - 1);
        let run = start..(start + length).min(rail.len());
        let folded = rail.folded(run.clone());
        prop_assert_eq!(folded.len(), rail.width());
        let lanes = rail.columns.iter().flatten();
        let leads_out = lanes.filter(|lane| {
            let within = lane.stops().iter().filter(|stop| run.contains(&stop.row)).count();
            within > 0 && within < lane.stops().len()
        });
        let has_run = folded.last().is_some_and(|cell| matches!(cell, Cell::Run(_)));
        prop_assert_eq!(has_run, leads_out.count() > 0);
    }
}
