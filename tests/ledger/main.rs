//! The ledger: what this project promises, and the tests that keep it.
//!
//! Three tables say it, a line for each: the rules of the domain (`rule`), cases that other tools got wrong (`case`), and
//! features (`feature`). Each names tests by name, and each test carries the tag of what it keeps (`r14_..`, `c009_..`,
//! `row_1_10_..`), so that a search for one finds the other. The tests here read the sources of the project, and fail when
//! a promise has no test, a test is not there or does not run, or a test keeps a promise that no table has.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod case;
mod feature;
mod found;
mod rule;

use std::collections::{BTreeMap, BTreeSet};

/// One promise.
struct Row {
    /// `R14` a rule, `C009` or `X21` a case, `1.10` a feature.
    id: &'static str,
    /// What is kept, in one sentence.
    kept: &'static str,
    /// Tests that fail when it is not.
    tests: &'static [&'static str],
}

const fn row(id: &'static str, kept: &'static str, tests: &'static [&'static str]) -> Row {
    Row { id, kept, tests }
}

impl Row {
    /// As the names of its tests carry it: `r14`, `c009`, `row_1_10`.
    fn tag(&self) -> String {
        let id = self.id.to_lowercase();
        id.split_once('.').map_or(id.clone(), |(seed, number)| format!("row_{seed}_{number}"))
    }
}

/// The tags in the name of a test.
fn tags(name: &str) -> BTreeSet<String> {
    let words: Vec<&str> = name.split('_').collect();
    let short = words.iter().filter(|word| is_tag(word)).map(|word| (*word).to_owned());
    let rows = words.windows(3).filter(|w| w[0] == "row" && is_number(w[1], 1) && is_number(w[2], 2));
    short.chain(rows.map(|w| w.join("_"))).collect()
}

fn is_tag(word: &str) -> bool {
    let (kind, number) = word.split_at_checked(1).unwrap_or_default();
    match kind {
        "r" => is_number(number, 1) || is_number(number, 2),
        "c" => is_number(number, 3),
        "x" => is_number(number, 2),
        _ => false,
    }
}

fn is_number(word: &str, digits: usize) -> bool {
    word.len() == digits && word.bytes().all(|b| b.is_ascii_digit())
}

/// What is wrong with the tables, for tests that are there; nothing, if each promise is kept.
fn wrong<'a>(rows: impl Iterator<Item = &'a Row>, tests: &BTreeSet<String>) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut listed: BTreeMap<String, &str> = BTreeMap::new();
    for row in rows {
        let tag = row.tag();
        if row.tests.is_empty() {
            wrong.push(format!("{}: no test keeps it: {}", row.id, row.kept));
        }
        for test in row.tests {
            if !tests.contains(*test) {
                wrong.push(format!("{}: there is no test `{test}` that runs", row.id));
            }
            if !tags(test).contains(&tag) {
                wrong.push(format!("{}: the name of `{test}` has no `{tag}`", row.id));
            }
        }
        if listed.insert(tag, row.id).is_some() {
            wrong.push(format!("{}: it is there twice", row.id));
        }
    }
    for test in tests {
        for tag in tags(test).into_iter().filter(|tag| !listed.contains_key(tag)) {
            wrong.push(format!("`{test}` keeps `{tag}`, which no table has"));
        }
    }
    wrong
}

fn rows() -> impl Iterator<Item = &'static Row> {
    rule::RULES.iter().chain(case::CASES).chain(feature::FEATURES)
}

#[test]
fn every_promise_has_tests_that_run_and_every_tag_is_a_promise() {
    let wrong = wrong(rows(), &found::tests());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn rules_stand_in_order_without_a_gap() {
    let expected = (1..=rule::RULES.len()).map(|n| format!("R{n}"));
    assert!(rule::RULES.iter().map(|row| row.id.to_owned()).eq(expected));
    for table in [case::CASES, feature::FEATURES] {
        assert!(table.is_sorted_by_key(|row| row.id));
    }
}

#[test]
fn every_promise_is_one_sentence() {
    for row in rows() {
        let one = row.kept.ends_with('.') && !row.kept.contains(". ") && row.kept.len() <= 150;
        assert!(one, "{}: {}", row.id, row.kept);
    }
}

#[test]
fn tags_are_found_anywhere_in_a_name_and_other_words_are_none() {
    let found = |name: &str| tags(name).into_iter().collect::<Vec<_>>().join(" ");
    assert_eq!(found("r1_to_r35_any_200_commands"), "r1 r35");
    assert_eq!(found("row_1_10_replan_is_atomic_and_c005_nothing_is_applied"), "c005 row_1_10");
    assert_eq!(found("section_3_x19_github"), "x19");
    assert_eq!(found("rc_is_0_in_row_3_of_c12_and_r_and_x1_and_row_1_1"), "");
}

#[test]
fn what_is_wrong_with_a_table_is_said() {
    let there = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    let said = |rows: &[Row], tests: &[&str]| wrong(rows.iter(), &there(tests)).join("\n");
    let good = || row("R14", "It is kept.", &["r14_it_is"]);
    assert_eq!(said(&[good()], &["r14_it_is", "r14_so_is_this", "another"]), "");
    assert_eq!(said(&[row("R14", "It is kept.", &[])], &[]), "R14: no test keeps it: It is kept.");
    assert_eq!(said(&[good()], &["r14_another"]), "R14: there is no test `r14_it_is` that runs");
    assert_eq!(
        said(&[row("1.10", "It is kept.", &["it_is"])], &["it_is"]),
        "1.10: the name of `it_is` has no `row_1_10`"
    );
    assert_eq!(said(&[good(), good()], &["r14_it_is"]), "R14: it is there twice");
    assert_eq!(
        said(&[good()], &["r14_it_is", "c009_is_new"]),
        "`c009_is_new` keeps `c009`, which no table has"
    );
}
