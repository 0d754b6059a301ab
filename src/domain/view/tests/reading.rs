use crate::domain::view::fixture::*;
use crate::domain::view::status;
use crate::domain::view::*;
use crate::domain::*;

fn text(lines: &[super::super::Line]) -> String {
    lines.iter().map(|l| l.plain()).collect::<Vec<_>>().join("\n")
}

#[test]
fn status_is_that_of_the_page() {
    let view = auth_review(None).view();
    let expected = "\
standing run: auth-review, plan 1, 4.1s, nothing live; waits for a decision on perf
  #1  completed  churn     1/1   0.4s
  #2  completed  style     1/1   0.9s  optional
  #3  completed  security  1/1   0.0s  \"1 finding\"
  #4  failed     perf      1/1   2.0s  \"no access\"
  #5  held       summary               by perf (failed)";
    assert_eq!(text(&status::status(&view, &view.teams[0])), expected);
}

#[test]
fn why_is_that_of_the_page() {
    let story = auth_review(None);
    let why = Why::of(&story.state, story.id(), TaskNo(5), "").unwrap();
    let expected = "\
summary (#5) is held by perf
  security (#3)  completed at 0.9s  satisfied
  perf     (#4)  failed at 2.0s     \"no access\", said by perf; no retry due
help: try perf again: `teamtui do retry perf`
help: go on without it: `teamtui do cancel perf release`
help: put another in its place: `teamtui help replan`";
    assert_eq!(text(&why.lines()), expected);
}

#[test]
fn why_follows_the_chain_down_to_the_cause() {
    let mut s = Story::new(Some(48), "x.toml");
    let members = vec![
        member("plan", ""),
        member("docs", "plan"),
        member("engine", "plan"),
        member("pane", "engine"),
        member("integrate", "pane,engine"),
        member("review", "docs,integrate"),
        member("release", "review"),
    ];
    s.team(spec("ship", members)).start("plan").at(1_000).done("plan", 1_000).start("docs").start("engine");
    s.at(3_000).failed("docs", 2_000, 101, false);
    let why = Why::of(&s.state, s.id(), TaskNo(7), "").unwrap();
    let expected = "\
release (#7) is held by docs
  review      (#6)  held                    needs a decision on docs
    docs      (#2)  failed at 3.0s          exit 101; no retry due
    integrate (#5)  blocked                 starts by itself
      engine  (#3)  in_progress since 1.0s  ends by itself
      pane    (#4)  blocked                 starts by itself
help: try docs again: `teamtui do --run 48 retry docs`
help: go on without it: `teamtui do --run 48 cancel docs release`
help: put another in its place: `teamtui help replan`";
    assert_eq!(text(&why.lines()), expected);
    let blocked = Why::of(&s.state, s.id(), TaskNo(5), "").unwrap();
    assert_eq!(
        blocked.sentence,
        "integrate (#5) is blocked by engine and pane and starts by itself after that"
    );
    assert_eq!(blocked.help, Vec::<String>::new());
}

#[test]
fn why_of_a_cancelled_upstream_is_a_rewiring_that_can_be_pasted() {
    let mut s = Story::new(None, "x.toml");
    s.team(spec("x", vec![member("a", ""), member("b", ""), member("c", "a,b:finished")]));
    s.tell(event::TaskCancelled { number: TaskNo(1), reason: "not needed".into() });
    let why = Why::of(&s.state, s.id(), TaskNo(3), " --state /s").unwrap();
    assert_eq!(why.help[0], "go on without it: `teamtui do --state /s replan rewire c after=b:finished`");
    assert!(why.links[0].needs_decision && !why.links[1].needs_decision);
}

#[test]
fn why_of_a_pending_task_says_who_has_no_time() {
    let mut s = auth_review(None);
    s.tell(event::RetryAsked { number: TaskNo(4), text: "".into() });
    s.tell(event::Paused { member: Some(name("perf")) });
    let why = Why::of(&s.state, s.id(), TaskNo(4), "").unwrap();
    assert_eq!(why.sentence, "perf (#4) is pending: perf is paused");
    assert_eq!(why.help, ["go on: `teamtui do resume perf`"]);
}

#[test]
fn counts_verdict_and_headline_of_the_page() {
    let view = run_42().view();
    let team = &view.teams[0];
    assert_eq!(team.headline(), "1 required task failed and 1 held");
    assert_eq!((view.reason, view.rc()), (CloseReason::RequiredFailed, 1));
    assert_eq!(team.counts.phrases(&[]), ["4 completed", "1 failed", "1 failed (optional)", "1 held"]);
    assert_eq!(team.path_done(), ["build", "test-2"]);
    let view = run_41().view();
    assert_eq!(view.teams[0].headline(), "every required task completed");
    assert_eq!(view.teams[0].path_done(), ["build", "test-2", "report"]);
    assert_eq!(verdict(&run_41().state), CloseReason::Completed);
}

#[test]
fn list_shows_the_asked_and_get_shows_all_of_one() {
    let story = run_42();
    let view = story.view();
    let held = status::list(&view.teams[0], &["held"], None);
    assert_eq!(text(&held), "  #7  held       report          by test-2 (failed)");
    assert_eq!(status::list(&view.teams[0], &["settled"], None).len(), 2);
    assert_eq!(status::list(&view.teams[0], &[], Some(&name("lint"))).len(), 1);
    let team = story.state.team(story.id()).unwrap();
    let page = status::get(view.teams[0].task(TaskNo(4)).unwrap(), team, team.task(TaskNo(4)).unwrap());
    let expected = "\
test-2 (#4)  failed, 2/2, 46.1s, exit 100
  assignee    test-2
  waits for   build (completed)
  needed by   report (held)
  attempt 1   failed, 46.3s, exit 100, 0 B of output
  attempt 2   failed, 46.1s, exit 100, 24.1 KiB of output";
    assert_eq!(text(&page), expected);
}

#[test]
fn runs_are_a_table_of_the_page() {
    let row = |run, team: &str, state: &str, rc, took_ms, of, size_bytes, started: &str| RunRow {
        run,
        team: team.to_owned(),
        state: state.to_owned(),
        rc,
        took_ms: Some(took_ms),
        completed: Some(of),
        size_bytes,
        started: started.to_owned(),
    };
    let rows = [
        row(None, "auth-review", "live", None, 4_100, (3, 5), 812, "19:50"),
        row(Some(47), "ci", "interrupted", Some(130), 52_400, (1, 7), 1_153_434, "19:35"),
    ];
    let expected = "\
run       team         state         rc   took  completed     size  started
standing  auth-review  live           -   4.1s     3 of 5    812 B    19:50
47        ci           interrupted  130  52.4s     1 of 7  1.1 MiB    19:35";
    assert_eq!(text(&runs::table(&rows)), expected);
}

#[test]
fn the_live_block_goes_by_what_an_earlier_run_took() {
    let estimate = Estimate::of(&run_41().view());
    let mut s = Story::new(Some(42), "ci.toml");
    s.team(ci()).start("lint").start("build").at(37_900).done("lint", 37_900).start("docs");
    s.at(79_400).failed("docs", 41_500, 1, false);
    s.at(101_600).done("build", 101_600).start("test-1").start("test-2").start("test-3");
    let live = LiveView::of(&s.state, s.id(), 125_000, estimate.as_ref()).unwrap();
    assert_eq!(live.path, ["test-2", "report"]);
    assert_eq!(live.left, Some((24_600, 41)));
    assert_eq!(live.ended, (3, 7));
    assert_eq!(live.counts, ["3 live", "1 blocked"]);
    let labels: Vec<&str> = live.attempts.iter().map(|a| a.label.as_str()).collect();
    assert_eq!(labels, ["test-2", "test-1", "test-3"]);
}

#[test]
fn a_person_is_waited_for_and_an_optional_failure_is_none() {
    let mut s = Story::new(Some(46), "sign-off.toml");
    s.team(spec("sign-off", vec![optional(member("build", "")), member("sign-off", "")]));
    s.start("build").at(400).failed("build", 400, 1, false).start("sign-off").ask("sign-off", "Ship?");
    assert_eq!(verdict(&s.state), CloseReason::Waiting);
    assert_eq!(s.view().teams[0].headline(), "1 required task waits on a person");
    let ending = Ending::of(&s.view(), " --state /s");
    assert_eq!(ending.command.as_deref(), Some("teamtui resume 46 --state /s"));
    assert!(ending.help[0].contains("`teamtui resume 46 --answer sign-off=yes --state /s`"));
}

#[test]
fn after_a_cap_the_command_raises_it() {
    let mut s = Story::new(Some(44), "ci.toml");
    let mut team = ci();
    team.limits.time_ms = Some(120_000);
    s.team(team).start("lint").start("build").at(1_000).done("lint", 1_000);
    s.at(120_000).cap(Cap::Time).at(130_000).interrupted("build", 130_000);
    let ending = Ending::of(&s.view(), "");
    assert_eq!(s.view().rc(), 3);
    assert_eq!(ending.command.as_deref(), Some("teamtui resume 44 --limit time=4m"));
    assert_eq!(ending.summary, "1 completed, 1 stale, 4 held, 1 pending; cap: time; 2m10s");
}

#[test]
fn an_interrupted_attempt_uses_up_no_retry() {
    let mut s = Story::new(Some(1), "x.toml");
    s.team(spec("x", vec![retries(member("a", ""), 1)])).start("a").at(10).interrupted("a", 10);
    let shown = |s: &Story| s.view().teams[0].tasks[0].shown.as_ref().map(|a| a.fraction());
    assert_eq!(shown(&s).as_deref(), Some("1/2"));
    s.tell(event::RetryAsked { number: TaskNo(1), text: "".into() }).start("a");
    assert_eq!(shown(&s).as_deref(), Some("2/3"));
}
