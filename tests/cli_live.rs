//! Asking and telling a live team: the standing run and its owner, `do` from a shell and from inside an attempt.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod support;

use std::process::Child;
use support::{Sandbox, ended};

/// The team of the examples, without a repository.
const REVIEW: &str = r#"
name = "auth-review"
limits = { time = "20m" }
[agents.reviewer]
driver = "scripted"
script = ['write SECURITY.md "token refresh races"', 'complete "1 finding"']
[members.churn]
run = "true"
rerun = "safe"
[members.style]
run = "true"
optional = true
[members.security]
agent = "reviewer"
prompt = "Review how tokens are refreshed."
depends_on = ["churn", { task = "style", needs = "finished" }]
[members.perf]
script = ['send security "need the trace"', "fail no access"]
[tasks.summary]
assignee = "security"
prompt = "Join what the others found."
depends_on = ["security", "perf"]
"#;

/// A team that stands until it is told to go on, in the standing run.
fn reviewed() -> Sandbox {
    let sandbox = Sandbox::with(&[("auth-review.toml", REVIEW)]);
    let ran = sandbox.run(&["do", "create", "auth-review.toml"]);
    assert_eq!((ran.rc, ran.out.as_str()), (0, "created auth-review: 5 tasks, 4 members\n"), "{ran:?}");
    let ran = sandbox.run(&["do", "wait all within 30s"]);
    assert_eq!((ran.rc, ran.out.as_str(), ran.err.as_str()), (0, "", ""), "{ran:?}");
    sandbox
}

#[test]
fn section_6_status_why_runs_watch_log_and_export_of_a_team_that_is_replanned() {
    let sandbox = reviewed();
    let status = "\
standing run: auth-review, plan 1, T, nothing live; waits for a decision on perf
#1 completed churn 1/1 T
#2 completed style 1/1 T optional
#3 completed security 1/1 T \"1 finding\"
#4 failed perf 1/1 T \"no access\"
#5 held summary by perf (failed)
";
    let ran = sandbox.run(&["status"]);
    assert_eq!((ran.rc, sandbox.same(&ran.out)), (0, status.to_owned()), "{ran:?}");
    let ran = sandbox.run(&["do", "status"]);
    assert_eq!((ran.rc, sandbox.same(&ran.out)), (0, status.to_owned()), "{ran:?}");
    let ran = sandbox.run(&["why", "summary"]);
    assert_eq!(
        sandbox.same(&ran.out),
        "\
summary (#5) is held by perf
security (#3) completed at T satisfied
perf (#4) failed at T \"no access\", said by perf; no retry due
help: try perf again: `teamtui do retry perf`
help: go on without it: `teamtui do cancel perf release`
help: put another in its place: `teamtui help replan`
"
    );
    let ran = sandbox.run(&["runs"]);
    let runs = sandbox.same(&ran.out);
    assert!(
        runs.starts_with(
            "run team state rc took completed size started\nstanding auth-review live - T 3 of 5 "
        ),
        "{runs}"
    );

    let watching = sandbox.start(&["status", "--watch"]);
    let logging = sandbox.start(&["log", "-f", "security", "--plain"]);
    until_attached(&sandbox, &[&watching, &logging]);
    let replan = [
        "do",
        "replan",
        "cancel",
        "perf",
        "add",
        "perf2",
        "agent=reviewer",
        "prompt=Profile it again",
        "replace",
        "perf=perf2",
    ];
    let ran = sandbox.run(&replan);
    assert_eq!(ran.rc, 0, "{ran:?}");
    let ran = ended(watching);
    assert_eq!(
        (ran.rc, sandbox.same(&ran.out)),
        (
            0,
            "\
T cancelled perf
T started perf2 1/1
T completed perf2 1/1 T \"1 finding\"
T started summary 1/1
T completed summary 1/1 T \"1 finding\"
"
            .to_owned()
        ),
        "{ran:?}"
    );
    let ran = ended(logging);
    let log = sandbox.same(&ran.out);
    for line in [
        "T #3 1/1 start inputs: churn (completed), style (completed)",
        "T #3 1/1 end completed, T, \"1 finding\"",
        "T #5 1/1 start inputs: security (completed), perf2 (completed)",
        "T #5 1/1 end completed, T, \"1 finding\"",
    ] {
        assert!(log.lines().any(|l| l == line), "{line}\n{log}");
    }
    // It was sent while security worked, or before it began its next attempt.
    assert!(log.contains(" 1/1 mail from perf at T: \"need the trace\"\n"), "{log}");
    assert_eq!(sandbox.run(&["do", "expect", "summary", "completed"]).rc, 0);
    let ran = sandbox.run(&["do", "expect", "summary", "failed"]);
    assert_eq!(ran.rc, 1);
    assert!(
        sandbox.same(&ran.err).starts_with(
            "error: expect summary failed: it is completed\n- summary failed\n+ summary completed\n"
        ),
        "{ran:?}"
    );
    let ran = sandbox.run(&["export", "--run", "standing", "--script"]);
    assert_eq!(
        ran.out,
        "create auth-review.toml\nreplan cancel perf add perf2 agent=reviewer prompt=\"Profile it again\" replace perf=perf2\n"
    );
    let ran = sandbox.run(&["report"]);
    assert!(
        sandbox.same(&ran.out).starts_with("standing run: auth-review, every required task completed, T\n"),
        "{ran:?}"
    );
}

/// Both clients have their subscription: an owner answers in order, and each line of these is a connection of its own.
fn until_attached(sandbox: &Sandbox, clients: &[&Child]) {
    let connected = |child: &&&Child| {
        let fds = std::fs::read_dir(format!("/proc/{}/fd", child.id())).unwrap().flatten();
        fds.filter_map(|fd| std::fs::read_link(fd.path()).ok())
            .filter(|to| to.to_string_lossy().starts_with("socket:"))
            .count()
            > 2
    };
    // tokio itself holds two sockets for signals; one more is the subscription, and it stays.
    let mut seen = 0;
    sandbox.until("two subscriptions", || {
        seen = if clients.iter().all(|child| connected(&child)) { seen + 1 } else { 0 };
        seen > 20
    });
}

#[test]
fn section_6_refusals_say_what_and_the_next_step() {
    let sandbox = reviewed();
    let ran = sandbox.run(&["do", "send", "securty", "need the trace"]);
    assert_eq!(
        (ran.rc, ran.out.as_str(), ran.err.as_str()),
        (
            1,
            "",
            "error: not found: auth-review has no member `securty`\nhelp: did you mean `security`? the others: churn, perf, style\n"
        )
    );
    let ran = sandbox.run(&["do", "retry churn"]);
    assert_eq!(ran.rc, 1);
    assert!(ran.err.starts_with("error: "), "{ran:?}");
    let ran = sandbox.run(&["why", "sumary"]);
    assert_eq!(
        (ran.rc, ran.err.as_str()),
        (1, "error: not found: auth-review has no task `sumary`\nhelp: did you mean `summary`?\n")
    );
    let ran = sandbox.run(&["do", "frobnicate"]);
    assert_eq!(
        (ran.rc, ran.err.as_str()),
        (2, "error: `frobnicate` is no command\nhelp: all of them: `teamtui help`\n")
    );
    let ran = sandbox.run(&["do", "wait summary until completed"]);
    assert_eq!(ran.rc, 1);
    assert!(ran.err.starts_with("error: this wait can no longer be satisfied: summary is held"), "{ran:?}");
    let ran = sandbox.run(&["do", "--run", "9", "retry", "perf"]);
    assert_eq!((ran.rc, ran.err.lines().next()), (1, Some("error: not found: there is no run 9")), "{ran:?}");
}

#[test]
fn section_6_a_member_has_the_team_tools_in_its_attempt() {
    let team = r#"
name = "t"
[members.a]
run = "teamtui do progress 40 parsing; teamtui do send b 'need the\nsecond line'; printf 'all\\nis well\\n' | teamtui do complete -"
[members.b]
run = '''
teamtui do inbox wait=30s
teamtui do 'complete task=c joined'; echo rc $?
teamtui do 'replan cancel a'; echo rc $?
teamtui do nope; echo rc $?
teamtui do say hi; echo rc $?
teamtui do get c
answer=$(teamtui do ask person 'ship it?' default='yes, do'); echo "the answer is $answer"
'''
[members.c]
run = "true"
depends_on = ["b"]
"#;
    let sandbox = Sandbox::with(&[("t.toml", team)]);
    let ran = sandbox.run(&["--script", "t.toml"]);
    assert_eq!(ran.rc, 0, "{ran:?}");
    assert!(!ran.err.contains("warning"), "{ran:?}");
    assert!(sandbox.same(&ran.out).contains("a | all\na | is well\n") || ran.out.contains("all"), "{ran:?}");
    let log = sandbox.same(&sandbox.run(&["log", "b"]).out);
    for part in [
        "[message from a, T, hop 1]\n> need the\n> second line\n[end of message from a]\n",
        "error: blocked: c (#3) waits for b (#2, in_progress)\n",
        "error: lead only: b is a member, and `replan` changes the plan\nhelp: ask for it: `teamtui do send lead \"...\"`\n",
        "error: `nope` is no command\n",
        "error: not yours: `say` is for scripted members\nhelp: print it: what a process prints is shown\n",
        "c (#3) blocked",
        "the answer is yes, do\n",
    ] {
        assert!(log.contains(part), "{part}\n{log}");
    }
    assert_eq!(log.matches("rc 1\n").count(), 3, "{log}");
    assert_eq!(log.matches("rc 2\n").count(), 1, "{log}");
}

#[test]
fn section_6_a_left_over_child_has_a_stale_token() {
    let team = r#"
name = "t"
[members.a]
run = "env | grep '^TEAMTUI_[ST]O' > token.tmp; mv token.tmp token; exit 1"
[members.b]
run = "touch up; until test -e go; do sleep 0.02; done"
"#;
    let sandbox = Sandbox::with(&[("t.toml", team)]);
    let running = sandbox.start(&["--script", "t.toml"]);
    sandbox.until_file("token");
    sandbox.until("the end of a", || sandbox.run(&["status"]).out.contains("failed"));
    let token = sandbox.read("token");
    let mut command = sandbox.command(&["do", "progress", "80"]);
    command.envs(token.lines().map(|line| line.split_once('=').unwrap()));
    let ran = ended(command.spawn().unwrap());
    assert_eq!(ran.rc, 1, "{ran:?}");
    assert_eq!(
        sandbox.same(&ran.err),
        "error: stale token: attempt 1 of a ended at T; the task is failed\n\
         help: stop; nothing this attempt does counts. A finished result is kept as an orphan: `teamtui do complete -`\n"
    );
    sandbox.file("go", "");
    assert_eq!(ended(running).rc, 1);
}

#[test]
fn fifty_starts_at_once_make_one_owner() {
    let sandbox = Sandbox::with(&[("auth-review.toml", REVIEW)]);
    let starts: Vec<Child> = (0..50).map(|_| sandbox.start(&["do", "pause", "team=nobody"])).collect();
    for ran in starts.into_iter().map(ended) {
        assert_eq!(ran.rc, 1, "{ran:?}");
        assert!(ran.err.starts_with("error: not found: "), "{ran:?}");
    }
    let serving = sandbox.survivors().into_iter().filter(|(_, line)| line.contains(" serve")).count();
    assert_eq!(serving, 1, "{:?}", sandbox.survivors());
    let ran = sandbox.run(&["serve"]);
    assert_eq!(ran.rc, 2);
    assert!(
        sandbox.same(&ran.err).starts_with("error: owned: the standing run is owned by process "),
        "{ran:?}"
    );
    // Nothing is live and nobody is attached: it goes by itself.
    sandbox.until_nobody();
}

#[test]
fn an_owner_that_cannot_start_says_why() {
    let sandbox = reviewed();
    // Nothing is live or due: it goes by itself, and the run can be read all the same.
    sandbox.until_nobody();
    assert!(sandbox.run(&["status"]).out.starts_with("standing run: auth-review, plan 1, "));
    assert_eq!(sandbox.survivors(), []);
    assert_eq!(sandbox.run(&["do", "retry", "perf"]).rc, 0);
    sandbox.until_nobody();
    let store = sandbox.standing("store.redb").unwrap();
    std::fs::write(&store, "no store at all").unwrap();
    // What was known of the store restores it.
    let ran = sandbox.run(&["do", "pause"]);
    assert_eq!(ran.rc, 0, "{ran:?}");
    assert!(ran.err.starts_with("restored the standing run from the backup of "), "{ran:?}");
    assert!(ran.err.contains("\nlost: nothing; "), "{ran:?}");
    sandbox.until_nobody();
    for file in std::fs::read_dir(store.parent().unwrap()).unwrap().map(|file| file.unwrap().path()) {
        if file.file_name().unwrap().to_string_lossy().starts_with("store.redb.") {
            std::fs::remove_file(file).unwrap();
        }
    }
    std::fs::write(&store, "no store at all").unwrap();
    let ran = sandbox.run(&["do", "pause"]);
    assert_eq!(ran.rc, 2);
    assert!(ran.err.starts_with("error: the owner of the standing run has ended: "), "{ran:?}");
    assert!(ran.err.contains("is not a store of teamtui"), "{ran:?}");
}

#[test]
fn a_state_directory_that_is_named_is_used_and_pasted() {
    let sandbox = Sandbox::with(&[("t.toml", "name = \"t\"\n[members]\na = { run = \"exit 3\" }\n")]);
    let ran = sandbox.run(&["--script", "t.toml", "--state", "own state"]);
    assert_eq!(ran.rc, 1);
    assert!(
        ran.err.contains("help: see what failed: `teamtui log a --run 1 --state 'own state'`\n"),
        "{ran:?}"
    );
    assert_eq!(sandbox.run(&["status", "--state", "own state"]).rc, 0);
    assert_eq!(sandbox.run(&["status"]).rc, 1);
}

#[test]
fn an_error_of_a_file_refuses_its_team() {
    let sandbox =
        Sandbox::with(&[("bad.toml", "name = \"t\"\n[members.a]\nrun = \"true\"\ndependson = [\"b\"]\n")]);
    let ran = sandbox.run(&["do", "create", "bad.toml"]);
    assert_eq!((ran.rc, ran.out.as_str()), (2, ""));
    assert!(ran.err.starts_with("error: bad.toml:4:1: unknown key `dependson` in a member\n"), "{ran:?}");
    let ran = sandbox.run(&["status"]);
    assert_eq!(ran.rc, 1);
}

#[test]
fn an_owner_of_another_version_is_named_with_what_can_be_done() {
    use std::io::{BufRead, Write};
    let sandbox = Sandbox::new();
    // It makes the folders of the project.
    assert_eq!(sandbox.run(&["status"]).rc, 1);
    let socket = sandbox.root().join("old.sock");
    let listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let lock = std::fs::File::create(sandbox.standing("owner.lock").unwrap()).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::NonBlockingLockExclusive).unwrap();
    let note = format!(
        r#"{{"pid":4242,"since_ms":0,"socket":"{}","version":"9.9.9","command":"teamtui serve"}}"#,
        socket.display()
    );
    writeln!(&lock, "{note}").unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            // A client that has read this goes away.
            let _ = stream.write_all(b"{\"teamtui\":\"9.9.9\",\"protocol\":999,\"pid\":4242}\n");
            let mut hello = String::new();
            let _ = std::io::BufReader::new(stream).read_line(&mut hello);
        }
    });
    for args in [&["do", "pause"][..], &["status", "--run", "standing"]] {
        let ran = sandbox.run(args);
        assert_eq!((ran.rc, ran.out.as_str()), (2, ""), "{ran:?}");
        let mut lines = ran.err.lines();
        let first = lines.next().unwrap();
        assert!(
            first.starts_with("error: the owner (pid 4242) is teamtui 9.9.9 with protocol 999, this is "),
            "{ran:?}"
        );
        assert_eq!(lines.next(), Some("help: use teamtui 9.9.9 while it works"));
        assert!(lines.next().unwrap().ends_with("`kill 4242`"), "{ran:?}");
    }
}
