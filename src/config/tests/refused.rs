//! What is refused, each with its exact words.
use super::*;

#[test]
fn c037_unknown_and_misplaced_keys_say_where_they_belong() {
    check(&[
        (
            "comand = \"x\"\n[members.a]\nrun = \"ls\"\n",
            r"error: t.toml:2:1: unknown key `comand` in the team
help: keys of the team: name title goal workspace env vars limits lead agents members tasks
",
        ),
        (
            "[members.a]\nrun = \"ls\"\ncomand = \"x\"\n",
            r"error: t.toml:4:1: unknown key `comand` in a member
help: keys of a member: title env agent each driver run argv script stdin model base_url tools instructions cwd time stall stall_action stop steps rerun retries cost exit unconfirmed prompt depends_on needs priority optional outputs checks review default
",
        ),
        (
            "parallel = 2\n[members.a]\nrun = \"ls\"\n",
            r"error: t.toml:2:1: key `parallel` does not belong in the team
help: it is a key of the limits: move it under `[limits]`
",
        ),
        (
            "time = \"2m\"\n[members.a]\nrun = \"ls\"\n",
            r"error: t.toml:2:1: key `time` does not belong in the team
help: it is a key of the limits, the lead, an agent and a member: move it under `[limits]`
",
        ),
        (
            "[agents.a]\nrun = \"ls\"\ndepends_on = []\n",
            r"error: t.toml:4:1: key `depends_on` does not belong in an agent
help: it is a key of a member and a task: move it under `[members.NAME]`
",
        ),
        (
            "[members.a]\nrun = \"ls\"\nassignee = \"b\"\n",
            r"error: t.toml:4:1: key `assignee` does not belong in a member
help: it is a key of a task: move it under `[tasks.NAME]`
",
        ),
        (
            "[members]\na = { run = \"ls\", task = \"b\" }\n",
            r"error: t.toml:3:19: key `task` does not belong in a member
help: it is a key of an edge: write it inside `depends_on = [{ .. }]`
",
        ),
        (
            "[members]\na = { run = \"ls\" }\nb = { run = \"ls\", depends_on = [{ tsk = \"a\" }] }\n",
            r#"error: t.toml:4:33: this edge names no task
help: write `{ task = "NAME", needs = "finished" }`
error: t.toml:4:35: unknown key `tsk` in an edge
help: did you mean `task`?
"#,
        ),
        (
            "members = 3\n",
            r"error: t.toml:2:11: `members` takes tables, one a name, not a whole number
",
        ),
        (
            "[vars]\nenv = [\"A\"]\n[members.a]\nrun = \"ls\"\n",
            r"error: t.toml:3:7: variable `env` takes text in quotes, not a list
help: if you mean the team's `env`, move it above line 2
",
        ),
    ]);
}

#[test]
fn c037_repeated_keys_name_the_first() {
    check(&[
        (
            "[members.a]\nrun = \"ls\"\nrun = \"du\"\n",
            r"error: t.toml:4:1: key `run` is repeated
help: the first is at 3:1; keep one
",
        ),
        (
            "[members.a]\nrun = \"ls\"\n[members.b]\nrun = \"ls\"\n[members.a]\nrerun = \"safe\"\ndependson = 1\n",
            r"error: t.toml:6:10: key `a` is repeated
help: the first is at 2:10; keep one
error: t.toml:8:1: unknown key `dependson` in a member
help: did you mean `depends_on`?
",
        ),
        (
            "[members.a]\nrun = \"ls\"\n[members.a]\nrun = \"du\"\n",
            r"error: t.toml:4:10: key `a` is repeated
help: the first is at 2:10; keep one
",
        ),
        (
            "[members]\na = { run = \"ls\", run = \"du\" }\n",
            r"error: t.toml:3:19: key `run` is repeated
help: the first is at 3:7; keep one
",
        ),
        (
            "[members]\na = { run = \"ls\" }\na = { run = \"du\" }\n",
            r"error: t.toml:4:1: key `a` is repeated
help: the first is at 3:1; keep one
",
        ),
    ]);
}

#[test]
fn wrong_types_say_what_is_taken() {
    check(&[
        (
            "title = 3\n[members.a]\nrun = \"ls\"\n",
            r"error: t.toml:2:9: `title` takes text in quotes, not a whole number
",
        ),
        (
            "env = \"A\"\n[members.a]\nrun = \"ls\"\n",
            r"error: t.toml:2:7: `env` takes a list of texts, not text
",
        ),
        (
            "[members.a]\nrun = [\"ls\"]\n",
            r"error: t.toml:3:7: `run` takes text in quotes, not a list
",
        ),
        (
            "[members.a]\nrun = \"ls\"\noptional = \"yes\"\n",
            r"error: t.toml:4:12: `optional` takes `true` or `false`, not text
",
        ),
        (
            "[members.a]\nrun = \"ls\"\nretries = 1000\n",
            r"error: t.toml:4:11: `retries` takes a whole number from 0 to 100, not 1000
",
        ),
        (
            "[members.a]\nrun = \"ls\"\nretries = 1.5\n",
            r"error: t.toml:4:11: `retries` takes a whole number from 0 to 100, not a number with a point
",
        ),
        (
            "[members.a]\nrun = \"ls\"\ntime = \"5 minutes\"\n",
            r"error: t.toml:4:8: `time`: `5 minutes` is no duration: ` minutes` is no unit of it; the units are d, h, m, s and ms
",
        ),
        (
            "[members.a]\nrun = \"ls\"\ncost = \"2 EUR\"\n",
            r"error: t.toml:4:8: `cost`: `2 EUR` is no money: `EUR` is no unit of it; the units are USD alone
",
        ),
        (
            "[members.a]\nrun = \"ls\"\nrerun = \"saef\"\n",
            r#"error: t.toml:4:9: `rerun` takes "ask" or "safe", not `saef`; did you mean "safe"?
"#,
        ),
        (
            "[members.a]\nrun = \"ls\"\nexit = [0, 256]\n",
            r"error: t.toml:4:12: `exit` takes a list of exit codes from 0 to 255, not 256
",
        ),
        (
            "[members.a]\nscript = [\"say a\", [\"say b\"]]\n",
            r"error: t.toml:3:20: `script` takes a list of lines, or a list of lists of lines, not both
",
        ),
        (
            "[members]\na = \"ls\"\n",
            r"error: t.toml:3:5: `members` takes tables, one a name, not text
",
        ),
        (
            "[[members]]\nrun = \"ls\"\n",
            r"error: t.toml:2:1: `members` takes tables, one a name, not a list
",
        ),
        (
            "[members.a]\nrun = \"ls\"\ndepends_on = \"b\"\n",
            r#"error: t.toml:4:14: `depends_on` takes a list of names and tables `{ task = "NAME", needs = "finished" }`, not text
"#,
        ),
    ]);
}

#[test]
fn c038_files_that_are_no_text_are_refused_with_their_path() {
    let refused =
        |bytes: &[u8]| file::decode("t.toml", bytes).map(drop).map_err(|finding| finding.text(None));
    assert_eq!(
        refused(b"name = \"a\"\n# caf\xe9\n").unwrap_err(),
        "error: t.toml: it is not UTF-8: byte 0xE9 in line 2\nhelp: if it is Latin-1: `iconv -f LATIN1 -t UTF-8 t.toml`\n"
    );
    assert_eq!(
        refused(b"\xff\xfea\0").unwrap_err(),
        "error: t.toml: it is UTF-16, and files are read as UTF-8\nhelp: convert it: `iconv -f UTF-16 -t UTF-8 t.toml`\n"
    );
    for empty in [&b""[..], b"\xef\xbb\xbf", b" \r\n\n"] {
        assert_eq!(
            refused(empty).unwrap_err(),
            "error: t.toml: it is empty\nhelp: write one: `teamtui init`\n"
        );
    }
    let large = vec![b'['; (1 << 20) + 1];
    assert_eq!(
        refused(&large).unwrap_err(),
        "error: t.toml: a file of more than 1.0 MiB is not read\nhelp: keep data in files of their own, and name these in `prompt` or `run`\n"
    );
    assert!(file::decode("t.toml", &large[1..]).is_ok());
}

#[test]
fn files_that_cannot_be_read_say_why() {
    let folder = tempfile::tempdir().unwrap();
    let read = |path: &Path| file::read(path).map(drop).map_err(|finding| finding.message);
    assert_eq!(read(&folder.path().join("none.toml")), Err("there is no such file".to_owned()));
    assert_eq!(read(folder.path()), Err("it is a folder, and a file is needed".to_owned()));
    let file = folder.path().join("a.toml");
    std::fs::write(&file, init_file()).unwrap();
    let options = Options {
        sets: &[],
        headless: false,
        workspace: folder.path(),
        probe: &SystemProbe,
        scripts: &FakeScripts,
    };
    let loaded = load(&file, &options);
    assert_eq!(loaded.findings, []);
    assert_eq!(loaded.spec.unwrap().workspace, folder.path().to_str().unwrap());
    let large = std::fs::File::create(&file).unwrap();
    large.set_len(1 << 40).unwrap();
    assert_eq!(read(&file), Err("a file of more than 1.0 MiB is not read".to_owned()));
}

#[test]
fn what_is_no_toml_is_refused_where_it_stands() {
    check(&[
        (
            "goal = Build\n",
            r#"error: t.toml:2:8: not TOML: string values must be quoted, expected literal string
help: text stands in quotes: key = "value"
"#,
        ),
        (
            "[members.a\nrun = \"ls\"\n",
            r"error: t.toml:2:11: not TOML: unclosed table, expected `]`
",
        ),
        (
            "goal = \"a\n",
            r#"error: t.toml:2:10: not TOML: invalid basic string, expected `"`
"#,
        ),
    ]);
}
