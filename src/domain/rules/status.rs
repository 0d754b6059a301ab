//! R10, R11: the one table, and every command against every status.
use crate::domain::status::{self, MOVES};
use crate::domain::trial::{Trial, by_name, chair, member, name, team};
use crate::domain::*;

#[test]
fn r10_the_table_is_what_help_prints_and_all_else_is_refused() {
    let table = status::table();
    for m in MOVES {
        assert!(status::allowed(m.from, m.to), "{m:?}");
        assert!(table.contains(&format!("{:<12} {:<12} {}", m.from.word(), m.to.word(), m.by)));
    }
    assert!(table.ends_with("All else is refused.\n"));
    let count = Status::ALL.iter().flat_map(|from| Status::ALL.map(|to| status::allowed(*from, to)));
    // 13 rows, in_review -> failed, 2 adoptions, 5 cancels beside the row of reject, 3 that wait again.
    assert_eq!(count.filter(|allowed| *allowed).count(), 13 + 1 + 2 + 5 + 3);
}

#[test]
fn r11_nothing_leaves_what_is_final_and_only_a_decision_what_is_settled() {
    for to in Status::ALL {
        assert!(!status::allowed(Status::Completed, to) && !status::allowed(Status::Cancelled, to));
    }
    for from in [Status::Failed, Status::Stale] {
        assert!(!status::allowed(from, Status::InProgress), "it is pending first");
        assert!(status::allowed(from, Status::Completed), "adopt");
        assert!(status::allowed(from, Status::Cancelled), "cancel");
    }
}

/// A run in which the task `x` has that status, waits for `a`, is waited for by `y`, and its member has a live attempt.
fn at(status: Status) -> Trial {
    let mut t = Trial::with(team(vec![
        member("a", &[]),
        member("x", &["a"]),
        member("y", &["x"]),
        chair("z", Driver::Scripted(Vec::new())),
    ]));
    if status == Status::Blocked || status == Status::Pending {
        t.add("x");
    }
    if status != Status::Blocked {
        t.complete("a", "in").unwrap();
    }
    if status != Status::Blocked && status != Status::Pending {
        t.add("x");
    }
    match status {
        Status::InReview => t.end("x", EndCause::Silent),
        Status::Completed => drop(t.complete("x", "done").unwrap()),
        Status::Failed => t.end("x", EndCause::Broken("it broke".into())),
        Status::Cancelled => {
            t.cancel("x", None).unwrap();
            t.all_stop();
        }
        Status::Stale => {
            t.person(Command::Interrupt { member: name("x") }).unwrap();
            t.complete("x", "late").unwrap_err();
            t.all_stop();
        }
        _ => {}
    }
    assert_eq!(t.status("x"), status);
    assert!(t.try_attempt("x").is_some());
    t
}

fn ask(t: &mut Trial, verb: &str) -> Result<Reply, Rejection> {
    let x = || by_name("x");
    let text = || crate::text::Untrusted::from("why");
    match verb {
        "complete" => t.member("x", Command::Complete { task: Some(x()), text: text() }),
        "fail" => t.member("x", Command::Fail { task: Some(x()), text: text() }),
        "claim" => t.member("x", Command::Claim { task: x() }),
        "assign" => t.person(Command::Assign { task: x(), to: name("z") }),
        "cancel" => t.cancel("x", None),
        "retry" => t.retry("x"),
        "send_back" => t.person(Command::SendBack { task: Some(x()), text: text() }),
        "approve" => t.person(Command::Approve { task: Some(x()), text: text() }),
        "reject" => t.person(Command::Reject { task: x(), text: text(), release: false }),
        "adopt" => t.person(Command::Adopt { task: x(), attempt: None }),
        "update" => {
            let change = TaskChange { priority: Some(3), ..TaskChange::default() };
            t.person(Command::Update { task: x(), change })
        }
        "review" => t.person(Command::SetReviewers { task: x(), by: vec![Reviewer::Person] }),
        "comment" => t.person(Command::Comment { task: x(), text: text() }),
        "expect" => t.person(Command::AssertEnd { task: x() }),
        "rewire" => t.replan(vec![PlanStep::Rewire { task: x(), after: Vec::new() }]),
        "prompt" => t.replan(vec![PlanStep::Prompt { task: x(), text: text() }]),
        "replace" => {
            let add = AddMember { member: member("x2", &[]), like: None, given: Vec::new() };
            t.replan(vec![PlanStep::Add(Box::new(add)), PlanStep::Replace { old: x(), new: name("x2") }])
        }
        "remove" => t.person(Command::Remove { member: name("x") }),
        _ => panic!("{verb}"),
    }
}

/// What each command makes of each status: the status after it, or the code of the refusal.
const WHOLE: &[(&str, [&str; 8])] = &[
    //           blocked      pending       in_progress     in_review       completed    failed          cancelled    stale
    (
        "complete",
        [
            "blocked!",
            "completed",
            "completed",
            "wrong_status!",
            "completed",
            "wrong_status!",
            "final!",
            "wrong_status!",
        ],
    ),
    (
        "fail",
        [
            "blocked!",
            "failed",
            "failed",
            "wrong_status!",
            "final!",
            "wrong_status!",
            "final!",
            "wrong_status!",
        ],
    ),
    (
        "claim",
        [
            "blocked!",
            "pending",
            "wrong_status!",
            "wrong_status!",
            "final!",
            "wrong_status!",
            "final!",
            "wrong_status!",
        ],
    ),
    (
        "assign",
        ["blocked!", "in_progress", "wrong_status!", "wrong_status!", "final!", "failed", "final!", "stale"],
    ),
    (
        "cancel",
        ["cancelled", "cancelled", "cancelled", "cancelled", "final!", "cancelled", "final!", "cancelled"],
    ),
    (
        "retry",
        [
            "blocked!",
            "wrong_status!",
            "wrong_status!",
            "wrong_status!",
            "final!",
            "pending",
            "final!",
            "pending",
        ],
    ),
    (
        "send_back",
        [
            "blocked!",
            "wrong_status!",
            "wrong_status!",
            "pending",
            "final!",
            "wrong_status!",
            "final!",
            "wrong_status!",
        ],
    ),
    (
        "approve",
        [
            "blocked!",
            "wrong_status!",
            "wrong_status!",
            "completed",
            "final!",
            "wrong_status!",
            "final!",
            "wrong_status!",
        ],
    ),
    (
        "reject",
        [
            "blocked!",
            "wrong_status!",
            "wrong_status!",
            "cancelled",
            "final!",
            "wrong_status!",
            "final!",
            "wrong_status!",
        ],
    ),
    (
        "adopt",
        [
            "blocked!",
            "wrong_status!",
            "wrong_status!",
            "completed",
            "final!",
            "completed",
            "final!",
            "completed",
        ],
    ),
    ("update", ["blocked", "pending", "in_progress", "in_review", "final!", "failed", "final!", "stale"]),
    ("review", ["blocked", "pending", "in_progress", "in_review", "final!", "failed", "final!", "stale"]),
    (
        "comment",
        ["blocked", "pending", "in_progress", "in_review", "completed", "failed", "cancelled", "stale"],
    ),
    (
        "expect",
        ["blocked", "pending", "in_progress", "in_review", "completed", "failed", "cancelled", "stale"],
    ),
    (
        "rewire",
        [
            "pending",
            "pending",
            "wrong_status!",
            "wrong_status!",
            "wrong_status!",
            "wrong_status!",
            "wrong_status!",
            "wrong_status!",
        ],
    ),
    (
        "prompt",
        [
            "blocked",
            "pending",
            "wrong_status!",
            "wrong_status!",
            "wrong_status!",
            "failed",
            "wrong_status!",
            "stale",
        ],
    ),
    (
        "replace",
        ["cancelled", "cancelled", "cancelled", "cancelled", "final!", "cancelled", "cancelled", "cancelled"],
    ),
    (
        "remove",
        [
            "cancelled",
            "cancelled",
            "cancelled",
            "cancelled",
            "completed",
            "cancelled",
            "cancelled",
            "cancelled",
        ],
    ),
];

#[test]
fn r10_every_command_on_every_status_moves_as_the_table_says_or_is_refused_with_nothing_changed() {
    for (verb, row) in WHOLE {
        for (status, expected) in Status::ALL.into_iter().zip(row) {
            let mut t = at(status);
            let before = t.state.clone();
            let answer = ask(&mut t, verb);
            let said = match &answer {
                Ok(_) => t.status("x").word().to_owned(),
                Err(rejection) => format!("{}!", rejection.code.word()),
            };
            assert_eq!(said, *expected, "{verb} on {status}: {answer:?}");
            if answer.is_err() {
                assert_eq!(t.state, before, "{verb} on {status} was refused, nothing changed");
            }
        }
    }
}

#[test]
fn row_1_19_the_walk_is_blocked_in_progress_completed_failed_or_cancelled() {
    let mut t = Trial::with(team(vec![member("a", &[]), member("b", &["a"]), member("c", &["b"])]));
    assert_eq!([t.status("a"), t.status("b")], [Status::InProgress, Status::Blocked]);
    t.complete("a", "").unwrap();
    assert_eq!([t.status("a"), t.status("b")], [Status::Completed, Status::InProgress]);
    t.fail("b", "no").unwrap();
    t.cancel("c", None).unwrap();
    assert_eq!([t.status("b"), t.status("c")], [Status::Failed, Status::Cancelled]);
}
