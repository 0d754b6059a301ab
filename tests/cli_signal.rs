//! Signals, closed pipes and full disks: the run is kept, nobody survives, and the exit code says how it ended.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod support;

use std::process::Stdio;
use support::{Sandbox, ended, signal};

/// One that ends when it is asked to, with a child, and one that has a session of its own.
const SLOW: &str = r#"
name = "ci"
limits = { grace = "10s" }
[members]
build = { run = "touch up-1; sleep 60 & sleep 60" }
other = { run = "setsid sh -c 'touch up-2; sleep 60' & wait" }
"#;
/// One that does not listen.
const DEAF: &str = r#"
name = "ci"
limits = { grace = "60s" }
[members]
deaf = { run = "trap '' TERM INT HUP; touch up-1 up-2; while true; do sleep 0.05; done" }
"#;

fn signalled(name: &str, rc: i32) {
    let sandbox = Sandbox::with(&[("ci.toml", SLOW)]);
    let running = sandbox.start(&["--script", "ci.toml"]);
    sandbox.until_file("up-1");
    sandbox.until_file("up-2");
    signal(running.id(), name);
    let ran = ended(running);
    assert_eq!(ran.rc, rc, "{ran:?}");
    let err = sandbox.same(&ran.err);
    let again = if name == "INT" { "Ctrl-C again" } else { "a second signal" };
    let says = format!("T interrupt ci 2 live attempts get T; {again} ends them at once\n");
    assert!(err.contains(&says), "{err}");
    assert!(err.contains("T stale build 1/1 T interrupted\n"), "{err}");
    assert!(err.ends_with("\nsummary: 2 stale; interrupted; T\nteamtui resume 1\n"), "{err}");
    assert!(sandbox.same(&ran.out).contains("#1 stale build 1/1 T interrupted\n"), "{ran:?}");
    sandbox.until_nobody();
    let runs = sandbox.run(&["runs"]);
    assert!(sandbox.same(&runs.out).contains(&format!("\n1 ci interrupted {rc} T 0 of 2 ")), "{runs:?}");
}

#[test]
fn c026_an_interrupt_ends_the_run_with_130_and_leaves_nobody() {
    signalled("INT", 130);
}

#[test]
fn c026_a_termination_ends_the_run_with_143_and_leaves_nobody() {
    signalled("TERM", 143);
}

#[test]
fn c026_a_hangup_ends_the_run_with_129_and_leaves_nobody() {
    signalled("HUP", 129);
}

#[test]
fn c026_a_second_interrupt_takes_the_grace_away() {
    let sandbox = Sandbox::with(&[("ci.toml", DEAF)]);
    let mut running = sandbox.start(&["--script", "ci.toml"]);
    sandbox.until_file("up-2");
    let err = std::io::BufReader::new(running.stderr.take().unwrap());
    signal(running.id(), "INT");
    let mut lines = std::io::BufRead::lines(err).map(Result::unwrap);
    assert!(lines.any(|line| line.contains("Ctrl-C again ends them at once")));
    signal(running.id(), "INT");
    let rest: String = lines.map(|line| line + "\n").collect();
    let ran = ended(running);
    assert_eq!(ran.rc, 130);
    let rest = sandbox.same(&rest);
    assert!(rest.starts_with("T interrupt ci 1 live attempt is ended now\n"), "{rest}");
    assert!(rest.ends_with("summary: 1 stale; interrupted; T\nteamtui resume 1\n"), "{rest}");
    sandbox.until_nobody();
}

/// A script that ends while a deaf one lives, up to where that one is asked to end.
fn deaf_at_the_end(sandbox: &Sandbox) -> (std::process::Child, impl Iterator<Item = String> + use<>) {
    let mut running = sandbox.start(&["--script", "s.team"]);
    let err = std::io::BufReader::new(running.stderr.take().unwrap());
    let mut lines = std::io::BufRead::lines(err).map(Result::unwrap);
    let told = lines.find(|line| line.contains("interrupt")).unwrap();
    assert!(sandbox.same(&told).ends_with("interrupt ci 1 live attempt gets 1m\n"), "{told}");
    (running, lines)
}

#[test]
fn at_the_end_of_a_script_the_first_interrupt_keeps_the_grace_and_the_second_takes_it_away() {
    let ready = "ready = { run = \"until test -e up-2; do sleep 0.02; done\" }\n";
    let script = "create ci.toml\nwait ready until completed\n";
    let sandbox = Sandbox::with(&[("ci.toml", &format!("{DEAF}{ready}")), ("s.team", script)]);
    let (running, mut lines) = deaf_at_the_end(&sandbox);
    signal(running.id(), "INT");
    let first = lines.next().unwrap();
    assert!(first.ends_with("1 live attempt is ending; Ctrl-C again ends them at once"), "{first}");
    signal(running.id(), "INT");
    let rest: String = lines.map(|line| line + "\n").collect();
    let ran = ended(running);
    assert_eq!(ran.rc, 130, "{rest}");
    assert!(sandbox.same(&rest).starts_with("T interrupt ci 1 live attempt is ended now\n"), "{rest}");
    sandbox.until_nobody();
}

#[test]
fn c026_a_pipe_that_closes_ends_the_run_with_141_and_keeps_it() {
    let sandbox = Sandbox::with(&[("ci.toml", SLOW)]);
    let mut running = sandbox.start(&["--script", "ci.toml", "--format", "ndjson", "-v"]);
    sandbox.until_file("up-1");
    sandbox.until_file("up-2");
    drop(running.stdout.take());
    // The next line finds the pipe closed, if none before it has.
    sandbox.run(&["do", "--run", "1", "comment", "build", "hello"]);
    let ran = ended(running);
    assert_eq!(ran.rc, 141, "{ran:?}");
    assert!(
        ran.err.ends_with(
            "error: standard output was closed; 2 live attempts were interrupted, the run is kept\nteamtui resume 1\n"
        ),
        "{ran:?}"
    );
    assert!(!ran.err.contains("stale"), "{ran:?}");
    sandbox.until_nobody();
}

/// A run whose event stream goes into a pipe that nobody reads, until the pipe and what waits for it are full.
fn unread(sandbox: &Sandbox) -> (std::process::Child, std::process::ChildStdout) {
    let mut running = sandbox.start(&["--script", "ci.toml", "--format", "ndjson"]);
    let pipe = running.stdout.take().unwrap();
    sandbox.until_file("up-2");
    let text = "x".repeat(60_000);
    for _ in 0..20 {
        let ran = sandbox.run(&["do", "--run", "1", "comment", "build", &text]);
        assert_eq!(ran.rc, 0, "{ran:?}");
    }
    (running, pipe)
}

#[test]
fn c026_a_signal_ends_a_run_whose_standard_output_nobody_reads() {
    let sandbox = Sandbox::with(&[("ci.toml", SLOW)]);
    let (running, pipe) = unread(&sandbox);
    signal(running.id(), "TERM");
    let ran = ended(running);
    drop(pipe);
    assert_eq!(ran.rc, 143, "{ran:?}");
    let err = sandbox.same(&ran.err);
    assert!(
        err.contains("T interrupt ci 2 live attempts get T; a second signal ends them at once\n"),
        "{err}"
    );
    assert!(err.contains("error: nobody read standard output"), "{err}");
    sandbox.until_nobody();
    let runs = sandbox.run(&["runs"]);
    assert!(sandbox.same(&runs.out).contains("\n1 ci interrupted 143 T 0 of 2 "), "{runs:?}");
}

#[test]
fn c026_a_reader_that_comes_late_gets_every_line_in_its_order() {
    let sandbox = Sandbox::with(&[("ci.toml", SLOW)]);
    let (mut running, pipe) = unread(&sandbox);
    running.stdout = Some(pipe);
    let pid = running.id();
    let reading = std::thread::spawn(move || ended(running));
    // The reader is abreast when the last comment was written; a signal before that would cut it off in time.
    assert_eq!(sandbox.run(&["do", "--run", "1", "interrupt", "build"]).rc, 0);
    signal(pid, "TERM");
    let ran = reading.join().unwrap();
    assert_eq!(ran.rc, 143, "{}", ran.err);
    let lines: Vec<serde_json::Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let seqs: Vec<u64> = lines.iter().filter_map(|line| line["seq"].as_u64()).collect();
    assert!(seqs.windows(2).all(|pair| pair[0] < pair[1]), "{seqs:?}");
    let comments = lines.iter().filter(|line| line["type"] == "task_commented").count();
    assert_eq!((comments, lines.last().unwrap()["type"].as_str()), (20, Some("run")), "{}", ran.err);
}

#[test]
fn c026_serve_ends_what_is_live_at_a_signal() {
    let sandbox = Sandbox::with(&[("ci.toml", SLOW)]);
    let serving = sandbox.start(&["serve"]);
    sandbox.until("an owner", || sandbox.standing("owner.sock").is_some_and(|socket| socket.exists()));
    assert_eq!(sandbox.run(&["do", "create", "ci.toml"]).rc, 0);
    sandbox.until_file("up-1");
    sandbox.until_file("up-2");
    signal(serving.id(), "TERM");
    let ran = ended(serving);
    assert_eq!((ran.rc, ran.out.as_str()), (143, ""), "{ran:?}");
    let first = ran.err.lines().next().unwrap();
    let socket = sandbox.standing("owner.sock").unwrap();
    let says_where =
        first.starts_with("serving the standing run of ") && first.contains(&socket.display().to_string());
    assert!(says_where, "{ran:?}");
    sandbox.until_nobody();
    let status = sandbox.run(&["status"]);
    let out = sandbox.same(&status.out);
    assert!(
        out.starts_with(
            "standing run: ci, plan 1, T, nothing live; waits for a decision on build and other\n"
        ),
        "{out}"
    );
    assert!(out.contains("#1 stale build 1/1 T interrupted\n"), "{out}");
}

/// A run that can write nothing more to any file: as on a full disk, but for this process alone.
#[cfg(target_os = "linux")]
fn on_a_full_disk(sandbox: &Sandbox) -> std::process::Child {
    let running = started(sandbox, &["--script", "ci.toml"]);
    sandbox.until_file("up-1");
    sandbox.until_file("up-2");
    room(&running, Some(0));
    running
}

/// Started so that a full disk is an error and no signal.
#[cfg(target_os = "linux")]
fn started(sandbox: &Sandbox, args: &[&str]) -> std::process::Child {
    let shell = ["-c", "trap '' XFSZ; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_teamtui")];
    let mut command = std::process::Command::new("sh");
    command.args(shell).args(args).env_clear().envs(sandbox.env()).current_dir(sandbox.root());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// How far a run may write into files; none: without a limit.
#[cfg(target_os = "linux")]
fn room(running: &std::process::Child, bytes: Option<u64>) {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let pid = Pid::from_child(running);
    prlimit(Some(pid), Resource::Fsize, Rlimit { current: bytes, maximum: None }).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn c033_a_second_signal_ends_a_run_whose_end_a_full_disk_does_not_take() {
    let sandbox = Sandbox::with(&[("ci.toml", DEAF)]);
    let mut running = on_a_full_disk(&sandbox);
    let err = std::io::BufReader::new(running.stderr.take().unwrap());
    let mut lines = std::io::BufRead::lines(err).map(Result::unwrap);
    signal(running.id(), "INT");
    let said = lines.find(|line| line.starts_with("error: ")).unwrap();
    assert!(said.starts_with("error: not stored: "), "{said}");
    assert!(lines.next().unwrap().starts_with("help: nobody could be asked to end"), "{said}");
    assert_eq!(lines.next().unwrap(), "help: or end everything at once: Ctrl-C, or the same signal again");
    signal(running.id(), "INT");
    let rest: Vec<String> = lines.collect();
    let ran = ended(running);
    assert_eq!(ran.rc, 130, "{rest:?}");
    assert!(rest.iter().any(|line| line.ends_with("the run is kept, not closed")), "{rest:?}");
    sandbox.until_nobody();
}

#[cfg(target_os = "linux")]
#[test]
fn c033_where_room_returns_a_signal_ends_the_run_as_ever() {
    let sandbox = Sandbox::with(&[("ci.toml", SLOW)]);
    let mut running = on_a_full_disk(&sandbox);
    let err = std::io::BufReader::new(running.stderr.take().unwrap());
    let mut lines = std::io::BufRead::lines(err).map(Result::unwrap);
    signal(running.id(), "INT");
    assert!(lines.any(|line| line.starts_with("error: not stored: ")));
    room(&running, None);
    let rest: String = lines.map(|line| line + "\n").collect();
    let ran = ended(running);
    assert_eq!(ran.rc, 130, "{rest}");
    let rest = sandbox.same(&rest);
    assert!(rest.ends_with("\nsummary: 2 stale; interrupted; T\nteamtui resume 1\n"), "{rest}");
    sandbox.until_nobody();
}

#[cfg(target_os = "linux")]
#[test]
fn c033_where_room_returns_an_owner_that_was_signalled_ends_as_ever() {
    let sandbox = Sandbox::with(&[("ci.toml", SLOW)]);
    let serving = started(&sandbox, &["serve"]);
    sandbox.until("an owner", || sandbox.standing("owner.sock").is_some_and(|socket| socket.exists()));
    assert_eq!(sandbox.run(&["do", "create", "ci.toml"]).rc, 0);
    sandbox.until_file("up-1");
    sandbox.until_file("up-2");
    room(&serving, Some(0));
    signal(serving.id(), "TERM");
    // It is asked in vain meanwhile.
    let since = std::time::Instant::now();
    sandbox.until("some tries", || since.elapsed() > std::time::Duration::from_millis(700));
    room(&serving, None);
    let ran = ended(serving);
    assert_eq!(ran.rc, 143, "{ran:?}");
    sandbox.until_nobody();
    let status = sandbox.run(&["status"]);
    assert!(sandbox.same(&status.out).contains("#1 stale build 1/1 T interrupted\n"), "{status:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn c033_what_ends_while_the_disk_is_full_is_stored_once_there_is_room() {
    let team = r#"
name = "ci"
[members]
ends = { run = "touch up-1 up-2; until test -e go; do sleep 0.02; done" }
after = { run = "true", depends_on = ["ends"] }
"#;
    let sandbox = Sandbox::with(&[("ci.toml", team)]);
    let running = on_a_full_disk(&sandbox);
    sandbox.file("go", "");
    // Its end is tried again meanwhile, more than once.
    let since = std::time::Instant::now();
    sandbox.until("some tries", || since.elapsed() > std::time::Duration::from_millis(1_500));
    let ran = sandbox.run(&["do", "--run", "1", "comment", "ends", "hello"]);
    assert!(ran.rc == 1 && ran.err.starts_with("error: not stored: the disk is full at "), "{ran:?}");
    let status = sandbox.run(&["status", "--run", "1"]);
    assert!(sandbox.same(&status.out).contains("#1 in_progress ends 1/1 T\n"), "{status:?}");
    room(&running, None);
    let ran = ended(running);
    assert_eq!(ran.rc, 0, "{ran:?}");
    assert!(sandbox.same(&ran.err).contains("T completed ends 1/1 T\nT started after 1/1\n"), "{ran:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn c033_output_that_a_full_disk_did_not_take_is_stated_once() {
    let team = r#"
name = "ci"
[members]
talks = { run = "touch up-1 up-2; until test -e go; do sleep 0.02; done; head -c 3000000 /dev/zero | tr '\\\\0' x; touch said; until test -e on; do sleep 0.02; done; exit 3" }
"#;
    let sandbox = Sandbox::with(&[("ci.toml", team)]);
    let running = on_a_full_disk(&sandbox);
    sandbox.file("go", "");
    sandbox.until_file("said");
    room(&running, None);
    sandbox.file("on", "");
    let ran = ended(running);
    assert_eq!(ran.rc, 1, "{ran:?}");
    let said = ran.err.lines().filter(|line| line.contains("were not kept: ")).collect::<Vec<_>>();
    assert!(
        said.len() == 2 && said[0].contains(" lost ") && said[0].contains("the disk is full"),
        "{said:?}"
    );
    assert!(said[1].starts_with("output of talks, attempt 1, exit 3; "), "{said:?}");
}

#[test]
fn c033_a_full_standard_output_is_an_error_and_the_run_is_kept() {
    let full = || Stdio::from(std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
    let team = "name = \"t\"\n[members]\na = { run = \"true\" }\n";
    let sandbox = Sandbox::with(&[("t.toml", team)]);
    let says = "error: could not write standard output: no space left on device\n";
    let ran = ended(sandbox.command(&["--script", "t.toml"]).stdout(full()).spawn().unwrap());
    assert_eq!(ran.rc, 1);
    assert!(sandbox.same(&ran.err).contains(&format!("{says}summary: 1 completed; T")), "{ran:?}");
    let ran = sandbox.run(&["report"]);
    assert!(ran.out.starts_with("run 1: t, every required task completed, "), "{ran:?}");
    for args in [
        &["status"][..],
        &["report"],
        &["log"],
        &["log", "--plain"],
        &["why", "a"],
        &["runs"],
        &["export", "--script"],
        &["help"],
        &["--help"],
        &["--version"],
        &["man"],
        &["completions", "bash"],
        &["lint", "missing.toml"],
        &["do", "status"],
    ] {
        let ran = ended(sandbox.command(args).stdout(full()).spawn().unwrap());
        if args == ["do", "status"] {
            assert_eq!(ran.rc, 1, "{ran:?}");
            continue;
        }
        assert_eq!((ran.rc, ran.err.as_str()), (1, says), "{args:?}");
    }
}

#[test]
fn c033_a_reader_that_is_gone_ends_a_reading_command_in_silence() {
    let team = "name = \"t\"\n[members]\na = { run = \"seq 100000\" }\n";
    let sandbox = Sandbox::with(&[("t.toml", team)]);
    assert_eq!(sandbox.run(&["--script", "t.toml"]).rc, 0);
    let mut running = sandbox.start(&["log", "a"]);
    drop(running.stdout.take());
    let ran = ended(running);
    assert_eq!((ran.rc, ran.err.as_str()), (141, ""));
}

#[test]
fn r33_checks_that_an_owner_left_behind_run_again_and_their_process_does_not() {
    let team = r#"
name = "ci"
[members]
build = { run = "echo once >> runs", checks = ["touch looking; test -e go || sleep 60"] }
"#;
    let sandbox = Sandbox::with(&[("ci.toml", team)]);
    let running = sandbox.start(&["--script", "ci.toml"]);
    sandbox.until_file("looking");
    signal(running.id(), "KILL");
    assert_eq!(ended(running).rc, 137);
    sandbox.until_nobody();
    sandbox.file("go", "");
    let ran = sandbox.run(&["resume", "1"]);
    assert_eq!((ran.rc, sandbox.read("runs").as_str()), (0, "once\n"), "{ran:?}");
    let err = sandbox.same(&ran.err);
    assert!(err.contains("T checking build 1/1 T 1 check\nT completed build 1/1 T\n"), "{err}");
}

#[test]
fn checks_end_with_the_attempt_that_they_are_for() {
    let team = r#"
name = "ci"
[members]
build = { run = "true", checks = ["touch looking; sleep 61"] }
other = { run = "until test -e go; do sleep 0.02; done" }
"#;
    let sandbox = Sandbox::with(&[("ci.toml", team)]);
    let running = sandbox.start(&["--script", "ci.toml"]);
    sandbox.until_file("looking");
    let looks = || sandbox.survivors().iter().any(|(_, line)| line == "sleep 61");
    sandbox.until("a check", looks);
    assert_eq!(sandbox.run(&["do", "--run", "1", "interrupt", "build"]).rc, 0);
    sandbox.until("the end of the check, while the run goes on", || !looks());
    sandbox.file("go", "");
    let ran = ended(running);
    assert_eq!(ran.rc, 1, "{ran:?}");
    assert!(sandbox.same(&ran.err).contains("T stale build 1/1 T interrupted\n"), "{ran:?}");
    sandbox.until_nobody();
}

#[test]
fn an_owner_that_was_killed_leaves_a_run_that_can_be_read_and_gone_on_with() {
    let team = r#"
name = "ci"
[members]
quick = { run = "echo done" }
build = { run = "touch up; test -e go || sleep 60", rerun = "safe", depends_on = ["quick"] }
"#;
    let sandbox = Sandbox::with(&[("ci.toml", team)]);
    let running = sandbox.start(&["--script", "ci.toml"]);
    sandbox.until_file("up");
    signal(running.id(), "KILL");
    assert_eq!(ended(running).rc, 137);
    sandbox.until_nobody();
    let runs = sandbox.run(&["runs"]);
    assert!(sandbox.same(&runs.out).contains("\n1 ci crashed - T 1 of 2 "), "{runs:?}");
    let status = sandbox.run(&["status"]);
    let out = sandbox.same(&status.out);
    assert!(out.contains("#1 completed quick 1/1 T \"done\"\n#2 in_progress build 1/1 T"), "{status:?}");
    let err = sandbox.same(&status.err);
    assert!(
        err.starts_with("warning: the owner of run 1 ended at T without closing it; nothing of it runs\n"),
        "{err}"
    );
    assert!(err.contains("help: go on with it: `teamtui resume 1"), "{err}");
    let log = sandbox.run(&["log"]);
    let log = sandbox.same(&log.out);
    assert!(
        log.starts_with(
            "run 1: ci\noutput of quick (#1), attempt 1/1, completed, T, \"done\":\nquick | done\n"
        ),
        "{log}"
    );
    assert!(log.ends_with("output of build (#2), attempt 1/1, live:\n"), "{log}");
    sandbox.file("go", "");
    let ran = sandbox.run(&["resume", "1", "--answer", "build=yes"]);
    assert_eq!(ran.rc, 0, "{ran:?}");
    let err = sandbox.same(&ran.err);
    assert!(err.contains("warning: build has no open question; its answer was not used\n"), "{err}");
    assert!(err.contains("T started build 2/2\nT completed build 2/2 T\n"), "{err}");
    let seq = err.split_whitespace().skip_while(|word| *word != "seq").nth(1).unwrap();
    let found = format!(
        "recovered run 1: not closed; last fact seq {seq} at T (T), down T\n#1 completed quick 1/1 T kept\n"
    );
    assert!(err.contains(&found), "{err}");
    assert!(err.contains("#2 interrupted build 1/1 T safe: starts again, as attempt 2\n"), "{err}");
}

#[test]
fn c035_what_a_dead_owner_left_open_is_reported_with_what_can_be_done() {
    let team = "name = \"ci\"\n[members.build]\nrun = \"echo half; sleep 0.3; touch up; sleep 60\"\n\
                [members.pack]\nrun = \"true\"\ndepends_on = [\"build\"]\n";
    let sandbox = Sandbox::with(&[("ci.toml", team)]);
    let running = sandbox.start(&["--script", "ci.toml"]);
    sandbox.until_file("up");
    signal(running.id(), "KILL");
    assert_eq!(ended(running).rc, 137);
    sandbox.until_nobody();
    let ran = sandbox.run(&["resume", "1"]);
    assert_eq!(ran.rc, 1, "{ran:?}");
    let report = "#1 unknown build 1/1 T may or may not have finished: stale, your choice\n\
                  5 B of output of build past its mark: kept, behind a seam\n\
                  help: run build again now: `teamtui do --run 1 retry build`; \
                  try it when this ends: `teamtui resume 1 --failed`\n";
    let err = sandbox.same(&ran.err);
    assert!(err.starts_with("recovered run 1: not closed; last fact seq ") && err.contains(report), "{err}");
    let again = sandbox.run(&["status", "--recovery", "--run", "1"]);
    let (out, err) = (sandbox.same(&again.out), sandbox.same(&again.err));
    let rows = report.split_once("help").unwrap().0;
    assert!(out.starts_with("recovered run 1: not closed; last fact seq ") && out.ends_with(rows), "{out}");
    assert!(err.ends_with("help: try again what failed or is stale: `teamtui resume 1 --failed`\n"), "{err}");
    let log = sandbox.run(&["log", "build", "--run", "1"]);
    assert!(log.out.contains("half"), "{log:?}");
    let ran = sandbox.run(&["status", "--recovery", "--watch"]);
    assert_eq!(ran.rc, 2, "{ran:?}");
}

#[test]
fn a_run_that_goes_on_after_a_cap_begins_with_its_head_line() {
    let team = "name = \"ci\"\n[members.a]\nrun = \"test -e go || sleep 60\"\n";
    let sandbox = Sandbox::with(&[("ci.toml", team)]);
    let ran = sandbox.run(&["--script", "ci.toml", "--limit", "time=300ms"]);
    assert_eq!(ran.rc, 3, "{ran:?}");
    assert!(ran.err.contains("s of 0.3s: nothing new starts") && !ran.err.contains(", 0s of"), "{ran:?}");
    sandbox.file("go", "");
    let ran = sandbox.run(&["resume", "1", "--limit", "time=10m"]);
    assert_eq!(ran.rc, 0, "{ran:?}");
    assert!(ran.err.starts_with("run 1: ci, 1 task, parallel 8, time cap 10m\n"), "{ran:?}");
}
