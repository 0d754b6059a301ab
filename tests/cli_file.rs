//! Files, help and usage: what needs no run.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod support;

use support::Sandbox;

const BAD: &str = "\
name = \"bad\"
[members.build]
run = \"true\"
dependson = [\"fmt\"]

# nothing
depends_on = [\"report\"]
goal = \"Build everything.\"
[members.test]
run = \"true\"
depends_on = [\"biuld\"]
[members.docs]
run = \"true\"
depends_on = [\"build\"]
[members.report]
run = \"true\"
depends_on = [\"docs\"]
[members.Docs]
run = \"true\"
";

#[test]
fn section_5_lint_says_what_is_wrong_and_where() {
    let sandbox = Sandbox::with(&[("bad.toml", BAD)]);
    let ran = sandbox.run(&["lint", "bad.toml"]);
    assert_eq!((ran.rc, ran.err.as_str()), (2, "lint: 5 errors, 0 warnings\n"), "{ran:?}");
    assert_eq!(
        ran.out,
        "\
error: bad.toml:4:1: unknown key `dependson` in a member
  4 | dependson = [\"fmt\"]
    | ^^^^^^^^^
help: did you mean `depends_on`?
error: bad.toml:7:15: cycle: build -> report -> docs -> build
  7 | depends_on = [\"report\"]
    |               ^^^^^^^^
help: each waits for the next; remove one: build's at 7:15, report's at 17:15, docs' at 14:15
error: bad.toml:8:1: key `goal` does not belong in a member
  8 | goal = \"Build everything.\"
    | ^^^^
help: it is a key of the team: move it above line 2, or use `prompt`
error: bad.toml:11:15: test depends on `biuld`, which does not exist
 11 | depends_on = [\"biuld\"]
    |               ^^^^^^^
help: did you mean `build`?
error: bad.toml:18:10: the name `Docs` is taken by `docs` at 12:10 (names differ by more than case)
 18 | [members.Docs]
    |          ^^^^
"
    );
    let ran = sandbox.run(&["lint", "bad.toml", "--format", "json"]);
    assert_eq!(
        ran.out.lines().next(),
        Some(
            r#"{"type":"finding","format":1,"level":"error","code":"unknown_key","path":"bad.toml","line":4,"col":1,"end_line":4,"end_col":10,"message":"unknown key `dependson` in a member","help":["did you mean `depends_on`?"]}"#
        )
    );
    assert_eq!(ran.out.lines().count(), 5);
    // `--script` says all of it on standard error and starts nothing.
    let ran = sandbox.run(&["--script", "bad.toml"]);
    assert_eq!((ran.rc, ran.out.as_str()), (2, ""));
    assert!(ran.err.contains("error: bad.toml:7:15: cycle: "), "{ran:?}");
    assert_eq!(sandbox.run(&["runs"]).out, "");
}

#[test]
fn section_5_a_warning_refuses_nothing() {
    let team = "name = \"t\"\n[members.a]\nrun = \"git log | head -1\"\n[members.b]\nrun = \"no-such-program-at-all\"\noptional = true\n";
    let sandbox = Sandbox::with(&[("t.toml", team)]);
    let ran = sandbox.run(&["lint", "t.toml"]);
    assert_eq!((ran.rc, ran.err.as_str()), (0, "lint: 0 errors, 2 warnings\n"), "{ran:?}");
    assert!(
        ran.out.contains(
            "warning: t.toml:5:8: `no-such-program-at-all` is not on PATH here; b (optional) would fail\n"
        ),
        "{ran:?}"
    );
}

#[test]
fn section_9_init_writes_a_team_that_runs_and_never_over_a_file() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["init"]);
    assert_eq!(
        (ran.rc, ran.out.as_str(), ran.err.as_str()),
        (0, "wrote team.toml\n", "help: run it: `teamtui --script team.toml`\n")
    );
    let ran = sandbox.run(&["init"]);
    assert_eq!(
        (ran.rc, ran.out.as_str(), ran.err.as_str()),
        (2, "", "error: team.toml exists\nhelp: another name: teamtui init NAME.toml\n")
    );
    let ran = sandbox.run(&["lint", "team.toml"]);
    assert_eq!((ran.rc, ran.out.as_str(), ran.err.as_str()), (0, "", "lint: 0 errors, 0 warnings\n"));
    let ran = sandbox.run(&["--script", "team.toml"]);
    assert_eq!(ran.rc, 0, "{ran:?}");
    assert!(ran.out.contains("report | team.toml\n"), "{ran:?}");
}

#[test]
fn section_6_help_is_printed_on_standard_output() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["--help"]);
    assert_eq!(ran.rc, 0);
    assert!(
        ran.out.starts_with(
            "Run a team of agents over a graph of tasks.\n  teamtui                     the screen "
        ),
        "{ran:?}"
    );
    assert!(ran.out.ends_with(
        "\nExit: 0 all required completed, 1 not, 2 usage or file, 3 cap, 4 waits on a person, 128+n signal\n"
    ));
    assert!(sandbox.run(&["--version"]).out.starts_with("teamtui "));
    let ran = sandbox.run(&["help"]);
    assert!(ran.out.starts_with("team     create dissolve status"), "{ran:?}");
    assert!(sandbox.run(&["help", "statuses"]).out.starts_with("from"), "{ran:?}");
    assert!(sandbox.run(&["help", "replan"]).out.starts_with("replan cancel T.. | add NAME .."));
    assert!(sandbox.run(&["help", "exit"]).out.starts_with("0 "));
    assert!(sandbox.run(&["help", "file"]).out.contains("depends_on"));
    assert!(sandbox.run(&["help", "resume"]).rc == 0);
    assert!(sandbox.run(&["resume", "--help"]).out.contains("--answer <NAME=VALUE>"));
    let ran = sandbox.run(&["help", "replna"]);
    assert_eq!(
        (ran.rc, ran.err.as_str()),
        (1, "error: there is no help for `replna`\nhelp: did you mean `replan`?\n")
    );
    for args in [&["completions", "bash"][..], &["completions", "zsh"], &["completions", "fish"], &["man"]] {
        let ran = sandbox.run(args);
        assert!(ran.rc == 0 && ran.out.contains("teamtui") && ran.out.len() > 1_000, "{args:?}");
    }
    // None of these has made anything.
    assert!(!sandbox.root().join("../state").exists());
}

#[test]
fn usage_errors_say_the_nearest_that_there_is() {
    let sandbox = Sandbox::with(&[("t.toml", "")]);
    let cases: &[(&[&str], &str)] = &[
        (&["stauts"], "error: there is no command `stauts`\nhelp: did you mean `teamtui status`?\n"),
        (&["--fromat", "x"], "error: there is no option `--fromat`\nhelp: did you mean `--format`?\n"),
        (
            &["--format", "xml"],
            "error: `xml` is no value of `--format`\nhelp: there are: text, ndjson, json\n",
        ),
        (&["status", "--watsh"], "error: there is no option `--watsh`\nhelp: did you mean `--watch`?\n"),
        (&["t.toml"], "error: there is no command `t.toml`\nhelp: run a file: `teamtui --script t.toml`\n"),
        (
            &["send", "lead", "x"],
            "error: there is no command `send`\nhelp: it is told to a live team: `teamtui do send ..`; `teamtui help send`\n",
        ),
        (
            &["--run", "x", "status"],
            "error: `x` is no run\nhelp: it is `standing` or a number; those there are: `teamtui runs`\n",
        ),
        (&["--set", "x", "--script", "t.toml"], "error: `--set x` is not K=V\n"),
        (&[], "error: no terminal\nhelp: headless: `teamtui --script FILE`\n"),
    ];
    for (args, says) in cases {
        let ran = sandbox.run(args);
        assert_eq!((ran.rc, ran.out.as_str(), ran.err.as_str()), (2, "", *says), "{args:?}");
    }
    let ran = sandbox.run(&["lint"]);
    assert_eq!((ran.rc, ran.err.lines().next()), (2, Some("error: missing: `<FILE>...`")), "{ran:?}");
    let ran = sandbox.run(&["--retries", "many", "--script", "t.toml"]);
    assert_eq!(
        (ran.rc, ran.err.lines().next()),
        (2, Some("error: `many` is no value of `--retries`")),
        "{ran:?}"
    );
}

const OK: &str = "name = \"t\"\n[members.a]\nrun = \"touch ran\"\n";

#[test]
fn an_option_that_is_wrong_is_named_and_not_the_file() {
    let sandbox = Sandbox::with(&[("t.toml", OK), ("s.team", "create t.toml\nwait all\n")]);
    for file in ["t.toml", "s.team"] {
        let ran = sandbox.run(&["--script", file, "--limit", "time=x"]);
        assert!(ran.err.starts_with("error: `--limit time=x`: limit `time`: `x` is no duration"), "{ran:?}");
        let ran = sandbox.run(&["--script", file, "--only", "b"]);
        assert_eq!((ran.rc, ran.err.as_str()), (2, "error: `--only b`: there is no task `b`; there are a\n"));
    }
    let ran = sandbox.run(&["--script", "t.toml", "--answer", "a=b"]);
    assert_eq!(
        (ran.rc, ran.err.as_str()),
        (
            2,
            "error: `--answer` belongs to `teamtui resume`\nhelp: `teamtui resume RUN --answer NAME=VALUE`\n"
        )
    );
    assert_eq!(sandbox.read("ran"), "");
}

#[test]
fn a_team_file_that_a_script_names_and_that_is_not_there_is_found_missing_in_its_line() {
    let sandbox = Sandbox::with(&[("x/s.team", "# a comment\ncreate nonex.toml as=b\n")]);
    let ran = sandbox.run(&["--script", "x/s.team"]);
    assert_eq!(ran.rc, 2);
    let told = "error: x/s.team:2:8: x/nonex.toml: there is no such file\n  2 | create nonex.toml as=b\n    |        ^^^^^^^^^^\n";
    assert!(ran.err.starts_with(told), "{ran:?}");
}

#[test]
fn a_junit_file_that_cannot_be_written_is_noticed_before_anything_starts() {
    let sandbox = Sandbox::with(&[("t.toml", OK)]);
    let ran = sandbox.run(&["--script", "t.toml", "--junit", "no/such/x.xml"]);
    assert_eq!(ran.rc, 2, "{ran:?}");
    assert!(ran.err.starts_with("error: cannot write no/such/x.xml: No such file"), "{ran:?}");
    assert!(!sandbox.root().join("ran").exists());
    assert_eq!(sandbox.run(&["runs"]).out, "", "no run was made");
    let ran = sandbox.run(&["--script", "t.toml", "--junit", "x.xml"]);
    assert_eq!(ran.rc, 0, "{ran:?}");
    assert!(sandbox.read("x.xml").contains("<testsuites"));
}
