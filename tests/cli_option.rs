//! Files and options that cannot be meant as they stand are refused with what to do, and nothing is accepted in vain.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod support;

use support::Sandbox;

#[test]
fn init_prints_a_command_that_works_or_refuses_the_name() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["init", "sub"]);
    assert_eq!((ran.rc, ran.out.as_str()), (0, "wrote sub.toml\n"), "{ran:?}");
    let ran = sandbox.run(&["init", "--", "-x.toml"]);
    assert_eq!((ran.rc, ran.err.as_str()), (0, "help: run it: `teamtui --script ./-x.toml`\n"), "{ran:?}");
    assert_eq!(sandbox.run(&["--script", "./-x.toml"]).rc, 0);
    let ran = sandbox.run(&["init", "x.team"]);
    assert_eq!(ran.rc, 2);
    assert!(
        ran.err.starts_with("error: x.team is no name of a team file: that ends in `.toml`\n"),
        "{ran:?}"
    );
    let ran = sandbox.run(&["init", "a/b/c.toml"]);
    let says =
        "error: could not write a/b/c.toml: there is no folder a/b\nhelp: make it: `mkdir -p -- a/b`\n";
    assert_eq!((ran.rc, ran.err.as_str()), (2, says));
}

#[test]
fn a_team_file_of_another_name_is_one_error_and_a_script_is_still_a_script() {
    let sandbox = Sandbox::with(&[
        ("sub", "name = \"t\"\n[members.a]\nrun = \"true\"\n"),
        ("bad.team", "creat t.toml\nwait\n"),
        ("empty.team", "\n"),
    ]);
    let ran = sandbox.run(&["--script", "sub"]);
    let says = "error: sub: it looks like a team file, and that ends in `.toml`\nhelp: name it NAME.toml\n";
    assert_eq!((ran.rc, ran.err.as_str()), (2, says));
    let ran = sandbox.run(&["--script", "bad.team"]);
    assert!(ran.rc == 2 && ran.err.starts_with("error: bad.team:1:1: "), "{ran:?}");
    let ran = sandbox.run(&["--script", "empty.team"]);
    assert!(ran.rc == 2 && !ran.err.contains("teamtui init"), "{ran:?}");
}

#[test]
fn a_pipe_with_a_name_is_refused_and_one_that_is_handed_over_is_read() {
    let sandbox = Sandbox::new();
    let pipe = sandbox.root().join("pipe.toml");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for args in [&["lint", "pipe.toml"][..], &["--script", "pipe.toml"]] {
        let ran = sandbox.run(args);
        let said = format!("{}{}", ran.out, ran.err);
        assert!(ran.rc == 2 && said.starts_with("error: pipe.toml: it is no regular file\n"), "{ran:?}");
    }
    let mut child =
        sandbox.command(&["lint", "/dev/stdin"]).stdin(std::process::Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"create missing.toml\n").unwrap();
    let ran = support::ended(child);
    assert!(ran.out.starts_with("error: /dev/stdin:1:8: "), "{ran:?}");
}

#[test]
fn an_option_that_a_command_does_not_take_is_refused_and_not_in_its_help() {
    let sandbox = Sandbox::with(&[("t.toml", "name = \"t\"\n[members.a]\nrun = \"true\"\n")]);
    for (args, says) in [
        (
            &["runs", "--format", "ndjson"][..],
            "error: `teamtui runs` takes no `--format`\nhelp: it is for `teamtui --script FILE`, `teamtui resume`, `teamtui lint`, `teamtui report`, `teamtui verify`, `teamtui replay`\n",
        ),
        (
            &["status", "--junit", "x.xml"],
            "error: `teamtui status` takes no `--junit`\nhelp: it is for `teamtui --script FILE`, `teamtui resume`\n",
        ),
        (
            &["lint", "t.toml", "--junit", "x.xml"],
            "error: `teamtui lint` takes no `--junit`\nhelp: it is for `teamtui --script FILE`, `teamtui resume`\n",
        ),
        (
            &["runs", "--fail-fast"],
            "error: `--fail-fast` says how a file is run, and no file is run here\nhelp: `teamtui --script FILE --fail-fast ..`\n",
        ),
    ] {
        let ran = sandbox.run(args);
        assert_eq!((ran.rc, ran.out.as_str(), ran.err.as_str()), (2, "", says));
    }
    assert_eq!(sandbox.run(&["runs", "--run", "3"]).rc, 2);
    for args in [["help", "runs"], ["runs", "--help"], ["serve", "--help"]] {
        let help = sandbox.run(&args);
        let has = |option| help.out.contains(option);
        assert!(has("--state") && !has("--fail-fast") && !has("--junit") && !has("--run"), "{help:?}");
    }
    let help = sandbox.run(&["log", "--help"]);
    assert!(
        help.out.contains("--tail") && help.out.contains("--run") && !help.out.contains("--set"),
        "{help:?}"
    );
}

#[test]
fn retries_of_the_command_line_have_the_bounds_of_those_in_a_file() {
    let sandbox = Sandbox::with(&[("t.toml", "name = \"t\"\n[members.a]\nrun = \"true\"\n")]);
    let ran = sandbox.run(&["--script", "t.toml", "--retries", "101"]);
    let says = "error: `--retries` takes a whole number from 0 to 100, not 101\n";
    assert_eq!((ran.rc, ran.err.as_str()), (2, says));
    assert_eq!(sandbox.run(&["--script", "t.toml", "--retries", "100"]).rc, 0);
}

#[test]
fn lint_says_each_thing_once() {
    let unknown: String = (0..230).map(|n| format!("key{n} = 1\n")).collect();
    let sandbox = Sandbox::with(&[
        ("number.toml", "name = 5\n[members.a]\nrun = \"true\"\n"),
        ("many.toml", &format!("name = \"t\"\n{unknown}[members.a]\nrun = \"true\"\n")),
    ]);
    let ran = sandbox.run(&["lint", "number.toml"]);
    assert!(ran.err.ends_with("lint: 1 error, 0 warnings\n"), "{ran:?}");
    assert!(ran.out.starts_with("error: number.toml:1:8: `name` takes "), "{ran:?}");
    let ran = sandbox.run(&["lint", "many.toml"]);
    assert!(ran.out.contains("30 more findings are left out\n"), "{}", ran.out);
    assert!(ran.err.ends_with("lint: 200 errors, 0 warnings\n"), "{}", ran.err);
}

#[test]
fn counts_of_one_are_told_as_one_and_what_may_be_held_apart() {
    let team = r#"
name = "t"
[members]
a = { run = "false", optional = true }
b = { run = "true", depends_on = ["a"], optional = true }
"#;
    let sandbox = Sandbox::with(&[
        ("t.toml", team),
        ("one.toml", "name = \"one\"\n[members.a]\nrun = \"true\"\n"),
        ("t.team", "create one.toml\nwait all\nexpect nosuch completed\n"),
    ]);
    let ran = sandbox.run(&["--script", "t.toml"]);
    assert!(ran.err.contains("summary: 1 failed (optional), 1 held (optional); "), "{ran:?}");
    let ran = sandbox.run(&["--script", "t.team"]);
    assert!(ran.err.contains("expect `nosuch`: one has no such task\n"), "{ran:?}");
    let ran = sandbox.run(&["do", "create", "one.toml"]);
    assert_eq!(ran.out, "created one: 1 task, 1 member\n", "{ran:?}");
    assert_eq!(sandbox.run(&["do", "wait all"]).rc, 0);
    let ran = sandbox.run(&["do", "replan add x agent=a run=\"true\" after=x"]);
    assert!(!ran.err.contains("cycle: cycle:"), "{ran:?}");
}
