//! The pages of the manual, to the byte.
use super::*;

const BAD: &str = r#"name = "bad"
[members.build]
run = "cargo build"
dependson = ["fmt"]
rerun = "safe"
priority = 1
depends_on = ["report"]
goal = "Build everything."
[members.test]
run = "cargo test"
depends_on = ["biuld"]
[members.docs]
run = "mdbook build"
depends_on = ["build"]
[members.report]
run = "cargo run --bin report"
depends_on = ["docs"]
[members.Docs]
run = "mdbook build book"
"#;

const BAD_SAID: &str = r#"error: bad.toml:4:1: unknown key `dependson` in a member
  4 | dependson = ["fmt"]
    | ^^^^^^^^^
help: did you mean `depends_on`?
error: bad.toml:7:15: cycle: build -> report -> docs -> build
  7 | depends_on = ["report"]
    |               ^^^^^^^^
help: each waits for the next; remove one: build's at 7:15, report's at 17:15, docs' at 14:15
error: bad.toml:8:1: key `goal` does not belong in a member
  8 | goal = "Build everything."
    | ^^^^
help: it is a key of the team: move it above line 2, or use `prompt`
error: bad.toml:11:15: test depends on `biuld`, which does not exist
 11 | depends_on = ["biuld"]
    |               ^^^^^^^
help: did you mean `build`?
error: bad.toml:18:10: the name `Docs` is taken by `docs` at 12:10 (names differ by more than case)
 18 | [members.Docs]
    |          ^^^^
"#;

#[test]
fn c037_a_bad_file_prints_every_error_with_place_caret_and_help() {
    let loaded = load_with("bad.toml", BAD, &[], true);
    assert_eq!(printed(&loaded.findings), BAD_SAID);
    assert_eq!(summary(&loaded.findings), "lint: 5 errors, 0 warnings");
    assert_eq!(loaded.spec, None);
}

#[test]
fn findings_are_one_line_of_json_each() {
    let loaded = load_with("bad.toml", BAD, &[], true);
    assert_eq!(
        loaded.findings[0].json(),
        r#"{"type":"finding","format":1,"level":"error","code":"unknown_key","path":"bad.toml","line":4,"col":1,"end_line":4,"end_col":10,"message":"unknown key `dependson` in a member","help":["did you mean `depends_on`?"]}"#
    );
}

const AUTH_SAID: &str = r#"warning: examples/auth-review.toml:16:8: a pipe hides a failure: the exit of churn is that of `head`
 16 | run = "git log --since=1.year --name-only --format= | sort | uniq -c | sort …
    |        ^^^^^^^
help: let `git` write to a file first, so that its exit counts: `git log ... > f && sort f | ...`
warning: examples/auth-review.toml:19:8: `cargo` is not on PATH here; style (optional) would fail
 19 | run = "cargo fmt --check"
    |        ^^^^^
"#;

#[test]
fn the_example_has_two_warnings_and_is_a_team() {
    let probe = FakeProbe { programs: &["git", "sort", "uniq", "head"] };
    let options = Options {
        sets: &[],
        headless: true,
        workspace: Path::new("/repo"),
        probe: &probe,
        scripts: &FakeScripts,
    };
    let loaded = load_text("examples/auth-review.toml", AUTH_REVIEW, &options);
    let text: String = loaded.findings.iter().map(|finding| finding.text(Some(83))).collect();
    assert_eq!(text, AUTH_SAID);
    assert_eq!(summary(&loaded.findings), "lint: 0 errors, 2 warnings");
    assert!(loaded.spec.is_some());
}

#[test]
fn a_caret_far_to_the_right_stays_in_sight() {
    let text = format!(
        "name = \"t\"\n[members]\na = {{ run = \"echo {}\", dependson = [\"b\"] }}\n",
        "x".repeat(200)
    );
    let loaded = loaded(&text);
    let shown = loaded.findings[0].text(Some(60));
    let lines: Vec<&str> = shown.lines().collect();
    assert!(lines.iter().skip(1).take(2).all(|line| crate::text::width(line) <= 60), "{shown}");
    let at = lines[2].find('^').unwrap();
    assert_eq!(lines[1].chars().skip(at).take(9).collect::<String>(), "dependson", "{shown}");
}

#[test]
fn carets_stand_under_wide_characters() {
    let shown = loaded("name = \"t\"\ntitle = \"开发 🦀\"\nkeys = { \"开发\" = 1 }\n").findings[0].text(None);
    assert_eq!(shown.lines().nth(2), Some("    | ^^^^"), "{shown}");
    let text = "name = \"t\"\nlimits = { \"开发\" = 1, parallell = 2 }\n";
    let shown = loaded(text).findings[1].text(None);
    assert!(shown.starts_with("error: t.toml:2:22: unknown key `parallell` in the limits\n"), "{shown}");
    assert_eq!(shown.lines().nth(2), Some("    |                        ^^^^^^^^^"), "{shown}");
}

#[test]
fn c039_what_a_file_says_is_printed_harmless() {
    let shown = printed(&loaded("name = \"\\u001b[2J\"\n\"k\u{202e}ey\" = 1\n\u{9b}2J").findings);
    assert!(!shown.contains(['\u{1b}', '\u{202e}', '\u{9b}']), "{shown:?}");
}
