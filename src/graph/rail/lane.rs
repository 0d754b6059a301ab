//! Lanes: edges bundled by the node they share, and the columns they run in.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// Which end of its edges a lane's rows share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LaneRole {
    /// The first row is upstream of all others.
    FanOut,
    /// The last row is downstream of all others.
    Join,
}

/// A row that a lane meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stop {
    /// The row.
    pub row: usize,
    /// Whether the row's edge only orders; at the owner, whether all edges of the lane do.
    pub orders_only: bool,
}

/// A bundle of edges that share their upstream or their downstream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    role: LaneRole,
    stops: Vec<Stop>,
}

impl Lane {
    /// A lane of the owner's row and the other end of each edge.
    fn new(role: LaneRole, owner: usize, mut ends: Vec<Stop>) -> Self {
        let orders_only = ends.iter().all(|end| end.orders_only);
        ends.push(Stop { row: owner, orders_only });
        ends.sort_unstable();
        Self { role, stops: ends }
    }

    /// Which end its edges share.
    pub fn role(&self) -> LaneRole {
        self.role
    }

    /// The rows it meets, from above: two at least.
    pub fn stops(&self) -> &[Stop] {
        &self.stops
    }

    /// The row where it begins.
    pub fn first(&self) -> usize {
        self.stops.first().map_or(0, |stop| stop.row)
    }

    /// The row where it ends.
    pub fn last(&self) -> usize {
        self.stops.last().map_or(0, |stop| stop.row)
    }

    /// The row that all its edges share.
    pub fn owner(&self) -> usize {
        match self.role {
            LaneRole::FanOut => self.first(),
            LaneRole::Join => self.last(),
        }
    }

    /// Whether a row is an end of one of its edges.
    pub fn meets(&self, row: usize) -> bool {
        self.stops.binary_search_by_key(&row, |stop| stop.row).is_ok()
    }
}

/// Bundles edges, given as (upper row, lower row) and whether they only order.
pub(super) fn bundle(rows: usize, edges: &BTreeMap<(usize, usize), bool>) -> Vec<Lane> {
    let mut downstreams = vec![0usize; rows];
    let mut upstreams = vec![0usize; rows];
    for &(from, to) in edges.keys() {
        downstreams[from] += 1;
        upstreams[to] += 1;
    }
    let mut fan_outs = vec![Vec::new(); rows];
    let mut joins = vec![Vec::new(); rows];
    for (&(from, to), &orders_only) in edges {
        if downstreams[from] >= upstreams[to] {
            fan_outs[from].push(Stop { row: to, orders_only });
        } else {
            joins[to].push(Stop { row: from, orders_only });
        }
    }
    let lanes = |role, bundles: Vec<Vec<Stop>>| {
        let owned = bundles.into_iter().enumerate().filter(|(_, ends)| !ends.is_empty());
        owned.map(move |(owner, ends)| Lane::new(role, owner, ends))
    };
    lanes(LaneRole::FanOut, fan_outs).chain(lanes(LaneRole::Join, joins)).collect()
}

/// Gives each lane the leftmost column that is free from its first to its last row: the fewest columns there can be
/// (interval colouring). Of lanes that begin in one row the longest goes left, where the others' rows do not cross it.
///
/// The lanes of a column are in order and share no row.
pub(super) fn into_columns(mut lanes: Vec<Lane>) -> Vec<Vec<Lane>> {
    lanes.sort_by_key(|lane| (lane.first(), Reverse(lane.last()), lane.role, lane.owner()));
    let mut columns: Vec<Vec<Lane>> = Vec::new();
    let mut free = BTreeSet::new();
    let mut taken = BinaryHeap::new();
    for lane in lanes {
        while let Some(&Reverse((last, column))) = taken.peek()
            && last < lane.first()
        {
            taken.pop();
            free.insert(column);
        }
        let column = free.pop_first().unwrap_or_else(|| {
            columns.push(Vec::new());
            columns.len() - 1
        });
        taken.push(Reverse((lane.last(), column)));
        columns[column].push(lane);
    }
    columns
}

/// The lane of a column that is alive in a row.
pub(super) fn at(column: &[Lane], row: usize) -> Option<&Lane> {
    let first = column.partition_point(|lane| lane.last() < row);
    column.get(first).filter(|lane| lane.first() <= row)
}
