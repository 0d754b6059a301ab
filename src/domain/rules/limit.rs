//! R27, R28: one live attempt each, room for `parallel`, what one may give another, and the order of starts.
use crate::domain::trial::{Trial, agent, by_name, chair, human, led, member, name, team, with};
use crate::domain::*;

const FULL: &str = "Try a different agent or handle it yourself.";

fn give(t: &mut Trial, from: &str, to: &str) -> Result<Reply, Rejection> {
    let spec = TaskSpec { assignee: Some(name(to)), ..TaskSpec::default() };
    t.member(from, Command::AddTask(Box::new(spec)))
}

fn givers() -> Trial {
    Trial::with(led(["a", "b", "c", "d"].map(|own| member(own, &[])).to_vec()))
}

#[test]
fn r27_three_from_one_giver_to_one_member_and_the_text_is_fixed() {
    let mut t = givers();
    for _ in 0..3 {
        give(&mut t, "a", "d").unwrap();
    }
    let rejection = give(&mut t, "a", "d").unwrap_err();
    assert_eq!(
        (rejection.code, rejection.to_string()),
        (Code::AtCapacity, format!("Agent at capacity (3/3). {FULL}"))
    );
    give(&mut t, "a", "c").unwrap();
    give(&mut t, "b", "d").unwrap();
}

#[test]
fn r27_five_on_one_member_from_all() {
    let mut t = givers();
    for from in ["a", "a", "a", "b", "b"] {
        give(&mut t, from, "d").unwrap();
    }
    for from in ["b", "c"] {
        assert_eq!(
            give(&mut t, from, "d").unwrap_err().to_string(),
            format!("Agent at capacity (5/5). {FULL}")
        );
    }
}

#[test]
fn r27_what_the_file_a_replan_the_lead_or_the_person_gives_does_not_count() {
    let mut spec = led(["a", "d"].map(|own| member(own, &[])).to_vec());
    let task = |n: u32| TaskSpec {
        name: Some(name(&format!("t{n}"))),
        assignee: Some(name("d")),
        ..TaskSpec::default()
    };
    spec.tasks = (0..6).map(task).map(Into::into).collect();
    let mut t = Trial::with(spec);
    for _ in 0..6 {
        t.add("d");
        give(&mut t, "lead", "d").unwrap();
    }
    for _ in 0..3 {
        give(&mut t, "a", "d").unwrap();
    }
    assert_eq!(give(&mut t, "a", "d").unwrap_err().code, Code::AtCapacity);
}

#[test]
fn r27_what_one_takes_on_oneself_does_not_count() {
    let mut t = givers();
    for _ in 0..8 {
        give(&mut t, "d", "d").unwrap();
    }
    give(&mut t, "a", "d").unwrap();
}

#[test]
fn r27_what_is_over_does_not_count_and_what_is_tried_again_does() {
    let mut t = givers();
    t.complete("d", "").unwrap();
    for _ in 0..3 {
        give(&mut t, "a", "d").unwrap();
    }
    t.fail("d", "no").unwrap();
    give(&mut t, "a", "d").unwrap();
    assert_eq!(give(&mut t, "a", "d").unwrap_err().code, Code::AtCapacity);
    t.retry("5").unwrap();
    t.complete("d", "").unwrap();
    assert_eq!(give(&mut t, "a", "d").unwrap_err().code, Code::AtCapacity, "three are left");
}

#[test]
fn r27_an_assignment_counts_once_and_moves_the_giver() {
    let mut t = givers();
    for _ in 0..3 {
        give(&mut t, "a", "d").unwrap();
    }
    t.person(Command::AddTask(Box::default())).unwrap();
    let free = trial::task_ref(&t.newest());
    let assign = |to: &str| Command::Assign { task: free.clone(), to: name(to) };
    assert_eq!(t.member("a", assign("d")).unwrap_err().code, Code::AtCapacity);
    t.member("b", assign("d")).unwrap();
    assert_eq!(t.member("b", assign("d")).unwrap_err().code, Code::NotYours, "it is d's now");
    t.person(assign("d")).unwrap();
    give(&mut t, "b", "d").unwrap();
    give(&mut t, "b", "d").unwrap();
    assert_eq!(give(&mut t, "c", "d").unwrap_err().code, Code::AtCapacity);
}

#[test]
fn r27_a_member_has_one_live_attempt_and_the_rest_waits_by_priority_and_number() {
    let mut t = Trial::with(team(vec![member("a", &[])]));
    let add = |t: &mut Trial, priority| {
        let spec = TaskSpec { assignee: Some(name("a")), priority, ..TaskSpec::default() };
        t.person(Command::AddTask(Box::new(spec))).unwrap();
    };
    for priority in [0, 5, 5, -1] {
        add(&mut t, priority);
    }
    let change = TaskChange { priority: Some(9), ..TaskChange::default() };
    t.person(Command::Update { task: trial::task_ref("5"), change }).unwrap();
    let mut order = Vec::new();
    for _ in 0..5 {
        let Purpose::Task(number) = t.attempt("a").purpose else { panic!() };
        order.push(number.0);
        t.complete("a", "").unwrap();
    }
    assert_eq!(order, [1, 5, 3, 4, 2]);
}

#[test]
fn r27_live_attempts_are_capped_per_team_and_persons_are_not_counted() {
    let mut members: Vec<MemberSpec> = (0..6).map(|n| member(&format!("m{n}"), &[])).collect();
    members.push(human("p", &[]));
    let mut spec = team(members);
    spec.limits.parallel = 2;
    let mut t = Trial::with(spec);
    assert_eq!(t.live(), ["m0", "m1", "p"]);
    t.complete("m1", "").unwrap();
    assert_eq!(t.live(), ["m0", "p", "m2"]);
}

#[test]
fn r27_an_owner_has_256_live_attempts_at_most() {
    let members: Vec<MemberSpec> = (0..300).map(|n| member(&format!("m{n}"), &[])).collect();
    let mut spec = team(members);
    spec.limits.parallel = 1_000;
    let t = Trial::with(spec);
    assert_eq!(t.state.live.len(), limits::MAX_LIVE);
}

#[test]
fn r28_ready_tasks_start_in_order_of_priority_and_number_the_moment_they_can() {
    let ranked = |own: &str, priority| with(member(own, &["root"]), |b| b.priority = priority);
    let mut spec =
        team(vec![member("root", &[]), ranked("low", -1), ranked("b", 0), ranked("c", 0), ranked("high", 3)]);
    spec.limits.parallel = 1;
    let mut t = Trial::with(spec);
    let mut order = Vec::new();
    while let Some(own) = t.live().first().cloned() {
        t.complete(&own, "").unwrap();
        order.push(own);
    }
    assert_eq!(order, ["root", "high", "b", "c", "low"]);
}

#[test]
fn r28_the_end_and_the_starts_it_allows_are_of_one_decision() {
    let mut t = Trial::with(team(vec![member("a", &[]), member("b", &["a"]), member("c", &["a"])]));
    let before = t.facts.len();
    t.complete("a", "").unwrap();
    let words: Vec<_> = t.words().split_off(before);
    assert_eq!(words, ["attempt_ended", "attempt_started", "attempt_started"]);
}

#[test]
fn what_is_paused_starts_nothing_new_and_goes_on_when_resumed() {
    let mut t = Trial::with(team(vec![member("a", &[]), member("b", &["a"]), member("c", &["b"])]));
    t.person(Command::Pause { member: Some(name("b")) }).unwrap();
    t.complete("a", "").unwrap();
    assert_eq!((t.status("b"), t.live()), (Status::Pending, Vec::new()));
    assert_eq!(t.person(Command::Pause { member: Some(name("b")) }).unwrap().lines, ["b is paused already"]);
    t.person(Command::Resume { member: Some(name("b")) }).unwrap();
    assert_eq!(t.status("b"), Status::InProgress);
    t.person(Command::Pause { member: None }).unwrap();
    t.complete("b", "").unwrap();
    assert_eq!(t.status("c"), Status::Pending);
    t.person(Command::Resume { member: None }).unwrap();
    assert_eq!(t.status("c"), Status::InProgress);
}

#[test]
fn an_unassigned_task_waits_for_whoever_claims_it() {
    let mut t = Trial::with(team(vec![member("a", &[]), agent(chair("b", Driver::Human), |_| {})]));
    t.person(Command::AddTask(Box::default())).unwrap();
    assert_eq!(t.status("2"), Status::Pending);
    let reply = t.member("a", Command::Claim { task: trial::task_ref("2") }).unwrap();
    assert_eq!(reply.data, Data::Added { name: "#2".into(), number: Some(TaskNo(2)) });
    t.complete("a", "").unwrap();
    assert_eq!(t.status("2"), Status::InProgress);
    assert_eq!(t.person(Command::Claim { task: by_name("a") }).unwrap_err().code, Code::NotYours);
}
