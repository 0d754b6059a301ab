//! R21: check, then act; a result is wholly kept or wholly an orphan; once is as good as twice.
use crate::domain::state::Stage;
use crate::domain::trial::{Trial, human, led, member, process, team};
use crate::domain::*;

fn ended(t: &Trial) -> Option<bool> {
    match t.the_team().stage {
        Stage::Ended { completed, .. } => Some(completed),
        _ => None,
    }
}

fn cut_off(t: &Trial) -> Vec<String> {
    let dissolved = t.facts.iter().rev().find_map(|f| match &f.event {
        Event::TeamDissolved(e) => Some(e.cut_off.iter().map(ToString::to_string).collect()),
        _ => None,
    });
    dissolved.unwrap()
}

#[test]
fn r21_a_completed_team_is_completed_and_any_other_dissolved() {
    let mut t = Trial::with(team(vec![member("a", &[])]));
    t.complete("a", "").unwrap();
    t.person(Command::Dissolve).unwrap();
    assert_eq!(ended(&t), Some(true));
    let mut t = Trial::with(team(vec![member("a", &[])]));
    t.fail("a", "no").unwrap();
    t.person(Command::Dissolve).unwrap();
    assert_eq!((ended(&t), t.status("a")), (Some(false), Status::Failed));
}

#[test]
fn c006_row_1_09_live_attempts_end_interrupted_their_tasks_are_stale_and_who_was_cut_off_is_recorded() {
    let mut t = Trial::with(team(vec![member("a", &[]), member("b", &[]), member("c", &["a"])]));
    t.complete("b", "").unwrap();
    t.person(Command::Dissolve).unwrap();
    assert_eq!((ended(&t), t.live()), (None, vec!["a".to_owned()]), "it ends when the last attempt has");
    let Some(Effect::Stop { cause: StopCause::Dissolve, grace_ms: 10_000, .. }) = t.effects.last() else {
        panic!("{:?}", t.effects.last())
    };
    t.all_stop();
    assert_eq!((ended(&t), cut_off(&t)), (Some(false), vec!["a".to_owned()]));
    assert_eq!(
        [t.status("a"), t.status("b"), t.status("c")],
        [Status::Stale, Status::Completed, Status::Blocked]
    );
    assert_eq!(t.task("a").attempts[0].outcome, Outcome::Interrupted);
}

#[test]
fn r21_while_it_dissolves_no_work_is_accepted_and_nothing_starts() {
    let mut t = Trial::with(team(vec![member("a", &[]), member("b", &["a:finished"])]));
    t.person(Command::Dissolve).unwrap();
    let rejection = t.person(Command::AddTask(Box::default())).unwrap_err();
    assert_eq!(
        (rejection.code, rejection.what.as_str()),
        (Code::TeamEnded, "t is dissolving, and takes no more work")
    );
    t.all_stop();
    assert_eq!((t.status("b"), t.live()), (Status::Pending, Vec::new()));
}

#[test]
fn r21_dissolving_twice_is_harmless_and_a_dissolved_team_answers_reads_only() {
    let mut t = Trial::with(team(vec![member("a", &[])]));
    t.person(Command::Dissolve).unwrap();
    assert_eq!(t.person(Command::Dissolve).unwrap().lines, ["t is dissolving already"]);
    t.all_stop();
    let facts = t.facts.len();
    assert_eq!(t.person(Command::Dissolve).unwrap().lines, ["t has ended already"]);
    assert_eq!(t.facts.len(), facts);
    assert_eq!(t.retry("a").unwrap_err().code, Code::TeamEnded);
    t.person(Command::ReadInbox { wait_ms: None }).unwrap();
}

#[test]
fn c006_a_result_in_the_window_is_wholly_an_orphan_and_one_before_it_is_wholly_kept() {
    let mut t = Trial::with(team(vec![process("before", &[]), process("after", &[]), process("exit", &[])]));
    t.complete("before", "kept").unwrap();
    let late = t.attempt("after");
    t.person(Command::Dissolve).unwrap();
    let actor = Actor::Member { attempt: late.id, token: late.token };
    t.ask(actor, Command::Complete { task: None, text: "orphan".into() }).unwrap_err();
    for own in ["before", "after", "exit"] {
        t.end(own, EndCause::Exit(0));
    }
    let left =
        |own: &str| (t.status(own), t.task(own).attempts[0].result.as_ref().map(|r| r.raw().to_owned()));
    assert_eq!(left("before"), (Status::Completed, Some("kept".into())));
    assert_eq!(left("after"), (Status::Stale, Some("orphan".into())));
    assert_eq!(left("exit"), (Status::Stale, Some("out".into())));
    assert_eq!(cut_off(&t), ["after", "exit"]);
}

#[test]
fn r21_what_was_said_to_have_failed_before_the_window_has_failed() {
    let mut t = Trial::with(team(vec![process("a", &[])]));
    t.fail("a", "no access").unwrap();
    t.person(Command::Dissolve).unwrap();
    t.all_stop();
    assert_eq!((t.status("a"), t.task("a").reason.raw()), (Status::Failed, "no access"));
}

#[test]
fn r21_a_person_is_asked_no_longer_and_no_agent_is_waited_for() {
    let mut t = Trial::with(team(vec![human("p", &[])]));
    t.person(Command::Dissolve).unwrap();
    assert_eq!((ended(&t), t.status("p")), (Some(false), Status::Stale));
}

#[test]
fn x03_a_team_whose_root_sleeps_dissolves() {
    let mut t = Trial::with(team(vec![member("a", &[]), member("b", &["a"]), member("c", &["b"])]));
    t.member("a", Command::Sleep { ms: 60_000 }).unwrap();
    t.person(Command::Dissolve).unwrap();
    t.all_stop();
    assert_eq!(ended(&t), Some(false));
    assert!(t.state.timers.is_empty());
}

#[test]
fn row_1_09_members_may_not_dissolve() {
    let mut t = Trial::with(team(vec![member("a", &[])]));
    let rejection = t.member("a", Command::Dissolve).unwrap_err();
    assert_eq!(rejection.to_string(), "lead only: a is a member, and `dissolve` makes or ends a team");
}

fn promising() -> Trial {
    let mut spec = led(vec![member("a", &[])]);
    spec.lead.as_mut().unwrap().outputs = vec!["REPORT.md".into()];
    let mut t = Trial::with(spec);
    t.complete("a", "").unwrap();
    t.end("lead", EndCause::Silent);
    t.end("lead", EndCause::Silent);
    t.person(Command::Dissolve).unwrap();
    t
}

#[test]
fn r21_what_the_lead_promised_is_looked_at_before_the_team_is_completed() {
    for (refused, completed) in [(Vec::new(), true), (vec!["no REPORT.md".into()], false)] {
        let mut t = promising();
        let Some(Effect::Check(job)) = t.effects.last() else { panic!() };
        assert_eq!((job.attempt, job.outputs.as_slice()), (None, ["REPORT.md".to_owned()].as_slice()));
        assert_eq!(ended(&t), None);
        t.system(Command::SettleChecks { attempt: None, team: TeamId(1), refused, outputs: Vec::new() });
        assert_eq!(ended(&t), Some(completed));
    }
}

#[test]
fn r33_a_look_at_a_promise_that_a_crash_swallowed_is_asked_again() {
    let mut t = promising();
    t.effects.clear();
    t.system(Command::Recover(Box::default()));
    assert!(matches!(t.effects.last(), Some(Effect::Check(job)) if job.attempt.is_none()));
}
