//! Good files become teams.
use super::*;
use crate::domain::{
    AgentSpec, Driver, EdgeSpec, Line, MemberSpec, Name, Needs, Rerun, Reviewer, StallAction, Stdin,
    StopSignal, TaskRef, TaskSpec, Unconfirmed, limits,
};
use proptest::prelude::*;

fn name(written: &str) -> Name {
    Name::reference(written).unwrap()
}

fn edge(on: &str, needs: Needs) -> EdgeSpec {
    EdgeSpec { on: TaskRef::Name(name(on)), needs }
}

fn member<'a>(spec: &'a TeamSpec, of: &str) -> &'a MemberSpec {
    spec.members.iter().find(|member| member.name == name(of)).unwrap()
}

fn brief<'a>(spec: &'a TeamSpec, of: &str) -> &'a TaskSpec {
    member(spec, of).brief.as_ref().unwrap()
}

fn run(spec: &TeamSpec, of: &str) -> String {
    match &member(spec, of).agent.driver {
        Driver::Process { line: Line::Run(line), .. } => line.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_example_becomes_its_team() {
    let loaded = load_with("examples/auth-review.toml", AUTH_REVIEW, &[("service", "login")], true);
    let spec = loaded.spec.unwrap();
    assert_eq!(spec.name, name("auth-review"));
    assert_eq!(spec.goal.as_ref().unwrap().raw(), "Find what would break in production.");
    assert_eq!(spec.file.as_ref().unwrap().raw(), "examples/auth-review.toml");
    assert_eq!(spec.workspace, "/repo");
    let limits =
        Limits { parallel: 4, time_ms: Some(1_200_000), money_micros: Some(2_000_000), ..Limits::default() };
    assert_eq!(spec.limits, limits);
    let names: Vec<&str> = spec.members.iter().map(|member| member.name.as_str()).collect();
    assert_eq!(names, ["churn", "style", "security", "perf"]);
    let security = member(&spec, "security");
    assert_eq!(security.agent_name, Some(name("reviewer")));
    let lines =
        vec!["write SECURITY.md \"token refresh races\"".to_owned(), "complete \"1 finding\"".to_owned()];
    assert_eq!(security.agent, AgentSpec::new(Driver::Scripted(vec![lines])));
    let task = brief(&spec, "security");
    assert_eq!(task.prompt.as_ref().unwrap().raw(), "Review how login refreshes tokens.");
    assert_eq!(task.depends_on, [edge("churn", Needs::Completed), edge("style", Needs::Finished)]);
    assert_eq!(
        (&task.outputs, &task.checks),
        (&vec!["SECURITY.md".to_owned()], &vec!["test -s SECURITY.md".to_owned()])
    );
    assert_eq!(member(&spec, "churn").agent.rerun, Rerun::Safe);
    assert!(brief(&spec, "style").optional);
    let summary = &spec.tasks[0];
    assert_eq!((&summary.name, &summary.assignee), (&Some(name("summary")), &Some(name("security"))));
}

#[test]
fn a_ci_file_expands_each_value_and_depends_on_all_of_them() {
    let spec = team(CI);
    let names: Vec<&str> = spec.members.iter().map(|member| member.name.as_str()).collect();
    assert_eq!(names, ["lint", "build", "test-1", "test-2", "test-3", "docs", "report"]);
    assert_eq!(run(&spec, "test-2"), "cargo nextest run --workspace --partition count:2/3");
    assert_eq!(member(&spec, "test-3").agent.retries, 1);
    let upstream = ["lint", "test-1", "test-2", "test-3"].map(|on| edge(on, Needs::Completed));
    let mut upstream = upstream.to_vec();
    upstream.push(edge("docs", Needs::Finished));
    assert_eq!(brief(&spec, "report").depends_on, upstream);
    assert_eq!(spec.env, ["CARGO_*", "RUSTUP_*", "GITHUB_*"]);
}

#[test]
fn the_file_of_init_lints_clean() {
    let spec = team(init_file());
    assert_eq!(spec.members.len(), 3);
    let loaded = load_with("team.toml", init_file(), &[], true);
    assert_eq!(loaded.findings, []);
}

#[test]
fn the_example_speaks_the_script_language_of_this_build() {
    let options = Options {
        sets: &[],
        headless: true,
        workspace: Path::new("/repo"),
        probe: &PROGRAMS,
        scripts: &Scripts,
    };
    let loaded = load_text("auth-review.toml", AUTH_REVIEW, &options);
    assert_eq!(loaded.findings.iter().map(|finding| finding.code).collect::<Vec<_>>(), ["pipe"]);
    let bad = AUTH_REVIEW.replace("sleep 2s", "slep 2s");
    let finding = load_text("auth-review.toml", &bad, &options).findings.pop().unwrap();
    assert!(finding.text(None).starts_with("error: auth-review.toml:28:37: "), "{}", finding.text(None));
}

#[test]
fn team_time_is_unlimited_on_the_screen_and_an_hour_headless() {
    let text = "name = \"t\"\n[members.a]\nrun = \"ls\"\n";
    assert_eq!(load_with("t.toml", text, &[], false).spec.unwrap().limits.time_ms, None);
    assert_eq!(
        load_with("t.toml", text, &[], true).spec.unwrap().limits.time_ms,
        Some(limits::HEADLESS_TIME_MS)
    );
}

#[test]
fn c038_a_mark_and_carriage_returns_change_nothing() {
    let crlf = format!("\u{feff}{}", AUTH_REVIEW.replace('\n', "\r\n"));
    assert_eq!(loaded(&crlf), loaded(AUTH_REVIEW));
    let spec = team("\u{feff}name = \"t\"\r\n[members.a]\r\nrun = \"\"\"\r\nls\r\ndu\"\"\"\r\n");
    assert_eq!(run(&spec, "a"), "ls\ndu");
}

#[test]
fn every_key_of_an_agent_arrives() {
    let spec = team(
        r#"name = "t"
env = ["A=1"]
workspace = "sub"
[agents.base]
run = "make all"
stdin = "prompt"
env = ["B=2"]
cost = "0.10"
[members.a]
agent = "Base"
title = "The A"
prompt = "go"
instructions = "be brief"
env = ["C_*"]
cwd = "sub"
time = "1m"
stall = "0s"
stall_action = "fail"
stop = "INT"
steps = 3
rerun = "safe"
retries = 2
exit = [0, 3]
unconfirmed = "accept"
review = ["b", "lead", "person"]
priority = -4
default = "yes"
[members.b]
driver = "human"
"#,
    );
    assert_eq!((spec.workspace.as_str(), &spec.env), ("/desk/sub", &vec!["A=1".to_owned()]));
    let a = member(&spec, "a");
    let expected = AgentSpec {
        driver: Driver::Process { line: Line::Run("make all".to_owned()), stdin: Stdin::Prompt },
        instructions: Some("be brief".into()),
        env: vec!["B=2".to_owned(), "C_*".to_owned()],
        cwd: Some("/desk/sub".to_owned()),
        time_ms: Some(60_000),
        stall_ms: 0,
        stall_action: StallAction::Fail,
        stop: StopSignal::Int,
        steps: 3,
        rerun: Rerun::Safe,
        retries: 2,
        cost_micros: 100_000,
        exit: vec![0, 3],
        unconfirmed: Unconfirmed::Accept,
    };
    assert_eq!(a.agent, expected);
    assert_eq!(a.title.as_ref().unwrap().raw(), "The A");
    let task = brief(&spec, "a");
    assert_eq!(task.review, [Reviewer::Member(name("b")), Reviewer::Lead, Reviewer::Person]);
    assert_eq!((task.priority, task.default.as_ref().unwrap().raw()), (-4, "yes"));
    assert_eq!(member(&spec, "b").agent, AgentSpec::new(Driver::Human));
    assert_eq!(member(&spec, "b").brief, None);
}

#[test]
fn a_members_own_line_wins_over_its_agents() {
    let spec = team(
        r#"name = "t"
[agents.base]
driver = "scripted"
script = ["say hi"]
[members]
a = { agent = "base", run = "ls" }
b = { agent = "base", driver = "human" }
c = { agent = "base", script = [["say 1"], ["say 2"]] }
d = { argv = ["ls", "-l"] }
"#,
    );
    assert_eq!(run(&spec, "a"), "ls");
    assert_eq!(member(&spec, "b").agent.driver, Driver::Human);
    let lists = vec![vec!["say 1".to_owned()], vec!["say 2".to_owned()]];
    assert_eq!(member(&spec, "c").agent.driver, Driver::Scripted(lists));
    let argv = Line::Argv(vec!["ls".to_owned(), "-l".to_owned()]);
    assert_eq!(member(&spec, "d").agent.driver, Driver::Process { line: argv, stdin: Stdin::Null });
}

#[test]
fn a_lead_has_a_chair_and_no_task() {
    let spec = team(
        "name = \"t\"\n[lead]\nscript = [\"say hi\"]\nprompt = \"begin\"\noutputs = [\"a\"]\nchecks = [\"test -s a\"]\n",
    );
    let lead = spec.lead.unwrap();
    assert_eq!(lead.prompt.unwrap().raw(), "begin");
    assert_eq!((lead.outputs, lead.checks), (vec!["a".to_owned()], vec!["test -s a".to_owned()]));
    assert_eq!(spec.members, []);
}

#[test]
fn variables_are_words_of_a_shell_and_plain_elsewhere() {
    let spec = team(
        r#"name = "t"
goal = "on {{ vars.what }}"
[vars]
what = "it's; rm -rf ~"
[members.a]
run = "echo {{ vars.what }} '{{.Name}}' ${x} {{ \"a\": 1 }}"
prompt = "{{vars.what}} {{ }} {{{ vars.what }}}"
outputs = ["{{ vars.what }}.md"]
checks = ["test -n {{ vars.what }}"]
"#,
    );
    assert_eq!(run(&spec, "a"), r#"echo 'it'\''s; rm -rf ~' '{{.Name}}' ${x} {{ "a": 1 }}"#);
    assert_eq!(spec.goal.as_ref().unwrap().raw(), "on it's; rm -rf ~");
    let task = brief(&spec, "a");
    assert_eq!(task.prompt.as_ref().unwrap().raw(), "it's; rm -rf ~ {{ }} {it's; rm -rf ~}");
    assert_eq!(task.outputs, ["it's; rm -rf ~.md"]);
    assert_eq!(task.checks, [r"test -n 'it'\''s; rm -rf ~'"]);
}

#[test]
fn needs_beside_depends_on_is_the_default_of_plain_names() {
    let spec = team(
        r#"name = "t"
[members]
a = { run = "ls" }
b = { run = "ls" }
c = { run = "ls", needs = "finished", depends_on = ["a", { task = "b" }] }
[tasks.d]
assignee = "c"
prompt = "x"
depends_on = [{ task = "C", needs = "finished" }]
"#,
    );
    assert_eq!(brief(&spec, "c").depends_on, [edge("a", Needs::Finished), edge("b", Needs::Completed)]);
    assert_eq!(spec.tasks[0].depends_on, [edge("c", Needs::Finished)]);
}

#[test]
fn only_keeps_a_task_and_all_that_it_waits_for() {
    let spec = team(CI);
    let names = |part: &TeamSpec| part.members.iter().map(|m| m.name.to_string()).collect::<Vec<_>>();
    let part = restrict(&spec, &["test-1".to_owned(), "TEST-2".to_owned()]).unwrap();
    assert_eq!(names(&part), ["build", "test-1", "test-2"]);
    let error = restrict(&spec, &["test-4".to_owned()]).unwrap_err();
    assert_eq!(error.to_string(), "there is no task `test-4`; did you mean `test-1`?");
    let error = restrict(&spec, &["zzzzzzz".to_owned()]).unwrap_err();
    let all = "lint, build, test-1, test-2, test-3, docs, report";
    assert_eq!(error.to_string(), format!("there is no task `zzzzzzz`; there are {all}"));
}

#[test]
fn only_keeps_members_that_are_needed_as_chairs() {
    let spec = loaded(AUTH_REVIEW).spec.unwrap();
    let part = restrict(&spec, &["summary".to_owned()]).unwrap();
    assert_eq!(part.members.len(), 4);
    let text = "name = \"t\"\n[members]\na = { run = \"ls\" }\nb = { run = \"ls\", review = [\"c\"] }\nc = { run = \"ls\" }\nd = { run = \"ls\" }\n[tasks.e]\nprompt = \"x\"\nassignee = \"a\"\n";
    let spec = team(text);
    let part = restrict(&spec, &["b".to_owned()]).unwrap();
    assert_eq!(part.members.iter().map(|m| m.brief.is_some()).collect::<Vec<_>>(), [true, false]);
    let mut part = restrict(&spec, &["e".to_owned()]).unwrap();
    assert_eq!((part.members.len(), part.members[0].brief.is_none(), part.tasks.len()), (1, true, 1));
    set_retries(&mut part, 3);
    assert_eq!(part.members[0].agent.retries, 3);
}

#[test]
fn help_names_every_key() {
    let help = help_file();
    for key in schema::KEYS {
        assert!(help.contains(&format!("\n  {} ", key.name)), "{}", key.name);
    }
    assert!(help.starts_with("A team file is TOML."));
}

/// Members with generated texts, each waiting for some of those before it.
fn generated() -> impl Strategy<Value = Vec<(String, Vec<prop::sample::Index>)>> {
    let text = "[ -~éß🦀\\n\\t]{0,20}".prop_map(|text| text.replace("{{", "{ {"));
    prop::collection::vec((text, prop::collection::vec(any::<prop::sample::Index>(), 0..4)), 1..12)
}

#[test]
fn an_apostrophe_in_a_comment_of_a_shell_opens_no_quote() {
    let line = |run: &str| {
        let text = format!("name = \"t\"\n[vars]\nv = \"x y\"\n[members.a]\nrun = \"\"\"{run}\"\"\"\n");
        run_of_loaded(&text)
    };
    assert_eq!(line("# it's here\nls {{ vars.v }}").unwrap(), "# it's here\nls 'x y'");
    assert_eq!(line("ls # don't\nls {{ vars.v }}").unwrap(), "ls # don't\nls 'x y'");
    assert_eq!(line("ls;#it's\nls {{ vars.v }}").unwrap(), "ls;#it's\nls 'x y'");
    // In a comment a value is what it is; one that would end the comment is refused.
    assert_eq!(line("ls # of {{ vars.v }}").unwrap(), "ls # of x y");
    // No comments: the quotes count.
    for quoted in ["echo a#it's {{ vars.v }}'", "echo '# {{ vars.v }}'", "echo {{ vars.v }}#'{{ vars.v }}'"] {
        assert!(line(quoted).unwrap_err().contains("stands inside quotes"), "{quoted}");
    }
    let two = "name = \"t\"\n[vars]\nv = \"x\\ny\"\n[members.a]\nrun = \"ls # {{ vars.v }}\"\n";
    assert!(
        run_of_loaded(two).unwrap_err().contains("stands in a comment, and its value has more than one line")
    );
}

fn run_of_loaded(text: &str) -> Result<String, String> {
    let loaded = loaded(text);
    loaded.spec.map(|spec| run(&spec, "a")).ok_or_else(|| printed(&loaded.findings))
}

#[test]
fn agents_that_say_all_of_it_are_kept_for_members_that_come_later() {
    let spec = team(
        "name = \"t\"\n[vars]\nv = \"x y\"\n[agents.unused]\nrun = \"ls {{ vars.v }}\"\nretries = 2\n\
         [agents.base]\ninstructions = \"be kind\"\n[agents.each]\nrun = \"ls {{ each }}\"\n\
         [agents.signer]\ndriver = \"human\"\n[members.a]\nrun = \"ls\"\n",
    );
    let names: Vec<&str> = spec.agents.keys().map(Name::as_str).collect();
    assert_eq!(names, ["signer", "unused"]);
    let unused = &spec.agents[&Name::reference("unused").unwrap()];
    assert_eq!(unused.retries, 2);
    let line = Line::Run("ls 'x y'".to_owned());
    assert_eq!(unused.driver, Driver::Process { line, stdin: Stdin::Null });
}

#[test]
fn what_is_wrong_with_an_agent_that_nobody_uses_is_said_once() {
    let text = "name = \"t\"\n[agents.x]\nscript = [\"bad\"]\n[agents.y]\nscript = [\"bad\"]\n\
                [members.a]\nagent = \"y\"\nprompt = \"p\"\n";
    assert_eq!(loaded(text).findings.len(), 2);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_valid_team_comes_back_as_it_was_written(members in generated()) {
        let mut file = "name = \"t\"\n".to_owned();
        let mut expected = Vec::new();
        for (at, (prompt, upstream)) in members.iter().enumerate() {
            let mut on: Vec<usize> = if at == 0 { Vec::new() } else { upstream.iter().map(|i| i.index(at)).collect() };
            on.sort_unstable();
            on.dedup();
            let names: Vec<String> = on.iter().map(|at| format!("m{at}")).collect();
            let quoted = toml::Value::String(prompt.clone());
            file.push_str(&format!("[members.m{at}]\nargv = [\"ls\"]\nprompt = {quoted}\ndepends_on = {names:?}\n"));
            expected.push((prompt.clone(), names.iter().map(|on| edge(on, Needs::Completed)).collect::<Vec<_>>()));
        }
        let spec = team(&file);
        let found: Vec<_> = spec.members.iter().map(|member| {
            let brief = member.brief.as_ref().unwrap();
            (brief.prompt.as_ref().unwrap().raw().to_owned(), brief.depends_on.clone())
        }).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(source) = file::decode("x.toml", &bytes) {
            printed(&loaded(source.text()).findings);
        }
    }

    #[test]
    fn a_damaged_team_file_is_read_without_a_panic(
        at in any::<prop::sample::Index>(), len in 0usize..30, put in "[\\[\\]{}\"'=,.a-z#\\n🦀\\\\]{0,8}", ci in any::<bool>(),
    ) {
        let mut text: Vec<char> = if ci { CI } else { AUTH_REVIEW }.chars().collect();
        let at = at.index(text.len());
        let end = (at + len).min(text.len());
        text.splice(at..end, put.chars());
        let loaded = loaded(&text.into_iter().collect::<String>());
        prop_assert_eq!(loaded.spec.is_none(), has_error(&loaded.findings));
        for finding in &loaded.findings {
            finding.text(Some(40));
            prop_assert!(serde_json::from_str::<serde_json::Value>(&finding.json()).is_ok());
        }
    }
}
