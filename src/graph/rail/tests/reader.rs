//! Reads a drawing back: what a person who follows the lines with a finger would find.

use std::collections::BTreeSet;

/// The rows that each lane of a drawing meets, from its characters alone. Panics where lines do not fit together.
pub(super) fn lanes_read(gutters: &[String]) -> Vec<BTreeSet<usize>> {
    let rows: Vec<Vec<char>> = gutters.iter().map(|gutter| gutter.chars().collect()).collect();
    rows.iter().for_each(|row| check_run(row));
    let width = rows.first().map_or(0, Vec::len);
    let mut lanes = Vec::new();
    for column in 0..width {
        let mut open: Option<BTreeSet<usize>> = None;
        for (at, row) in rows.iter().enumerate() {
            let cell = row[column];
            assert_eq!(
                open.is_some(),
                leads_up(cell),
                "row {at}, column {column}: {cell:?} in\n{}",
                gutters.join("\n")
            );
            if leads_up(cell) || leads_down(cell) {
                let stops = open.get_or_insert_default();
                if joins(cell) {
                    stops.insert(at);
                }
            }
            if !leads_down(cell) {
                lanes.extend(open.take());
            }
        }
        assert_eq!(open, None, "a lane leads out of the drawing below");
    }
    lanes
}

/// From the leftmost joint a run goes right without a gap; left of it there is none.
fn check_run(row: &[char]) {
    let text: String = row.iter().collect();
    let begin = row.iter().position(|&cell| "╭╰├".contains(cell)).unwrap_or(row.len());
    let (left, right) = row.split_at(begin);
    assert!(left.iter().all(|&cell| " │".contains(cell)), "a run without a beginning: {text}");
    assert!(right.iter().skip(1).all(|&cell| "─╌┬┴╪┼".contains(cell)), "a run with a gap: {text}");
}

fn leads_up(cell: char) -> bool {
    "│├╪┼╰┴".contains(cell)
}

fn leads_down(cell: char) -> bool {
    "│├╪┼╭┬".contains(cell)
}

fn joins(cell: char) -> bool {
    "╭╰├┬┴╪".contains(cell)
}

#[test]
fn the_reader_finds_what_meets_and_not_what_crosses() {
    let gutters = ["╭───", "│ ╭─", "├─┼─", "╰─┴─"].map(String::from);
    assert_eq!(lanes_read(&gutters), [BTreeSet::from([0, 2, 3]), BTreeSet::from([1, 3])]);
}

#[test]
#[should_panic(expected = "leads out of the drawing")]
fn the_reader_refuses_a_lane_that_never_ends() {
    lanes_read(&["╭─", "├─"].map(String::from));
}
