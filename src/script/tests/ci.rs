use super::end::outputs_42;
use super::{Outputs, written};
use crate::domain::view::fixture::*;
use crate::domain::*;
use crate::script::report::{github, junit};

fn xml(story: &Story, outputs: &Outputs) -> String {
    let mut bytes = Vec::new();
    junit::write(&mut bytes, &story.view(), outputs, 30).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn squeezed(xml: &str) -> String {
    xml.lines().map(str::trim).collect()
}

#[test]
fn run_43_in_junit_has_the_semantics_of_the_page() {
    let outputs = Outputs::default().with(3, "two, first\n", 1, 11).with(2, "one, first\n", 1, 11).with(
        4,
        "two, second\n",
        1,
        12,
    );
    let xml = squeezed(&xml(&run_43(), &outputs));
    let expected = [
        r#"<?xml version="1.0" encoding="UTF-8"?>"#,
        r#"<testsuites name="teamtui run 43" tests="3" skipped="0" failures="1" errors="0" time="196.905">"#,
        r#"<testsuite name="ci" tests="3" skipped="0" errors="0" failures="1" time="196.905" timestamp="2026-11-30T18:20:00.004Z">"#,
        r#"<testcase name="build" classname="ci" time="101.204"/>"#,
        r#"<testcase name="test-1" classname="ci" time="48.893">"#,
        r#"<flakyFailure time="46.808" message="attempt 1/2: exit 100" type="exit"><system-out>one, first"#,
        r#"(all of 1 line, 11 B)</system-out></flakyFailure>"#,
        r#"</testcase>"#,
        r#"<testcase name="test-2" classname="ci" time="46.097">"#,
        r#"<failure message="attempt 1/2: exit 100" type="exit">two, first"#,
        r#"(all of 1 line, 11 B)</failure>"#,
        r#"<rerunFailure time="45.889" message="attempt 2/2: exit 100" type="exit"><system-out>two, second"#,
        r#"(all of 1 line, 12 B)</system-out></rerunFailure>"#,
        r#"</testcase>"#,
        r#"</testsuite></testsuites>"#,
    ];
    let tags = |s: &str| s.replace("<system-out>\n", "<system-out>");
    assert_eq!(tags(&xml), expected.concat());
}

#[test]
fn held_and_optional_tasks_are_skipped_in_junit() {
    let xml = squeezed(&xml(&run_42(), &outputs_42()));
    assert!(xml.contains(r#"<testcase name="report" classname="ci"><skipped message="held by test-2 (failed)"/></testcase>"#), "{xml}");
    assert!(xml.contains(r#"<testcase name="docs" classname="ci" time="41.500"><skipped message="optional, failed: exit 1"/></testcase>"#), "{xml}");
    assert!(xml.contains(r#"failures="1" errors="0""#), "{xml}");
}

#[test]
fn stale_is_an_error_and_unconfirmed_a_property() {
    let mut s = Story::new(Some(1), "x.toml");
    s.team(spec("x", vec![member("a", ""), member("b", "")])).start("a").start("b");
    s.at(900).interrupted("a", 900).end("b", 100, |e| e.outcome = Outcome::Unconfirmed);
    let xml = squeezed(&xml(&s, &Outputs::default()));
    assert!(xml.contains(r#"<error message="attempt 1/1: interrupted" type="stale">"#), "{xml}");
    assert!(xml.contains(r#"<property name="unconfirmed" value="true"/>"#), "{xml}");
}

#[test]
fn a_run_that_only_waits_and_does_not_complete_has_an_error() {
    let mut s = Story::new(Some(1), "x.toml");
    s.team(spec("x", vec![member("a", ""), member("b", "a")]));
    s.tell(event::TaskCancelled { number: TaskNo(1), reason: "".into() });
    let xml = squeezed(&xml(&s, &Outputs::default()));
    assert_eq!(s.view().rc(), 1);
    assert!(xml.contains(r#"errors="2""#), "{xml}");
}

#[test]
fn forbidden_bytes_are_not_in_the_xml() {
    let mut s = Story::new(Some(1), "x.toml");
    s.team(spec("x", vec![member("a", "")])).start("a").at(10).end("a", 10, |e| {
        e.outcome = Outcome::Failed;
        e.status = Some(Status::Failed);
        e.reason = "no\u{0}\u{1b}[31m]]> & <x>".into();
    });
    let xml = xml(&s, &Outputs::default().with(1, "\u{1}\u{fffe}]]>\u{1b}[2J<b>\n", 1, 9));
    assert!(!xml.chars().any(|c| c.is_control() && c != '\n'), "{xml:?}");
    assert!(!xml.contains("<b>") && !xml.contains("<x>"));
}

#[test]
fn github_gets_output_between_stop_commands() {
    let view = run_42().view();
    let blocks = written(|out| github::failed_output(out, &view, &outputs_42(), 1, "6f0c2d9be17a4c53", ""));
    let expected = "\
::group::output of test-2, attempt 2, exit 100
::stop-commands::6f0c2d9be17a4c53
test-2 |      Summary [  45.812s] 127 tests run: 126 passed, 1 failed, 0 skipped
test-2 | (the last 1 of 217 lines, 24.1 KiB; all of it: `teamtui log test-2 --run 42`)
::6f0c2d9be17a4c53::
::endgroup::
";
    assert!(blocks.starts_with(expected), "{blocks}");
}

#[test]
fn github_annotations_are_those_of_the_page() {
    let view = run_42().view();
    let expected = "\
::error title=test-2 failed::ci: attempt 2/2, exit 100 after 46.1s
::error title=report held::ci: by test-2 (failed)
::warning title=docs failed (optional)::ci: attempt 1/1, exit 1 after 41.5s
";
    assert_eq!(written(|out| github::annotations(out, &view)), expected);
}

#[test]
fn github_annotations_are_at_most_ten_of_a_kind() {
    let mut s = Story::new(Some(1), "x.toml");
    s.team(spec("x", (0..30).map(|n| member(&format!("t{n}"), "")).collect()));
    for n in 0..30 {
        s.start(&format!("t{n}")).failed(&format!("t{n}"), 1, 1, false);
    }
    assert_eq!(written(|out| github::annotations(out, &s.view())).lines().count(), 10);
}

#[test]
fn github_step_summary_is_that_of_the_page() {
    let view = run_42().view();
    let summary = written(|out| github::step_summary(out, &view, ""));
    let expected = "\
### ci: 1 required task failed and 1 held
4 completed, 1 failed, 1 failed (optional), 1 held; 3m14s, 6m19s of work; critical path build, test-2

| # | task | status | attempt | took | |
|--:|---|---|---|--:|---|
| 1 | lint | completed | 1/1 | 37.9s | |
| 2 | build | completed | 1/1 | 1m41s | |
| 3 | test-1 | completed | 1/2 | 48.6s | |
| 4 | test-2 | **failed** | 2/2 | 46.1s | exit 100 |
| 5 | test-3 | completed | 1/2 | 57.3s | |
| 6 | docs | failed | 1/1 | 41.5s | exit 1; optional |
| 7 | report | **held** | | | by test-2 (failed) |

Run 42. Try the failed tasks again: `teamtui resume 42 --failed`
";
    assert_eq!(summary, expected);
}

#[test]
fn nothing_a_member_says_becomes_a_command_or_markup() {
    let mut s = Story::new(Some(1), "x.toml");
    s.team(spec("x", vec![member("a", "")])).start("a").at(10).end("a", 10, |e| {
        e.outcome = Outcome::Failed;
        e.status = Some(Status::Failed);
        e.reason = "x\n::error::y | <img src=http://e> ![a](b) ##[error]".into();
    });
    let outputs = Outputs::default().with(1, "::token::\n  ::set-output name=a::b\n##[error]x\n", 3, 40);
    let view = s.view();
    let blocks = written(|out| github::failed_output(out, &view, &outputs, 30, "token", ""));
    let commands: Vec<&str> = blocks.lines().filter(|l| l.trim_start().starts_with("::")).collect();
    assert_eq!(commands.len(), 4, "{blocks}");
    assert!(!blocks.contains("##["), "{blocks}");
    assert_eq!(written(|out| github::annotations(out, &view)).lines().count(), 1);
    let summary = written(|out| github::step_summary(out, &view, ""));
    assert!(!summary.contains("<img") && !summary.contains("![a]") && summary.contains("\\|"), "{summary}");
}
