//! How many lanes large plans take.

use super::*;
use std::collections::BTreeSet;

/// The edges of a plan of nodes `0..nodes`.
type Plan = Vec<(usize, usize, ())>;

/// Layers of `width`; each node needs one or two near it in the layer above, and every fifth layer is joined by one node.
fn layered(nodes: usize, width: usize, dice: &mut Dice) -> Plan {
    let mut edges = BTreeSet::new();
    let mut above: Vec<usize> = Vec::new();
    let mut next = 0;
    let mut layer = 0;
    while next < nodes {
        let size = if layer % 5 == 4 { 1 } else { width.min(nodes - next) };
        let here: Vec<usize> = (next..next + size).collect();
        for (at, &node) in here.iter().enumerate() {
            if size == 1 {
                edges.extend(above.iter().map(|&up| (up, node, ())));
            } else if !above.is_empty() {
                let near = (at * above.len() / size + dice.roll(2)).min(above.len() - 1);
                edges.insert((above[near], node, ()));
                if dice.roll(3) == 0 {
                    edges.insert((above[(near + 1) % above.len()], node, ()));
                }
            }
        }
        next += size;
        layer += 1;
        above = here;
    }
    edges.into_iter().collect()
}

/// Modules below one root, each a small layered plan; some need a node of the module before; one node joins all ends.
fn modules(nodes: usize, size: usize, dice: &mut Dice) -> Plan {
    let mut edges = BTreeSet::new();
    let count = (nodes - 2) / size;
    for module in 0..count {
        let base = 1 + module * size;
        edges.insert((0, base, ()));
        for node in base + 1..base + size {
            edges.insert((base + dice.roll(node - base), node, ()));
            edges.insert((base + dice.roll(node - base), node, ()));
        }
        if module > 0 && dice.roll(2) == 0 {
            edges.insert((base - 1 - dice.roll(size), base + dice.roll(size), ()));
        }
        edges.insert((base + size - 1, nodes - 1, ()));
    }
    edges.into_iter().collect()
}

/// Pipelines side by side that meet at the end.
fn pipelines(nodes: usize, count: usize) -> Plan {
    let length = (nodes - 1) / count;
    let chains =
        (0..count).flat_map(|chain| (chain * length..(chain + 1) * length - 1).map(|at| (at, at + 1, ())));
    let ends = (0..count).map(|chain| ((chain + 1) * length - 1, nodes - 1, ()));
    chains.chain(ends).collect()
}

fn lanes_of(nodes: usize, edges: &Plan) -> usize {
    let order: Vec<usize> = (0..nodes).collect();
    layout(&order, edges, |()| false).lane_count()
}

#[test]
fn five_hundred_nodes_take_four_to_twelve_lanes() {
    for seed in 0..6 {
        for width in [3, 4, 6, 8, 12] {
            let lanes = lanes_of(500, &layered(500, width, &mut Dice(seed)));
            println!("layers of {width}: {lanes} lanes");
            assert!((4..=12).contains(&lanes), "layers of {width}, seed {seed}: {lanes} lanes");
        }
        for size in [6, 10, 16] {
            let lanes = lanes_of(500, &modules(500, size, &mut Dice(seed)));
            println!("modules of {size}: {lanes} lanes");
            assert!((4..=12).contains(&lanes), "modules of {size}, seed {seed}: {lanes} lanes");
        }
    }
}

#[test]
fn a_random_tangle_takes_more_lanes_but_not_many() {
    for seed in 0..6 {
        let lanes = lanes_of(500, &modules(500, 25, &mut Dice(seed)));
        println!("tangles of 25: {lanes} lanes");
        assert!(lanes <= 20, "seed {seed}: {lanes} lanes");
    }
}

#[test]
fn parallel_pipelines_take_a_lane_for_the_end_and_two_for_the_chain_in_hand() {
    assert_eq!(lanes_of(500, &pipelines(500, 10)), 3);
}

#[test]
fn a_chain_of_ten_thousand_is_laid_out_in_two_lanes() {
    assert_eq!(lanes_of(10_000, &pipelines(10_000, 1)), 2);
}
