//! `teamtui --script FILE` in a shell and in CI: what is printed where, exit codes, and going on.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod support;

use support::Sandbox;

/// A team like that of a CI, of short shell lines. `test-2` fails once where there is no `flag`, always with `broken`.
const CI: &str = r#"
name = "ci"
limits = { parallel = 4, time = "30m", grace = "2s" }
[members]
lint = { run = "true", rerun = "safe" }
build = { run = "until test -e failed-docs; do sleep 0.02; done; sleep 0.3", rerun = "safe" }
test = { each = ["1", "2"], run = 'if test {{ each }} = 2 && { test -e broken || ! test -e flag; }; then touch flag; seq 217; echo last; exit 100; fi', depends_on = ["build"], retries = 1, rerun = "safe" }
docs = { run = "echo broken link >&2; touch failed-docs; exit 1", depends_on = ["lint"], optional = true }
report = { run = "echo all > report.md", depends_on = ["lint", "test", { task = "docs", needs = "finished" }], outputs = ["report.md"] }
"#;

#[test]
fn section_1_a_run_that_completes_after_a_retry() {
    let sandbox = Sandbox::with(&[("ci.toml", CI)]);
    let ran = sandbox.run(&["--script", "ci.toml"]);
    assert_eq!(ran.rc, 0, "{ran:?}");
    assert_eq!(
        sandbox.same(&ran.out),
        "\
run 1: ci, every required task completed, T
#1 completed lint 1/1 T
#2 completed build 1/1 T
#3 completed test-1 1/2 T
#4 completed test-2 2/2 T
#5 failed docs 1/1 T exit 1; optional
#6 completed report 1/1 T report.md, 4 B
"
    );
    let err = sandbox.same(&ran.err);
    assert!(err.starts_with("run 1: ci, 6 tasks, parallel 4, time cap 30m\nT started lint 1/1\n"), "{err}");
    for line in [
        "T failed docs 1/1 T exit 1; optional",
        "T failed test-2 1/2 T exit 100; next attempt starts",
        "T started test-2 2/2",
        "T completed test-2 2/2 T",
        "docs | broken link",
        "docs | (all of 1 line, 12 B)",
    ] {
        assert!(err.lines().any(|l| l == line), "{line}\n{err}");
    }
    let last = err.lines().last().unwrap();
    assert_eq!(
        last,
        "summary: 5 completed (1 after a retry), 1 failed (optional); T, T of work; critical path build, test-2, report"
    );
    sandbox.until_nobody();
}

#[test]
fn a_junit_file_that_cannot_be_written_costs_the_exit_code_its_zero() {
    let team = "name = \"t\"\n[members]\na = { run = \"rm -r nowhere\" }\n";
    let sandbox = Sandbox::with(&[("t.toml", team), ("nowhere/x", "")]);
    let ran = sandbox.run(&["--script", "t.toml", "--junit", "nowhere/junit.xml"]);
    assert_eq!(ran.rc, 1, "{ran:?}");
    assert!(ran.err.contains("error: could not write nowhere/junit.xml: "), "{ran:?}");
}

#[test]
fn section_1_a_run_that_fails_says_what_and_how_to_go_on_and_going_on_completes_it() {
    let sandbox = Sandbox::with(&[("ci.toml", CI), ("broken", "")]);
    let ran = sandbox.run(&["--script", "ci.toml", "--tail", "2"]);
    assert_eq!(ran.rc, 1, "{ran:?}");
    let out = sandbox.same(&ran.out);
    assert!(out.starts_with("run 1: ci, 1 required task failed and 1 held, T\n"), "{out}");
    assert!(out.contains("#4 failed test-2 2/2 T exit 100\n#5 failed docs 1/1 T exit 1; optional\n#6 held report by test-2 (failed)\n"), "{out}");
    let err = sandbox.same(&ran.err);
    let end = err.split_once("\n\n").unwrap().1;
    assert_eq!(
        end,
        "\
output of test-2, attempt 2, exit 100:
test-2 | 217
test-2 | last
test-2 | (the last 2 of 218 lines, 765 B; all of it: `teamtui log test-2 --run 1`)
output of docs (optional), attempt 1, exit 1:
docs | broken link
docs | (all of 1 line, 12 B)

summary: 3 completed, 1 failed, 1 failed (optional), 1 held; T, T of work; critical path build, test-2
help: see what failed: `teamtui log test-2 --run 1`
help: try test-2 and docs again, keeping what completed: `teamtui resume 1 --failed`
"
    );
    // All of it is what `log` prints, each attempt under a line of its own.
    let log = sandbox.run(&["log", "test-2", "--run", "1"]);
    assert_eq!(log.out.lines().filter(|line| *line == "217").count(), 2, "{log:?}");
    assert!(
        sandbox.same(&log.out).starts_with("output of test-2 (#4), attempt 1/2, failed, T, exit 100"),
        "{log:?}"
    );
    // What failed is tried again, what completed is kept.
    std::fs::remove_file(sandbox.root().join("broken")).unwrap();
    let ran = sandbox.run(&["resume", "1", "--failed"]);
    assert_eq!(ran.rc, 0, "{ran:?}");
    let err = sandbox.same(&ran.err);
    assert!(err.contains("T completed test-2") && !err.contains("started build"), "{err}");
    let again = sandbox.run(&["resume", "1"]);
    assert_eq!((again.rc, again.out.as_str()), (2, ""));
    assert_eq!(
        again.err,
        "error: run 1 is completed: there is nothing to go on with\nhelp: see how it ended: `teamtui report --run 1`\n"
    );
}

#[test]
fn section_7_a_cap_ends_what_is_live_and_the_last_line_goes_on() {
    let team = r#"
name = "ci"
limits = { time = "300ms", grace = "1s" }
[members]
quick = { run = "true" }
slow = { run = "test -e fast || sleep 60", depends_on = ["quick"] }
"#;
    let sandbox = Sandbox::with(&[("ci.toml", team)]);
    let ran = sandbox.run(&["--script", "ci.toml"]);
    assert_eq!(ran.rc, 3, "{ran:?}");
    let err = sandbox.same(&ran.err);
    assert!(err.contains("T cap ci time, "), "{err}");
    assert!(err.contains("T stale slow 1/1 T interrupted by a cap\n"), "{err}");
    assert_eq!(ran.err.lines().last(), Some("teamtui resume 1 --limit time=2s"), "{err}");
    sandbox.until_nobody();
    sandbox.file("fast", "");
    let ran = sandbox.run(&["resume", "1", "--limit", "time=4m"]);
    assert_eq!(ran.rc, 0, "{ran:?}");
    assert!(sandbox.same(&ran.out).contains("#2 completed slow 2/2 T\n"), "{ran:?}");
}

#[test]
fn section_7_a_question_without_a_person_ends_the_run_and_is_answered_by_resume() {
    let team = r#"
name = "sign-off"
[members]
build = { run = "true" }
sign-off = { driver = "human", prompt = "Ship 0.2.0?", depends_on = ["build"] }
"#;
    let sandbox = Sandbox::with(&[("sign-off.toml", team)]);
    let ran = sandbox.run(&["--script", "sign-off.toml"]);
    assert_eq!(ran.rc, 4, "{ran:?}");
    let err = sandbox.same(&ran.err);
    assert!(err.contains("T asks sign-off 1/1 person: \"Ship 0.2.0?\", no default\n"), "{err}");
    assert!(
        err.ends_with(
            "
summary: 1 completed, 1 waits on a person; T
help: without a terminal: `teamtui resume 1 --answer sign-off=yes`; for good: give the question a `default`
teamtui resume 1
"
        ),
        "{err}"
    );
    let ran = sandbox.run(&["resume", "1", "--answer", "sgn-off=yes"]);
    assert_eq!(
        (ran.rc, ran.err.as_str()),
        (
            2,
            "error: not found: there is no task `sgn-off` to answer\nhelp: see what is asked: `teamtui status`\n"
        )
    );
    let ran = sandbox.run(&["resume", "1", "--answer", "sign-off=yes"]);
    assert_eq!(ran.rc, 0, "{ran:?}");
    assert!(sandbox.same(&ran.err).contains("T answered sign-off 2/2 by person: \"yes\"\n"), "{ran:?}");
}

#[test]
fn section_7_an_expect_that_fails_ends_the_script_with_what_is() {
    let team = r#"
name = "t"
[members]
perf = { script = ["fail no access"] }
summary = { script = ["complete done"], depends_on = ["perf"] }
"#;
    let script = "create t.toml\nwait perf until failed\nexpect summary completed\n";
    let sandbox = Sandbox::with(&[("t.toml", team), ("t.team", script)]);
    let ran = sandbox.run(&["--script", "t.team"]);
    assert_eq!((ran.rc, ran.out.as_str()), (1, ""), "{ran:?}");
    let err = sandbox.same(&ran.err);
    assert!(
        err.contains(
            "error: t.team:3:1: expect summary completed: it is held
3 | expect summary completed
| ^^^^^^
- summary completed
+ summary held by perf (failed at T: \"no access\")
help: `teamtui why summary --run 1`
"
        ),
        "{err}"
    );
    sandbox.file("t.team", "create t.toml\nwait perf until completed within 5m\n");
    let ran = sandbox.run(&["--script", "t.team"]);
    assert_eq!(ran.rc, 1);
    assert!(
        ran.err.contains("error: t.team:2:1: this wait can no longer be satisfied: perf failed at "),
        "{ran:?}"
    );
}

#[test]
fn resume_says_which_runs_there_are_and_who_owns_one() {
    let team = "name = \"t\"\n[members]\nslow = { run = \"touch up; sleep 60\" }\n";
    let sandbox = Sandbox::with(&[("t.toml", team)]);
    let ran = sandbox.run(&["resume", "7"]);
    assert_eq!((ran.rc, ran.err.lines().next()), (2, Some("error: not found: there is no run 7")), "{ran:?}");
    let running = sandbox.start(&["--script", "t.toml"]);
    sandbox.until_file("up");
    let ran = sandbox.run(&["resume", "1"]);
    assert_eq!(ran.rc, 2);
    let pid = running.id();
    assert_eq!(
        sandbox.same(&ran.err),
        format!(
            "error: owned: run 1 is owned by process {pid} since T (`teamtui --script t.toml`)\n\
             help: watch it: `teamtui status --run 1 --watch`\n"
        )
    );
    // Reading it goes by its owner.
    let ran = sandbox.run(&["status"]);
    assert!(
        sandbox.same(&ran.out).starts_with("run 1: t, plan 1, T, 1 live\n#1 in_progress slow 1/1 T"),
        "{ran:?}"
    );
    let ran = sandbox.run(&["do", "--run", "1", "interrupt", "slow"]);
    assert_eq!(ran.rc, 0, "{ran:?}");
    let ended = support::ended(running);
    assert_eq!(ended.rc, 1, "{ended:?}");
}

#[test]
fn section_4_the_event_stream_is_json_from_its_first_line_to_its_last() {
    let sandbox = Sandbox::with(&[("ci.toml", CI)]);
    let ran = sandbox.run(&["--script", "ci.toml", "--format", "ndjson", "--junit", "junit.xml"]);
    assert_eq!(ran.rc, 0, "{ran:?}");
    let lines: Vec<serde_json::Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kind = |line: &serde_json::Value| line["type"].as_str().unwrap().to_owned();
    assert_eq!((kind(&lines[0]), kind(&lines[1])), ("stream".into(), "run_opened".into()));
    let last = lines.last().unwrap();
    assert_eq!((kind(last), last["rc"].as_u64(), last["run"].as_u64()), ("run".into(), Some(0), Some(1)));
    let seqs: Vec<u64> = lines.iter().filter_map(|line| line["seq"].as_u64()).collect();
    assert!(seqs.windows(2).all(|pair| pair[0] < pair[1]), "{seqs:?}");
    let junit = sandbox.read("junit.xml");
    let suites = junit.lines().nth(1).unwrap();
    assert!(suites.starts_with("<testsuites name=\"teamtui run 1\" tests=\"6\""), "{junit}");
    assert!(suites.contains(" failures=\"0\" errors=\"0\"") && junit.contains("flakyFailure"), "{junit}");
    // What was said live is what the run says later.
    let report = sandbox.run(&["report", "--run", "1", "--format", "ndjson"]);
    assert_eq!(report.out.lines().last(), ran.out.lines().last());
}

const TWO: &str =
    "name = \"t\"\n[members.a]\nrun = \"seq 1 50; test -e go || sleep 60\"\n[members.b]\nrun = \"exit 3\"\n";

#[test]
fn two_teams_are_told_apart_and_a_wait_that_takes_too_long_names_what_is_open() {
    let script = "create t.toml as=one\ncreate t.toml as=two\nwait all within 400ms\n";
    let sandbox = Sandbox::with(&[("t.toml", TWO), ("s.team", script)]);
    let ran = sandbox.run(&["--script", "s.team"]);
    let err = sandbox.same(&ran.err);
    assert_eq!(ran.rc, 1, "{ran:?}");
    assert!(err.contains("T started one: a") || err.contains("T started a"), "{err}");
    assert!(err.contains("T started two: a 1/1\n"), "{err}");
    assert!(
        err.contains("T stale one: a 1/1 T interrupted at the end of the script\n")
            && err.contains("stale two: a"),
        "{err}"
    );
    assert!(err.contains("this wait is over its time, at T: a is in progress\n"), "{err}");
}

#[test]
fn one_team_alone_is_told_without_its_name() {
    let sandbox = Sandbox::with(&[("t.toml", TWO), ("go", "")]);
    let err = sandbox.run(&["--script", "t.toml"]).err;
    assert!(!err.contains("t: a"), "{err}");
}

#[test]
fn what_a_script_expects_to_fail_is_no_optional_task_and_the_times_agree() {
    let script = "create t.toml\nwait all\nexpect b failed\nsleep 300ms\nreport\n";
    let sandbox = Sandbox::with(&[("t.toml", TWO), ("s.team", script), ("go", "")]);
    let ran = sandbox.run(&["--script", "s.team"]);
    assert_eq!(ran.rc, 0, "{ran:?}");
    assert!(ran.err.contains("summary: 1 completed, 1 failed (expected); "), "{ran:?}");
    let team = sandbox.run(&["report"]);
    let took = ran.err.lines().last().unwrap().split("; ").nth(1).unwrap().split(',').next().unwrap();
    assert!(team.out.lines().next().unwrap().ends_with(&format!(", {took}")), "{team:?} {ran:?}");
}

#[test]
fn log_shows_the_last_lines_that_are_asked_for() {
    let sandbox = Sandbox::with(&[("t.toml", TWO), ("go", "")]);
    sandbox.run(&["--script", "t.toml"]);
    let ran = sandbox.run(&["log", "a", "--run", "1", "--tail", "2"]);
    assert!(ran.out.ends_with("are left out by --tail)\n49\n50\n"), "{ran:?}");
    assert_eq!(sandbox.run(&["log", "a", "--tail", "2", "--plain"]).rc, 2);
}

#[test]
fn while_others_work_a_question_says_how_it_is_answered() {
    let team = r#"
name = "t"
[members.asks]
script = ['ask person "Ship?"', "complete"]
[members.works]
run = "until test -e go; do sleep 0.02; done"
"#;
    let sandbox = Sandbox::with(&[("t.toml", team)]);
    let running = sandbox.start(&["--script", "t.toml", "--state", "st"]);
    sandbox.until("the question", || sandbox.run(&["status", "--state", "st"]).out.contains("Ship?"));
    let answered = sandbox.run(&["do", "--state", "st", "--run", "1", "answer", "asks", "yes"]);
    assert_eq!(answered.rc, 0, "{answered:?}");
    sandbox.file("go", "");
    let ran = support::ended(running);
    assert_eq!(ran.rc, 0, "{ran:?}");
    assert!(
        ran.err.contains("help: answer it: `teamtui do --state st --run 1 answer asks \"..\"`\n"),
        "{ran:?}"
    );
}

#[test]
fn an_agent_of_the_file_sits_in_a_chair_that_is_added_later() {
    let team = "name = \"t\"\n[agents.x]\nrun = \"echo $TEAMTUI_SCRATCH >> tries; exit 1\"\n[members.a]\nrun = \"true\"\n";
    let script = "create t.toml\nadd y agent=x retries=2 prompt=go\nwait all\nexpect y failed\n";
    let sandbox = Sandbox::with(&[("t.toml", team), ("s.team", script)]);
    let ran = sandbox.run(&["--script", "s.team"]);
    assert_eq!(ran.rc, 0, "{ran:?}");
    assert_eq!(sandbox.read("tries").lines().count(), 3, "one attempt and two retries");
}

#[test]
fn an_attempt_that_wrote_nothing_is_named_where_its_heading_is_far() {
    let team = "name = \"t\"\n[members.a]\nrun = \"until test -e go; do sleep 0.02; done\"\n";
    let sandbox = Sandbox::with(&[("t.toml", team)]);
    let running = sandbox.start(&["--script", "t.toml"]);
    sandbox.until("its run", || sandbox.run(&["status"]).out.contains("in_progress  a"));
    let log = std::fs::File::create(sandbox.root().join("log")).unwrap();
    let following = sandbox.command(&["log", "-f"]).stdout(log).spawn().unwrap();
    sandbox.until("its heading", || sandbox.read("log").contains(", live:"));
    sandbox.file("go", "");
    assert_eq!(support::ended(running).rc, 0);
    assert_eq!(support::ended(following).rc, 0);
    let log = sandbox.same(&sandbox.read("log"));
    assert!(log.contains("(a wrote nothing: completed, T)"), "{log}");
}

/// Members whose lines take time and talk; what they come to must not depend on where their owner dies.
const TALKS: &str = r#"
name = "t"
[members]
a = { script = ["sleep 1m", "write A.md \"of a\"", "complete \"a said it\""] }
b = { script = ["inbox wait=10m", "complete \"b heard\""] }
c = { script = ["sleep 2m", "complete both"], depends_on = ["a", "b"] }
"#;

#[test]
fn a_script_lets_the_owner_die_at_any_event_and_the_team_comes_to_the_same_end() {
    let sandbox = Sandbox::with(&[("t.toml", TALKS)]);
    let rest = "send b hello\nwait all\nexpect a completed\nexpect b result contains \"b heard\"\nexpect c completed\n";
    for at in (3..30).step_by(3) {
        sandbox.file("t.team", &format!("create t.toml\ncrash at event {at}\n{rest}"));
        let ran = sandbox.run(&["--script", "t.team", "--virtual-time"]);
        let late =
            ran.err.contains("has come already") || ran.err.contains("never came: the log ended at event ");
        assert_eq!(ran.rc, u8::from(late) as i32, "died at event {at}: {ran:?}");
    }
    let again = sandbox.run(&["status", "--recovery", "--run", "4"]);
    assert!(again.out.contains("recovered run 4: not closed; last fact seq "), "{again:?}");
}

#[test]
fn a_script_does_not_crash_a_team_of_commands_nor_at_what_is_past() {
    let sandbox =
        Sandbox::with(&[("t.toml", TALKS), ("p.toml", "name = \"p\"\n[members.x]\nrun = \"true\"\n")]);
    sandbox.file("p.team", "create p.toml\ncrash at event 40\nwait all\n");
    let ran = sandbox.run(&["--script", "p.team"]);
    assert_eq!(ran.rc, 1, "{ran:?}");
    assert!(
        ran.err.contains("p.team:2:1: `crash` is for teams of scripted members; x is a command"),
        "{ran:?}"
    );
    sandbox.file("t.team", "create t.toml\ncrash at event 1\nwait all\n");
    let ran = sandbox.run(&["--script", "t.team", "--virtual-time"]);
    assert!(ran.rc == 1 && ran.err.contains("t.team:2:1: event 1 has come already"), "{ran:?}");
}
