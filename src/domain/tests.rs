//! The life of a team, in a few strokes; each rule has its own tests beside the code that keeps it.
use super::trial::{Trial, member, name, team};
use super::*;

#[test]
fn a_chain_runs_by_itself_and_the_fold_of_its_facts_is_its_state() {
    let mut t = Trial::with(team(vec![member("a", &[]), member("b", &["a"]), member("c", &["b"])]));
    assert_eq!((t.status("a"), t.status("b")), (Status::InProgress, Status::Blocked));
    t.complete("a", "1").unwrap();
    assert_eq!((t.status("a"), t.status("b")), (Status::Completed, Status::InProgress));
    t.fail("b", "no").unwrap();
    assert!(t.task("c").is_held());
    t.person(Command::Retry { tasks: vec![trial::by_name("b")], text: "again".into() }).unwrap();
    t.complete("b", "2").unwrap();
    t.complete("c", "3").unwrap();
    t.person(Command::Dissolve).unwrap();
    assert_eq!(t.words().last(), Some(&"team_dissolved"));
    let mut folded = State::default();
    for fact in &t.facts {
        let body = fact.encode().unwrap();
        let (kind, version) = fact.event.kind();
        folded.evolve(&Fact::decode(fact.seq, kind, version, &body).unwrap());
    }
    assert_eq!(folded, t.state);
    let json = serde_json::to_string(&t.state).unwrap();
    assert_eq!(serde_json::from_str::<State>(&json).unwrap(), t.state);
}

#[test]
fn r20_a_failed_member_is_replaced_and_its_dependents_run() {
    let mut t = Trial::with(team(vec![member("perf", &[]), member("sum", &["perf"])]));
    t.fail("perf", "no access").unwrap();
    let add = AddMember { member: member("perf2", &[]), like: None, given: Vec::new() };
    let steps = vec![
        PlanStep::Cancel { tasks: vec![trial::by_name("perf")], dependents: None },
        PlanStep::Add(Box::new(add)),
        PlanStep::Replace { old: trial::by_name("perf"), new: name("perf2") },
    ];
    let reply = t.person(Command::Replan(Replan { steps, at: Some(Revision(1)), dry_run: false })).unwrap();
    assert_eq!(reply.lines[0], "changed the plan: revision 2");
    t.complete("perf2", "ok").unwrap();
    assert_eq!(t.status("sum"), Status::InProgress);
}
