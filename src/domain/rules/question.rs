//! R31: what members may not, and how they ask.
use crate::domain::trial::{Trial, agent, by_name, human, led, member, name, process, team, with};
use crate::domain::*;

fn ask(of: Asker, default: Option<&str>) -> Command {
    Command::Ask { of, text: "Ship it?".into(), default: default.map(Into::into) }
}

fn answer(of: &str) -> Command {
    Command::Answer { of: by_name(of), text: "yes".into() }
}

#[test]
fn r31_members_may_not_steer_the_team_and_are_told_what_to_do_instead() {
    let mut t = Trial::with(led(vec![member("a", &[]), member("b", &[])]));
    let b = || by_name("b");
    let commands = [
        Command::Create(Box::new(team(vec![member("x", &[])]))),
        Command::AddMember(Box::new(member("x", &[]).into())),
        Command::Replan(Replan::default()),
        Command::Remove { member: name("b") },
        Command::Dissolve,
        Command::Cancel { tasks: vec![b()], dependents: None, text: "".into() },
        Command::Retry { tasks: vec![b()], text: "".into() },
        Command::SetReviewers { task: b(), by: Vec::new() },
        Command::Reject { task: b(), text: "".into(), release: true },
        Command::Adopt { task: b(), attempt: None },
        Command::Update { task: b(), change: TaskChange::default() },
        Command::Pause { member: None },
        Command::Resume { member: None },
        Command::Interrupt { member: name("b") },
        answer("b"),
    ];
    let before = t.state.clone();
    for command in commands {
        let rejection = t.member("a", command.clone()).unwrap_err();
        assert_eq!(rejection.code, Code::LeadOnly, "{command:?}");
        assert_eq!(rejection.help, ["ask for it: `teamtui do send lead \"...\"`"]);
    }
    assert_eq!(t.state, before);
}

#[test]
fn r31_neither_member_nor_lead_runs_the_run_or_reports_for_the_runtime() {
    let mut t = Trial::with(led(vec![member("a", &[])]));
    let attempt = t.attempt("a");
    let commands = [
        Command::CloseRun { reason: CloseReason::Completed },
        Command::ResumeRun(ResumeRun { failed: true, ..ResumeRun::default() }),
        Command::OpenRun(RunHeader::default()),
        Command::AssertEnd { task: by_name("a") },
        Command::Tick,
        Command::Recover(Box::default()),
        Command::InterruptAll { reason: StopCause::Signal },
        Command::EndAttempt { attempt: attempt.id, end: AttemptEnd::default() },
        Command::MarkOutput { attempt: attempt.id, bytes: 9 },
        Command::SettleChecks {
            attempt: Some(attempt.id),
            team: attempt.team,
            refused: Vec::new(),
            outputs: Vec::new(),
        },
        Command::WithdrawQuestion { attempt: attempt.id },
        Command::SettleWrite { asked: Seq(1), refused: None },
    ];
    let before = t.state.clone();
    for who in ["a", "lead"] {
        for command in commands.clone() {
            let rejection = t.member(who, command.clone()).unwrap_err();
            assert_eq!(rejection.code, Code::NotYours, "{who}: {command:?}");
        }
    }
    for command in commands.into_iter().skip(4) {
        assert_eq!(t.person(command.clone()).unwrap_err().code, Code::NotYours, "{command:?}");
    }
    assert_eq!(t.state, before);
}

#[test]
fn r31_a_question_suspends_its_attempt_and_its_clocks_until_it_is_answered() {
    let clocks = |a: &mut AgentSpec| (a.time_ms, a.stall_ms) = (Some(60_000), 30_000);
    let mut t = Trial::with(team(vec![agent(member("a", &[]), clocks)]));
    t.now = 10_000;
    assert_eq!(t.member("a", ask(Asker::Person, None)).unwrap().data, Data::Question);
    assert_eq!(next_due(&t.state), None);
    t.tick(3_600_000);
    assert_eq!((t.attempt("a").stop, t.count("attempt_stalled")), (None, 0));
    assert_eq!(t.member("a", ask(Asker::Person, None)).unwrap_err().code, Code::Question, "one at most");
    t.person(answer("a")).unwrap();
    assert_eq!(t.effects.last(), Some(&Effect::Answered { attempt: t.attempt("a").id, text: "yes".into() }));
    assert_eq!(next_due(&t.state), Some(3_630_000), "20 s of silence and 50 s of time are left");
    assert_eq!(t.person(answer("a")).unwrap_err().code, Code::Question);
}

#[test]
fn r31_an_attempt_that_has_said_how_it_ends_has_nothing_left_to_ask() {
    for said in [
        Command::Fail { task: None, text: "no".into() },
        Command::Complete { task: None, text: "yes".into() },
    ] {
        let mut t = Trial::with(team(vec![process("a", &[])]));
        t.member("a", said).unwrap();
        assert_eq!(t.member("a", ask(Asker::Person, None)).unwrap_err().code, Code::Question);
        assert!(t.attempt("a").question.is_none());
    }
}

#[test]
fn r31_headless_a_question_takes_its_default_or_the_run_ends_rc_4() {
    let mut t = Trial::new(true);
    t.person(Command::Create(Box::new(team(vec![member("a", &[]), member("b", &[])])))).unwrap();
    assert_eq!(t.member("a", ask(Asker::Person, Some("no"))).unwrap().data, Data::Answer("no".into()));
    assert!(t.attempt("a").question.is_none());
    t.complete("a", "").unwrap();
    t.member("b", ask(Asker::Person, None)).unwrap();
    let end = pulse::end_reason(&t.state);
    assert!(Pulse::of(&t.state, &Waits::default()).quiet);
    assert_eq!(
        (end.reason, end.reason.rc(), end.why.as_str()),
        (CloseReason::Waiting, 4, "b asks the person: \"Ship it?\"")
    );
}

#[test]
fn r31_a_task_of_a_person_is_a_question_and_its_answer_the_result() {
    let sign_off = |default: Option<&str>| {
        with(human("sign-off", &[]), |b| {
            b.prompt = Some("Ship 0.2.0?".into());
            b.default = default.map(Into::into);
        })
    };
    let mut t = Trial::with(team(vec![sign_off(Some("no")), member("z", &["sign-off"])]));
    assert_eq!(t.attempt("sign-off").question.unwrap().text.raw(), "Ship 0.2.0?");
    t.person(answer("sign-off")).unwrap();
    assert_eq!((t.status("sign-off"), t.status("z")), (Status::Completed, Status::InProgress));
    assert_eq!(t.task("sign-off").result.as_ref().unwrap().text.raw(), "yes");
    let mut t = Trial::new(true);
    t.person(Command::Create(Box::new(team(vec![sign_off(Some("no"))])))).unwrap();
    assert_eq!(t.task("sign-off").result.as_ref().unwrap().text.raw(), "no", "headless: the default");
    let mut t = Trial::with(team(vec![sign_off(None)]));
    t.person(Command::Complete { task: Some(by_name("sign-off")), text: "done by hand".into() }).unwrap();
    assert_eq!(t.status("sign-off"), Status::Completed, "the person may complete what is the person's");
}

#[test]
fn r31_resume_with_an_answer_goes_on_where_a_person_was_waited_for() {
    let mut t = Trial::new(true);
    let members = vec![human("sign-off", &[]), member("z", &["sign-off"])];
    t.person(Command::Create(Box::new(team(members)))).unwrap();
    t.system(Command::CloseRun { reason: CloseReason::Waiting });
    assert_eq!(t.status("sign-off"), Status::Stale);
    let unknown = ResumeRun { answers: vec![(by_name("ghost"), "x".into())], ..ResumeRun::default() };
    assert_eq!(t.person(Command::ResumeRun(unknown)).unwrap_err().code, Code::NotFound);
    let answers = vec![(by_name("sign-off"), "yes".into()), (by_name("z"), "x".into())];
    let reply = t.person(Command::ResumeRun(ResumeRun { answers, ..ResumeRun::default() })).unwrap();
    assert_eq!(reply.lines[1], "z has no open question; its answer was not used");
    assert_eq!((t.status("sign-off"), t.status("z")), (Status::Completed, Status::InProgress));
}

#[test]
fn r31_a_person_with_a_time_limit_takes_its_default_then_and_fails_without_one() {
    for (default, status) in [(Some("no"), Status::Completed), (None, Status::Failed)] {
        let limited = agent(human("p", &[]), |a| a.time_ms = Some(60_000));
        let limited = with(limited, |b| b.default = default.map(Into::into));
        let mut t = Trial::with(team(vec![limited]));
        assert_eq!(next_due(&t.state), Some(60_000));
        t.tick(60_000);
        assert_eq!(t.status("p"), status);
    }
}

#[test]
fn r31_the_lead_answers_what_it_is_asked_and_never_in_the_name_of_the_person() {
    let mut t = Trial::with(led(vec![member("a", &[]), member("b", &[])]));
    t.end("lead", EndCause::Silent);
    t.member("a", ask(Asker::Lead, None)).unwrap();
    assert!(t.live().contains(&"lead".to_owned()), "a question wakes it");
    t.member("lead", answer("a")).unwrap();
    t.member("b", ask(Asker::Person, None)).unwrap();
    let rejection = t.member("lead", answer("b")).unwrap_err();
    assert_eq!(rejection.what, "b asks the person, and nobody answers in its name");
    assert_eq!(t.member("lead", ask(Asker::Lead, None)).unwrap_err().code, Code::Question, "itself");
    t.person(answer("b")).unwrap();
}

#[test]
fn r31_without_a_lead_agent_the_lead_that_is_asked_is_the_person() {
    let mut t = Trial::with(team(vec![member("a", &[])]));
    t.member("a", ask(Asker::Lead, None)).unwrap();
    assert_eq!(t.attempt("a").question.unwrap().of, Asker::Person);
}

#[test]
fn r31_checks_refuse_the_answer_of_a_person_and_it_is_asked_again() {
    let mut t = Trial::with(team(vec![with(human("p", &[]), |b| b.checks = vec!["true".into()])]));
    t.person(answer("p")).unwrap();
    t.checked("p", &["not signed"]);
    assert_eq!(t.attempt("p").question.unwrap().text.raw(), "not accepted: not signed");
    t.person(answer("p")).unwrap();
    t.checked("p", &[]);
    assert_eq!(t.status("p"), Status::Completed);
}

#[test]
fn r31_a_question_that_nobody_waits_for_is_withdrawn_and_the_clocks_run_again() {
    let clocks = |a: &mut AgentSpec| (a.time_ms, a.stall_ms) = (Some(60_000), 30_000);
    let mut t = Trial::with(team(vec![agent(member("a", &[]), clocks), human("p", &[])]));
    t.now = 10_000;
    t.member("a", ask(Asker::Person, None)).unwrap();
    let attempt = t.attempt("a").id;
    t.tick(3_600_000);
    t.system(Command::WithdrawQuestion { attempt });
    assert_eq!((t.attempt("a").question, t.count("question_withdrawn")), (None, 1));
    assert_eq!(next_due(&t.state), Some(3_630_000), "20 s of silence and 50 s of time are left");
    assert_eq!(t.person(answer("a")).unwrap_err().code, Code::Question);
    t.member("a", ask(Asker::Person, None)).unwrap();
    // What a task asks a person stays asked, and what is over stays as it is.
    let person = t.attempt("p").id;
    t.system(Command::WithdrawQuestion { attempt: person });
    assert!(t.attempt("p").question.is_some());
    t.complete("a", "").unwrap();
    t.system(Command::WithdrawQuestion { attempt });
    assert_eq!(t.count("question_withdrawn"), 1);
}

#[test]
fn a_question_ends_with_its_attempt() {
    let mut t = Trial::with(team(vec![member("a", &[])]));
    t.member("a", ask(Asker::Person, None)).unwrap();
    t.person(Command::Interrupt { member: name("a") }).unwrap();
    assert_eq!(t.person(answer("a")).unwrap_err().code, Code::Question);
    t.all_stop();
    assert_eq!(t.status("a"), Status::Stale);
}

#[test]
fn r13_the_person_completes_what_waits_for_the_person_behind_another_question() {
    let mut t = Trial::with(team(vec![human("p", &[])]));
    let more = t.add("p");
    let question = t.attempt("p").question;
    t.person(Command::Complete { task: Some(crate::domain::trial::task_ref(&more)), text: "done".into() })
        .unwrap();
    assert_eq!((t.status(&more), t.attempt("p").question), (Status::Completed, question));
}
