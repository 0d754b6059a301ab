//! Other views of one drawing: in ASCII, folded, cut, and lane by lane.

use super::*;

#[test]
fn in_ascii_what_only_crosses_is_the_bar_of_the_lane() {
    let found = drawn(&rail(SHIP.0, SHIP.1), Charset::Ascii);
    let expected = "
+-------plan
+-+-----schema
| +-+---store
| +-|-+-engine
|   +-#-script-runner
+-+-|-|-tui-shell
| +-#-+-dag-pane
| +-#---log-pane
| +-+---integrate
+-#-----docs
+-+-----review
+-------release";
    assert_eq!(found, expected.trim_matches('\n'), "\n{found}\n");
    assert_eq!(drawn(&rail("a b", "a~>b"), Charset::Ascii), "+=a\n+=b");
}

#[test]
fn a_folded_run_shows_what_leads_in_and_out() {
    let rail = rail(SHIP.0, SHIP.1);
    let text = |rows| draw::text(&rail.folded(rows), Charset::Unicode);
    assert_eq!(text(0..3), "╭─┬─┬───");
    assert_eq!(text(2..4), "│ ╰─┬─┬─");
    assert_eq!(text(0..12), "        ");
    assert_eq!(text(10..12), "  ╰─────");
    assert_eq!(text(3..4), "│ ╰─┼─┬─");
}

#[test]
fn lanes_past_the_cap_are_cut_on_the_side_away_from_the_cursor() {
    let rail = rail(SHIP.0, SHIP.1);
    let cut = |lanes, focus| {
        let window = rail.window(lanes, focus);
        let rows = (1..7).map(|row| draw::text(&window.of(&rail.row(row)), Charset::Unicode));
        rows.collect::<Vec<_>>().join("\n")
    };
    assert_eq!(cut(3, 0), "├─┬───\n│ ├─⋮─\n│ ╰─⋮─\n│   ⋮─\n├─┬─⋮─\n│ ├─⋮─");
    assert_eq!(cut(3, 3), "⋮─────\n⋮─┬───\n⋮─┼─┬─\n⋮ ├─╪─\n⋮─┼─┼─\n⋮─╪─┴─");
    assert_eq!(cut(1, 3), "⋮─\n⋮─\n⋮─\n⋮─\n⋮─\n⋮─");
    assert_eq!(cut(0, 3), "\n\n\n\n\n");
    assert_eq!(cut(4, 3), cut(99, 0));
}

#[test]
fn the_lanes_of_a_row_are_told_from_the_left() {
    let rail = rail(SHIP.0, SHIP.1);
    let met: Vec<(usize, LaneRole, usize)> =
        rail.lanes_met(6).map(|(column, lane)| (column, lane.role(), lane.owner())).collect();
    assert_eq!(met, [(1, LaneRole::FanOut, 5), (2, LaneRole::Join, 8), (3, LaneRole::FanOut, 3)]);
}
