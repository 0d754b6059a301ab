//! R12 to R16: fences, exactly one winner, what completes and what fails.
use crate::domain::state::Attempt;
use crate::domain::trial::{Trial, agent, by_name, chair, member, name, process, task_ref, team, with};
use crate::domain::*;
use crate::text::Untrusted;

fn as_member(attempt: &Attempt) -> Actor {
    Actor::Member { attempt: attempt.id, token: attempt.token }
}

fn complete(text: &str) -> Command {
    Command::Complete { task: None, text: text.into() }
}

#[test]
fn c008_exactly_one_of_eight_claims_wins_and_the_losers_learn_whose_it_is() {
    let members = (0..8).map(|n| member(&format!("m{n}"), &[])).collect();
    let mut t = Trial::with(team(members));
    t.person(Command::AddTask(Box::default())).unwrap();
    let free = t.newest();
    let answers: Vec<_> =
        (0..8).map(|n| t.member(&format!("m{n}"), Command::Claim { task: task_ref(&free) })).collect();
    assert_eq!(answers.iter().filter(|a| a.is_ok()).count(), 1);
    for lost in answers.iter().filter_map(|a| a.as_ref().err()) {
        assert_eq!(lost.what, "#9 (#9) is taken: m0 has it");
    }
    assert_eq!(t.count("task_assigned"), 1);
    let stolen = Command::Complete { task: Some(task_ref(&free)), text: "x".into() };
    assert_eq!(t.member("m1", stolen).unwrap_err().code, Code::NotYours);
}

#[test]
fn r12_a_stale_token_is_refused_and_names_who_has_the_task() {
    let mut t = Trial::with(team(vec![agent(member("a", &[]), |a| a.retries = 1)]));
    let first = t.attempt("a");
    t.now = 5_000;
    t.fail("a", "once").unwrap();
    let rejection = t.ask(as_member(&first), Command::Progress { percent: 80, text: "".into() }).unwrap_err();
    assert_eq!(rejection.code, Code::StaleToken);
    assert_eq!(rejection.what, "attempt 1 of a ended at 5.0s; a has it now, as attempt 2");
}

#[test]
fn r12_a_forged_token_does_nothing_whether_its_attempt_lives_or_has_ended() {
    let mut t = Trial::with(team(vec![member("a", &[])]));
    let mut forged = t.attempt("a");
    forged.token = Token(forged.token.0 ^ 1);
    let before = t.state.clone();
    for command in [complete("x"), Command::Send { to: "person".into(), text: "x".into() }] {
        assert_eq!(t.ask(as_member(&forged), command).unwrap_err().code, Code::StaleToken);
    }
    assert_eq!(t.state, before);
    t.fail("a", "no").unwrap();
    let before = t.state.clone();
    assert_eq!(t.ask(as_member(&forged), complete("mine")).unwrap_err().code, Code::StaleToken);
    assert_eq!(t.state, before, "no orphan is kept of who cannot show the token");
}

#[test]
fn r12_the_next_attempt_has_another_token() {
    let mut t = Trial::with(team(vec![member("a", &[])]));
    let first = t.attempt("a");
    t.fail("a", "").unwrap();
    t.retry("a").unwrap();
    let second = t.attempt("a");
    assert_ne!((first.id, first.token), (second.id, second.token));
    let mixed = Actor::Member { attempt: second.id, token: first.token };
    assert_eq!(t.ask(mixed, complete("x")).unwrap_err().code, Code::StaleToken);
}

#[test]
fn r13_complete_on_ones_own_pending_task_claims_and_completes_it_and_ones_attempt_goes_on() {
    for spec in [member("a", &[]), process("a", &[])] {
        let mut t = Trial::with(team(vec![spec]));
        let more = t.add("a");
        assert_eq!(t.status(&more), Status::Pending);
        let before = t.attempt("a");
        let starts = t.effects.len();
        let command = Command::Complete { task: Some(task_ref(&more)), text: "done".into() };
        t.member("a", command.clone()).unwrap();
        assert_eq!(t.status(&more), Status::Completed);
        assert_eq!(t.attempt("a"), before, "the attempt at the brief goes on");
        assert_eq!(t.effects.len(), starts, "no agent is started for it");
        assert_eq!(t.task(&more).attempts[0].outcome, Outcome::Completed);
        assert_eq!(t.member("a", command).unwrap().lines, ["#2 is completed already"]);
    }
}

#[test]
fn r13_completing_a_pending_task_reads_no_mail() {
    let mut t = Trial::with(team(vec![member("a", &[])]));
    let more = t.add("a");
    t.person(Command::Send { to: "a".into(), text: "hi".into() }).unwrap();
    t.member("a", Command::Complete { task: Some(task_ref(&more)), text: "".into() }).unwrap();
    assert_eq!(t.inbox("a"), ["hi"]);
}

#[test]
fn r13_a_pending_task_with_checks_is_not_completed_unlooked() {
    let mut t = Trial::with(team(vec![member("a", &[])]));
    let spec = TaskSpec { assignee: Some(name("a")), checks: vec!["true".into()], ..TaskSpec::default() };
    t.person(Command::AddTask(Box::new(spec))).unwrap();
    let command = Command::Complete { task: Some(task_ref("2")), text: "done".into() };
    assert_eq!(t.member("a", command).unwrap_err().code, Code::WrongStatus);
    assert_eq!(t.status("2"), Status::Pending);
}

#[test]
fn r13_repeating_complete_with_the_same_token_is_a_no_op_success() {
    let mut t = Trial::with(team(vec![member("a", &[])]));
    let attempt = t.attempt("a");
    t.complete("a", "done").unwrap();
    let before = t.state.clone();
    let again = t.ask(as_member(&attempt), complete("something else"));
    assert_eq!(again.unwrap().lines, ["a is settled already"]);
    assert_eq!(t.state, before, "and its result is not overwritten");
}

#[test]
fn r13_a_claim_or_assignment_of_a_busy_member_queues_and_says_so() {
    let mut t = Trial::with(team(vec![member("a", &[])]));
    t.person(Command::AddTask(Box::default())).unwrap();
    let reply = t.member("a", Command::Claim { task: task_ref("2") }).unwrap();
    assert!(reply.lines[0].contains("busy: it waits in the queue"), "{reply:?}");
    t.person(Command::AddTask(Box::default())).unwrap();
    let reply = t.person(Command::Assign { task: task_ref("3"), to: name("a") }).unwrap();
    assert!(reply.lines[0].contains("busy: it waits in the queue"), "{reply:?}");
    assert_eq!(t.live(), ["a"]);
    t.complete("a", "").unwrap();
    assert_eq!(t.status("2"), Status::InProgress);
}

#[test]
fn a_member_does_not_finish_what_another_has() {
    let mut t = Trial::with(team(vec![member("a", &[]), member("b", &[]), member("c", &["b"])]));
    for command in [
        Command::Complete { task: Some(by_name("b")), text: "x".into() },
        Command::Fail { task: Some(by_name("b")), text: "x".into() },
    ] {
        let rejection = t.member("a", command).unwrap_err();
        assert_eq!(
            (rejection.code, rejection.what.as_str()),
            (Code::StaleToken, "b (#2) is not yours; b has it")
        );
    }
    assert_eq!(
        t.person(Command::Complete { task: Some(by_name("b")), text: "x".into() }).unwrap_err().code,
        Code::StaleToken
    );
    assert_eq!(t.status("b"), Status::InProgress);
}

#[test]
fn r14_a_failed_attempt_is_failed() {
    let cases: [(EndCause, &str); 5] = [
        (EndCause::Exit(3), "exit 3"),
        (EndCause::Signal(11), "signal 11 (SEGV)"),
        (EndCause::NotStarted("no such file".into()), "no such file"),
        (EndCause::Broken("line 3 was refused".into()), "line 3 was refused"),
        (EndCause::Exit(127), "exit 127"),
    ];
    for (cause, reason) in cases {
        let mut t = Trial::with(team(vec![process("a", &[])]));
        t.end("a", cause);
        assert_eq!((t.status("a"), t.task("a").reason.raw()), (Status::Failed, reason));
    }
    let mut t = Trial::with(team(vec![process("a", &[])]));
    t.fail("a", "no access").unwrap();
    t.end("a", EndCause::Exit(0));
    assert_eq!(
        (t.status("a"), t.task("a").reason.raw()),
        (Status::Failed, "no access"),
        "it said so before exit 0"
    );
}

#[test]
fn r14_retries_are_used_up_and_then_it_is_failed() {
    let mut t = Trial::with(team(vec![agent(process("a", &[]), |a| a.retries = 2)]));
    for nth in 1..=2 {
        t.end("a", EndCause::Exit(1));
        assert_eq!((t.status("a"), t.task("a").begun), (Status::InProgress, nth + 1));
    }
    t.end("a", EndCause::Exit(1));
    assert_eq!((t.status("a"), t.task("a").attempts.len()), (Status::Failed, 3));
}

#[test]
fn r15_who_ends_without_complete_is_in_review_unconfirmed_with_its_last_text() {
    let mut t = Trial::with(team(vec![member("a", &[]), member("b", &["a"])]));
    t.end("a", EndCause::Silent);
    let task = t.task("a");
    let result = task.result.clone().unwrap();
    assert_eq!((task.status(), result.text.raw(), result.confirmed), (Status::InReview, "out", false));
    assert_eq!(t.status("b"), Status::Blocked);
    t.person(Command::Approve { task: Some(by_name("a")), text: "".into() }).unwrap();
    assert_eq!((t.status("a"), t.status("b")), (Status::Completed, Status::InProgress));
    assert!(t.task("a").result.as_ref().unwrap().confirmed);
}

#[test]
fn r15_unconfirmed_accept_makes_the_last_text_the_result_marked_and_it_counts() {
    let accept = agent(member("a", &[]), |a| a.unconfirmed = Unconfirmed::Accept);
    let mut t = Trial::with(team(vec![accept]));
    t.end("a", EndCause::Silent);
    assert_eq!(t.status("a"), Status::Completed);
    assert!(!t.task("a").result.as_ref().unwrap().confirmed, "marked so in every view");
    t.person(Command::Dissolve).unwrap();
    assert!(matches!(t.the_team().stage, state::Stage::Ended { completed: true, .. }), "accepted counts");
}

#[test]
fn r15_a_process_completes_by_its_exit_status() {
    let mut t = Trial::with(team(vec![process("a", &[]), agent(process("b", &[]), |a| a.exit = vec![0, 2])]));
    t.end("a", EndCause::Exit(0));
    t.end("b", EndCause::Exit(2));
    assert_eq!((t.status("a"), t.status("b")), (Status::Completed, Status::Completed));
    assert_eq!(t.task("a").result.as_ref().unwrap().text.raw(), "out");
}

fn gated(spec: MemberSpec) -> MemberSpec {
    with(spec, |brief| brief.checks = vec!["make test".into()])
}

#[test]
fn r16_checks_gate_completion_and_say_which_refused() {
    let mut t = Trial::with(team(vec![gated(member("a", &[])), member("b", &["a"])]));
    assert_eq!(t.complete("a", "v1").unwrap().data, Data::Checking);
    let Some(Effect::Check(job)) = t.effects.last() else { panic!() };
    assert_eq!(job.checks, ["make test"]);
    assert_eq!(t.status("a"), Status::InProgress);
    t.checked("a", &["make test: exit 2"]);
    assert_eq!(
        t.effects.last(),
        Some(&Effect::Checked { attempt: t.attempt("a").id, refused: vec!["make test: exit 2".into()] })
    );
    assert_eq!((t.status("a"), t.status("b")), (Status::InProgress, Status::Blocked));
    t.complete("a", "v2").unwrap();
    t.checked("a", &[]);
    assert_eq!((t.status("a"), t.status("b")), (Status::Completed, Status::InProgress));
    assert_eq!(t.task("a").result.as_ref().unwrap().text.raw(), "v2");
}

#[test]
fn r16_a_process_whose_check_is_refused_has_failed() {
    let mut t = Trial::with(team(vec![gated(process("a", &[]))]));
    t.end("a", EndCause::Exit(0));
    assert_eq!(t.status("a"), Status::InProgress, "checking");
    t.checked("a", &["make test: exit 2"]);
    assert_eq!((t.status("a"), t.task("a").reason.raw()), (Status::Failed, "make test: exit 2"));
}

#[test]
fn r16_a_process_that_exits_while_its_checks_are_looked_at_keeps_what_it_said() {
    let mut t = Trial::with(team(vec![gated(process("a", &[]))]));
    t.complete("a", "my result").unwrap();
    t.end("a", EndCause::Exit(0));
    t.checked("a", &["not written yet"]);
    assert_eq!(t.status("a"), Status::InProgress, "the look after the exit decides");
    t.checked("a", &[]);
    assert_eq!(t.status("a"), Status::Completed);
    assert_eq!(t.task("a").result.as_ref().unwrap().text.raw(), "my result");
}

#[test]
fn r16_an_exited_process_that_is_checked_ends_at_once_when_it_is_stopped() {
    let mut t = Trial::with(team(vec![gated(process("a", &[]))]));
    t.end("a", EndCause::Exit(0));
    t.person(Command::Dissolve).unwrap();
    assert_eq!((t.status("a"), t.words().last()), (Status::Stale, Some(&"team_dissolved")));
    assert_eq!(t.task("a").attempts[0].result.as_ref().map(Untrusted::raw), Some("out"), "an orphan");
}

#[test]
fn r16_an_answer_to_a_look_that_nobody_asked_for_changes_nothing() {
    let mut t = Trial::with(team(vec![gated(member("a", &[]))]));
    let before = t.state.clone();
    t.checked("a", &[]);
    let team = t.attempt("a").team;
    let lead = Command::SettleChecks { attempt: None, team, refused: Vec::new(), outputs: Vec::new() };
    t.system(lead);
    assert_eq!(t.state, before);
}

#[test]
fn c013_a_process_may_say_complete_and_is_waited_for() {
    let mut t = Trial::with(team(vec![process("a", &[])]));
    let reply = t.complete("a", "said").unwrap();
    assert_eq!(reply.lines, ["a is completed as soon as the process exits"]);
    assert!(matches!(t.effects.last(), Some(Effect::LetGo { .. })));
    t.tick(limits::ATTEMPT_TIME_MS * 2);
    t.end("a", EndCause::Signal(9));
    assert_eq!(t.status("a"), Status::Completed, "how it was let go does not matter");
    assert_eq!(t.task("a").result.as_ref().unwrap().text.raw(), "said");
}

#[test]
fn c007_a_late_result_of_a_cancelled_task_is_an_orphan_and_releases_nobody() {
    let mut t = Trial::with(team(vec![member("a", &[]), member("b", &["a"])]));
    let attempt = t.attempt("a");
    t.cancel("a", None).unwrap();
    let asked = t.effects.len();
    let rejection = t.ask(as_member(&attempt), complete("late")).unwrap_err();
    assert_eq!(t.effects.len(), asked, "its end is asked for already");
    assert_eq!(rejection.code, Code::StaleToken);
    assert!(rejection.help[0].contains("orphan"));
    t.all_stop();
    assert_eq!((t.status("a"), t.task("b").is_held()), (Status::Cancelled, true));
    assert_eq!(t.task("a").attempts[0].result.as_ref().map(Untrusted::raw), Some("late"));
    assert_eq!(t.person(Command::Adopt { task: by_name("a"), attempt: None }).unwrap_err().code, Code::Final);
}

#[test]
fn r11_a_late_result_can_be_adopted_while_the_task_is_settled() {
    let mut t = Trial::with(team(vec![member("a", &[]), member("b", &["a"])]));
    let attempt = t.attempt("a");
    t.person(Command::Interrupt { member: name("a") }).unwrap();
    t.all_stop();
    assert_eq!(t.status("a"), Status::Stale);
    t.ask(as_member(&attempt), complete("late")).unwrap_err();
    assert_eq!(t.words().last(), Some(&"orphan_kept"));
    let facts = t.facts.len();
    t.ask(as_member(&attempt), complete("late")).unwrap_err();
    assert_eq!(t.facts.len(), facts, "the same once more is not stored again");
    t.person(Command::Adopt { task: by_name("a"), attempt: Some(1) }).unwrap();
    assert_eq!((t.status("a"), t.status("b")), (Status::Completed, Status::InProgress));
    assert_eq!(t.task("a").result.as_ref().unwrap().text.raw(), "late");
}

#[test]
fn row_1_33_a_member_never_runs_twice() {
    let mut t = Trial::with(team(vec![member("a", &[]), chair("b", Driver::Human)]));
    for _ in 0..4 {
        t.add("a");
    }
    for _ in 0..5 {
        assert_eq!(t.live(), ["a"]);
        t.complete("a", "").unwrap();
    }
    assert_eq!(t.count("attempt_started"), 5);
}

#[test]
fn results_are_cut_at_64_kib_and_the_cut_is_said() {
    let mut t = Trial::with(team(vec![member("a", &[])]));
    t.complete("a", &"é".repeat(limits::MAX_RESULT_BYTES)).unwrap();
    let text = t.task("a").result.as_ref().unwrap().text.raw().to_owned();
    assert!(text.len() < limits::MAX_RESULT_BYTES + 100);
    assert!(text.ends_with("64 KiB are kept)"));
}

#[test]
fn output_that_is_not_kept_is_stated_once_with_its_attempt() {
    let mut t = Trial::with(team(vec![process("a", &[])]));
    let attempt = t.attempt("a").id;
    for why in ["8.0 KiB were not kept: the disk is full", "and more"] {
        t.system(Command::LoseOutput { attempt, why: why.into() });
    }
    t.end("a", EndCause::Exit(1));
    assert_eq!(t.count("output_lost"), 1);
    let lost = t.task("a").attempts[0].output_lost.clone().unwrap();
    assert_eq!(lost.raw(), "8.0 KiB were not kept: the disk is full");
    t.system(Command::LoseOutput { attempt, why: "late".into() });
    assert_eq!(t.count("output_lost"), 1);
}
