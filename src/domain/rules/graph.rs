//! R4 to R9: one graph, no loops, what an edge needs, who is held and who released.
use crate::domain::trial::{Trial, by_name, chair, human, member, name, process, task_ref, team, with};
use crate::domain::*;

fn create(members: Vec<MemberSpec>) -> Rejection {
    let mut t = Trial::new(true);
    let before = t.state.clone();
    let rejection = t.person(Command::Create(Box::new(team(members)))).unwrap_err();
    assert_eq!(t.state, before, "nothing is stored");
    rejection
}

fn edge(on: &str) -> EdgeSpec {
    EdgeSpec { on: task_ref(on), needs: Needs::Completed }
}

#[test]
fn c001_a_cycle_prints_exactly_its_loop_and_nothing_is_stored() {
    let rejection =
        create(vec![member("d", &["a"]), member("a", &["b"]), member("b", &["c"]), member("c", &["a"])]);
    assert_eq!((rejection.code, rejection.what.as_str()), (Code::Cycle, "cycle: a -> b -> c -> a"));
    assert_eq!(rejection.headline(), rejection.what);
    assert_eq!(create(vec![member("a", &["A"])]).what, "cycle: a -> a");
}

#[test]
fn c001_the_same_check_holds_for_add_and_replan() {
    let mut t = Trial::with(team(vec![member("a", &[]), member("b", &["a"]), member("c", &["b"])]));
    let rejection =
        t.replan(vec![PlanStep::Rewire { task: by_name("b"), after: vec![edge("c")] }]).unwrap_err();
    assert_eq!(rejection.what, "cycle: b -> c -> b; nothing was applied");
    let own = TaskSpec { depends_on: vec![edge("4")], ..TaskSpec::default() };
    let rejection = t.person(Command::AddTask(Box::new(own))).unwrap_err();
    assert_eq!(rejection.what, "#4 depends on `#4`, which does not exist");
}

#[test]
fn c002_an_unknown_dependency_is_refused_with_the_nearest() {
    let rejection = create(vec![member("build", &[]), member("test", &["biuld"])]);
    assert_eq!(rejection.what, "test depends on `biuld`, which does not exist");
    assert!(rejection.help[0].starts_with("did you mean `build`?"));
    assert_eq!(create(vec![member("a", &[]), member("b", &["a", "A"])]).what, "b depends on `A` twice");
}

#[test]
fn r5_a_number_that_is_a_name_is_checked_as_what_it_will_mean() {
    let mut spec = team(vec![member("a", &[]), member("b", &[])]);
    let task = |own: &str, on: &str| TaskSpec {
        name: Some(name(own)),
        depends_on: vec![edge(on)],
        ..TaskSpec::default()
    };
    // The edge of `2` on #4 is one on `c`, and c's on #2 is one on `2`, not on b.
    spec.tasks = vec![task("2", "4").into(), task("c", "2").into()];
    let rejection = Trial::new(true).person(Command::Create(Box::new(spec))).unwrap_err();
    assert_eq!(rejection.what, "cycle: 2 -> c -> 2");
}

#[test]
fn r4_a_brief_is_one_task_and_added_ones_have_numbers() {
    let mut t = Trial::with(team(vec![member("a", &[]), chair("b", Driver::Human)]));
    assert!(t.task("a").brief && !t.task("a").added);
    let number = t.add("b");
    assert!(t.task(&number).added && !t.task(&number).brief);
    assert_eq!(t.task(&number).number, TaskNo(2));
}

#[test]
fn row_1_07_the_whole_graph_is_made_in_one_command_and_row_1_08_those_without_upstreams_start() {
    let t = Trial::with(team(vec![
        member("d", &["b", "c"]),
        member("b", &["a"]),
        member("c", &["a"]),
        member("a", &[]),
    ]));
    assert_eq!(t.count("team_created"), 1);
    assert_eq!(t.live(), ["a"]);
    for parked in ["b", "c", "d"] {
        assert_eq!(t.status(parked), Status::Blocked);
    }
}

#[test]
fn row_1_20_a_fan_in_starts_when_the_last_of_its_upstreams_completes() {
    let mut t = Trial::with(team(vec![
        member("a", &[]),
        member("b", &[]),
        member("c", &[]),
        member("d", &["a", "b", "c"]),
    ]));
    for (own, open) in [("b", 2), ("a", 1)] {
        t.complete(own, "").unwrap();
        assert_eq!((t.status("d"), t.task("d").open), (Status::Blocked, open));
    }
    t.complete("c", "").unwrap();
    assert_eq!(t.status("d"), Status::InProgress);
}

#[test]
fn c003_row_1_21_a_failed_upstream_never_lets_its_dependents_start() {
    for _ in 0..200 {
        let mut t = Trial::with(team(vec![process("a", &[]), member("b", &["a"])]));
        t.end("a", EndCause::Exit(1));
        assert_eq!((t.status("b"), t.task("b").is_held()), (Status::Blocked, true));
        assert_eq!(t.count("attempt_started"), 1);
    }
}

#[test]
fn x01_r7_the_whole_chain_below_a_failure_is_held_with_its_reason() {
    let mut t = Trial::with(team(vec![member("a", &[]), member("b", &["a"]), member("c", &["b"])]));
    t.fail("a", "no").unwrap();
    assert!(t.task("b").is_held() && t.task("c").is_held());
    t.retry("a").unwrap();
    assert!(!t.task("b").is_held() && !t.task("c").is_held());
    t.person(Command::Interrupt { member: name("a") }).unwrap();
    t.all_stop();
    assert_eq!(t.status("a"), Status::Stale);
    assert!(t.task("c").is_held(), "a stale upstream holds too");
}

#[test]
fn r6_a_finished_edge_only_orders_and_the_dependent_is_told_what_is_missing() {
    let mut t = Trial::with(team(vec![member("a", &[]), member("b", &["a:finished"]), member("c", &["b"])]));
    assert_eq!(t.status("b"), Status::Blocked);
    t.fail("a", "no").unwrap();
    assert_eq!(t.status("b"), Status::InProgress);
    let Some(Effect::Start(job)) = t.effects.last() else { panic!() };
    assert_eq!((job.inputs[0].label.as_str(), &job.inputs[0].text), ("a", &None));
    assert!(job.prompt.contains("a (#1) is failed: its result is missing"));
}

#[test]
fn r6_a_finished_edge_is_satisfied_by_what_is_held_and_not_while_a_retry_is_due() {
    let mut t = Trial::with(team(vec![
        trial::agent(member("a", &[]), |a| a.retries = 1),
        member("b", &["a"]),
        member("c", &["b:finished"]),
    ]));
    t.fail("a", "once").unwrap();
    assert_eq!((t.status("a"), t.status("c")), (Status::InProgress, Status::Blocked));
    t.fail("a", "twice").unwrap();
    assert!(t.task("b").is_held());
    assert_eq!(t.status("c"), Status::InProgress, "b is held, nothing comes of it by itself");
}

#[test]
fn r8_a_cancel_holds_by_default_and_releases_for_added_tasks_or_when_it_says_so() {
    let start = || Trial::with(team(vec![member("a", &[]), member("b", &["a"]), chair("z", Driver::Human)]));
    let mut t = start();
    assert_eq!(t.cancel("a", None).unwrap().lines, ["cancelled a; held: b"]);
    assert!(t.task("b").is_held());
    let mut t = start();
    let said = t.cancel("a", Some(Dependents::Release)).unwrap().lines;
    assert_eq!(said, ["cancelled a; released: b"]);
    assert_eq!(t.status("b"), Status::InProgress);
    assert!(t.task("b").edges[0].waived, "the waiver is recorded on the edge");
    let mut t = start();
    let number = t.add("z");
    let below =
        TaskSpec { depends_on: vec![edge(&number)], assignee: Some(name("z")), ..TaskSpec::default() };
    t.person(Command::AddTask(Box::new(below))).unwrap();
    assert_eq!(t.cancel(&number, None).unwrap().lines, ["cancelled #3; released: #4"]);
    assert_eq!(t.status("4"), Status::InProgress);
}

#[test]
fn r8_a_release_reaches_only_those_that_wait_for_the_result() {
    let mut t = Trial::with(team(vec![member("a", &[]), member("b", &["a"]), member("c", &["a:finished"])]));
    t.cancel("a", Some(Dependents::Release)).unwrap();
    assert_eq!(t.count("edge_waived"), 1);
    assert_eq!((t.status("b"), t.status("c")), (Status::InProgress, Status::InProgress));
}

#[test]
fn r9_upstream_results_are_rendered_when_the_dependent_starts() {
    let mut t = Trial::with(team(vec![member("a", &[]), member("b", &["a"])]));
    t.complete("a", "the finding").unwrap();
    let Some(Effect::Start(job)) = t.effects.iter().rev().find(|e| matches!(e, Effect::Start(_))) else {
        panic!()
    };
    assert_eq!(job.label, "b");
    assert!(job.prompt.contains("the finding"));
    assert_eq!(job.inputs[0].text.as_ref().unwrap().raw(), "the finding");
}

#[test]
fn c010_what_a_retry_frees_is_started_with_no_further_call() {
    let mut t = Trial::with(team(vec![member("t1", &[]), member("t2", &[]), member("t3", &["t1", "t2"])]));
    t.cancel("t1", Some(Dependents::Release)).unwrap();
    t.fail("t2", "no").unwrap();
    let team = t.the_team();
    assert_eq!(pulse::why_not(team, t.task("t3")), "t3 is held by t2 (failed at 0.0s)");
    t.retry("2").unwrap();
    t.complete("t2", "").unwrap();
    assert_eq!(t.status("t3"), Status::InProgress);
}

#[test]
fn c009_a_blocked_task_is_refused_with_its_open_blockers() {
    let mut t = Trial::with(team(vec![member("t1", &[]), member("t2", &["t1"]), human("p", &[])]));
    let t2 = || Some(by_name("t2"));
    let add = TaskSpec { assignee: Some(name("t2")), ..TaskSpec::default() };
    t.person(Command::AddTask(Box::new(add))).unwrap();
    let refused = [
        t.member("t2", Command::Complete { task: t2(), text: "x".into() }),
        t.member("t2", Command::Claim { task: by_name("t2") }),
        t.person(Command::Assign { task: by_name("t2"), to: name("p") }),
        t.person(Command::Approve { task: t2(), text: "".into() }),
        t.retry("t2"),
    ];
    for answer in refused {
        let rejection = answer.unwrap_err();
        assert_eq!(rejection.code, Code::Blocked);
        assert_eq!(rejection.what, "t2 (#2) waits for t1 (#1, in_progress)");
        assert_eq!(t.status("t2"), Status::Blocked);
    }
    t.member("t2", Command::Complete { task: None, text: "".into() }).unwrap();
    t.complete("t1", "").unwrap();
    assert_eq!(t.status("t2"), Status::InProgress);
}

#[test]
fn r5_limits_of_the_graph_are_named() {
    let huge = crate::text::Untrusted::from("x".repeat(limits::MAX_PROMPT_BYTES + 1));
    let rejection = create(vec![with(member("a", &[]), |brief| brief.prompt = Some(huge.clone()))]);
    assert_eq!(rejection.code, Code::OverLimit);
    let mut t = Trial::with(team(vec![member("a", &[]), member("b", &["a"])]));
    let step = PlanStep::Prompt { task: by_name("b"), text: huge };
    assert_eq!(t.replan(vec![step]).unwrap_err().code, Code::OverLimit, "in a replan too");
    let many = (0..=limits::MAX_MEMBERS).map(|n| chair(&format!("m{n}"), Driver::Human)).collect();
    assert_eq!(create(many).code, Code::OverLimit);
    let mut none = team(vec![member("a", &[])]);
    none.limits.parallel = 0;
    let rejection = Trial::new(true).person(Command::Create(Box::new(none))).unwrap_err();
    assert_eq!(rejection.code, Code::BadPlan);
}

#[test]
fn x21_a_task_of_someone_without_a_chair_is_refused() {
    let mut spec = team(vec![member("a", &[])]);
    spec.tasks =
        vec![TaskSpec { name: Some(name("t")), assignee: Some(name("lead")), ..TaskSpec::default() }.into()];
    let rejection = Trial::new(true).person(Command::Create(Box::new(spec))).unwrap_err();
    assert_eq!(rejection.what, "t names the member `lead`, which t does not have");
}
