//! R32 to R35: a new owner, a closed run, and what goes on by itself.
use crate::domain::trial::{Trial, agent, by_name, chair, human, led, member, process, reviewer, team, with};
use crate::domain::*;

fn safe(spec: MemberSpec) -> MemberSpec {
    agent(spec, |a| a.rerun = Rerun::Safe)
}

#[test]
fn c035_r35_what_ran_is_stale_or_runs_again_and_recovering_twice_changes_nothing() {
    let mut t =
        Trial::with(team(vec![process("ask", &[]), safe(process("safe", &[])), member("z", &["ask"])]));
    let mut crashed = t.state.clone();
    t.system(Command::Recover(Box::default()));
    assert_eq!((t.status("ask"), t.task("ask").attempts[0].outcome), (Status::Stale, Outcome::Unknown));
    assert_eq!((t.status("safe"), t.task("safe").begun), (Status::InProgress, 2));
    assert_eq!((t.task("safe").attempts[0].outcome, t.task("safe").interrupted), (Outcome::Interrupted, 1));
    assert!(t.task("z").is_held());
    t.retry("ask").unwrap();
    assert_eq!(t.status("ask"), Status::InProgress);
    let now = Now::default();
    let asked =
        Asked { actor: Actor::System, team: None, line: None, command: Command::Recover(Box::default()) };
    let only_ask = crashed.teams.get_mut(&TeamId(1)).unwrap();
    only_ask.paused = true;
    decide(&mut crashed, now, &asked);
    let again = decide(&mut crashed, now, &asked);
    assert_eq!(
        (again.facts, again.reply.unwrap().lines),
        (Vec::new(), vec!["nothing to recover".to_owned()])
    );
}

#[test]
fn r35_the_report_says_what_was_found_and_what_became_of_it() {
    let mut t = Trial::with(team(vec![
        process("ask", &[]),
        safe(process("safe", &[])),
        human("p", &[]),
        with(process("checked", &[]), |b| b.checks = vec!["true".into()]),
    ]));
    t.end("checked", EndCause::Exit(0));
    t.send("ask", "safe", "look here").unwrap();
    let (ask, last) = (t.attempt("ask").id, t.state.seq);
    let found = Found {
        processes: vec![LeftOver { pid: 71, attempt: Some(ask) }, LeftOver { pid: 72, attempt: None }],
        ended: 2,
        seams: vec![OutputSeam { attempt: ask, past: 312, lost: 0 }],
        took_ms: 6,
        ..Found::default()
    };
    t.system(Command::Recover(Box::new(found)));
    let view = view::RecoveryView::of(&t.state).unwrap();
    assert_eq!((view.last_seq, view.took_ms), (last, 6));
    let rows: Vec<String> = view.rows.iter().map(|r| format!("{}: {}, {}", r.what, r.word, r.done)).collect();
    let expected = [
        "ask: unknown, may or may not have finished: stale, your choice",
        "safe: interrupted, safe: starts again, as attempt 2",
        "p: waits, a person does it: goes on",
        "checked: ended, its checks run again",
    ];
    assert_eq!(rows, expected);
    assert_eq!(view.choices(), [("ask".to_owned(), "ask".to_owned())]);
    let notes: Vec<String> = view.aside().iter().map(|line| line.plain()).collect();
    let expected = [
        "  2 left-over processes ended: 71 (ask), 72 (a check)",
        "  312 B of output of ask past its mark: kept, behind a seam",
        "  1 message not yet read: kept for whom they are for",
    ];
    assert_eq!(notes, expected);
    // What ends later is not what recovery did; a choice that was made is none any more.
    t.end("safe", EndCause::Exit(0));
    t.retry("ask").unwrap();
    let view = view::RecoveryView::of(&t.state).unwrap();
    assert_eq!(view.rows[1].word, "interrupted");
    assert!(view.choices().is_empty());
    let again = serde_json::to_string(&t.state).unwrap();
    assert_eq!(serde_json::from_str::<State>(&again).unwrap(), t.state);
}

#[test]
fn r35_what_a_restored_store_lost_is_in_the_report_though_nothing_was_live() {
    let mut t = Trial::with(team(vec![process("a", &[])]));
    t.end("a", EndCause::Exit(0));
    let found = |lost_from| Box::new(Found { restored: true, lost_from, ..Found::default() });
    t.system(Command::Recover(found(None)));
    let view = view::RecoveryView::of(&t.state).unwrap();
    assert_eq!((view.lost.len(), view.notes[0].1.as_str()), (0, "restored: nothing of it is lost"));
    t.system(Command::Recover(found(Some(Seq(1_205)))));
    let view = view::RecoveryView::of(&t.state).unwrap();
    assert!(view.lost[0].starts_with("the facts from seq 1,205 on: "), "{:?}", view.lost);
}

#[test]
fn r34_checks_of_a_person_that_end_the_owner_three_times_leave_the_task_to_the_person() {
    let mut t = Trial::with(team(vec![with(human("p", &[]), |b| b.checks = vec!["true".into()])]));
    let complete = || Command::Complete { task: Some(by_name("p")), text: "signed".into() };
    t.person(complete()).unwrap();
    for _ in 0..3 {
        t.system(Command::Recover(Box::default()));
    }
    assert_eq!(t.attempt("p").looking, 0);
    t.person(complete()).unwrap();
    t.checked("p", &[]);
    assert_eq!(t.status("p"), Status::Completed);
}

#[test]
fn r34_checks_under_which_the_owner_ends_three_times_do_not_run_a_fourth_time() {
    let mut t = Trial::with(team(vec![with(process("loop", &[]), |b| b.checks = vec!["true".into()])]));
    t.end("loop", EndCause::Exit(0));
    for crash in 1..=2 {
        t.system(Command::Recover(Box::default()));
        assert_eq!(t.status("loop"), Status::InProgress, "after crash {crash}");
    }
    t.effects.clear();
    t.system(Command::Recover(Box::default()));
    assert!(t.effects.is_empty(), "{:?}", t.effects);
    assert_eq!(t.status("loop"), Status::Stale);
    assert!(t.task("loop").reason.raw().contains("quarantined"), "{:?}", t.task("loop").reason);
}

#[test]
fn r33_nothing_acknowledged_is_lost_what_was_said_stands() {
    let mut t = Trial::with(team(vec![process("done", &[]), process("given-up", &[])]));
    t.complete("done", "said").unwrap();
    t.fail("given-up", "no access").unwrap();
    t.system(Command::Recover(Box::default()));
    assert_eq!((t.status("done"), t.status("given-up")), (Status::Completed, Status::Failed));
    assert_eq!(t.task("done").result.as_ref().unwrap().text.raw(), "said");
}

#[test]
fn r33_the_checks_of_what_has_ended_run_again_and_it_does_not() {
    let checked = |spec: MemberSpec| with(spec, |b| b.checks = vec!["true".into()]);
    let exits = checked(process("exits", &[]));
    let mut t = Trial::with(team(vec![exits, checked(process("runs", &[])), checked(human("p", &[]))]));
    t.end("exits", EndCause::Exit(0));
    t.complete("runs", "early").unwrap();
    t.person(Command::Complete { task: Some(by_name("p")), text: "signed".into() }).unwrap();
    t.effects.clear();
    t.system(Command::Recover(Box::default()));
    let looks = |e: &Effect| matches!(e, Effect::Check(job) if job.checks == ["true"]);
    assert_eq!(t.effects.iter().filter(|e| looks(e)).count(), 2, "{:?}", t.effects);
    assert_eq!((t.status("runs"), t.task("runs").attempts[0].outcome), (Status::Stale, Outcome::Unknown));
    assert_eq!((t.status("exits"), t.task("exits").begun), (Status::InProgress, 1));
    // One look, one answer: it decides.
    t.checked("exits", &[]);
    t.checked("p", &[]);
    assert_eq!((t.status("exits"), t.status("p")), (Status::Completed, Status::Completed));
    assert_eq!(t.task("exits").result.as_ref().unwrap().text.raw(), "out");
    assert_eq!((t.task("exits").begun, t.count("attempt_started")), (1, 3));
}

#[test]
fn r33_outputs_of_what_has_ended_are_not_looked_at_by_an_owner_that_did_not_see_it_begin() {
    let spec = with(process("writes", &[]), |b| {
        b.outputs = vec!["out.md".into()];
        b.checks = vec!["true".into()];
    });
    let mut t = Trial::with(team(vec![spec]));
    t.end("writes", EndCause::Exit(0));
    t.effects.clear();
    t.system(Command::Recover(Box::default()));
    assert!(!t.effects.iter().any(|e| matches!(e, Effect::Check(_))), "{:?}", t.effects);
    assert_eq!((t.status("writes"), t.task("writes").attempts[0].outcome), (Status::Stale, Outcome::Unknown));
}

#[test]
fn r33_a_person_is_asked_on_and_sleepers_wake() {
    let mut t = Trial::with(team(vec![human("p", &[]), member("a", &[])]));
    let question = t.attempt("p");
    t.person(Command::Sleep { ms: 60_000 }).unwrap();
    t.system(Command::Recover(Box::default()));
    assert_eq!(t.attempt("p"), question);
    assert!(t.state.timers.is_empty());
    assert_eq!(t.status("a"), Status::InProgress, "a scripted member starts again");
}

#[test]
fn r33_a_review_by_a_command_is_never_silently_repeated_and_others_begin_again() {
    let reviewed = |by: &str| with(member("a", &[]), |b| b.review = vec![reviewer(by)]);
    let command = Driver::Process { line: Line::Run("review".into()), stdin: Stdin::Null };
    for (spec, again) in [
        (chair("r", command.clone()), false),
        (safe(chair("r", command)), true),
        (chair("r", Driver::Scripted(Vec::new())), true),
    ] {
        let mut t = Trial::with(team(vec![reviewed("r"), spec]));
        t.complete("a", "v1").unwrap();
        t.system(Command::Recover(Box::default()));
        assert_eq!((t.status("a"), t.try_attempt("r").is_some()), (Status::InReview, again));
        assert_eq!(t.task("a").review.stuck, !again);
    }
}

#[test]
fn r33_the_turn_of_a_lead_goes_on() {
    let mut t = Trial::with(led(vec![member("a", &[])]));
    t.system(Command::Recover(Box::default()));
    assert_eq!(t.attempt("lead").nth, 2);
}

#[test]
fn r34_a_task_whose_owner_ends_three_times_is_quarantined_and_the_rest_goes_on() {
    let mut t = Trial::with(team(vec![safe(process("loop", &[])), safe(process("b", &[]))]));
    for crash in 1..=3 {
        assert_eq!(t.status("loop"), Status::InProgress, "before crash {crash}");
        if crash == 2 {
            t.end("b", EndCause::Exit(0));
        }
        t.system(Command::Recover(Box::default()));
    }
    assert_eq!((t.status("loop"), t.status("b")), (Status::Stale, Status::Completed));
    assert!(t.task("loop").reason.raw().contains("quarantined"));
    t.retry("loop").unwrap();
    assert_eq!(t.status("loop"), Status::InProgress, "retry is a choice");
}

#[test]
fn r33_a_signal_ends_live_attempts_interrupted_and_resume_tries_them_again() {
    let mut t = Trial::with(team(vec![process("a", &[]), process("b", &[]), member("c", &["a"])]));
    t.end("b", EndCause::Exit(1));
    t.system(Command::InterruptAll { reason: StopCause::Signal });
    t.all_stop();
    assert_eq!((t.status("a"), t.task("a").reason.raw()), (Status::Stale, "interrupted"));
    t.system(Command::CloseRun { reason: CloseReason::Interrupted(2) });
    assert_eq!(CloseReason::Interrupted(2).rc(), 130);
    assert_eq!(t.retry("a").unwrap_err().code, Code::RunClosed);
    let reply = t.person(Command::ResumeRun(ResumeRun::default())).unwrap();
    assert_eq!(reply.lines, ["the run goes on: 1 task is tried again"]);
    assert_eq!((t.status("a"), t.status("b")), (Status::InProgress, Status::Failed));
}

#[test]
fn r33_resume_failed_tries_again_what_failed_or_is_stale_and_keeps_what_is_completed() {
    let mut t = Trial::with(team(vec![process("a", &[]), process("b", &[]), process("c", &[])]));
    t.end("a", EndCause::Exit(0));
    t.end("b", EndCause::Exit(1));
    t.system(Command::Recover(Box::default()));
    t.person(Command::ResumeRun(ResumeRun { failed: true, ..ResumeRun::default() })).unwrap();
    let begun = ["a", "b", "c"].map(|own| t.task(own).begun);
    assert_eq!(begun, [1, 2, 2], "of a crashed run, which is not closed");
}

#[test]
fn x25_resume_starts_only_what_is_left() {
    let mut t = Trial::with(team(vec![member("a", &[]), member("b", &["a"]), member("c", &["b"])]));
    t.complete("a", "").unwrap();
    t.complete("b", "").unwrap();
    t.system(Command::Recover(Box::default()));
    assert_eq!(t.live(), ["c"]);
    assert_eq!((t.task("a").begun, t.task("b").begun), (1, 1));
}

#[test]
fn r33_a_run_closed_while_it_dissolved_goes_on_to_its_end_and_retries_nothing() {
    let mut t = Trial::with(team(vec![member("a", &[])]));
    t.person(Command::Dissolve).unwrap();
    t.system(Command::CloseRun { reason: CloseReason::Interrupted(15) });
    t.system(Command::ResumeRun(ResumeRun::default()));
    assert_eq!((t.words().last(), t.status("a")), (Some(&"team_dissolved"), Status::Stale));
}

#[test]
fn r32_a_write_has_an_intent_and_an_outcome_of_the_same_attempt() {
    let mut t = Trial::with(team(vec![member("a", &[]), member("b", &[])]));
    let write = Command::AskWrite { path: "X.md".into(), before: None, after: "h1".into() };
    let Data::Write(asked) = t.member("a", write.clone()).unwrap().data else { panic!() };
    assert_eq!(t.person(write).unwrap_err().code, Code::NotYours);
    let settle = Command::SettleWrite { asked, refused: None };
    assert_eq!(t.member("b", settle.clone()).unwrap_err().code, Code::NotYours);
    t.member("a", settle.clone()).unwrap();
    assert_eq!(t.member("a", settle.clone()).unwrap_err().code, Code::NotYours, "once");
    assert_eq!(t.person(settle).unwrap_err().code, Code::NotYours);
}

#[test]
fn closing_ends_what_is_live_and_keeps_what_was_said() {
    let mut t = Trial::with(team(vec![process("said", &[]), process("runs", &[])]));
    t.complete("said", "x").unwrap();
    t.system(Command::CloseRun { reason: CloseReason::ScriptFailed });
    assert_eq!((t.status("said"), t.status("runs")), (Status::Completed, Status::Stale));
    let facts = t.facts.len();
    t.system(Command::CloseRun { reason: CloseReason::Completed });
    assert_eq!(t.facts.len(), facts);
}
