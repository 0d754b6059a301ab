//! Damaged stores: never believed, never a panic, always kept, and nearly always whole again.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, missing_docs)]
#[path = "torture/damage.rs"]
mod damage;

#[test]
fn damaged_stores_are_found_kept_and_restored_or_their_loss_is_named() {
    let counts = damage::run(0x7EA4, 200);
    eprintln!("{counts:?}");
    assert_eq!((counts.wrong, counts.panics, counts.not_kept), (0, 0, 0), "{counts:?}");
    assert!(counts.restored() * 100 >= counts.cases * 99, "{counts:?}");
    assert!(
        counts.whole + counts.unsure + counts.named >= counts.cases / 3,
        "too few that mattered: {counts:?}"
    );
}

#[test]
#[ignore = "takes minutes"]
fn two_thousand_damaged_stores() {
    let counts = damage::run(2_000, 2_000);
    eprintln!("{counts:?}");
    assert_eq!((counts.wrong, counts.panics, counts.not_kept), (0, 0, 0), "{counts:?}");
    assert!(counts.restored() * 100 >= counts.cases * 99, "{counts:?}");
}
