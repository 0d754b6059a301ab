//! R17: reviews in turn, sending back, rejecting, and who may say what.
use crate::domain::trial::{
    Trial, agent, by_name, chair, human, led, member, name, process, reviewer, task_ref, team, with,
};
use crate::domain::*;

fn reviewed(by: &[Reviewer]) -> MemberSpec {
    with(member("a", &[]), |brief| brief.review = by.to_vec())
}

fn reviewers() -> Vec<MemberSpec> {
    let scripted = || Driver::Scripted(Vec::new());
    vec![chair("b", scripted()), chair("c", scripted())]
}

fn trial(by: &[Reviewer]) -> Trial {
    let mut members = vec![reviewed(by), member("z", &["a"])];
    members.extend(reviewers());
    Trial::with(team(members))
}

fn approve() -> Command {
    Command::Approve { task: None, text: "".into() }
}

fn send_back(text: &str) -> Command {
    Command::SendBack { task: None, text: text.into() }
}

#[test]
fn r17_each_reviewer_in_turn_gets_the_result_and_all_must_approve() {
    let mut t = trial(&[reviewer("b"), reviewer("c")]);
    t.complete("a", "v1").unwrap();
    assert_eq!((t.status("a"), t.live()), (Status::InReview, vec!["b".to_owned()]));
    let Some(Effect::Start(job)) = t.effects.last() else { panic!() };
    assert_eq!((job.purpose, job.inputs[0].text.as_ref().unwrap().raw()), (Purpose::Review(TaskNo(1)), "v1"));
    t.member("b", approve()).unwrap();
    assert_eq!(t.status("a"), Status::InReview);
    t.end("b", EndCause::Silent);
    assert_eq!(t.live(), ["c"]);
    t.member("c", approve()).unwrap();
    assert_eq!((t.status("a"), t.status("z")), (Status::Completed, Status::InProgress));
}

#[test]
fn r17_a_task_sent_back_tries_again_with_feedback_and_reviews_begin_again() {
    let mut t = trial(&[reviewer("b"), reviewer("c")]);
    t.complete("a", "v1").unwrap();
    t.member("b", approve()).unwrap();
    t.all_stop();
    t.member("c", send_back("too short")).unwrap();
    t.all_stop();
    assert_eq!((t.status("a"), t.task("a").begun), (Status::InProgress, 2));
    let Some(Effect::Start(job)) = t.effects.last() else { panic!() };
    assert!(job.prompt.contains("too short") && job.prompt.contains("v1"), "feedback and the former result");
    t.complete("a", "v2").unwrap();
    assert_eq!(t.live(), ["b"], "from the first reviewer again");
}

#[test]
fn r17_after_three_send_backs_the_next_one_fails_the_task() {
    let mut t = trial(&[reviewer("b")]);
    for round in 1..=4 {
        t.complete("a", "v").unwrap();
        t.member("b", send_back("again")).unwrap();
        t.all_stop();
        let expected = if round <= 3 { Status::InProgress } else { Status::Failed };
        assert_eq!((t.status("a"), t.task("a").begun), (expected, 4.min(round + 1)));
    }
}

#[test]
fn r17_a_process_reviews_by_its_exit_code_and_trouble_is_no_verdict() {
    let with_process = |stdin: Stdin| {
        let driver = Driver::Process { line: Line::Run("review".into()), stdin };
        let mut t = Trial::with(led(vec![reviewed(&[reviewer("p")]), chair("p", driver)]));
        t.end("lead", EndCause::Silent);
        t.complete("a", "v1").unwrap();
        t
    };
    let verdicts = [
        (EndCause::Exit(0), Status::Completed),
        (EndCause::Exit(1), Status::InProgress),
        (EndCause::Exit(127), Status::InReview),
        (EndCause::Exit(126), Status::InReview),
        (EndCause::Signal(9), Status::InReview),
        (EndCause::Lost, Status::InReview),
    ];
    for (cause, status) in verdicts {
        let mut t = with_process(Stdin::Null);
        t.end("p", cause.clone());
        assert_eq!(t.status("a"), status, "{cause:?}");
        if status == Status::InReview {
            assert!(t.task("a").review.stuck && t.live().contains(&"lead".to_owned()), "the lead is told");
            assert!(t.try_attempt("p").is_none(), "and it does not run again by itself");
        }
    }
    let mut t = with_process(Stdin::Prompt);
    t.end("p", EndCause::Exit(0));
    assert_eq!(t.status("a"), Status::InReview, "one that takes the prompt must say so");
}

#[test]
fn r17_only_the_reviewer_whose_turn_it_is_approves() {
    let mut t = trial(&[reviewer("b"), reviewer("c")]);
    t.add("c");
    t.complete("a", "v1").unwrap();
    let named = Command::Approve { task: Some(by_name("a")), text: "".into() };
    let rejection = t.member("c", named.clone()).unwrap_err();
    assert_eq!((rejection.code, rejection.what.as_str()), (Code::NotYours, "c is not the reviewer of a now"));
    t.person(Command::SetReviewers { task: by_name("a"), by: vec![reviewer("c")] }).unwrap();
    let fenced = t.attempt("b");
    let late = t.ask(Actor::Member { attempt: fenced.id, token: fenced.token }, approve());
    assert_eq!(late.unwrap_err().code, Code::StaleToken, "its review is over");
    assert_eq!(t.status("a"), Status::InReview);
}

#[test]
fn r17_nobody_reviews_its_own_work() {
    let own = Trial::new(true).person(Command::Create(Box::new(team(vec![reviewed(&[reviewer("a")])]))));
    assert_eq!(own.unwrap_err().what, "a cannot review its own task a");
    let mut t = trial(&[reviewer("b")]);
    let rejection =
        t.person(Command::SetReviewers { task: by_name("a"), by: vec![reviewer("a")] }).unwrap_err();
    assert_eq!(rejection.code, Code::BadPlan);
    let spec = TaskSpec { review: vec![reviewer("b")], ..TaskSpec::default() };
    t.person(Command::AddTask(Box::new(spec))).unwrap();
    let number = t.newest();
    t.add("b");
    assert_eq!(t.member("b", Command::Claim { task: task_ref(&number) }).unwrap_err().code, Code::BadPlan);
    let assign = Command::Assign { task: task_ref(&number), to: name("b") };
    assert_eq!(t.person(assign).unwrap_err().code, Code::BadPlan);
    let done = Command::Complete { task: Some(task_ref(&number)), text: "x".into() };
    assert_eq!(t.member("b", done).unwrap_err().code, Code::BadPlan);
}

#[test]
fn r17_reviewers_of_new_tasks_have_chairs() {
    let mut t = trial(&[]);
    let nobody = || with(member("n", &[]), |brief| brief.review = vec![reviewer("nobody")]);
    assert_eq!(t.person(Command::AddMember(Box::new(nobody().into()))).unwrap_err().code, Code::NotFound);
    let add = |member| PlanStep::Add(Box::new(AddMember { member, like: None, given: Vec::new() }));
    assert_eq!(t.replan(vec![add(nobody())]).unwrap_err().code, Code::NotFound);
    let by_m = with(member("n", &[]), |brief| brief.review = vec![reviewer("m")]);
    t.replan(vec![add(by_m), add(member("m", &[]))]).unwrap();
}

#[test]
fn r17_an_old_review_says_nothing_about_a_new_round() {
    let mut t = trial(&[reviewer("b")]);
    t.complete("a", "v1").unwrap();
    let old = t.attempt("b").id;
    t.person(Command::Interrupt { member: name("b") }).unwrap();
    t.person(Command::SendBack { task: Some(by_name("a")), text: "more".into() }).unwrap();
    t.complete("a", "v2").unwrap();
    assert_eq!((t.status("a"), t.task("a").review.live), (Status::InReview, None), "b is busy ending");
    t.end_attempt(old, EndCause::Stopped);
    assert!(!t.task("a").review.stuck);
    t.member("b", approve()).unwrap();
    assert_eq!(t.status("a"), Status::Completed);
}

#[test]
fn r17_the_lead_speaks_for_members_and_never_for_the_person() {
    let mut t = Trial::with(led([vec![reviewed(&[reviewer("b"), Reviewer::Person])], reviewers()].concat()));
    let named = Command::Approve { task: Some(by_name("a")), text: "".into() };
    t.complete("a", "v1").unwrap();
    t.member("lead", named.clone()).unwrap();
    assert_eq!(t.status("a"), Status::InReview, "the person is left");
    let rejection = t.member("lead", named.clone()).unwrap_err();
    assert_eq!(rejection.what, "a waits for the person, and nobody approves in its name");
    t.person(named).unwrap();
    assert_eq!(t.status("a"), Status::Completed);
}

#[test]
fn r17_the_person_speaks_for_all_that_are_left_and_a_review_that_runs_is_let_go() {
    let mut t = trial(&[reviewer("b"), reviewer("c")]);
    t.complete("a", "v1").unwrap();
    t.person(Command::Approve { task: Some(by_name("a")), text: "".into() }).unwrap();
    assert_eq!(t.status("a"), Status::Completed);
    assert_eq!(t.attempt("b").stop, Some(StopCause::Done));
    let mut t = trial(&[reviewer("b")]);
    t.complete("a", "v1").unwrap();
    t.person(Command::Adopt { task: by_name("a"), attempt: None }).unwrap();
    assert_eq!((t.status("a"), t.attempt("b").stop), (Status::Completed, Some(StopCause::Done)));
}

#[test]
fn r17_reject_cancels_with_a_reason_and_holds_unless_release_is_written() {
    for release in [false, true] {
        let mut t = trial(&[Reviewer::Person]);
        t.complete("a", "v1").unwrap();
        assert_eq!(t.status("a"), Status::InReview);
        t.person(Command::Reject { task: by_name("a"), text: "wrong way".into(), release }).unwrap();
        assert_eq!((t.status("a"), t.task("a").reason.raw()), (Status::Cancelled, "wrong way"));
        assert_eq!((t.task("z").is_held(), t.status("z") == Status::InProgress), (!release, release));
    }
}

#[test]
fn r17_a_person_in_a_chair_reviews_by_approve_and_not_by_an_answer() {
    let mut t = Trial::with(team(vec![reviewed(&[reviewer("p")]), human("p", &["a"])]));
    t.complete("a", "v1").unwrap();
    let question = t.attempt("p").question.unwrap();
    assert_eq!(question.text.raw(), "Review a: accept it, or send it back?");
    let rejection = t.person(Command::Answer { of: by_name("a"), text: "yes".into() }).unwrap_err();
    assert_eq!(rejection.code, Code::Question);
    t.person(Command::Approve { task: Some(by_name("a")), text: "".into() }).unwrap();
    assert_eq!(
        (t.status("a"), t.status("p")),
        (Status::Completed, Status::InProgress),
        "and goes on to its own"
    );
}

#[test]
fn r17_completed_upstreams_are_never_run_again() {
    let mut t = Trial::with(team(vec![member("a", &[]), agent(process("b", &["a"]), |_| {})]));
    t.complete("a", "").unwrap();
    t.end("b", EndCause::Exit(1));
    t.retry("b").unwrap();
    assert_eq!((t.task("a").begun, t.task("b").begun), (1, 2));
}

#[test]
fn a_review_that_the_end_of_the_run_cut_short_begins_again_when_it_goes_on() {
    let mut t = trial(&[reviewer("b")]);
    t.complete("a", "v1").unwrap();
    t.system(Command::CloseRun { reason: CloseReason::Interrupted(2) });
    assert!(!t.task("a").review.stuck);
    t.system(Command::ResumeRun(ResumeRun::default()));
    assert_eq!(t.live(), ["b"]);
}
