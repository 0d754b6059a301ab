//! R29: time, silence, money; what happens at a cap.
use crate::domain::trial::{Trial, agent, by_name, human, member, process, team};
use crate::domain::*;

fn headless(spec: TeamSpec) -> Trial {
    let mut t = Trial::new(true);
    t.person(Command::Create(Box::new(spec))).unwrap();
    t
}

fn end_costing(t: &mut Trial, member: &str, cost_micros: Option<u64>) {
    let attempt = t.attempt(member).id;
    let end = AttemptEnd { cause: EndCause::Exit(0), cost_micros, ..AttemptEnd::default() };
    t.system(Command::EndAttempt { attempt, end });
}

fn costing(own: &str, after: &[&str], cost: u64) -> MemberSpec {
    agent(process(own, after), |a| a.cost_micros = cost)
}

#[test]
fn r29_an_attempt_over_its_wall_clock_is_stopped_and_has_failed() {
    let mut t = Trial::with(team(vec![agent(member("a", &[]), |a| a.time_ms = Some(60_000))]));
    assert_eq!(next_due(&t.state), Some(60_000));
    t.tick(59_999);
    assert_eq!(t.attempt("a").stop, None);
    t.tick(1);
    assert_eq!(t.attempt("a").stop, Some(StopCause::Time));
    t.end("a", EndCause::Stopped);
    assert_eq!((t.status("a"), t.task("a").reason.raw()), (Status::Failed, "over its time, 1m00s"));
}

#[test]
fn r29_a_limit_uses_up_a_retry_as_a_failure_does() {
    let limited = |a: &mut AgentSpec| (a.time_ms, a.retries) = (Some(1_000), 1);
    let mut t = Trial::with(team(vec![agent(member("a", &[]), limited)]));
    t.tick(1_000);
    t.all_stop();
    assert_eq!((t.status("a"), t.task("a").begun, t.task("a").retried), (Status::InProgress, 2, 1));
}

#[test]
fn r29_a_silent_attempt_is_shown_stalled_once_and_ended_only_if_it_says_so() {
    let stall = |action| {
        move |a: &mut AgentSpec| {
            a.stall_ms = 1_000;
            a.stall_action = action;
        }
    };
    let mut t = Trial::with(team(vec![
        agent(process("tell", &[]), stall(StallAction::Tell)),
        agent(process("fail", &[]), stall(StallAction::Fail)),
    ]));
    t.now = 800;
    let attempt = t.attempt("tell").id;
    t.system(Command::MarkOutput { attempt, bytes: 10 });
    t.tick(200);
    assert_eq!((t.attempt("tell").stop, t.attempt("fail").stop), (None, Some(StopCause::Stall)));
    assert_eq!(t.count("attempt_stalled"), 1);
    assert_eq!(next_due(&t.state), Some(1_800), "output puts it off");
    t.tick(800);
    t.tick(50_000);
    assert_eq!((t.count("attempt_stalled"), t.attempt("tell").stop), (2, None));
    t.end("fail", EndCause::Stopped);
    assert_eq!((t.status("fail"), t.task("fail").reason.raw()), (Status::Failed, "no output for 1.0s"));
}

#[test]
fn r29_at_the_cap_of_time_nothing_starts_and_headless_live_attempts_end_interrupted() {
    for is_headless in [true, false] {
        let mut spec = team(vec![member("a", &[]), member("b", &["a:finished"]), human("p", &[])]);
        spec.limits.time_ms = Some(120_000);
        let mut t = Trial::new(is_headless);
        t.person(Command::Create(Box::new(spec))).unwrap();
        t.tick(120_000);
        assert_eq!(t.the_team().capped, Some(Cap::Time));
        assert_eq!(t.attempt("a").stop.is_some(), is_headless, "in the screen the team pauses");
        assert_eq!(t.status("p") == Status::Stale, is_headless, "a person has no agent to wait for");
        t.end("a", EndCause::Stopped);
        assert_eq!((t.status("a"), t.status("b")), (Status::Stale, Status::Pending));
        t.tick(1);
        assert_eq!(t.count("cap_reached"), 1);
    }
}

#[test]
fn r29_money_is_reserved_before_and_settled_after() {
    let mut spec = team(vec![costing("a", &[], 800), costing("b", &["a"], 800)]);
    spec.limits.money_micros = Some(1_000);
    let mut t = Trial::with(spec);
    assert_eq!((t.the_team().reserved_micros, t.the_team().spent_micros), (800, 0));
    end_costing(&mut t, "a", Some(150));
    assert_eq!((t.the_team().reserved_micros, t.the_team().spent_micros), (800, 150));
    end_costing(&mut t, "b", None);
    assert_eq!(
        (t.the_team().reserved_micros, t.the_team().spent_micros),
        (0, 950),
        "unsaid, it cost what it reserved"
    );
}

#[test]
fn r29_what_is_reserved_may_come_back_and_is_waited_for() {
    let mut spec = team(vec![costing("a", &[], 800), costing("b", &[], 800)]);
    spec.limits.money_micros = Some(1_000);
    let mut t = headless(spec);
    assert_eq!((t.live(), t.the_team().capped), (vec!["a".to_owned()], None));
    end_costing(&mut t, "a", Some(100));
    assert_eq!(t.live(), ["b"]);
}

#[test]
fn r29_at_the_cap_of_money_no_attempt_starts_not_even_a_free_one_once_it_is_overspent() {
    let mut spec = team(vec![costing("a", &[], 800), costing("b", &["a"], 800), costing("c", &["a"], 0)]);
    spec.limits.money_micros = Some(1_000);
    let mut t = headless(spec.clone());
    end_costing(&mut t, "a", Some(500));
    assert_eq!((t.the_team().capped, t.live()), (Some(Cap::Money), Vec::new()));
    let end = pulse::end_reason(&t.state);
    assert_eq!((end.reason, end.reason.rc()), (CloseReason::Cap, 3));
    spec.members.remove(1);
    let mut t = headless(spec);
    end_costing(&mut t, "a", Some(5_000));
    assert_eq!((t.the_team().capped, t.live()), (Some(Cap::Money), Vec::new()));
}

#[test]
fn an_attempt_that_did_not_start_costs_nothing() {
    let mut t = Trial::with(team(vec![costing("a", &[], 800)]));
    t.end("a", EndCause::NotStarted("no such file".into()));
    assert_eq!(t.the_team().spent_micros, 0);
}

#[test]
fn r33_resume_after_a_cap_raises_it_and_tries_again_what_the_cap_interrupted() {
    let mut spec = team(vec![member("a", &[]), member("b", &[]), member("z", &["a", "b"])]);
    spec.limits.time_ms = Some(1_000);
    let mut t = headless(spec.clone());
    t.fail("b", "own fault").unwrap();
    t.tick(1_000);
    t.all_stop();
    t.system(Command::CloseRun { reason: CloseReason::Cap });
    let limits = Some(Limits { time_ms: Some(60_000), ..spec.limits });
    t.person(Command::ResumeRun(ResumeRun { limits, ..ResumeRun::default() })).unwrap();
    assert_eq!((t.status("a"), t.status("b")), (Status::InProgress, Status::Failed));
    assert_eq!(
        (t.task("a").interrupted, t.task("a").retried),
        (1, 0),
        "an interrupted attempt uses up no retry"
    );
}

#[test]
fn a_cap_is_raised_while_the_run_is_live_too() {
    let mut spec = team(vec![member("a", &[]), member("b", &["a"])]);
    spec.limits.time_ms = Some(1_000);
    let mut t = Trial::with(spec.clone());
    t.tick(1_000);
    t.complete("a", "").unwrap();
    assert_eq!(t.status("b"), Status::Pending);
    let limits = Some(Limits { time_ms: Some(60_000), ..spec.limits });
    t.person(Command::ResumeRun(ResumeRun { limits, ..ResumeRun::default() })).unwrap();
    assert_eq!(t.status("b"), Status::InProgress);
    assert_eq!(t.person(Command::ResumeRun(ResumeRun::default())).unwrap_err().what, "the run is not closed");
}

#[test]
fn with_fail_fast_nothing_starts_after_the_first_required_failure_and_a_resume_goes_on() {
    let mut t = Trial::open(RunHeader { headless: true, fail_fast: true, ..RunHeader::default() });
    let optional = trial::with(member("o", &[]), |b| b.optional = true);
    let members = vec![optional, member("a", &[]), member("b", &[]), member("c", &["b"])];
    t.person(Command::Create(Box::new(team(members)))).unwrap();
    t.fail("o", "optional").unwrap();
    assert_eq!(t.the_team().capped, None);
    t.fail("a", "no").unwrap();
    assert_eq!(
        (t.the_team().capped, t.attempt("b").stop),
        (Some(Cap::FailFast), None),
        "what is live goes on"
    );
    t.complete("b", "").unwrap();
    assert_eq!(t.status("c"), Status::Pending);
    let end = pulse::end_reason(&t.state);
    assert_eq!((end.reason, end.why.as_str()), (CloseReason::RequiredFailed, "a failed at 0.0s (\"no\")"));
    t.system(Command::CloseRun { reason: end.reason });
    t.system(Command::ResumeRun(ResumeRun { failed: true, ..ResumeRun::default() }));
    assert_eq!((t.status("a"), t.status("c")), (Status::InProgress, Status::InProgress));
}

#[test]
fn a_closed_run_lets_no_time_pass() {
    let mut spec = team(vec![member("a", &[])]);
    spec.limits.time_ms = Some(1_000);
    let mut t = headless(spec);
    t.complete("a", "").unwrap();
    t.system(Command::CloseRun { reason: CloseReason::Completed });
    let before = t.state.clone();
    t.tick(5_000);
    assert_eq!((t.state, next_due(&before)), (before, None));
}

#[test]
fn an_attempt_that_has_settled_is_not_over_its_time() {
    let mut t = Trial::with(team(vec![process("a", &[])]));
    t.complete("a", "done").unwrap();
    assert_eq!(next_due(&t.state), None);
    t.tick(limits::ATTEMPT_TIME_MS);
    assert_eq!(t.attempt("a").stop, None);
}

#[test]
fn a_task_is_told_how_long_it_took_without_the_waits_for_a_person() {
    let mut t = Trial::with(team(vec![member("a", &[])]));
    t.now = 1_000;
    t.member("a", Command::Ask { of: Asker::Person, text: "?".into(), default: None }).unwrap();
    t.now = 61_000;
    t.person(Command::Answer { of: by_name("a"), text: "yes".into() }).unwrap();
    t.now = 62_000;
    t.complete("a", "").unwrap();
    assert_eq!(t.task("a").attempts[0].took_ms, 2_000);
}
