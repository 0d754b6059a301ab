//! The rail against drawings made by hand, and against a reader that knows only the characters.

mod drawing;
mod property;
mod reader;
mod view;
mod width;

use super::*;

/// An edge by name, and whether it only orders.
type Edge<'a> = (&'a str, &'a str, bool);

/// The plan of the design's frame: its names by number, and its edges.
const SHIP: (&str, &str) = (
    "plan schema store engine script-runner tui-shell dag-pane log-pane integrate docs review release",
    "plan->schema plan->tui-shell plan->docs schema->store schema->engine engine->script-runner engine->dag-pane \
     tui-shell->dag-pane tui-shell->log-pane store->integrate script-runner->integrate dag-pane->integrate \
     log-pane->integrate integrate->review docs->review review->release",
);

/// Lays out edges by name, `a->b` or `a~>b` (only orders), with siblings in the order of `names`.
fn rail<'a>(names: &'a str, edges: &'a str) -> Rail<&'a str> {
    let names: Vec<&str> = names.split_whitespace().collect();
    layout(&names, &parsed(edges), |orders_only| orders_only)
}

fn parsed(edges: &str) -> Vec<Edge<'_>> {
    let parse = |edge| {
        let (from, to) = str::split_once(edge, "->").or_else(|| str::split_once(edge, "~>")).unwrap();
        (from, to, edge.contains('~'))
    };
    edges.split_whitespace().map(parse).collect()
}

/// Each row's gutter with its name right behind it.
fn drawn(rail: &Rail<&str>, charset: Charset) -> String {
    let gutters = draw(rail, charset);
    let rows = gutters.iter().zip(rail.nodes()).map(|(gutter, name)| format!("{gutter}{name}"));
    rows.collect::<Vec<_>>().join("\n")
}

/// A small generator of numbers, so that plans are the same on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}
