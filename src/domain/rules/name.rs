//! R1 to R3: names where they are given and where they are meant.
use crate::domain::trial::{Trial, by_name, chair, member, name, team};
use crate::domain::*;

fn create(members: &[&str]) -> Result<Reply, Rejection> {
    let members = members.iter().map(|own| member(own, &[])).collect();
    Trial::new(true).person(Command::Create(Box::new(team(members))))
}

#[test]
fn c004_two_equal_names_are_refused_and_both_are_shown() {
    let rejection = create(&["rev", "REV", "sum"]).unwrap_err();
    assert_eq!(rejection.code, Code::BadName);
    assert_eq!(rejection.what, "the name `REV` is taken by `rev`");
    assert_eq!(create(&["bo\u{308}b", "böb"]).unwrap_err().code, Code::BadName, "NFC");
}

#[test]
fn c004_reserved_names_are_refused_wherever_they_would_be_given() {
    for own in ["Lead", "broadcast", "user", "All", "system"] {
        assert_eq!(create(&[own]).unwrap_err().code, Code::BadName, "{own}");
        let mut t = Trial::with(team(vec![member("a", &[])]));
        let added = t.person(Command::AddMember(Box::new(member(own, &[]).into())));
        assert_eq!(added.unwrap_err().code, Code::BadName, "{own}");
        let spec = TaskSpec { name: Some(name(own)), ..TaskSpec::default() };
        assert_eq!(t.person(Command::AddTask(Box::new(spec))).unwrap_err().code, Code::BadName, "{own}");
    }
}

#[test]
fn r2_members_and_tasks_share_one_namespace() {
    let mut spec = team(vec![member("a", &[])]);
    spec.tasks = vec![TaskSpec { name: Some(name("A")), ..TaskSpec::default() }.into()];
    let rejection = Trial::new(true).person(Command::Create(Box::new(spec))).unwrap_err();
    assert_eq!(rejection.what, "the name `A` is taken by `a`");
}

#[test]
fn r2_add_of_a_taken_name_gets_a_suffix_and_the_reply_says_so() {
    let mut t = Trial::with(team(vec![member("rev", &[])]));
    let reply = t.person(Command::AddMember(Box::new(member("REV", &[]).into()))).unwrap();
    assert_eq!(reply.lines, ["added REV-2 (`REV` is taken)"]);
    assert_eq!(reply.data, Data::Added { name: "REV-2".into(), number: Some(TaskNo(2)) });
    let reply = t.person(Command::AddMember(Box::new(member("rev-3", &[]).into()))).unwrap();
    assert_eq!(reply.lines, ["added rev-3"], "a free name is not said to be taken");
}

#[test]
fn r2_a_taken_name_is_refused_in_a_replan() {
    let mut t = Trial::with(team(vec![member("rev", &[])]));
    let add = AddMember { member: member("Rev", &[]), like: None, given: Vec::new() };
    let rejection = t.replan(vec![PlanStep::Add(Box::new(add))]).unwrap_err();
    assert_eq!((rejection.code, rejection.what.as_str()), (Code::BadName, "the name `Rev` is taken"));
    assert_eq!(rejection.help, ["another name: `replan add Rev-2 ...`"]);
}

#[test]
fn r3_names_and_numbers_find_a_task_and_its_own_name_wins() {
    let mut spec = team(vec![member("a", &[]), member("b", &[])]);
    spec.tasks = vec![TaskSpec { name: Some(name("2")), ..TaskSpec::default() }.into()];
    let t = Trial::with(spec);
    let team = t.the_team();
    assert_eq!(team.find_task(&TaskRef::Number(TaskNo(1))), Some(TaskNo(1)));
    assert_eq!(team.find_task(&TaskRef::Number(TaskNo(2))), Some(TaskNo(3)), "the task named 2");
    assert_eq!(team.find_task(&by_name("B")), Some(TaskNo(2)));
}

#[test]
fn c040_no_name_is_a_path() {
    for bad in ["../../x", "/etc/x", "a/b", "..", "", "x\0y", "-rf", "a\nb"] {
        assert!(Name::parse(bad).is_err(), "{bad:?}");
    }
    assert!(Name::parse(&"é".repeat(300)).is_err());
    let unnamed = |own: &str| serde_json::from_value::<Name>(serde_json::Value::String(own.into()));
    assert!(unnamed("../../x").is_err(), "no command or event carries one either");
}

#[test]
fn r1_an_unknown_name_is_refused_with_the_nearest() {
    let mut t = Trial::with(team(vec![member("engineer", &[]), chair("critic", Driver::Human)]));
    let rejection = t.person(Command::Interrupt { member: name("enginer") }).unwrap_err();
    assert_eq!(rejection.code, Code::NotFound);
    assert!(rejection.help[0].contains("did you mean `engineer`?"), "{rejection:?}");
}
