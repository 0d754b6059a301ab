//! R18 to R20: the plan changes in one step, against a revision, all or nothing.
use crate::domain::trial::{Trial, agent, by_name, chair, led, member, name, process, task_ref, team, with};
use crate::domain::*;

fn add(own: &str, after: &[&str]) -> PlanStep {
    let given = if after.is_empty() { Vec::new() } else { vec!["after".to_owned()] };
    PlanStep::Add(Box::new(AddMember { member: member(own, after), like: None, given }))
}

fn cancel(task: &str) -> PlanStep {
    PlanStep::Cancel { tasks: vec![by_name(task)], dependents: None }
}

fn replace(old: &str, new: &str) -> PlanStep {
    PlanStep::Replace { old: by_name(old), new: name(new) }
}

fn rewire(task: &str, after: &[&str]) -> PlanStep {
    let edge = |on: &&str| EdgeSpec { on: task_ref(on), needs: Needs::Completed };
    PlanStep::Rewire { task: by_name(task), after: after.iter().map(edge).collect() }
}

fn edges(t: &Trial, task: &str) -> Vec<String> {
    t.task(task).edges.iter().map(|e| t.the_team().task(e.on).unwrap().label()).collect()
}

fn diff(reply: Reply) -> PlanDiff {
    let Data::Plan(diff) = reply.data else { panic!("{reply:?}") };
    *diff
}

#[test]
fn row_1_10_replan_is_atomic_and_c005_nothing_of_a_refused_one_is_applied() {
    let mut t = Trial::with(team(vec![member("a", &[]), member("b", &["a"])]));
    t.cancel("a", None).unwrap();
    let before = t.state.clone();
    let rejection = t.replan(vec![add("d", &[]), add("c", &["a"])]).unwrap_err();
    assert_eq!(rejection.what, "c would wait for a (#1), which is cancelled; nothing was applied");
    assert_eq!(t.state, before);
}

#[test]
fn c005_a_replacement_that_completes_releases_what_the_old_one_held() {
    let mut t = Trial::with(team(vec![member("a", &[]), member("b", &["a"])]));
    t.fail("a", "no").unwrap();
    t.replan(vec![cancel("a"), add("a2", &[]), rewire("b", &["a2"])]).unwrap();
    t.complete("a2", "").unwrap();
    assert_eq!((t.status("b"), t.task("b").begun), (Status::InProgress, 1));
}

#[test]
fn r18_a_replan_against_an_old_revision_is_refused() {
    let mut t = Trial::with(team(vec![member("a", &[])]));
    t.add("a");
    let steps = vec![cancel("a")];
    let rejection =
        t.person(Command::Replan(Replan { steps, at: Some(Revision(1)), dry_run: false })).unwrap_err();
    assert_eq!(rejection.code, Code::OldRevision);
    assert_eq!(rejection.what, "the plan is at revision 2, not 1; nothing was applied");
}

#[test]
fn r18_status_never_moves_the_revision() {
    let mut t = Trial::with(team(vec![member("a", &[]), member("b", &[])]));
    t.complete("a", "").unwrap();
    t.cancel("b", None).unwrap();
    assert_eq!(t.the_team().revision, Revision(1));
    t.replan(vec![add("c", &[]), add("d", &[])]).unwrap();
    assert_eq!(t.the_team().revision, Revision(2), "a replan is one step, whatever it adds");
}

#[test]
fn r18_members_may_not_and_the_lead_may() {
    let mut t = Trial::with(led(vec![member("a", &[])]));
    let replan = || Command::Replan(Replan { steps: vec![add("b", &[])], ..Replan::default() });
    let rejection = t.member("a", replan()).unwrap_err();
    assert_eq!(rejection.to_string(), "lead only: a is a member, and `replan` changes the plan");
    t.member("lead", replan()).unwrap();
}

#[test]
fn r18_the_difference_is_shown_and_a_dry_run_changes_nothing() {
    let start = || {
        let mut t =
            Trial::with(team(vec![member("x", &[]), member("perf", &[]), member("sum", &["x", "perf"])]));
        t.complete("x", "").unwrap();
        t.fail("perf", "no").unwrap();
        t
    };
    let steps = || vec![cancel("perf"), add("perf2", &[]), replace("perf", "perf2")];
    let (mut dry, mut t) = (start(), start());
    let before = dry.state.clone();
    let would = dry.person(Command::Replan(Replan { steps: steps(), at: None, dry_run: true })).unwrap();
    assert_eq!(dry.state, before);
    let did = t.replan(steps()).unwrap();
    assert_eq!(would.lines[1..], did.lines[1..]);
    assert_eq!(
        did.lines,
        [
            "changed the plan: revision 2",
            "kept             2  x, sum",
            "added            1  perf2",
            "dropped          1  perf (failed)",
            "newly runnable   1  perf2",
            "still held       0",
            "  sum now after x, perf2 (was x, perf)",
        ]
    );
    let diff = diff(did);
    assert_eq!((diff.added[0].number, diff.added[0].replaces.as_deref()), (Some(TaskNo(4)), Some("perf")));
}

#[test]
fn r18_a_step_may_name_what_a_later_step_adds() {
    let mut t = Trial::with(team(vec![member("a", &[])]));
    t.replan(vec![add("c", &["b"]), add("b", &["a"])]).unwrap();
    assert_eq!((edges(&t, "c"), edges(&t, "b")), (vec!["b".to_owned()], vec!["a".to_owned()]));
    assert_eq!((t.status("c"), t.live()), (Status::Blocked, vec!["a".to_owned()]));
    let rejection = t.replan(vec![add("e", &["f"]), add("f", &["e"])]).unwrap_err();
    assert_eq!(rejection.what, "cycle: e -> f -> e; nothing was applied");
}

#[test]
fn r19_a_completed_edge_to_what_will_not_complete_is_refused_and_a_finished_one_is_satisfied() {
    let mut t = Trial::with(team(vec![member("a", &[]), member("x", &[]), member("b", &["x"])]));
    t.fail("a", "no").unwrap();
    assert_eq!(t.replan(vec![rewire("b", &["a"])]).unwrap_err().code, Code::BadPlan);
    assert_eq!(
        t.replan(vec![cancel("x"), add("c", &["x"])]).unwrap_err().code,
        Code::BadPlan,
        "cancelled by it"
    );
    let spec = TaskSpec {
        depends_on: vec![EdgeSpec { on: by_name("a"), needs: Needs::Completed }],
        ..TaskSpec::default()
    };
    assert_eq!(t.person(Command::AddTask(Box::new(spec))).unwrap_err().code, Code::BadPlan);
    let finished = EdgeSpec { on: by_name("a"), needs: Needs::Finished };
    t.replan(vec![PlanStep::Rewire { task: by_name("b"), after: vec![finished] }]).unwrap();
    assert_eq!(t.status("b"), Status::InProgress, "satisfied at once");
}

#[test]
fn r19_what_the_same_replan_replaces_may_be_named_and_means_the_new_one() {
    let mut t = Trial::with(team(vec![member("a", &[]), member("x", &[]), member("b", &["x"])]));
    t.fail("a", "no").unwrap();
    t.replan(vec![rewire("b", &["a", "x"]), add("c", &["a"]), add("a2", &[]), replace("a", "a2")]).unwrap();
    assert_eq!(
        (edges(&t, "b"), edges(&t, "c")),
        (vec!["x".to_owned(), "a2".to_owned()], vec!["a2".to_owned()])
    );
}

#[test]
fn r20_the_new_one_inherits_what_was_not_given() {
    let old = with(member("perf", &["a"]), |b| {
        b.priority = 7;
        b.outputs = vec!["P.md".into()];
        b.checks = vec!["test -s P.md".into()];
        b.optional = true;
    });
    let mut t = Trial::with(team(vec![member("a", &[]), old, member("sum", &["perf"])]));
    let mut new = AddMember { member: member("perf2", &[]), like: None, given: vec!["priority".into()] };
    std::sync::Arc::make_mut(new.member.brief.as_mut().unwrap()).priority = 9;
    t.replan(vec![PlanStep::Add(Box::new(new)), replace("perf", "perf2")]).unwrap();
    let spec = &t.task("perf2").spec;
    assert_eq!((spec.priority, spec.optional), (9, true));
    assert_eq!((spec.outputs.as_slice(), spec.checks.len()), (["P.md".to_owned()].as_slice(), 1));
    assert_eq!((edges(&t, "perf2"), edges(&t, "sum")), (vec!["a".to_owned()], vec!["perf2".to_owned()]));
    assert_eq!((t.status("perf"), t.task("perf").is_required()), (Status::Cancelled, false));
    assert_eq!(t.task("perf").replaced_by, Some(t.task("perf2").number));
}

#[test]
fn r20_a_live_task_is_replaced_its_attempt_cut_off_and_waivers_stay() {
    let mut t = Trial::with(team(vec![member("a", &[]), member("w", &[]), member("b", &["a", "w"])]));
    t.cancel("w", Some(Dependents::Release)).unwrap();
    let shown = diff(t.replan(vec![add("a2", &[]), replace("a", "a2")]).unwrap());
    assert_eq!(shown.cut_off, ["a"]);
    assert_eq!(t.attempt("a").stop, Some(StopCause::Cancel));
    t.complete("a2", "").unwrap();
    assert_eq!(t.status("b"), Status::InProgress, "the edge on w is still waived");
}

#[test]
fn r20_two_may_be_replaced_by_one() {
    let mut t = Trial::with(team(vec![
        member("x", &[]),
        member("y", &[]),
        member("a", &["x"]),
        member("b", &["y"]),
        member("z", &["a", "b:finished"]),
    ]));
    t.replan(vec![add("n", &[]), replace("a", "n"), replace("b", "n")]).unwrap();
    assert_eq!(
        (edges(&t, "n"), edges(&t, "z")),
        (vec!["x".to_owned(), "y".to_owned()], vec!["n".to_owned()])
    );
    assert_eq!(t.task("z").edges[0].needs, Needs::Completed);
}

#[test]
fn r20_a_completed_task_is_not_replaced_and_the_new_one_must_be_added() {
    let mut t = Trial::with(team(vec![member("a", &[]), member("b", &[])]));
    t.complete("a", "").unwrap();
    assert_eq!(t.replan(vec![add("a2", &[]), replace("a", "a2")]).unwrap_err().code, Code::Final);
    assert_eq!(t.replan(vec![replace("b", "ghost")]).unwrap_err().code, Code::BadPlan);
    let chair = AddMember { member: chair("c", Driver::Human), like: None, given: Vec::new() };
    let steps = vec![PlanStep::Add(Box::new(chair)), replace("b", "c")];
    assert_eq!(t.replan(steps).unwrap_err().what, "c has no brief to put in the place of b");
    let twice = vec![add("d", &[]), add("e", &[]), replace("b", "d"), replace("b", "e")];
    assert_eq!(t.replan(twice).unwrap_err().what, "b is replaced twice, by `d` and by `e`");
}

#[test]
fn r20_the_prompt_of_a_live_or_final_task_is_not_edited() {
    let mut t = Trial::with(team(vec![member("a", &[]), member("b", &["a"])]));
    let prompt = |task: &str| PlanStep::Prompt { task: by_name(task), text: "new".into() };
    let rejection = t.replan(vec![prompt("a")]).unwrap_err();
    assert_eq!(rejection.what, "a (#1) is in_progress; its prompt cannot be edited");
    t.replan(vec![prompt("b")]).unwrap();
    assert_eq!(t.task("b").spec.prompt.as_ref().unwrap().raw(), "new");
    t.complete("a", "").unwrap();
    assert_eq!(t.replan(vec![prompt("a")]).unwrap_err().code, Code::WrongStatus);
}

#[test]
fn r20_numbers_that_are_names_are_not_mistaken_for_tasks() {
    let mut spec = team(vec![member("a", &[]), member("b", &[]), member("c", &["b"])]);
    spec.tasks = vec![TaskSpec { name: Some(name("2")), ..TaskSpec::default() }.into()];
    let mut t = Trial::with(spec);
    t.replan(vec![add("b2", &[]), replace("a", "b2")]).unwrap();
    assert_eq!(edges(&t, "c"), ["b"], "c waits for #2, which is b, and not for the task named 2");
    t.replan(vec![add("d", &[]), rewire("c", &["b", "d"])]).unwrap();
    assert_eq!(edges(&t, "c"), ["b", "d"]);
}

#[test]
fn r20_cancelling_a_brief_leaves_the_chair_and_remove_closes_it() {
    let mut t = Trial::with(team(vec![member("a", &[])]));
    let more = t.add("a");
    t.cancel("a", None).unwrap();
    t.all_stop();
    assert_eq!(t.status(&more), Status::InProgress, "the chair is there, and its other tasks");
    let third = t.add("a");
    t.person(Command::Remove { member: name("a") }).unwrap();
    assert_eq!((t.status(&more), t.status(&third)), (Status::Cancelled, Status::Cancelled));
    t.all_stop();
    assert_eq!(t.live(), Vec::<String>::new());
    let late = TaskSpec { assignee: Some(name("a")), ..TaskSpec::default() };
    let rejection = t.person(Command::AddTask(Box::new(late))).unwrap_err();
    assert_eq!(rejection.what, "the chair of a is closed");
}

#[test]
fn c035_after_a_crash_the_stale_one_is_replaced() {
    let mut t = Trial::with(team(vec![process("a", &[]), member("b", &["a"])]));
    t.system(Command::Recover(Box::default()));
    assert_eq!(t.status("a"), Status::Stale);
    t.replan(vec![add("a2", &[]), rewire("b", &["a2"])]).unwrap();
    t.complete("a2", "").unwrap();
    assert_eq!(t.status("b"), Status::InProgress);
}

#[test]
fn agents_are_given_by_name_or_by_whose_they_are_like() {
    let slow = agent(member("a", &[]), |a| a.steps = 7);
    let mut t = Trial::with(team(vec![MemberSpec { agent_name: Some(name("slow")), ..slow }]));
    for like in ["slow", "a"] {
        let own = format!("like-{like}");
        let new = AddMember { member: member(&own, &[]), like: Some(name(like)), given: Vec::new() };
        t.replan(vec![PlanStep::Add(Box::new(new))]).unwrap();
        assert_eq!(t.the_team().members[&name(&own)].agent.steps, 7);
    }
    let new = AddMember { member: member("x", &[]), like: Some(name("slwo")), given: Vec::new() };
    let rejection = t.replan(vec![PlanStep::Add(Box::new(new))]).unwrap_err();
    assert!(rejection.help[0].contains("slow"), "{rejection:?}");
}

#[test]
fn an_agent_that_no_member_has_yet_is_there_for_a_later_one_and_its_own_keys_go_on_top() {
    let driver = Driver::Process { line: Line::Run("review".into()), stdin: Stdin::Prompt };
    let env = vec!["A".to_owned()];
    let kept = AgentSpec { steps: 7, retries: 1, env, ..AgentSpec::new(driver.clone()) };
    let agents = [(name("reviewer"), kept.into())].into();
    let mut t = Trial::with(TeamSpec { agents, ..team(vec![member("a", &[])]) });
    let own = AgentSpec { retries: 4, env: vec!["B".into()], ..AgentSpec::new(Driver::Scripted(Vec::new())) };
    let new = |own_name: &str, agent: AgentSpec, given: &[&str]| AddMember {
        member: MemberSpec { agent, ..member(own_name, &[]) },
        like: Some(name("Reviewer")),
        given: given.iter().map(|key| (*key).to_owned()).collect(),
    };
    t.person(Command::AddMember(Box::new(new("y", own.clone(), &["retries", "env"])))).unwrap();
    t.replan(vec![PlanStep::Add(Box::new(new("z", own, &["retries", "env"])))]).unwrap();
    for added in ["y", "z"] {
        let member = &t.the_team().members[&name(added)];
        assert_eq!((member.agent.retries, member.agent.steps), (4, 7), "{added}");
        assert_eq!(
            (&member.agent.driver, member.agent.env.as_slice()),
            (&driver, &["A".into(), "B".into()][..])
        );
    }
    let line = Driver::Process { line: Line::Run("other".into()), stdin: Stdin::Null };
    t.person(Command::AddMember(Box::new(new("w", AgentSpec::new(line), &["run"])))).unwrap();
    let own = &t.the_team().members[&name("w")].agent;
    assert_eq!(own.driver, Driver::Process { line: Line::Run("other".into()), stdin: Stdin::Prompt });
    t.person(Command::AddMember(Box::new(new("p", AgentSpec::new(Driver::Human), &["driver"])))).unwrap();
    let own = &t.the_team().members[&name("p")].agent;
    assert_eq!((&own.driver, own.time_ms, own.steps), (&Driver::Human, None, 7));
}
