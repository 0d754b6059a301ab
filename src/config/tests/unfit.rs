//! What cannot be a team although every key is right, each with its exact words.
use super::*;

#[test]
fn more_than_a_thousand_members_are_refused() {
    let members = |n: usize| (0..n).map(|at| format!("m{at} = {{ run = \"ls\" }}\n")).collect::<String>();
    assert_eq!(said(&format!("[members]\n{}", members(1000))), "");
    check(&[(
        &format!("[members]\n{}", members(1001)),
        r"error: t.toml:1003:1: a team has at most 1,000 members, and this one is beyond
help: declare work for the same chairs as `[tasks.NAME]`, or split the team
",
    )]);
    let values: Vec<String> = (0..1001).map(|at| at.to_string()).collect();
    check(&[(
        &format!("[members.a]\nrun = \"ls\"\neach = {values:?}\n"),
        r"error: t.toml:2:10: a team has at most 1,000 members, and this one is beyond
help: declare work for the same chairs as `[tasks.NAME]`, or split the team
",
    )]);
}

#[test]
fn texts_of_each_are_bounded_together() {
    let values: Vec<String> = (0..1000).map(|at| at.to_string()).collect();
    let text = format!(
        "[members.a]\nrun = \"ls\"\neach = {values:?}\nprompt = \"{{{{ each }}}}{}\"\n",
        "x".repeat(100_000)
    );
    check(&[(
        &text,
        r"error: t.toml: its texts come to more than 16.0 MiB with all values of `each` put in
",
    )]);
}

#[test]
fn c004_names_are_taken_once_and_both_places_are_shown() {
    check(&[
        (
            "[members.rev]\nrun = \"ls\"\n[members.REV]\nrun = \"ls\"\n[members.sum]\nrun = \"ls\"\ndepends_on = [\"rev\"]\n",
            r"error: t.toml:4:10: the name `REV` is taken by `rev` at 2:10 (names differ by more than case)
",
        ),
        (
            "[members.rev]\nrun = \"ls\"\n[tasks.rev]\nprompt = \"x\"\n",
            r"error: t.toml:4:8: the name `rev` is taken by `rev` at 2:10 (members and tasks share their names)
",
        ),
        (
            "[members]\nLead = { run = \"ls\" }\nbroadcast = { run = \"ls\" }\nuser = { run = \"ls\" }\n",
            r"error: t.toml:3:1: the name `Lead` is reserved
help: the lead has a table of its own: `[lead]`
error: t.toml:4:1: the name `broadcast` is reserved
help: take another name; show this one as its `title`
error: t.toml:5:1: the name `user` is reserved
help: take another name; show this one as its `title`
",
        ),
        (
            "[members.a]\nrun = \"ls\"\neach = [\"1\", \"1\"]\n",
            r"error: t.toml:4:14: the name `a-1` is taken by `a-1` at 4:9 (`each` makes a member of each value)
",
        ),
        (
            "[agents.a]\nrun = \"ls\"\n[agents.A]\nrun = \"ls\"\n[members.b]\nagent = \"a\"\n",
            r"error: t.toml:4:9: the name `A` is taken by `a` (names differ by more than case)
",
        ),
    ]);
}

#[test]
fn c040_names_that_could_be_paths_are_refused() {
    for bad in ["../../x", "/etc/x", "a/b", "..", "", "x\\u0000y", "-rf"] {
        let text = said(&format!("[members.\"{bad}\"]\nrun = \"ls\"\n"));
        assert!(text.starts_with("error: t.toml:2:10: "), "{text}");
        let text = loaded(&format!("name = \"{bad}\"\n[members.a]\nrun = \"ls\"\n"));
        assert_eq!(text.findings[0].code, "bad_name");
    }
    check(&[
        (
            &format!("[members.\"{}\"]\nrun = \"ls\"\n", "é".repeat(300)),
            r"error: t.toml:2:10: the name `ééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé…` is too long: at most 64 characters and 128 bytes
help: a name is like `auth-2`; any text can be its `title`
",
        ),
        ("[members.CON]\nrun = \"ls\"\n", ""),
        (
            "[members.a]\nrun = \"ls\"\neach = [\"x/y\"]\n",
            r"error: t.toml:4:9: the name `a-x/y` has `/` in it: names have letters, digits, `-`, `_` and `.`
help: a name is like `auth-2`; any text can be its `title`
",
        ),
    ]);
}

#[test]
fn c001_cycles_print_exactly_their_loop() {
    check(&[
        (
            "[members]\nd = { run = \"ls\", depends_on = [\"a\"] }\na = { run = \"ls\", depends_on = [\"b\"] }\nb = { run = \"ls\", depends_on = [\"c\"] }\nc = { run = \"ls\", depends_on = [\"a\"] }\n",
            r"error: t.toml:4:33: cycle: a -> b -> c -> a
help: each waits for the next; remove one: a's at 4:33, b's at 5:33, c's at 6:33
",
        ),
        (
            "[members]\na = { run = \"ls\", depends_on = [\"A\"] }\n",
            r"error: t.toml:3:33: a depends on itself
help: take it out: a task cannot wait for its own end
",
        ),
        (
            "[members]\na = { run = \"ls\", each = [\"1\", \"2\"], depends_on = [\"b\"] }\nb = { run = \"ls\", depends_on = [\"a\"] }\n",
            r"error: t.toml:3:52: cycle: a-1 -> b -> a-1
help: each waits for the next; remove one: a-1's at 3:52, b's at 4:33
",
        ),
    ]);
}

#[test]
fn c002_dependencies_that_do_not_exist_name_the_nearest() {
    check(&[
        (
            "[members]\nbuild = { run = \"ls\" }\ntest = { run = \"ls\", depends_on = [\"biuld\"] }\n",
            r"error: t.toml:4:36: test depends on `biuld`, which does not exist
help: did you mean `build`?
",
        ),
        (
            "[agents.reviewer]\nrun = \"ls\"\n[members]\nb = { agent = \"reviewer\" }\nc = { run = \"ls\", depends_on = [\"reviewer\"] }\n",
            r"error: t.toml:6:33: c depends on `reviewer`, which does not exist
help: `reviewer` is an agent; depend on a member or a task
",
        ),
        (
            "[members]\nb = { driver = \"human\" }\nc = { run = \"ls\", depends_on = [\"b\"] }\n",
            r"error: t.toml:4:33: c depends on `b`, which has no task of its own
help: give b a `prompt`, or depend on a task it is assigned to
",
        ),
        (
            "[members]\nb = { run = \"ls\" }\nc = { run = \"ls\", depends_on = [\"b\", { task = \"B\" }] }\n",
            r"error: t.toml:4:47: c depends on `b` twice
help: the first is at 4:33; keep one
",
        ),
        (
            "[members]\nb = { run = \"ls\", needs = \"finished\" }\nc = { run = \"ls\", depends_on = [{ needs = \"finished\" }] }\n",
            r#"error: t.toml:3:19: `needs` has no meaning without `depends_on`
help: write `depends_on`, or take it out
error: t.toml:4:33: this edge names no task
help: write `{ task = "NAME", needs = "finished" }`
"#,
        ),
    ]);
}

#[test]
fn agents_and_drivers_must_be_known_and_fit() {
    check(&[
        (
            "[agents.reviewer]\nrun = \"ls\"\n[members]\na = { agent = \"reviewr\", prompt = \"x\" }\nb = { agent = \"zzz\" }\n",
            r"error: t.toml:5:15: there is no agent `reviewr`
help: did you mean `reviewer`?
error: t.toml:6:15: there is no agent `zzz`
help: the agents: reviewer
",
        ),
        (
            "[members]\na = { driver = \"proces\", run = \"ls\" }\nb = { driver = \"docker\" }\n",
            r"error: t.toml:3:16: unknown driver `proces`
help: did you mean `process`?
error: t.toml:4:16: unknown driver `docker`
help: there are process, scripted, human
",
        ),
        (
            "[members]\na = { driver = \"anthropic\", model = \"m\", prompt = \"x\" }\nb = { run = \"ls\", tools = [\"read\"] }\n",
            r#"error: t.toml:3:16: driver `anthropic` talks to a model, and this build has no such driver
help: there are process, scripted, human
help: run the model's own command: `run = "..."` with `stdin = "prompt"`
error: t.toml:4:19: key `tools` is for drivers with a model, and this build has none
help: there are process, scripted, human
"#,
        ),
        (
            "[members]\na = { prompt = \"x\" }\n",
            r#"error: t.toml:3:1: nothing says how a runs
help: say `run`, `argv`, `script`, `agent = "NAME"` or `driver = "human"`
"#,
        ),
        (
            "[members]\na = { driver = \"process\" }\nb = { driver = \"scripted\" }\n",
            r"error: t.toml:3:16: a has no `run` or `argv`, and driver `process` needs one
error: t.toml:4:16: b has no `script`, and driver `scripted` needs one
",
        ),
        (
            "[members]\na = { run = \"ls\", argv = [\"ls\"] }\nb = { run = \"ls\", script = [\"say x\"] }\n",
            r"error: t.toml:3:26: `argv` and `run` exclude each other: `run` is at 3:13
help: keep one of `run`, `argv` and `script`
error: t.toml:4:28: `script` and `run` exclude each other: `run` is at 4:13
help: keep one of `run`, `argv` and `script`
",
        ),
        (
            "[members]\na = { driver = \"human\", run = \"ls\" }\nb = { script = [\"say x\"], stdin = \"prompt\" }\n",
            r"error: t.toml:3:31: driver `human` has no `run`: that is for `process`
help: take out `run`, or `driver`
error: t.toml:4:35: `stdin` is for processes, and this one is scripted
help: take out `stdin`
",
        ),
        (
            "[members]\na = { run = \" \" }\nb = { argv = [] }\nc = { argv = [\"\"] }\nd = { script = [] }\ne = { run = \"a\\u0000\" }\n",
            r#"error: t.toml:3:13: `run` is empty
error: t.toml:4:14: `argv` is empty: its first word is the program
error: t.toml:5:15: `argv` is empty
error: t.toml:6:16: `script` has no lines
help: end it with `"complete"`
error: t.toml:7:13: `run` holds a NUL character, which no command can have
"#,
        ),
        (
            "[members.a]\nagent = \"base\"\noptional = true\n[agents.base]\nrun = \"ls\"\n",
            r"error: t.toml:4:1: `optional` has no meaning here: a has no task of its own
help: give it a `prompt`, `run`, `argv` or `script`
",
        ),
        (
            "[members.a]\nrun = \"ls\"\nenv = [\"A B\", \"=x\", \"PRE_*\", \"TEAMTUI_RESULT=x\", \"1A\"]\n",
            r"error: t.toml:4:8: `A B` names no environment
help: write `NAME`, `PREFIX_*` or `NAME=value`
error: t.toml:4:15: `=x` names no environment
help: write `NAME`, `PREFIX_*` or `NAME=value`
error: t.toml:4:30: `TEAMTUI_RESULT` is given to every member already
error: t.toml:4:50: `1A` names no environment
help: write `NAME`, `PREFIX_*` or `NAME=value`
",
        ),
    ]);
}

#[test]
fn tasks_that_nobody_may_run_are_refused() {
    let with = |rest: &str| {
        format!(
            "[agents.rev]\nrun = \"ls\"\n[members]\nsecurity = {{ run = \"ls\" }}\nt = {{ run = \"ls\", each = [\"1\", \"2\"] }}\n[tasks.x]\nprompt = \"x\"\n{rest}"
        )
    };
    check(&[
        (
            &with("assignee = \"securty\"\n"),
            r"error: t.toml:9:12: x is given to `securty`, and there is no such member
help: did you mean `security`?
",
        ),
        (
            &with("assignee = \"rev\"\n"),
            r#"error: t.toml:9:12: x is given to `rev`, and there is no such member
help: that is an agent; give it a chair: `[members.NAME]` with `agent = "rev"`
"#,
        ),
        (
            &with("assignee = \"t\"\n"),
            r"error: t.toml:9:12: x is given to `t`, and these are several members
help: name one of them, as `t-1`
",
        ),
        (
            &with("assignee = \"lead\"\n"),
            r"error: t.toml:9:12: x is given to the lead, and no agent sits in that chair
help: give the lead one: `[lead]`, or name a member
",
        ),
        (
            &with("assignee = \"person\"\n"),
            r#"error: t.toml:9:12: x is given to a person, and no person has a chair
help: make one: `[members.NAME]` with `driver = "human"`
"#,
        ),
        (
            &with("review = [\"securty\", \"security\", \"Security\", \"zzz\"]\n"),
            r"error: t.toml:9:11: x is reviewed by `securty`, and there is no such member
help: did you mean `security`?
error: t.toml:9:34: `Security` reviews x twice
help: keep one
error: t.toml:9:46: x is reviewed by `zzz`, and there is no such member
help: name a member, `lead` or `person`
",
        ),
        (
            "[members.a]\nrun = \"ls\"\n[tasks.x]\nassignee = \"a\"\n",
            r"error: t.toml:4:8: x asks for nothing: it has no `prompt`
",
        ),
        (
            "[agents.a]\nrun = \"ls\"\n",
            r#"error: t.toml: the team has no members, so nothing could run
help: add one: `[members.NAME]` with `run = "..."`
"#,
        ),
    ]);
}

#[test]
fn limits_that_cannot_be_met_are_refused() {
    check(&[
        (
            "[limits]\nparallel = 0\n[members.a]\nrun = \"ls\"\n",
            r"error: t.toml:3:12: with `parallel` 0 nothing could ever start
",
        ),
        (
            "[limits]\nparallel = 500\ntime = \"1m\"\n[members.a]\nrun = \"ls\"\n",
            r"error: t.toml:3:12: `parallel` is at most 256: one owner has no more live attempts
",
        ),
        (
            "[limits]\ntime = \"0s\"\n[members.a]\nrun = \"ls\"\ntime = \"0s\"\n",
            r"error: t.toml:3:8: with `time` 0 nothing could ever start
error: t.toml:6:8: with `time` 0 an attempt of a ends at once
",
        ),
        (
            "[limits]\nmoney = \"2\"\n[members.a]\nrun = \"ls\"\ncost = \"3.50 USD\"\n",
            r"error: t.toml:6:8: an attempt of a reserves 3.50 USD, and the team has 2.00 USD in all: it could never start
help: the team's `money` is at 3:9
",
        ),
    ]);
}
