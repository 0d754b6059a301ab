//! Files that ask for what is not theirs, or are no files of ours.
use super::*;

#[test]
fn outputs_and_workspaces_outside_are_refused() {
    check(&[
        (
            "[members.a]\nrun = \"ls\"\noutputs = [\"../x\", \"/etc/passwd\", \"\", \"a/../../x\", \".\", \"a/../b\"]\n",
            r"error: t.toml:4:12: output `../x` of a is outside of the workspace
help: write it relative to the workspace, `/repo`, and below it
error: t.toml:4:20: output `/etc/passwd` of a is outside of the workspace
help: write it relative to the workspace, `/repo`, and below it
error: t.toml:4:35: an output of a is no file name
error: t.toml:4:39: output `a/../../x` of a is outside of the workspace
help: write it relative to the workspace, `/repo`, and below it
error: t.toml:4:52: output `.` of a is outside of the workspace
help: write it relative to the workspace, `/repo`, and below it
",
        ),
        (
            "workspace = \"no-such\"\n[members.a]\nrun = \"ls\"\n",
            r"error: t.toml:2:13: the workspace `/desk/no-such` is no folder
help: paths are relative to this file
",
        ),
    ]);
}

#[test]
fn script_lines_that_do_not_parse_are_shown_where_they_stand() {
    let text = printed(
        &loaded("name = \"t\"\n[members.a]\nscript = [\"say \\\"hi\\\"\", 'bad x', \"\\tbad\"]\n").findings,
    );
    assert_eq!(
        text,
        r#"error: t.toml:3:26: there is no verb `bad`
  3 | script = ["say \"hi\"", 'bad x', "\tbad"]
    |                          ^^^
help: did you mean `say`?
error: t.toml:3:37: there is no verb `bad`
  3 | script = ["say \"hi\"", 'bad x', "\tbad"]
    |                                     ^^^
help: did you mean `say`?
"#
    );
}

#[test]
fn placeholders_must_be_known() {
    check(&[
        (
            "[vars]\nservice = \"a\"\n[members.a]\nrun = \"ls {{ vars.servce }}\"\nprompt = \"{{ service }} {{ each }} {{ github.sha }}\"\n",
            r#"error: t.toml:5:11: unknown placeholder `{{ vars.servce }}`
help: did you mean `{{ vars.service }}`?
error: t.toml:6:11: unknown placeholder `{{ service }}`
help: did you mean `{{ vars.service }}`?
error: t.toml:6:25: unknown placeholder `{{ each }}`
help: give the member `each = ["1", "2"]`: one member a value
error: t.toml:6:36: unknown placeholder `{{ github.sha }}`
help: declare it in `[vars]`; a text that is to stay as it is can be the value of one
"#,
        ),
        (
            "[vars]\nx = \"$(rm)\"\ny = \"plain\"\n[members.a]\nrun = \"echo \\\"{{ vars.x }} {{ vars.y }}\\\" '{{ vars.x }}' {{ vars.x }}\"\n",
            r"error: t.toml:6:15: `{{ vars.x }}` stands inside quotes, where its value could run as a command
help: take it out of the quotes: its value is quoted as one word by itself
error: t.toml:6:44: `{{ vars.x }}` stands inside quotes, where its value could run as a command
help: take it out of the quotes: its value is quoted as one word by itself
",
        ),
    ]);
    let set = |sets| {
        printed(
            &load_with(
                "t.toml",
                "name = \"t\"\n[vars]\nservice = \"a\"\n[members.a]\nrun = \"ls\"\n",
                sets,
                true,
            )
            .findings,
        )
    };
    assert_eq!(set(&[("service", "b")]), "");
    assert_eq!(
        set(&[("servce", "b")]),
        r"error: --set: the team has no variable `servce`
help: did you mean `service`?
"
    );
    assert_eq!(
        set(&[("zzz", "b")]),
        r"error: --set: the team has no variable `zzz`
help: the variables: service
"
    );
}

#[test]
fn a_file_with_countless_errors_is_cut() {
    let keys: String = (0..1000).map(|at| format!("k{at} = 1\n")).collect();
    let loaded = loaded(&keys);
    assert_eq!(loaded.findings.len(), report::MAX_FINDINGS + 1);
    assert_eq!(loaded.findings.last().unwrap().message, "801 more findings are left out");
}

#[test]
fn errors_beyond_the_last_that_is_shown_still_refuse() {
    let mut text = "name = \"t\"\n[members]\n".to_owned();
    for at in 0..250 {
        text.push_str(&format!("m{at} = {{ run = \"nope\" }}\n"));
    }
    let warned = loaded(&text);
    assert!(warned.spec.is_some());
    assert_eq!(warned.findings.last().map(|finding| finding.level), Some(Level::Warning));
    let refused = loaded(&format!("{text}x = {{ run = \"ls\", depends_on = [\"zzzz\"] }}\n"));
    assert!(has_error(&refused.findings) && refused.spec.is_none());
}

#[test]
fn nobody_reviews_their_own_work() {
    for text in [
        "name = \"t\"\n[members.g]\nrun = \"echo x\"\nreview = [\"g\"]\n",
        "name = \"t\"\n[members.g]\nrun = \"ls\"\n[tasks.w]\nassignee = \"g\"\nprompt = \"x\"\nreview = [\"g\"]\n",
    ] {
        let refused = loaded(text);
        assert!(refused.spec.is_none());
        assert_eq!(refused.findings[0].code, "own_review");
        assert_eq!(refused.findings[0].message, "g would review its own work");
    }
}

#[test]
fn hostile_files_are_refused_without_a_panic() {
    let big = 200_000;
    let tasks: String = (0..1_500)
        .map(|at| format!("t{at:07} = {{ prompt = \"x\", depends_on = [\"u{at:07}\"] }}\n"))
        .collect();
    let files = [
        "[".repeat(big),
        format!("a = {}", "[".repeat(big)),
        format!("{}b = 1", "a.".repeat(big / 2)),
        "\"".repeat(big),
        "a\n".repeat(big / 2),
        "a = 1\n".repeat(big / 6),
        "[a]\n".repeat(big / 4),
        format!("name = \"t\"\n[members.a]\nrun = \"{}\"\n", "{{".repeat(big / 2)),
        format!("name = \"t\"\n[members.a]\nrun = \"{}\"\n", "{{a}}".repeat(big / 5)),
        format!("name = \"t\"\n[members.a]\nrun = '{}'\n", "$(".repeat(big / 2)),
        format!("name = \"t\"\n[members.a]\nrun = '{}'\n", "$TEAMTUI_INPUTS/x.md".repeat(big / 20)),
        format!("name = \"t\"\n[tasks]\n{tasks}"),
    ];
    for file in files {
        let loaded = loaded(&file);
        assert!(loaded.findings.len() <= report::MAX_FINDINGS + 1);
    }
}
