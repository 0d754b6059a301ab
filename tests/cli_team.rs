//! What a team is to who runs it: nothing runs without one, members work side by side, each is known by its token, and
//! text, JSON and exit code agree about how it ended.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod support;

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use support::{Sandbox, ended};

/// Members that meet while both live, and then wait for a word.
const PAIR: &str = r#"
name = "t"
[members.a]
run = "echo $TEAMTUI_SCRATCH > a.own; touch a.up; until test -e b.up; do sleep 0.02; done; touch a.met; until test -e go; do sleep 0.02; done"
[members.b]
run = "echo $TEAMTUI_SCRATCH > b.own; touch b.up; until test -e a.up; do sleep 0.02; done; touch b.met; until test -e go; do sleep 0.02; done"
[members.c]
run = "true"
depends_on = ["a", "b"]
"#;

#[test]
fn row_1_02_without_a_team_nothing_runs_and_reading_starts_nothing() {
    let sandbox = Sandbox::new();
    for args in [
        &["status"][..],
        &["runs"],
        &["log"],
        &["report"],
        &["why", "a"],
        &["export", "--script"],
        &["do", "status"],
        &["help"],
    ] {
        let ran = sandbox.run(args);
        assert!(ran.rc <= 2, "{ran:?}");
        assert_eq!(sandbox.survivors(), [], "{args:?} left something running");
        let store = sandbox.standing("store.redb");
        assert!(store.is_none_or(|store| !store.exists()), "{args:?} made a run");
    }
}

#[test]
fn row_1_02_a_team_is_registered_once_and_its_owner_goes_with_its_work() {
    let sandbox = Sandbox::with(&[("t.toml", PAIR)]);
    assert_eq!(sandbox.run(&["do", "create", "t.toml"]).rc, 0);
    sandbox.until_file("b.met");
    let again = sandbox.run(&["do", "create", "t.toml"]);
    assert_eq!(again.rc, 1, "{again:?}");
    assert!(again.err.contains("a team `t` is live already"), "{again:?}");
    let owners = sandbox.survivors().into_iter().filter(|(_, line)| line.contains(" serve")).count();
    assert_eq!(owners, 1, "{:?}", sandbox.survivors());
    sandbox.file("go", "");
    assert_eq!(sandbox.run(&["do", "wait all within 30s"]).rc, 0);
    sandbox.until_nobody();
    assert!(sandbox.run(&["status"]).out.contains("completed  c"));
    assert_eq!(sandbox.survivors(), [], "what only reads starts no owner");
}

#[test]
fn row_1_04_members_run_side_by_side_and_each_is_ended_alone() {
    let sandbox = Sandbox::with(&[("t.toml", PAIR)]);
    let running = sandbox.start(&["--script", "t.toml"]);
    sandbox.until_file("a.met");
    sandbox.until_file("b.met");
    assert_ne!(sandbox.read("a.own"), sandbox.read("b.own"), "each has a place of its own");
    assert_eq!(sandbox.run(&["do", "--run", "1", "interrupt", "a"]).rc, 0);
    sandbox.until("the end of a", || sandbox.run(&["status"]).out.contains("stale"));
    assert!(sandbox.run(&["status"]).out.contains("in_progress  b"), "the other goes on");
    sandbox.file("go", "");
    let ran = ended(running);
    assert_eq!(ran.rc, 1, "{ran:?}");
    let out = sandbox.same(&ran.out);
    assert!(
        out.contains("#1 stale a 1/1 T interrupted\n#2 completed b 1/1 T\n#3 held c by a (stale)\n"),
        "{out}"
    );
    sandbox.until_nobody();
}

#[test]
fn row_1_11_status_says_of_each_member_where_it_stands_and_what_it_waits_for() {
    let team = r#"
name = "t"
[members.done]
script = ["complete found"]
[members.works]
run = "until test -e go; do sleep 0.02; done"
[members.waits]
run = "true"
depends_on = ["works", "done"]
[members.broken]
run = "exit 3"
[members.held]
run = "true"
depends_on = ["broken"]
"#;
    let sandbox = Sandbox::with(&[("t.toml", team)]);
    assert_eq!(sandbox.run(&["do", "create", "t.toml"]).rc, 0);
    assert_eq!(sandbox.run(&["do", "wait done,broken until settled,completed within 30s"]).rc, 0);
    let ran = sandbox.run(&["status"]);
    assert_eq!(
        sandbox.same(&ran.out),
        "\
standing run: t, plan 1, T, 1 live; waits for a decision on broken
#1 completed done 1/1 T \"found\"
#2 in_progress works 1/1 T
#3 blocked waits
#4 failed broken 1/1 T exit 3
#5 held held by broken (failed)
",
        "{ran:?}"
    );
    let ran = sandbox.run(&["do", "get waits"]);
    assert!(ran.out.contains("works (in_progress)"), "what it waits for: {ran:?}");
    sandbox.file("go", "");
    assert_eq!(sandbox.run(&["do", "wait all within 30s"]).rc, 0);
}

#[test]
fn row_1_27_who_a_member_is_comes_from_its_token_alone() {
    let team = r#"
name = "t"
[members.a]
run = '''
env -i PATH="$PATH" TEAMTUI_SOCKET="$TEAMTUI_SOCKET" TEAMTUI_TOKEN="$TEAMTUI_TOKEN" TEAMTUI_MEMBER=lead TEAMTUI_TEAM=other teamtui do send b 'it is me'
TEAMTUI_TOKEN=lead teamtui do dissolve; echo rc $?
TEAMTUI_MEMBER=lead teamtui do dissolve; echo rc $?
'''
[members.b]
run = "teamtui do inbox wait=30s"
"#;
    let sandbox = Sandbox::with(&[("t.toml", team)]);
    let ran = sandbox.run(&["--script", "t.toml"]);
    assert_eq!(ran.rc, 0, "{ran:?}");
    let log = sandbox.same(&sandbox.run(&["log", "b"]).out);
    assert!(log.contains("[message from a, T, hop 1]\n> it is me\n"), "{log}");
    let log = sandbox.run(&["log", "a"]).out;
    assert!(log.contains("`$TEAMTUI_TOKEN` is no token of an attempt"), "{log}");
    assert!(log.contains("lead only: a is a member"), "{log}");
    assert!(log.contains("rc 2\n") && log.contains("rc 1\n"), "{log}");
}

#[test]
fn c014_a_wait_skips_no_state_and_what_has_come_already_is_not_waited_for() {
    let team = r#"
name = "t"
[members.a]
script = ["complete one"]
[members.b]
script = ["fail two"]
depends_on = ["a"]
"#;
    // Both have ended long before the first of these waits is read.
    let script = "\
create t.toml
wait b until in_progress within 1m
wait b until failed within 1m
wait a until completed within 1m
expect b failed
";
    let sandbox = Sandbox::with(&[("t.toml", team), ("t.team", script)]);
    let ran = sandbox.run(&["--script", "t.team", "--virtual-time"]);
    assert_eq!(ran.rc, 0, "{ran:?}");
    let ran = sandbox.run(&["report"]);
    assert!(!ran.out.contains("1m"), "none of them took its time: {ran:?}");
}

#[test]
fn c014_a_wait_over_its_time_says_so_in_real_and_in_virtual_time() {
    let team = "name = \"t\"\n[members]\na = { script = [\"sleep 10m\"] }\n";
    for (within, flag) in [("50ms", None), ("5m", Some("--virtual-time"))] {
        let script = format!("create t.toml\nwait a until completed within {within}\n");
        let sandbox = Sandbox::with(&[("t.toml", team), ("t.team", &script)]);
        let args: Vec<&str> = ["--script", "t.team"].into_iter().chain(flag).collect();
        let ran = sandbox.run(&args);
        assert_eq!(ran.rc, 1, "{ran:?}");
        assert!(ran.err.contains("error: t.team:2:1: this wait is over its time, at "), "{ran:?}");
        assert!(ran.err.contains(": a is in progress\n"), "{ran:?}");
    }
}

#[test]
fn c023_a_background_process_holds_up_no_run() {
    let team = r#"
name = "t"
[members.a]
run = "sleep 600 & setsid sleep 600 & echo done; exit 0"
"#;
    let sandbox = Sandbox::with(&[("t.toml", team)]);
    let ran = sandbox.run(&["--script", "t.toml"]);
    assert_eq!(ran.rc, 0, "{ran:?}");
    assert_eq!(sandbox.same(&ran.out).lines().last(), Some("#1 completed a 1/1 T \"done\""), "{ran:?}");
    sandbox.until_nobody();
}

#[test]
fn c032_exit_code_text_json_and_junit_say_the_same() {
    let ok = "a = { run = \"true\" }\n";
    let cases = [
        (ok, 0, "every required task completed"),
        ("a = { run = \"true\" }\nb = { run = \"exit 1\" }\n", 1, "exit 1"),
        ("a = { argv = [\"no-such-program\"] }\n", 1, "no-such-program"),
        (
            "a = { run = \"exit 1\", optional = true }\nb = { run = \"true\", depends_on = [\"a\"] }\n",
            1,
            "by a (failed)",
        ),
        ("a = { script = [\"say all is well\"] }\n", 4, "unconfirmed"),
        ("a = { driver = \"human\", prompt = \"go?\" }\n", 4, "waits on a person"),
    ];
    for (members, rc, says) in cases {
        let sandbox = Sandbox::with(&[("t.toml", &format!("name = \"t\"\n[members]\n{members}"))]);
        let ran = sandbox.run(&["--script", "t.toml"]);
        assert_eq!(ran.rc, rc, "{ran:?}");
        assert!(ran.out.contains(says) || ran.err.contains(says), "{says}: {ran:?}");
        let ran = sandbox.run(&["--script", "t.toml", "--format", "ndjson", "--junit", "junit.xml"]);
        let last: serde_json::Value = serde_json::from_str(ran.out.lines().last().unwrap()).unwrap();
        assert_eq!((ran.rc, last["rc"].as_i64()), (rc, Some(i64::from(rc))), "{ran:?}");
        let junit = sandbox.read("junit.xml");
        let bad = junit.contains("<failure") || junit.contains("<error");
        assert_eq!(bad, rc != 0, "{junit}");
    }
    let sandbox = Sandbox::with(&[("t.toml", ok), ("t.team", "create t.toml\nwiat all\n")]);
    let ran = sandbox.run(&["--script", "t.team"]);
    assert_eq!((ran.rc, ran.out.as_str()), (2, ""), "{ran:?}");
    assert_eq!(sandbox.run(&["report"]).rc, 1, "nothing was started");
}

#[test]
fn c034_the_screen_without_a_terminal_says_how_to_go_without_one() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&[]);
    assert_eq!((ran.rc, ran.out.as_str()), (2, ""), "{ran:?}");
    assert!(ran.err.starts_with("error: ") && ran.err.contains("--script"), "{ran:?}");
    assert_eq!(sandbox.survivors(), []);
}

#[test]
fn c040_no_name_reaches_a_path() {
    let hostile = ["../../x", "/etc/x", "a/x", "..", "", "x\\u0000y", "-rf"];
    let sandbox = Sandbox::with(&[("good.toml", "name = \"t\"\n[members]\na = { run = \"true\" }\n")]);
    for name in hostile {
        for (at, text) in [
            ("team.toml", format!("name = \"{name}\"\n[members]\na = {{ run = \"true\" }}\n")),
            ("member.toml", format!("name = \"t\"\n[members.\"{name}\"]\nrun = \"true\"\n")),
            (
                "task.toml",
                format!(
                    "name = \"t\"\n[members]\na = {{ run = \"true\" }}\n[tasks.\"{name}\"]\nassignee = \"a\"\n"
                ),
            ),
        ] {
            sandbox.file(at, &text);
            let ran = sandbox.run(&["--script", at]);
            assert_eq!((ran.rc, ran.out.as_str()), (2, ""), "{ran:?}");
            assert!(ran.err.starts_with(&format!("error: {at}:")), "{ran:?}");
        }
    }
    // A name that the system would take for a device is a name.
    sandbox.file("con.toml", "name = \"CON\"\n[members]\nNUL = { run = \"true\" }\n");
    assert_eq!(sandbox.run(&["--script", "con.toml"]).rc, 0);
    assert_eq!(sandbox.run(&["do", "create", "good.toml"]).rc, 0);
    for line in ["send ../../x hi", "add work to=../../x", "add work name=../../x", "get ../../x"] {
        let ran = sandbox.run(&["do", line]);
        assert!((1..=2).contains(&ran.rc) && ran.err.starts_with("error: "), "{line}: {ran:?}");
    }
    let bad = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        ["x", "y", "x\0y", "-rf", "con", "nul"].contains(&name.to_lowercase().as_str())
    };
    let made: Vec<PathBuf> = files(sandbox.root().parent().unwrap()).into_iter().filter(bad).collect();
    assert_eq!(made, Vec::<PathBuf>::new());
    assert!(!Path::new("/etc/x").exists());
}

/// Everything below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    // What is removed meanwhile is not there.
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            found.extend(files(&path));
        }
        found.push(path);
    }
    found
}

/// A command as somebody who may only read what is in the sandbox. Root is somebody else for it.
fn reading(sandbox: &Sandbox, args: &[&str]) -> support::Ran {
    let command = sandbox.command(args);
    let is_root = std::fs::metadata("/proc/self").unwrap().uid() == 0;
    if !is_root {
        return ended({ command }.spawn().unwrap());
    }
    let mut other = std::process::Command::new("setpriv");
    other.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(command.get_program());
    other.args(command.get_args()).env_clear().envs(sandbox.env()).current_dir(sandbox.root());
    other.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::piped());
    ended(other.stderr(std::process::Stdio::piped()).spawn().unwrap())
}

/// Makes all of it readable and nothing of it writable, or back.
fn lock_up(path: &Path, is_locked: bool) {
    let of = |path: &Path| std::fs::metadata(path).unwrap();
    if of(path).is_dir() {
        let (before, after) = if is_locked { (0o755, 0o555) } else { (0o755, 0o755) };
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(before)).unwrap();
        for entry in std::fs::read_dir(path).unwrap() {
            lock_up(&entry.unwrap().path(), is_locked);
        }
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(after)).unwrap();
    } else if of(path).is_file() {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o444)).unwrap();
    }
}

#[test]
fn a_state_directory_that_may_only_be_read_is_read() {
    let sandbox = Sandbox::with(&[("t.toml", "name = \"t\"\n[members.a]\nrun = \"echo hello\"\n")]);
    assert_eq!(sandbox.run(&["--script", "t.toml"]).rc, 0);
    let top = sandbox.root().parent().unwrap().to_owned();
    lock_up(&top, true);
    let cases = [
        (&["status"][..], "completed  a"),
        (&["runs"], "completed"),
        (&["log"], "hello"),
        (&["why", "a"], "completed"),
    ];
    let read = || cases.map(|(args, has)| (reading(&sandbox, args), has));
    let with_lock = read();
    let written = reading(&sandbox, &["--script", "t.toml"]);
    lock_up(&top, false);
    let project = std::fs::read_dir(top.join("state/teamtui")).unwrap().next().unwrap().unwrap().path();
    std::fs::remove_file(project.join("runs/1/owner.lock")).unwrap();
    lock_up(&top, true);
    let without = read();
    lock_up(&top, false);
    for (ran, has) in with_lock.into_iter().chain(without) {
        assert!(ran.rc == 0 && ran.out.contains(has), "{ran:?}");
    }
    assert_eq!(written.rc, 2, "{written:?}");
}

#[test]
fn a_member_that_hides_its_socket_is_not_taken_for_the_person() {
    let team = r#"
name = "t"
[members.sly]
run = """
env -u TEAMTUI_SOCKET teamtui do --run "$TEAMTUI_RUN" cancel sly 2> first; echo $? >> rcs
env -u TEAMTUI_SOCKET -u TEAMTUI_TOKEN -u TEAMTUI_ATTEMPT teamtui do --run "$TEAMTUI_RUN" cancel sly 2> second; echo $? >> rcs
env -u TEAMTUI_SOCKET teamtui status --run "$TEAMTUI_RUN" > /dev/null 2> third; echo $? >> rcs
teamtui do progress 50 half; echo $? >> rcs
"""
"#;
    let sandbox = Sandbox::with(&[("t.toml", team)]);
    let ran = sandbox.run(&["--script", "t.toml"]);
    assert_eq!((ran.rc, sandbox.read("rcs").as_str()), (0, "1\n1\n1\n0\n"), "{ran:?}");
    let said = "error: not yours: this process belongs to an attempt of the run, and a member does not speak as the person\n\
         help: say it as the member, by `teamtui do` (`teamtui do status` reads), with `$TEAMTUI_SOCKET` and `$TEAMTUI_TOKEN` as given\n";
    for name in ["first", "second", "third"] {
        assert_eq!(sandbox.read(name), said, "{name}");
    }
}
