//! Turns: what wakes the lead and members without a brief, and that a turn ends no team.
use crate::domain::trial::{Trial, chair, led, member, team};
use crate::domain::*;

fn quiet_lead(members: Vec<MemberSpec>) -> Trial {
    let mut t = Trial::with(led(members));
    t.end("lead", EndCause::Silent);
    assert!(t.try_attempt("lead").is_none());
    t
}

#[test]
fn the_lead_has_a_first_turn_and_then_one_at_the_first_failure() {
    let mut t = quiet_lead(vec![member("a", &[]), member("b", &[]), member("c", &[])]);
    t.complete("a", "").unwrap();
    assert!(t.try_attempt("lead").is_none(), "what completes is batched");
    t.fail("b", "no").unwrap();
    assert_eq!(t.attempt("lead").nth, 2);
    t.end("lead", EndCause::Silent);
    t.complete("c", "").unwrap();
    assert_eq!(t.attempt("lead").nth, 3, "nothing is live: all that happened in one turn");
    t.end("lead", EndCause::Silent);
    assert!(t.live().is_empty(), "a turn's end ends no team, and wakes nobody");
    assert_eq!(t.the_team().stage, state::Stage::Live);
}

#[test]
fn mail_a_question_or_a_stall_wakes_the_lead_at_once() {
    let mut t = quiet_lead(vec![member("a", &[]), member("b", &[])]);
    t.send("a", "lead", "look").unwrap();
    let Some(Effect::Start(job)) = t.effects.last() else { panic!() };
    assert_eq!((job.purpose, job.prompt.contains("look")), (Purpose::Turn, true));
    t.end("lead", EndCause::Silent);
    t.member("b", Command::Ask { of: Asker::Lead, text: "?".into(), default: None }).unwrap();
    assert_eq!(t.attempt("lead").nth, 3);
    t.end("lead", EndCause::Silent);
    t.tick(limits::STALL_MS);
    assert_eq!(t.attempt("lead").nth, 4);
}

#[test]
fn a_turn_has_no_task_to_complete() {
    let mut t = Trial::with(led(vec![member("a", &[])]));
    assert_eq!(t.complete("lead", "x").unwrap_err().code, Code::NotYours);
    t.end("lead", EndCause::Broken("line 2".into()));
    let lead = &t.the_team().members[&Name::lead()];
    assert_eq!(lead.last_turn, Some((Outcome::Failed, "line 2".into())));
}

#[test]
fn a_lead_that_failed_is_rc_1_though_every_task_completed() {
    let mut t = Trial::with(led(vec![member("a", &[])]));
    t.end("lead", EndCause::Exit(1));
    t.complete("a", "").unwrap();
    t.end("lead", EndCause::Exit(1));
    let end = pulse::end_reason(&t.state);
    assert_eq!((end.reason, end.why.as_str()), (CloseReason::RequiredFailed, "the lead of t failed: exit 1"));
}

#[test]
fn a_member_without_a_brief_is_in_one_turn_at_a_time_and_reads_all_its_mail() {
    let mut t = Trial::with(team(vec![chair("c", Driver::Scripted(Vec::new()))]));
    t.person(Command::Send { to: "c".into(), text: "one".into() }).unwrap();
    t.person(Command::Send { to: "c".into(), text: "two".into() }).unwrap();
    assert_eq!(t.live(), ["c"]);
    t.end("c", EndCause::Silent);
    assert_eq!(t.attempt("c").nth, 2, "what came while it was in its turn causes one more");
    assert_eq!(t.inbox("c"), Vec::<String>::new());
    t.end("c", EndCause::Silent);
    assert!(t.live().is_empty());
}

#[test]
fn writing_to_the_ended_does_not_wake_the_lead_for_good() {
    let mut t = quiet_lead(vec![member("a", &[])]);
    t.complete("a", "").unwrap();
    for _ in 0..3 {
        t.send("lead", "a", "thanks").unwrap_err();
    }
    t.end("lead", EndCause::Silent);
    assert!(t.live().is_empty());
}
