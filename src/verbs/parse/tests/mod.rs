//! Every row of the table, the mistakes with their places, and the pages the language is written down in.
mod whole;

use super::*;
use crate::domain::*;
use crate::text::Untrusted;
use crate::verbs::act::*;
use crate::verbs::print;
use std::collections::BTreeSet;

fn parsed(line: &str) -> Parsed {
    parse_line(line, false).unwrap_or_else(|e| panic!("{line}: {e} at {:?}", e.span)).unwrap()
}

fn act(line: &str) -> Act {
    parsed(line).act
}

fn inside(line: &str) -> Act {
    parse_line(line, true).unwrap_or_else(|e| panic!("{line}: {e}")).unwrap().act
}

fn error(line: &str) -> ParseError {
    match parse_line(line, false) {
        Err(e) => e,
        Ok(read) => panic!("{line}: {read:?}"),
    }
}

fn t(name: &str) -> TaskRef {
    TaskRef::Name(n(name))
}

fn no(number: u32) -> TaskRef {
    TaskRef::Number(TaskNo(number))
}

fn n(name: &str) -> Name {
    Name::reference(name).unwrap()
}

fn u(text: &str) -> Untrusted {
    Untrusted::from(text)
}

fn ask(command: Command) -> Act {
    Act::Ask(command)
}

/// Each row: a line of somebody outside, and what it asks.
fn rows() -> Vec<(&'static str, Act)> {
    let goals = |goals: &[Goal]| goals.to_vec();
    let failed = Goal::Status(Status::Failed);
    let wait = |on, within_ms| Act::Wait(Wait { on, within_ms });
    vec![
        (
            "create a/b.toml set=service=login set=x=\"a b\" as=blue",
            Act::Create {
                path: "a/b.toml".into(),
                set: vec![("service".into(), "login".into()), ("x".into(), "a b".into())],
                as_name: Some(n("blue")),
            },
        ),
        ("dissolve", ask(Command::Dissolve)),
        ("status", Act::Read(Read::Status)),
        ("pause", ask(Command::Pause { member: None })),
        ("pause lead", ask(Command::Pause { member: Some(n("lead")) })),
        ("resume perf", ask(Command::Resume { member: Some(n("perf")) })),
        ("report", Act::Report { path: None }),
        ("report out/r.md", Act::Report { path: Some("out/r.md".into()) }),
        ("export x.tar.zst", Act::Export { path: Some("x.tar.zst".into()), script: false }),
        ("export script=true", Act::Export { path: None, script: true }),
        (
            "add \"check keys\" to=perf after=churn,#2:finished priority=-3 optional=true",
            ask(Command::AddTask(Box::new(TaskSpec {
                title: Some(u("check keys")),
                assignee: Some(n("perf")),
                depends_on: vec![
                    EdgeSpec { on: t("churn"), needs: Needs::Completed },
                    EdgeSpec { on: no(2), needs: Needs::Finished },
                ],
                priority: -3,
                optional: true,
                ..TaskSpec::default()
            }))),
        ),
        ("remove perf", ask(Command::Remove { member: n("perf") })),
        ("assign #12 to=perf", ask(Command::Assign { task: no(12), to: n("perf") })),
        (
            "update 12 title=\"a, b\" priority=5 optional=false",
            ask(Command::Update {
                task: no(12),
                change: TaskChange { title: Some(u("a, b")), priority: Some(5), optional: Some(false) },
            }),
        ),
        (
            "list status=failed,held assignee=perf,lead",
            Act::Read(Read::List {
                status: goals(&[failed, Goal::Held]),
                assignee: vec![n("perf"), n("lead")],
            }),
        ),
        ("get #3", Act::Read(Read::Get(no(3)))),
        ("why summary", Act::Read(Read::Why(t("summary")))),
        ("claim #3", ask(Command::Claim { task: no(3) })),
        ("progress 40 parsing it", ask(Command::Progress { percent: 40, text: u("parsing it") })),
        ("complete perf done well", ask(Command::Complete { task: Some(t("perf")), text: u("done well") })),
        ("fail perf", ask(Command::Fail { task: Some(t("perf")), text: u("") })),
        ("comment #1 \"see perf.md\"", ask(Command::Comment { task: no(1), text: u("see perf.md") })),
        (
            "cancel perf,style hold \"not worth it\"",
            ask(Command::Cancel {
                tasks: vec![t("perf"), t("style")],
                dependents: Some(Dependents::Hold),
                text: u("not worth it"),
            }),
        ),
        (
            "cancel perf \"hold\"",
            ask(Command::Cancel { tasks: vec![t("perf")], dependents: None, text: u("hold") }),
        ),
        (
            "retry perf use the small set",
            ask(Command::Retry { tasks: vec![t("perf")], text: u("use the small set") }),
        ),
        ("adopt #12 attempt=2", ask(Command::Adopt { task: no(12), attempt: Some(2) })),
        ("interrupt perf", ask(Command::Interrupt { member: n("perf") })),
        ("expect perf held", Act::Expect(Check::Status { task: t("perf"), is: Goal::Held })),
        (
            "review summary by=critic,lead,person",
            ask(Command::SetReviewers {
                task: t("summary"),
                by: vec![Reviewer::Member(n("critic")), Reviewer::Lead, Reviewer::Person],
            }),
        ),
        ("approve task=summary", ask(Command::Approve { task: Some(t("summary")), text: u("") })),
        (
            "send_back summary name files",
            ask(Command::SendBack { task: Some(t("summary")), text: u("name files") }),
        ),
        (
            "reject summary no release=true",
            ask(Command::Reject { task: t("summary"), text: u("no"), release: true }),
        ),
        ("send lead need the trace", ask(Command::Send { to: "lead".into(), text: u("need the trace") })),
        ("broadcast \"it is final\"", ask(Command::Broadcast { text: u("it is final") })),
        ("inbox wait=5m", Act::Inbox { wait_ms: Some(300_000) }),
        (
            "ask person Ship it? default=no",
            ask(Command::Ask { of: Asker::Person, text: u("Ship it?"), default: Some(u("no")) }),
        ),
        ("answer sign-off yes", ask(Command::Answer { of: t("sign-off"), text: u("yes") })),
        ("say looking at caches", Act::Member(MemberAct::Say("looking at caches".into()))),
        ("wait all within 5m", wait(WaitOn::All, Some(300_000))),
        ("wait \"all\"", wait(WaitOn::Tasks { tasks: vec![t("all")], until: Goal::OVER.to_vec() }, None)),
        (
            "wait perf,#2 until failed,settled within 1m30s",
            wait(
                WaitOn::Tasks { tasks: vec![t("perf"), no(2)], until: goals(&[failed, Goal::Settled]) },
                Some(90_000),
            ),
        ),
        ("sleep 2s", Act::Sleep { ms: 2_000 }),
        ("write a.md", Act::Member(MemberAct::Write { path: "a.md".into(), text: String::new() })),
        ("write a.md \"x\\ny\"", Act::Member(MemberAct::Write { path: "a.md".into(), text: "x\ny".into() })),
        ("read a.md", Act::Member(MemberAct::Read { path: "a.md".into() })),
        ("emit \"\\u{1b}[1m\"", Act::Member(MemberAct::Emit("\u{1b}[1m".into()))),
        ("hang", Act::Member(MemberAct::Hang)),
        ("crash", Act::Member(MemberAct::Crash { at: None })),
        ("crash at event 12", Act::Member(MemberAct::Crash { at: Some(12) })),
        (
            "replan cancel perf release at=3 dry_run=true",
            ask(Command::Replan(Replan {
                steps: vec![PlanStep::Cancel {
                    tasks: vec![t("perf")],
                    dependents: Some(Dependents::Release),
                }],
                at: Some(Revision(3)),
                dry_run: true,
            })),
        ),
    ]
}

#[test]
fn every_row_of_the_table_asks_what_it_says() {
    let mut seen = BTreeSet::new();
    for (line, expected) in rows() {
        let read = parsed(line);
        assert_eq!(read.act, expected, "{line}");
        seen.insert(read.verb.id);
    }
    for verb in TABLE {
        assert!(seen.contains(verb.id), "no row for {}", verb.id);
    }
}

#[test]
fn every_row_is_printed_so_that_it_reads_the_same() {
    let examples = TABLE.iter().flat_map(|verb| verb.examples.iter().copied());
    for line in rows().iter().map(|(line, _)| *line).chain(examples) {
        for inside_attempt in [false, true] {
            let Ok(Some(read)) = parse_line(line, inside_attempt) else { continue };
            let printed = print(&read);
            assert_eq!(parse_line(&printed, inside_attempt), Ok(Some(read)), "{line} as {printed}");
        }
    }
}

#[test]
fn mistakes_are_shown_where_they_are() {
    let cases: &[(&str, usize, usize, &str)] = &[
        ("creat x", 0, 5, "`creat` is no command"),
        ("create", 6, 6, "`create` needs PATH"),
        ("create x as=lead", 12, 16, "the name `lead` is reserved"),
        ("create x set=y", 13, 14, "a variable is set like `set=NAME=VALUE`"),
        ("dissolve now", 9, 12, "`now` does not belong here"),
        ("status all", 7, 10, "`all` does not belong here"),
        ("pause a b", 8, 9, "`b` does not belong here"),
        ("resume a/b", 7, 10, "the name `a/b` has `/` in it: names have letters, digits, `-`, `_` and `.`"),
        ("report \"\"", 7, 9, "a path is missing here"),
        ("export script=yes", 14, 17, "`yes` is none of `true`, `false`"),
        ("add \"x\"", 7, 7, "`add` needs to="),
        ("add x", 4, 5, "nobody sits in the chair of `x`"),
        ("add x agnt=y", 6, 10, "`add` has no key `agnt`"),
        ("add x run=a argv=b", 12, 18, "`run=` and `argv=` exclude each other"),
        (
            "add x agent=y needs=finished",
            20,
            28,
            "`needs=` says what `after=` needs, and there is no `after=`",
        ),
        ("add x script=\"sned a b\"", 13, 23, "in this line: `sned` is no command"),
        ("replan", 6, 6, "`replan` needs a step"),
        ("replan cancl x", 7, 12, "`cancl` begins no step of a replan"),
        ("replan rewire x", 15, 15, "`rewire` needs `after=`"),
        ("replan replace x y", 15, 16, "a replacement is written `OLD=NEW`, without blanks"),
        ("replan cancel x add lead run=y", 20, 24, "the name `lead` is reserved"),
        ("remove", 6, 6, "`remove` needs MEMBER"),
        ("assign #1", 9, 9, "`assign` needs to="),
        ("assign #1 t=x", 10, 11, "`assign` has no key `t`"),
        ("assign #1 to=a to=b", 15, 19, "`to=` is given twice"),
        ("update x", 8, 8, "`update` needs title=, priority= or optional="),
        ("list status=faild", 12, 17, "`faild` is no status"),
        ("get #x", 4, 6, "`#x` is no number of a task"),
        ("why", 3, 3, "`why` needs TASK"),
        ("claim #0", 6, 8, "`#0` is no number of a task"),
        ("progress 101", 9, 12, "`101` is more than 100 percent"),
        ("progress x", 9, 10, "`x` is no whole number"),
        ("complete", 8, 8, "`complete` needs TASK"),
        ("fail \"x\" \"a\" b", 13, 14, "the text goes on after its closing quote"),
        ("comment x", 9, 9, "`comment` needs TEXT"),
        ("comment x \"\"", 10, 12, "TEXT is empty"),
        ("cancel a,,b", 9, 9, "a name is missing here"),
        ("retry a \"b", 8, 10, "this string does not end"),
        ("adopt a attempt=two", 16, 19, "`two` is no whole number"),
        ("interrupt a b", 12, 13, "`b` does not belong here"),
        ("expect x held by", 16, 16, "`expect` needs TASK,.. after `held by`"),
        ("expect cost <", 13, 13, "this comparison is not complete"),
        ("expect x result has", 16, 19, "after `result` stands `contains`"),
        ("review x", 8, 8, "`review` needs by="),
        ("approve", 7, 7, "`approve` needs TASK"),
        ("send_back x", 11, 11, "`send_back` needs TEXT"),
        ("reject x no release=1", 20, 21, "`1` is none of `true`, `false`"),
        ("send x \"a\\qb\"", 9, 11, "`\\q` is no escape"),
        ("broadcast", 9, 9, "`broadcast` needs TEXT"),
        ("inbox wait=5", 11, 12, "`5` is no duration: a unit is missing; the units are d, h, m, s and ms"),
        ("ask them x", 4, 8, "`them` is none of `person`, `lead`"),
        ("answer x", 8, 8, "`answer` needs TEXT"),
        ("say", 3, 3, "`say` needs TEXT"),
        ("wait all until failed", 15, 21, "`wait all` has no `until`"),
        ("wait a b", 7, 8, "`b` does not belong here"),
        ("sleep 5x", 6, 8, "`5x` is no duration: `x` is no unit of it; the units are d, h, m, s and ms"),
        ("write", 5, 5, "`write` needs PATH"),
        ("read", 4, 4, "`read` needs PATH"),
        ("emit", 4, 4, "`emit` needs \"TEXT\""),
        ("hang on", 5, 7, "`on` does not belong here"),
        ("crash at event x", 15, 16, "`x` is no whole number"),
        ("status\nstatus", 7, 13, "a second line begins here"),
        ("say \"\"\"x", 4, 7, "this block of text does not end"),
    ];
    let mut seen = BTreeSet::new();
    for (line, start, end, what) in cases {
        let e = error(line);
        assert_eq!((e.what.as_str(), e.span), (*what, Span::new(*start, *end)), "{line}");
        seen.insert(line.split_whitespace().next().unwrap());
    }
    for verb in TABLE {
        assert!(seen.contains(verb.id), "no mistake for {}", verb.id);
    }
}

#[test]
fn mistakes_name_what_was_meant() {
    let help = |line: &str| error(line).help;
    assert_eq!(help("sned x y").first().unwrap(), "did you mean `send`?");
    assert_eq!(help("add x agnt=y").first().unwrap(), "did you mean `agent`?");
    assert_eq!(help("wait a until faild").first().unwrap(), "did you mean `failed`?");
    assert_eq!(help("replan cancl x").first().unwrap(), "did you mean `cancel`?");
    assert_eq!(help("nonsense"), ["all of them: `teamtui help`"]);
    assert_eq!(help("comment x"), ["`comment TASK TEXT`"]);
}

#[test]
fn checks_are_read_with_blanks_or_without() {
    let check = |line: &str| match act(line) {
        Act::Expect(check) => check,
        other => panic!("{other:?}"),
    };
    let messages = Check::Messages { from: n("perf"), to: n("security"), cmp: Cmp::AtLeast, n: 1 };
    for line in [
        "expect messages perf -> security >= 1",
        "expect messages perf->security >= 1",
        "expect messages perf->security>=1",
        "expect messages perf ->security >=1",
    ] {
        assert_eq!(check(line), messages, "{line}");
    }
    for line in ["expect cost < 2.00", "expect cost<2", "expect cost <2.0"] {
        assert_eq!(check(line), Check::Cost { cmp: Cmp::Less, micros: 2_000_000 }, "{line}");
    }
    assert_eq!(check("expect x held by a,#2"), Check::HeldBy { task: t("x"), by: vec![t("a"), no(2)] });
    assert_eq!(check("expect x assigned perf"), Check::Assigned { task: t("x"), to: n("perf") });
    assert_eq!(
        check("expect x result contains \"1 finding\""),
        Check::Result { task: t("x"), contains: "1 finding".into() }
    );
    let status = |task| Check::Status { task, is: Goal::Status(Status::Completed) };
    assert_eq!(check("expect cost completed"), status(t("cost")));
    assert_eq!(check("expect messages completed"), status(t("messages")));
    assert_eq!(check("expect \"messages\" completed"), status(t("messages")));
    assert_eq!(check("expect held held"), Check::Status { task: t("held"), is: Goal::Held });
}

#[test]
fn own_tasks_are_named_by_who_has_no_attempt() {
    let done = |task, text: &str| ask(Command::Complete { task, text: u(text) });
    assert_eq!(inside("complete 1 finding"), done(None, "1 finding"));
    assert_eq!(inside("complete"), done(None, ""));
    assert_eq!(inside("complete task=summary \"joined\""), done(Some(t("summary")), "joined"));
    assert_eq!(act("complete summary joined"), done(Some(t("summary")), "joined"));
    assert_eq!(act("complete task=summary joined"), done(Some(t("summary")), "joined"));
    assert_eq!(inside("fail no access"), ask(Command::Fail { task: None, text: u("no access") }));
}

#[test]
fn a_number_is_a_number_with_its_hash_or_without_and_quoted_it_is_a_name() {
    assert_eq!(act("get #12"), Act::Read(Read::Get(no(12))));
    assert_eq!(act("get 12"), Act::Read(Read::Get(no(12))));
    assert_eq!(act("get 012"), Act::Read(Read::Get(t("012"))));
    assert_eq!(act("get 1.0"), Act::Read(Read::Get(t("1.0"))));
    assert_eq!(act("get \"12\""), Act::Read(Read::Get(t("12"))));
}

#[test]
fn a_quoted_word_is_never_a_keyword() {
    let Act::Wait(wait) = act("wait \"all\" until held") else { panic!() };
    assert_eq!(wait.on, WaitOn::Tasks { tasks: vec![t("all")], until: vec![Goal::Held] });
    assert_eq!(error("wait x \"until\" held").span, Span::new(7, 14));
    let e = error("\"status\"");
    assert_eq!(e.what, "`status` is no command");
}

#[test]
fn comments_begin_first_or_after_a_blank_if_a_blank_or_the_end_follows() {
    let said = |line: &str| match act(line) {
        Act::Member(MemberAct::Say(text)) => text,
        other => panic!("{other:?}"),
    };
    assert_eq!(said("say see #12 and a#b # but not this"), "see #12 and a#b");
    assert_eq!(said("say \"a # b\" #"), "a # b");
    assert_eq!(said("say it is \"a # b\" here"), "it is \"a # b\" here");
    assert_eq!(said("say 5\" wide,\"or so"), "5\" wide,\"or so");
    for line in ["", "  ", "#", "# x", " \t# x", "\r\n", "\u{feff}# x"] {
        assert_eq!(parse_line(line, false), Ok(None), "{line:?}");
    }
    assert_eq!(error("#12").what, "`#12` is no command");
}
