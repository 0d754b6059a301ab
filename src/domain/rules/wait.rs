//! R30: in each state something moves, or somebody is waited for, or the run ends with a named reason.
use crate::domain::pulse::{End, can_all, can_still, end_reason, is_settled_all};
use crate::domain::trial::{Trial, by_name, human, led, member, team, with};
use crate::domain::*;

const NOBODY: Waits = Waits { person: false, script: false };
const PERSON: Waits = Waits { person: true, script: false };

fn headless(members: Vec<MemberSpec>) -> Trial {
    let mut t = Trial::new(true);
    t.person(Command::Create(Box::new(team(members)))).unwrap();
    t
}

fn wait(t: &Trial, waits: Waits, task: &str, goals: &[&str]) -> Hope {
    let goals: Vec<Goal> = goals.iter().map(|word| Goal::from_word(word).unwrap()).collect();
    can_still(&t.state, &waits, TeamId(1), t.task(task).number, &goals)
}

fn lost(hope: Hope) -> String {
    let Hope::Lost(why) = hope else { panic!("{hope:?}") };
    why
}

#[test]
fn r30_a_live_attempt_moves_the_run_and_a_question_waits_for_someone() {
    let mut t = headless(vec![member("a", &[]), member("b", &["a"])]);
    let pulse = Pulse::of(&t.state, &NOBODY);
    assert_eq!((pulse.running, pulse.quiet, pulse.waiting_on), (1, false, Vec::new()));
    t.member("a", Command::Ask { of: Asker::Person, text: "?".into(), default: None }).unwrap();
    let pulse = Pulse::of(&t.state, &PERSON);
    assert!(pulse.quiet && pulse.running == 0);
    assert_eq!(pulse.waiting_on.len(), 2);
    assert!(matches!(pulse.waiting_on[0], Waiting::Question { of: Asker::Person, .. }));
}

#[test]
fn r30_what_waits_for_room_is_runnable_and_a_sleep_is_due() {
    let mut spec = team(vec![member("a", &[]), member("b", &[]), member("c", &[])]);
    spec.limits.parallel = 1;
    let mut t = Trial::new(true);
    t.person(Command::Create(Box::new(spec))).unwrap();
    assert_eq!(Pulse::of(&t.state, &NOBODY).runnable, 2);
    t.person(Command::Pause { member: None }).unwrap();
    t.complete("a", "").unwrap();
    assert!(Pulse::of(&t.state, &NOBODY).quiet, "paused, nothing starts by itself");
    t.person(Command::Sleep { ms: 1_000 }).unwrap();
    assert!(Pulse::of(&t.state, &NOBODY).quiet, "whoever sleeps outside changes nothing by waking");
    t.person(Command::Resume { member: None }).unwrap();
    t.member("b", Command::Sleep { ms: 1_000 }).unwrap();
    let pulse = Pulse::of(&t.state, &NOBODY);
    assert_eq!((pulse.due, pulse.quiet), (1, false));
}

#[test]
fn c032_the_end_has_a_name_and_an_exit_code() {
    let mut t = headless(vec![member("a", &[]), with(member("o", &[]), |b| b.optional = true)]);
    t.complete("a", "").unwrap();
    t.fail("o", "no").unwrap();
    assert_eq!(end_reason(&t.state).reason.rc(), 0);
    let mut t = headless(vec![member("a", &[]), member("b", &["a"])]);
    t.fail("a", "no access").unwrap();
    let End { reason, why } = end_reason(&t.state);
    assert_eq!((reason.rc(), why.as_str()), (1, "a failed at 0.0s (\"no access\")"));
    t.person(Command::Cancel { tasks: vec![by_name("a")], dependents: None, text: "".into() }).unwrap();
    assert_eq!(end_reason(&t.state).why, "b is held by a (cancelled at 0.0s)", "only blocked ones are left");
    let mut t = headless(vec![with(member("a", &[]), |b| b.review = vec![Reviewer::Person])]);
    t.complete("a", "").unwrap();
    assert!(Pulse::of(&t.state, &NOBODY).quiet);
    let End { reason, why } = end_reason(&t.state);
    assert_eq!((reason.rc(), why.as_str()), (4, "a waits for the person's review"));
}

#[test]
fn r30_an_asserted_end_and_a_replaced_task_are_not_missed() {
    let mut t = headless(vec![member("a", &[]), member("b", &[])]);
    t.fail("a", "as expected").unwrap();
    t.complete("b", "").unwrap();
    assert_eq!(end_reason(&t.state).reason, CloseReason::RequiredFailed);
    t.ask(Actor::Script, Command::AssertEnd { task: by_name("a") }).unwrap();
    assert_eq!(end_reason(&t.state).reason, CloseReason::Completed);
}

#[test]
fn r30_a_dissolved_team_is_named_and_an_unclaimed_task_too() {
    let mut t = headless(vec![member("a", &[])]);
    t.person(Command::AddTask(Box::default())).unwrap();
    t.complete("a", "").unwrap();
    assert_eq!(end_reason(&t.state).why, "#2 is pending, and nobody has claimed it");
    t.person(Command::Dissolve).unwrap();
    assert_eq!(end_reason(&t.state).reason, CloseReason::Dissolved);
}

#[test]
fn r30_wait_all_is_over_when_each_task_is_final_settled_or_held_and_nothing_is_live() {
    let mut t = headless(vec![member("a", &[]), member("b", &["a"]), member("c", &[])]);
    let settled = |t: &Trial| is_settled_all(&t.state, TeamId(1));
    assert!(!settled(&t));
    t.fail("a", "no").unwrap();
    assert!(!settled(&t), "c is live");
    t.complete("c", "").unwrap();
    assert!(settled(&t), "a failed, b is held, c completed");
    assert_eq!(can_all(&t.state, &NOBODY, TeamId(1)), Hope::Met);
    t.person(Command::AddTask(Box::default())).unwrap();
    assert!(!settled(&t));
    let why = lost(can_all(&t.state, &NOBODY, TeamId(1)));
    assert_eq!(why, "#4 is pending, and nobody has claimed it, nothing live or due changes that");
    assert_eq!(can_all(&t.state, &PERSON, TeamId(1)), Hope::Open);
}

#[test]
fn r30_wait_all_waits_for_a_live_turn_and_one_that_is_due() {
    let mut t = Trial::with(led(vec![member("a", &[])]));
    t.complete("a", "").unwrap();
    assert!(!is_settled_all(&t.state, TeamId(1)), "the lead's turn is live");
    t.end("lead", EndCause::Silent);
    assert!(!is_settled_all(&t.state, TeamId(1)), "what completed is told the lead");
    t.end("lead", EndCause::Silent);
    assert!(is_settled_all(&t.state, TeamId(1)));
}

#[test]
fn r30_a_wait_that_nothing_can_satisfy_ends_at_once_with_the_reason() {
    let mut t = headless(vec![member("perf", &[]), member("sum", &["perf"]), member("other", &[])]);
    assert_eq!(wait(&t, NOBODY, "perf", &["completed"]), Hope::Open);
    t.now = 2_000;
    t.fail("perf", "no access").unwrap();
    assert_eq!(wait(&t, NOBODY, "perf", &["failed"]), Hope::Met);
    assert_eq!(wait(&t, NOBODY, "perf", &[]), Hope::Met, "settled, when nothing is said");
    let why = "perf failed at 2.0s (\"no access\"), nothing live or due changes that";
    assert_eq!(lost(wait(&t, NOBODY, "perf", &["completed"])), why, "though other is live: it may not retry");
    assert_eq!(wait(&t, PERSON, "perf", &["completed"]), Hope::Open);
    assert_eq!(wait(&t, NOBODY, "sum", &["held", "completed"]), Hope::Met);
    let why = "sum is held by perf (failed at 2.0s), nothing live or due changes that";
    assert_eq!(lost(wait(&t, NOBODY, "sum", &["completed"])), why);
    t.complete("other", "").unwrap();
    assert_eq!(lost(wait(&t, PERSON, "other", &["failed"])), "other is completed, which is final");
}

#[test]
fn r30_a_lead_that_still_hears_of_it_is_someone() {
    let mut t = Trial::with(led(vec![member("a", &[])]));
    t.fail("a", "no").unwrap();
    assert_eq!(wait(&t, NOBODY, "a", &["completed"]), Hope::Open);
    t.end("lead", EndCause::Silent);
    assert_eq!(wait(&t, NOBODY, "a", &["completed"]), Hope::Open, "it is told of the failure now");
    t.end("lead", EndCause::Silent);
    assert!(lost(wait(&t, NOBODY, "a", &["completed"])).starts_with("a failed"));
}

#[test]
fn r30_what_is_queued_behind_a_person_does_not_move_by_itself() {
    let mut t = headless(vec![human("p", &[])]);
    t.add("p");
    let pulse = Pulse::of(&t.state, &NOBODY);
    assert_eq!((pulse.runnable, pulse.quiet), (0, true));
    assert_eq!(end_reason(&t.state).reason, CloseReason::Waiting);
}

#[test]
fn r30_the_clock_of_a_person_is_due_in_the_screen_only() {
    for is_headless in [false, true] {
        let mut t = Trial::new(is_headless);
        let limited = trial::agent(human("p", &[]), |a| a.time_ms = Some(60_000));
        t.person(Command::Create(Box::new(team(vec![limited])))).unwrap();
        assert_eq!(Pulse::of(&t.state, &NOBODY).quiet, is_headless);
    }
}
