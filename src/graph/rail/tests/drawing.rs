//! Plans and their drawings, each drawn and read by hand.

use super::*;

#[track_caller]
fn expect(names: &str, edges: &str, drawing: &str) {
    let found = drawn(&rail(names, edges), Charset::Unicode);
    assert_eq!(found, drawing.trim_matches('\n'), "\n{found}\n");
}

#[test]
fn the_frame_of_the_design() {
    expect(
        SHIP.0,
        SHIP.1,
        "
╭───────plan
├─┬─────schema
│ ├─┬───store
│ ╰─┼─┬─engine
│   ├─╪─script-runner
├─┬─┼─┼─tui-shell
│ ├─╪─┴─dag-pane
│ ╰─╪───log-pane
│ ╭─┴───integrate
╰─╪─────docs
╭─┴─────review
╰───────release
",
    );
}

#[test]
fn the_frame_of_replan_mode_where_docs2_takes_the_place_of_docs() {
    let edges = SHIP.1.replace("docs->review", "plan->docs2 docs2->review");
    expect(
        &format!("{} docs2", SHIP.0),
        &edges,
        "
╭───────plan
├─┬─────schema
│ ├─┬───store
│ ╰─┼─┬─engine
│   ├─╪─script-runner
├─┬─┼─┼─tui-shell
│ ├─╪─┴─dag-pane
│ ╰─╪───log-pane
│ ╭─┴───integrate
├─┼─────docs
╰─╪─────docs2
╭─┴─────review
╰───────release
",
    );
}

#[test]
fn the_frame_of_the_demo() {
    expect(
        "plan parse store screen docs test review ship",
        "plan->parse plan->store plan->screen screen->docs parse->test store->test screen->test docs->review \
         test->review review->ship",
        "
╭─────plan
├─┬───parse
├─╪───store
╰─╪─┬─screen
╭─┼─┴─docs
├─┴───test
╰─┬───review
  ╰───ship
",
    );
}

#[test]
fn the_frame_of_the_lead_pane_with_an_edge_that_only_orders() {
    expect(
        "churn style security summary perf2",
        "churn->security style~>security security->summary perf2->summary",
        "
╭───churn
├╌╌╌style
╰─┬─security
  ├─perf2
  ╰─summary
",
    );
}

#[test]
fn nothing_is_drawn_for_nothing() {
    expect("", "", "");
    assert_eq!((rail("", "").width(), rail("", "").is_empty()), (0, true));
}

#[test]
fn one_node_and_nodes_without_edges_have_no_gutter() {
    expect("a", "", "a");
    expect("b a", "", "b\na");
}

#[test]
fn a_node_without_edges_stands_in_line_with_the_others() {
    expect(
        "a b c",
        "a->c",
        "
╭─a
╰─c
  b
",
    );
}

#[test]
fn a_chain_changes_lane_at_each_row() {
    expect(
        "a b c d",
        "a->b b->c c->d",
        "
╭───a
╰─┬─b
╭─┴─c
╰───d
",
    );
}

#[test]
fn a_fan_out() {
    expect("a b c d", "a->b a->c a->d", "╭─a\n├─b\n├─c\n╰─d");
}

#[test]
fn a_fan_in() {
    expect("a b c d", "a->d b->d c->d", "╭─a\n├─b\n├─c\n╰─d");
}

#[test]
fn a_diamond() {
    expect(
        "a b c d",
        "a->b a->c b->d c->d",
        "
╭───a
├─┬─b
╰─╪─c
  ╰─d
",
    );
}

#[test]
fn diamonds_one_below_the_other() {
    expect(
        "a b c d e f g",
        "a->b a->c b->d c->d d->e d->f e->g f->g",
        "
╭───a
├─┬─b
╰─╪─c
╭─┴─d
├─┬─e
╰─╪─f
  ╰─g
",
    );
}

#[test]
fn a_diamond_within_a_diamond() {
    expect(
        "a b c d e f g",
        "a->b a->c b->d b->e d->f e->f f->g c->g",
        "
╭─────a
├─┬───b
│ ├─┬─d
│ ╰─╪─e
│ ╭─┴─f
╰─╪───c
  ╰───g
",
    );
}

#[test]
fn two_components_share_the_columns() {
    expect("a b c d", "a->c b->d", "╭─a\n╰─c\n╭─b\n╰─d");
}

#[test]
fn two_by_two_all_joined() {
    expect(
        "a b c d",
        "a->c a->d b->c b->d",
        "
╭───a
│ ╭─b
├─╪─c
╰─┴─d
",
    );
}

#[test]
fn three_by_three_all_joined() {
    expect(
        "a b c d e f",
        "a->d a->e a->f b->d b->e b->f c->d c->e c->f",
        "
╭─────a
│ ╭───b
│ │ ╭─c
├─╪─╪─d
├─╪─╪─e
╰─┴─┴─f
",
    );
}

#[test]
fn what_only_crosses_is_not_what_meets() {
    // The lane from `b` to `e` has nothing to do with `c`, which it crosses; `d` meets it.
    expect(
        "a b c d e",
        "a->b a->c b->e d->e c->d",
        "
╭─────a
├─┬───b
╰─┼─┬─c
  ├─┴─d
  ╰───e
",
    );
}

#[test]
fn of_two_lanes_that_begin_in_one_row_the_longer_goes_left_where_the_other_does_not_cross_it() {
    expect(
        "a b c d e f z",
        "a->b a->c a->z d->z e->z f->z",
        "
╭─┬─a
│ ├─b
│ ╰─c
├───d
├───e
├───f
╰───z
",
    );
}

#[test]
fn a_wide_layer_between_two_nodes() {
    expect(
        "a b c d e f",
        "a->b a->c a->d a->e b->f c->f d->f e->f",
        "
╭───a
├─┬─b
├─╪─c
├─╪─d
╰─╪─e
  ╰─f
",
    );
}

#[test]
fn an_edge_that_a_longer_path_implies_is_not_drawn() {
    expect("a b c", "a->b b->c a->c", "╭───a\n╰─┬─b\n  ╰─c");
}

#[test]
fn a_long_way_and_a_short_one_to_the_same_end() {
    expect(
        "a b c d e f",
        "a->b b->c c->f a->d d->e e->f",
        "
╭─────a
├─┬───b
│ ╰─┬─c
╰─┬─┼─d
  ╰─╪─e
    ╰─f
",
    );
}

#[test]
fn edges_that_only_order_are_dashed_where_nothing_else_shares_the_run() {
    expect("a b c", "a~>b b~>c", "╭╌╌╌a\n╰╌┬╌b\n  ╰╌c");
    expect("a b c d", "a->b a~>c a~>d", "╭─a\n├─b\n├╌c\n╰╌d");
    expect("a b c d", "a~>d b->d c~>d", "╭╌a\n├─b\n├╌c\n╰─d");
}

#[test]
fn a_run_turns_solid_where_it_meets_an_edge_that_gates() {
    expect(
        "a b c d",
        "a~>b a->c b->d c->d",
        "
╭───a
├╌┬─b
╰─╪─c
  ╰─d
",
    );
}

#[test]
fn a_chain_stays_together_though_its_numbers_do_not() {
    expect(
        "a b c d e f",
        "a->e e->f b->c c->d",
        "
╭───a
╰─┬─e
  ╰─f
╭───b
╰─┬─c
  ╰─d
",
    );
}

#[test]
fn several_roots_that_meet_late() {
    expect(
        "a b c d e f g h i",
        "a->c b->c c->d c->e d->f e->f f->g a->h h->i g->i",
        "
╭───────a
├─┬─────h
│ │ ╭───b
╰─┼─┴─┬─c
╭─┼───╪─d
├─┼───┴─e
╰─┼─┬───f
  ├─┴───g
  ╰─────i
",
    );
}

#[test]
fn a_loop_is_drawn_without_the_edge_that_closes_it() {
    let staged = rail("a b c d", "a->b b->c c->d c->b");
    assert_eq!(staged.undrawn(), [("c", "b")]);
    assert_eq!(drawn(&staged, Charset::Unicode), "╭───a\n╰─┬─b\n╭─┴─c\n╰───d");
}

#[test]
fn rows_can_be_given_and_what_leads_up_is_told() {
    let edges = parsed("a->b a->c b->d c->d");
    let rail = layout_rows(&["a", "c", "b", "d"], &edges, |orders_only| orders_only);
    assert_eq!(drawn(&rail, Charset::Unicode), "╭───a\n├─┬─c\n╰─╪─b\n  ╰─d");
    let upside_down = layout_rows(&["d", "a"], &parsed("a->d"), |orders_only| orders_only);
    assert_eq!(upside_down.undrawn(), [("a", "d")]);
}
