use super::{Outputs, written};
use crate::domain::view::fixture::*;
use crate::domain::*;
use crate::script::Page;
use crate::script::output::TAIL_ROWS;
use crate::script::report::text;

/// What test-2's second attempt and docs' first wrote in run 42.
pub fn outputs_42() -> Outputs {
    let test_2 = "        FAIL [   0.214s] (118/127) store writer::tests::group_commit_order
  thread 'writer::tests::group_commit_order' panicked at crates/store/src/writer.rs:88:9:
  assertion `left == right` failed: left: 3, right: 2
     Summary [  45.812s] 127 tests run: 126 passed, 1 failed, 0 skipped
";
    let docs = "[ERROR] (mdbook::renderer): broken link: ../api/limits.md\n";
    Outputs::default().with(7, test_2, 217, 24_710).with(3, docs, 1, 58)
}

#[test]
fn the_first_line_is_that_of_the_page() {
    let view = run_41().view();
    let line = written(|out| text::opening(out, &Page::plain(), &view, &view.teams[0]));
    assert_eq!(line, "run 41: ci, 7 tasks, parallel 4, time cap 30m\n");
}

#[test]
fn run_41_ends_as_the_page_does() {
    let view = run_41().view();
    let report = written(|out| text::report(out, &Page::plain(), &view));
    let expected = "\
run 41: ci, every required task completed, 3m16s
  #1  completed  lint    1/1   38.2s
  #2  completed  build   1/1   1m42s
  #3  completed  test-1  1/2   49.1s
  #4  completed  test-2  2/2   47.2s
  #5  completed  test-3  1/2   57.0s
  #6  completed  docs    1/1   42.9s  optional
  #7  completed  report  1/1    0.8s  report.md, 4.1 KiB
";
    assert_eq!(report, expected);
    let end = written(|out| text::end(out, &Page::plain(), &view, ""));
    assert_eq!(
        end,
        "summary: 7 completed (1 after a retry); 3m16s, 6m23s of work; critical path build, test-2, report\n"
    );
    assert_eq!(written(|out| text::failed_output(out, &Page::plain(), &view, &outputs_42(), 30, "")), "");
}

#[test]
fn run_42_ends_as_the_page_does() {
    let view = run_42().view();
    let blocks = written(|out| text::failed_output(out, &Page::plain(), &view, &outputs_42(), 4, ""));
    let expected = "\
output of test-2, attempt 2, exit 100:
test-2 |         FAIL [   0.214s] (118/127) store writer::tests::group_commit_order
test-2 |   thread 'writer::tests::group_commit_order' panicked at crates/store/src/writer.rs:88:9:
test-2 |   assertion `left == right` failed: left: 3, right: 2
test-2 |      Summary [  45.812s] 127 tests run: 126 passed, 1 failed, 0 skipped
test-2 | (the last 4 of 217 lines, 24.1 KiB; all of it: `teamtui log test-2 --run 42`)
output of docs (optional), attempt 1, exit 1:
docs | [ERROR] (mdbook::renderer): broken link: ../api/limits.md
docs | (all of 1 line, 58 B)
";
    assert_eq!(blocks, expected);
    let report = written(|out| text::report(out, &Page::plain(), &view));
    let expected = "\
run 42: ci, 1 required task failed and 1 held, 3m14s
  #1  completed  lint    1/1   37.9s
  #2  completed  build   1/1   1m41s
  #3  completed  test-1  1/2   48.6s
  #4  failed     test-2  2/2   46.1s  exit 100
  #5  completed  test-3  1/2   57.3s
  #6  failed     docs    1/1   41.5s  exit 1; optional
  #7  held       report               by test-2 (failed)
";
    assert_eq!(report, expected);
    let end = written(|out| text::end(out, &Page::plain(), &view, ""));
    let expected = "\
summary: 4 completed, 1 failed, 1 failed (optional), 1 held; 3m14s, 6m19s of work; critical path build, test-2
help: see what failed: `teamtui log test-2 --run 42`
help: try test-2 and docs again, keeping what completed: `teamtui resume 42 --failed`
";
    assert_eq!(end, expected);
}

#[test]
fn colour_and_width_are_only_where_they_were_told() {
    let view = run_42().view();
    let mut page = Page::plain();
    assert!(!written(|out| text::report(out, &page, &view)).contains(['\u{1b}', '\r']));
    page.palette.colour = true;
    page.width = Some(40);
    let report = written(|out| text::report(out, &page, &view));
    assert!(report.contains("\u{1b}[31mfailed\u{1b}[0m"), "{report}");
    assert!(report.contains("  e…\n"), "{report}");
}

#[test]
fn after_a_signal_the_last_line_is_the_command_alone() {
    let mut s = Story::new(Some(47), "ci.toml");
    s.team(ci()).start("build").start("lint").at(38_200).done("lint", 38_200).start("docs");
    s.at(52_400).interrupted("build", 52_400).interrupted("docs", 14_200);
    s.close(CloseReason::Interrupted(2));
    let end = written(|out| text::end(out, &Page::plain(), &s.view(), ""));
    let expected = "\
summary: 1 completed, 1 stale, 1 stale (optional), 4 held; interrupted; 52.4s
teamtui resume 47
";
    assert_eq!(end, expected);
    assert_eq!(s.view().rc(), 130);
}

#[test]
fn a_person_who_is_waited_for_is_told_how_to_answer() {
    let mut s = Story::new(Some(46), "examples/sign-off.toml");
    s.team(spec("sign-off", vec![member("build", ""), member("sign-off", "build")]));
    s.start("build").at(400).done("build", 400).start("sign-off").ask("sign-off", "Ship 0.2.0?");
    s.close(CloseReason::Waiting);
    let end = written(|out| text::end(out, &Page::plain(), &s.view(), ""));
    let expected = "\
summary: 1 completed, 1 waits on a person; 0.4s
help: without a terminal: `teamtui resume 46 --answer sign-off=yes`; for good: give the question a `default`
teamtui resume 46
";
    assert_eq!(end, expected);
}

#[test]
fn longer_results_of_last_tasks_stand_below_the_table_and_are_cut() {
    let mut s = Story::new(Some(1), "x.toml");
    s.team(spec("x", vec![member("a", ""), member("b", "a")]))
        .start("a")
        .said("a", 10, "one\ntwo")
        .start("b");
    let long: String = (0..50).map(|n| format!("line {n}\u{1b}[31m\n")).collect();
    s.said("b", 10, &long);
    let report = written(|out| text::report(out, &Page::plain(), &s.view()));
    assert!(!report.contains("a | one"));
    assert!(
        report.contains("b | line 39\nb | (the first 40 of 50 lines; all of it: `teamtui log b --run 1`)\n"),
        "{report}"
    );
    assert!(!report.contains("line 40"));
}

#[test]
fn output_that_is_gone_or_long_is_bounded_and_said() {
    let mut s = Story::new(Some(1), "x.toml");
    s.team(spec("x", vec![member("a", ""), member("b", "")])).start("a").start("b");
    s.failed("a", 10, 1, false).failed("b", 10, 1, false);
    let outputs = Outputs::default().with(2, &format!("{}\n", "x".repeat(1_000)), 1, 1_001);
    let blocks = written(|out| text::failed_output(out, &Page::plain(), &s.view(), &outputs, TAIL_ROWS, ""));
    assert!(blocks.contains("a | (no output)\n"), "{blocks}");
    assert!(blocks.contains(&format!("b | {}…\n", "x".repeat(399))), "{blocks}");
}
