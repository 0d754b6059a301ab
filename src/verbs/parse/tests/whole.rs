//! Plans, members and whole scripts.
use super::*;

#[test]
fn keys_end_a_text_and_other_pairs_are_part_of_it() {
    assert_eq!(
        act("ask lead a=b and task=c default=\"no, never\" team=blue"),
        ask(Command::Ask { of: Asker::Lead, text: u("a=b and task=c"), default: Some(u("no, never")) })
    );
    assert_eq!(parsed("say it team=blue").team, Some(n("blue")));
    assert_eq!(error("say it team=blue won").what, "`won` does not belong here");
}

#[test]
fn strings_have_escapes_and_blocks_have_none() {
    let said = |line: &str| match act(line) {
        Act::Member(MemberAct::Say(text)) => text,
        other => panic!("{other:?}"),
    };
    assert_eq!(said(r#"say "a\"b\\c\n\t\u{1F600}""#), "a\"b\\c\n\t\u{1f600}");
    assert_eq!(said("say \"\"\"\r\na \"b\" \\n\r\nc\"\"\""), "a \"b\" \\n\nc");
    for bad in [r#"say "\u{110000}""#, r#"say "\u{}""#, r#"say "\u41""#, "say \"a\nb\"", "say \"a\r\n"] {
        assert!(parse_line(bad, false).is_err(), "{bad}");
    }
}

#[test]
fn a_replan_adds_rewires_and_replaces() {
    let line = "replan cancel perf add perf2 agent=reviewer prompt=\"Profile it again\" retries=0 replace perf=perf2 \
                rewire summary after=security,perf2:finished rewire x after= prompt y \"z\" at=4";
    let Act::Ask(Command::Replan(replan)) = act(line) else { panic!() };
    assert_eq!((replan.at, replan.dry_run, replan.steps.len()), (Some(Revision(4)), false, 6));
    let PlanStep::Add(add) = &replan.steps[1] else { panic!() };
    assert_eq!(add.like, Some(n("reviewer")));
    assert_eq!(add.given, ["prompt", "retries"]);
    assert_eq!(add.member.brief.as_ref().unwrap().prompt, Some(u("Profile it again")));
    assert_eq!(add.member.agent, AgentSpec::new(Driver::Scripted(Vec::new())));
    assert_eq!(replan.steps[2], PlanStep::Replace { old: t("perf"), new: n("perf2") });
    let edge = |on, needs| EdgeSpec { on, needs };
    assert_eq!(
        replan.steps[3],
        PlanStep::Rewire {
            task: t("summary"),
            after: vec![edge(t("security"), Needs::Completed), edge(t("perf2"), Needs::Finished)]
        }
    );
    assert_eq!(replan.steps[4], PlanStep::Rewire { task: t("x"), after: Vec::new() });
    assert_eq!(replan.steps[5], PlanStep::Prompt { task: t("y"), text: u("z") });
}

#[test]
fn a_replacement_has_a_brief_and_its_keys_are_its_own() {
    let line = "replan add a agent=r replace title=a add b agent=r retries=2 add c agent=r";
    let Act::Ask(Command::Replan(replan)) = act(line) else { panic!() };
    assert_eq!(replan.steps[1], PlanStep::Replace { old: t("title"), new: n("a") });
    let added = |index: usize| match &replan.steps[index] {
        PlanStep::Add(add) => add.clone(),
        other => panic!("{other:?}"),
    };
    assert!(added(0).member.brief.is_some());
    assert!(added(2).member.brief.is_none() && added(3).member.brief.is_none());
    assert_eq!((added(0).member.agent.retries, added(2).member.agent.retries), (0, 2));
}

#[test]
fn a_member_is_made_of_its_pairs() {
    let line = "add fmt run=\"cargo fmt --check\" title=Style after=a:completed,b needs=finished outputs=a.md,b.md \
                checks=\"test -s a,b\",true review=lead time=none stall=0s stall_action=fail stop=INT steps=9 \
                rerun=safe retries=2 cost=0.123456 exit=0,3 unconfirmed=accept stdin=prompt env=A,B_*,C=1 cwd=/x";
    let Act::Ask(Command::AddMember(added)) = act(line) else { panic!() };
    let member = added.member;
    let brief = member.brief.clone().unwrap();
    assert_eq!(brief.checks, ["test -s a,b", "true"]);
    assert_eq!(brief.depends_on[0].needs, Needs::Completed);
    assert_eq!(brief.depends_on[1].needs, Needs::Finished);
    assert_eq!((brief.name.clone(), brief.assignee.clone()), (Some(n("fmt")), Some(n("fmt"))));
    let agent = &member.agent;
    let line_of = Line::Run("cargo fmt --check".into());
    assert_eq!(agent.driver, Driver::Process { line: line_of, stdin: Stdin::Prompt });
    assert_eq!((agent.time_ms, agent.stall_ms, agent.steps, agent.retries), (None, 0, 9, 2));
    assert_eq!((agent.stall_action, agent.stop), (StallAction::Fail, StopSignal::Int));
    assert_eq!((agent.rerun, agent.unconfirmed), (Rerun::Safe, Unconfirmed::Accept));
    assert_eq!((agent.cost_micros, agent.exit.as_slice()), (123_456, [0, 3].as_slice()));
    assert_eq!(agent.env, ["A", "B_*", "C=1"]);
    let Act::Ask(Command::AddMember(human)) = act("add sign-off driver=human prompt=Ship?") else { panic!() };
    assert_eq!(human.member.agent, AgentSpec::new(Driver::Human));
    let Act::Ask(Command::AddMember(like)) = act("add perf2 agent=reviewer") else { panic!() };
    assert_eq!((like.like, like.member.brief), (Some(n("reviewer")), None));
}

#[test]
fn arguments_of_a_process_are_words_as_they_are() {
    let words = |words: &[&str], inside_attempt| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        parse_words(&words, inside_attempt)
    };
    let act = |list: &[&str]| words(list, false).unwrap().unwrap().act;
    assert_eq!(
        act(&["send", "lead", "need", "the \"trace\" # now"]),
        ask(Command::Send { to: "lead".into(), text: u("need the \"trace\" # now") })
    );
    assert_eq!(act(&["send", "lead", "\"x\""]), ask(Command::Send { to: "lead".into(), text: u("\"x\"") }));
    assert_eq!(act(&["get", "#12"]), Act::Read(Read::Get(no(12))));
    assert_eq!(
        act(&["cancel", "perf", "release"]),
        ask(Command::Cancel { tasks: vec![t("perf")], dependents: Some(Dependents::Release), text: u("") })
    );
    let Act::Ask(Command::AddMember(added)) = act(&["add", "x", "run=a b, c", "checks=a,b", "checks=c d"])
    else {
        panic!()
    };
    assert_eq!(added.member.brief.as_ref().unwrap().checks, ["a,b", "c d"]);
    assert_eq!(
        added.member.agent.driver,
        Driver::Process { line: Line::Run("a b, c".into()), stdin: Stdin::Null }
    );
    let Act::Ask(Command::AddTask(task)) = act(&["add", "check the keys", "to=perf"]) else { panic!() };
    assert_eq!(task.title, Some(u("check the keys")));
    assert_eq!(
        words(&["complete", "task=summary", "joined"], true).unwrap().unwrap().act,
        ask(Command::Complete { task: Some(t("summary")), text: u("joined") })
    );
    assert_eq!(
        words(&["complete", "task=is done"], true).unwrap().unwrap().act,
        ask(Command::Complete { task: None, text: u("task=is done") })
    );
    assert_eq!(words(&[], false), Ok(None));
    assert_eq!(words(&["get", "a b"], false).unwrap_err().span, Span::new(4, 7));
}

#[test]
fn every_script_and_line_that_is_written_down_is_read() {
    let script = "\u{feff}# auth-review.team\r\ncreate examples/auth-review.toml\r\n\
        send security \"look at refresh tokens first\"\r\nwait perf until failed within 5m\r\n\
        replan cancel perf add perf2 agent=reviewer prompt=\"Profile it again\" replace perf=perf2\r\n\
        wait all\r\nexpect summary completed\r\ndissolve\r\n";
    let lines = parse_script(script, false).unwrap();
    assert_eq!(lines.iter().map(|line| line.number).collect::<Vec<_>>(), [2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(lines[2].text, "wait perf until failed within 5m");
    assert_eq!(lines[2].span.of(script), lines[2].text);
    for line in [
        "wait perf until completed within 5m",
        "retry perf",
        "cancel perf release",
        "retry docs",
        "adopt #12 attempt=2",
        "add \"check the cache keys\" to=style",
        "replan cancel churn",
        "send securty \"need the trace\"",
        "replan rewire summary after=security,perf2:finished dry_run=true",
        "export --run",
    ] {
        parsed(line);
    }
    for line in [
        "say looking at caches",
        "sleep 2s",
        "send security \"need the trace\"",
        "fail no access",
        "write SECURITY.md \"token refresh races\"",
        "complete \"1 finding\"",
        "inbox wait=5m",
        "progress 80",
        "progress 40 parsing",
        "complete -",
        "approve",
        "send_back \"feedback\"",
        "emit \"::error::x\"",
    ] {
        inside(line);
    }
}

#[test]
fn a_script_shows_all_its_mistakes() {
    let script = "status\nsned a b\n\nsay \"\"\"\na\nb\"\"\" # c\n  wait x until faild\nsay \"é\" ü\n";
    let errors = parse_script(script, false).unwrap_err();
    let places: Vec<(u32, u32)> = errors.iter().map(|e| (e.line, e.col)).collect();
    assert_eq!(places, [(2, 1), (7, 16), (8, 9)]);
    let many = "x\n".repeat(1000);
    assert_eq!(parse_script(&many, false).unwrap_err().len(), MAX_ERRORS);
    let large = " ".repeat(usize::try_from(limits::MAX_SCRIPT_BYTES).unwrap() + 1);
    assert_eq!(parse_script(&large, false).unwrap_err().len(), 1);
}

#[test]
fn a_hostile_line_is_read_in_linear_time() {
    for piece in ["a,\"", ",\"\\q", "a=\"", "\"\"", "x,", "->", "="] {
        for head in ["say ", "wait ", "expect messages ", "replan replace ", "add x after="] {
            let line = format!("{head}{}", piece.repeat(100_000 / piece.len()));
            let _ = parse_script(&line, false);
        }
    }
}
