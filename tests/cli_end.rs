//! How a run is told that did not end as it should: its owner was killed, nobody was there to review, nobody read it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod support;

use std::process::Stdio;
use support::{Sandbox, ended, signal};

/// One task that runs until it is told to end, and one that waits for it.
const LIVE: &str = r#"
name = "ci"
[members]
a = { run = "touch up; test -e go || sleep 60", rerun = "safe" }
b = { run = "true", depends_on = ["a"] }
"#;

/// A standing run whose owner was killed while `a` ran.
fn killed() -> Sandbox {
    let sandbox = Sandbox::with(&[("ci.toml", LIVE)]);
    let serving = sandbox.start(&["serve"]);
    sandbox.until("an owner", || sandbox.standing("owner.sock").is_some_and(|socket| socket.exists()));
    assert_eq!(sandbox.run(&["do", "create", "ci.toml"]).rc, 0);
    sandbox.until_file("up");
    signal(serving.id(), "KILL");
    assert_eq!(ended(serving).rc, 137);
    sandbox.until_nobody();
    sandbox
}

#[test]
fn a_standing_run_whose_owner_was_killed_says_that_nothing_of_it_runs() {
    let sandbox = killed();
    let status = sandbox.run(&["status"]);
    let out = sandbox.same(&status.out);
    assert!(out.starts_with("standing run: ci, plan 1, T, crashed: nothing of it runs\n"), "{status:?}");
    assert!(
        sandbox.same(&status.err).starts_with("warning: the owner of the standing run ended at T"),
        "{status:?}"
    );
    assert!(status.err.contains("without a terminal: `teamtui do status`\n"), "{status:?}");
    let why = sandbox.run(&["why", "a"]);
    let out = sandbox.same(&why.out);
    let first = "a (#1) is in progress since T: attempt 1 of a; the owner of its run ended at T, and nothing of it runs\n";
    assert!(out.starts_with(first), "{why:?}");
    assert!(out.contains("\nhelp: go on with it: `teamtui`;"), "{why:?}");
    let why = sandbox.run(&["why", "b"]);
    assert!(!why.out.contains("by itself") && why.out.contains("once the run goes on"), "{why:?}");
}

#[test]
fn a_reading_do_starts_the_owner_of_a_standing_run_that_was_left_behind() {
    let sandbox = killed();
    sandbox.file("go", "");
    let ran = sandbox.run(&["do", "wait b until completed within 30s"]);
    assert_eq!((ran.rc, ran.err.as_str()), (0, ""), "{ran:?}");
    let status = sandbox.run(&["do", "status"]);
    assert!(sandbox.same(&status.out).contains("\n#1 completed a 2/2 T\n"), "{status:?}");
}

#[test]
fn a_do_that_reads_a_crashed_run_of_a_number_says_so() {
    let sandbox = Sandbox::with(&[("ci.toml", LIVE)]);
    let running = sandbox.start(&["--script", "ci.toml"]);
    sandbox.until_file("up");
    signal(running.id(), "KILL");
    ended(running);
    for words in [
        &["do", "--run", "1", "status"][..],
        &["do", "--run", "1", "list"],
        &["do", "--run", "1", "get", "a"],
    ] {
        let ran = sandbox.run(words);
        assert_eq!(ran.rc, 0, "{ran:?}");
        assert!(ran.err.starts_with("warning: the owner of run 1 ended at "), "{ran:?}");
        assert!(ran.err.contains("help: go on with it: `teamtui resume 1`\n"), "{ran:?}");
        assert!(!ran.out.contains("1 live"), "{ran:?}");
    }
}

#[test]
fn an_owner_that_does_not_answer_is_said_to_be_silent_and_nothing_is_made_up() {
    let sandbox = Sandbox::with(&[("ci.toml", LIVE)]);
    let serving = sandbox.start(&["serve"]);
    sandbox.until("an owner", || sandbox.standing("owner.sock").is_some_and(|socket| socket.exists()));
    assert_eq!(sandbox.run(&["do", "create", "ci.toml"]).rc, 0);
    sandbox.until_file("up");
    signal(serving.id(), "STOP");
    let status = sandbox.start(&["status", "--run", "standing"]);
    let runs = ended(sandbox.start(&["runs"]));
    let row: Vec<&str> = runs.out.lines().nth(1).unwrap().split_whitespace().take(7).collect();
    assert_eq!(row, ["standing", "-", "no", "answer", "-", "-", "-"], "{runs:?}");
    let status = ended(status);
    let pid = serving.id();
    let says = format!(
        "error: the owner of the standing run (process {pid}) does not answer\nhelp: look what it does: `ps {pid}`\n"
    );
    assert_eq!((status.rc, status.err.as_str()), (2, says.as_str()));
    signal(pid, "KILL");
    ended(serving);
}

/// One task that a person reviews.
const REVIEWED: &str = r#"
name = "docs"
[members]
w = { run = "echo one >> tries; echo done", review = ["person"] }
"#;

#[test]
fn a_review_without_a_person_ends_the_run_and_is_given_by_resume() {
    let sandbox = Sandbox::with(&[("docs.toml", REVIEWED)]);
    let ran = sandbox.run(&["--script", "docs.toml"]);
    assert_eq!(ran.rc, 4, "{ran:?}");
    let end = "
help: accept w: `teamtui resume 1 --approve w`
help: return it: `teamtui resume 1 --send-back w=\"FEEDBACK\"`
teamtui resume 1
";
    assert!(ran.err.ends_with(end), "{ran:?}");
    let told = sandbox.run(&["do", "--run", "1", "approve", "w"]);
    assert!(told.err.contains("`teamtui resume 1 --approve w`"), "{told:?}");
    for (option, says) in [
        ("--approve=x", "error: there is no task `x` to review\n"),
        ("--send-back=w", "error: `--send-back w` is not TASK=FEEDBACK\n"),
    ] {
        let ran = sandbox.run(&["resume", "1", option]);
        assert!(ran.rc == 2 && ran.err.starts_with(says), "{ran:?}");
    }
    let ran = sandbox.run(&["resume", "1", "--send-back", "w=say two"]);
    assert_eq!((ran.rc, sandbox.read("tries").as_str()), (4, "one\none\n"), "{ran:?}");
    let ran = sandbox.run(&["resume", "1", "--approve", "w"]);
    assert_eq!(ran.rc, 0, "{ran:?}");
    assert!(ran.out.contains("every required task completed"), "{ran:?}");
}

#[test]
fn a_standard_output_that_fails_does_not_take_the_end_from_standard_error() {
    let sandbox = Sandbox::with(&[("docs.toml", REVIEWED)]);
    let full = Stdio::from(std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
    let ran = ended(sandbox.command(&["--script", "docs.toml"]).stdout(full).spawn().unwrap());
    assert_eq!(ran.rc, 4, "{ran:?}");
    assert!(
        ran.err.contains("error: could not write standard output: no space left on device\nsummary: "),
        "{ran:?}"
    );
    assert!(ran.err.ends_with("\nteamtui resume 1\n"), "{ran:?}");
    let mut running = sandbox.start(&["--script", "docs.toml"]);
    drop(running.stdout.take());
    let ran = ended(running);
    assert_eq!(ran.rc, 4, "{ran:?}");
    assert!(ran.err.contains("\nsummary: ") && ran.err.ends_with("\nteamtui resume 2\n"), "{ran:?}");
}
