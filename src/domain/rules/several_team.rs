//! Several teams in one run: which one is meant, and that nobody acts in another.
use crate::domain::trial::{Trial, led, member, name, team};
use crate::domain::*;

fn named(own: &str, spec: TeamSpec) -> Command {
    Command::Create(Box::new(TeamSpec { name: name(own), ..spec }))
}

fn two() -> Trial {
    let mut t = Trial::new(false);
    t.person(named("one", led(vec![member("a", &[])]))).unwrap();
    t.person(named("two", led(vec![member("a", &[])]))).unwrap();
    t
}

fn ask(t: &mut Trial, actor: Actor, team: Option<&str>, command: Command) -> Result<Reply, Rejection> {
    let asked = Asked { actor, team: team.map(name), line: None, command };
    decide(&mut t.state, Now::default(), &asked).reply
}

#[test]
fn names_are_unique_among_live_teams_and_dissolving_frees_them() {
    let mut t = Trial::with(team(vec![member("a", &[])]));
    let again = || Command::Create(Box::new(team(vec![member("a", &[])])));
    assert_eq!(t.person(again()).unwrap_err().what, "a team `t` is live already");
    t.person(Command::Dissolve).unwrap();
    assert_eq!(t.person(again()).unwrap_err().code, Code::BadName, "it still dissolves");
    t.all_stop();
    t.person(again()).unwrap();
    let found = |text: &str| t.state.find_team(&name(text)).map(|(id, _)| id);
    assert_eq!((found("t"), found("T~1"), found("t~2")), (Some(TeamId(2)), Some(TeamId(1)), None));
}

#[test]
fn the_team_is_named_or_the_only_one_or_the_last_of_a_script_or_it_is_asked_which() {
    let mut t = two();
    let dissolve = || Command::Pause { member: None };
    let rejection = ask(&mut t, Actor::Person, None, dissolve()).unwrap_err();
    assert_eq!((rejection.code, rejection.what.as_str()), (Code::WhichTeam, "2 teams are live: one, two"));
    assert_eq!(rejection.help, ["say which: `team=one`"]);
    assert_eq!(ask(&mut t, Actor::Person, Some("ONE"), dissolve()).unwrap().lines, ["paused one"]);
    assert_eq!(ask(&mut t, Actor::Script, None, dissolve()).unwrap().lines, ["paused two"]);
    let rejection = ask(&mut t, Actor::Person, Some("oen"), dissolve()).unwrap_err();
    assert_eq!(rejection.code, Code::NotFound);
    assert!(rejection.help[0].contains("`one`"), "{rejection:?}");
}

#[test]
fn a_member_and_a_lead_act_in_their_own_team_alone_whatever_they_name() {
    let mut t = two();
    let of_one = |member: &str| {
        let attempt =
            t.state.live.values().find(|a| a.team == TeamId(1) && a.member == name(member)).unwrap();
        Actor::Member { attempt: attempt.id, token: attempt.token }
    };
    let (a, lead) = (of_one("a"), of_one("lead"));
    let before = t.state.clone();
    let done = Command::Complete { task: Some(trial::by_name("a")), text: "x".into() };
    for (actor, command) in [
        (a.clone(), done),
        (a.clone(), Command::ReadInbox { wait_ms: None }),
        (a.clone(), Command::Send { to: "a".into(), text: "x".into() }),
        (lead.clone(), Command::Dissolve),
        (lead, Command::Interrupt { member: name("a") }),
    ] {
        let rejection = ask(&mut t, actor, Some("two"), command).unwrap_err();
        assert_eq!(rejection.code, Code::NotYours);
        assert_eq!(rejection.what, "this attempt is of the team one, and acts in no other");
    }
    assert_eq!(t.state, before);
    ask(&mut t, a, Some("one"), Command::Send { to: "lead".into(), text: "x".into() }).unwrap();
}

#[test]
fn numbers_of_attempts_are_of_the_run_and_numbers_of_tasks_of_the_team() {
    let t = two();
    let ids: Vec<u64> = t.state.live.keys().map(|id| id.0).collect();
    assert_eq!(ids, [1, 2, 3, 4]);
    for team in t.state.teams.values() {
        assert_eq!(team.tasks[0].number, TaskNo(1));
    }
}

/// A team of a lead alone, and that lead in its turn.
fn alone() -> (Trial, Actor) {
    let t = Trial::with(led(Vec::new()));
    let turn = t.state.live.values().next().unwrap();
    let lead = Actor::Member { attempt: turn.id, token: turn.token };
    (t, lead)
}

#[test]
fn a_lead_fills_its_own_empty_team_and_makes_no_second() {
    let (mut t, lead) = alone();
    let held_to = t.state.team(TeamId(1)).unwrap().limits.clone();
    let loose = Limits { parallel: 900, ..Limits::default() };
    let file = TeamSpec {
        limits: loose,
        goal: Some("g".into()),
        ..team(vec![member("a", &["b"]), member("b", &[])])
    };
    let reply = t.ask(lead.clone(), named("other", file.clone())).unwrap();
    assert_eq!(reply.lines, ["filled t: 2 tasks, 2 members", "the limits of t stay as they are"]);
    assert_eq!(t.state.teams.len(), 1);
    let team = t.state.team(TeamId(1)).unwrap();
    let names: Vec<&str> = team.members.keys().map(Name::as_str).collect();
    assert_eq!((team.name.as_str(), names), ("t", vec!["a", "b", "lead"]));
    assert_eq!((&team.limits, team.goal.clone(), team.revision), (&held_to, Some("g".into()), Revision(2)));
    let statuses: Vec<Status> = team.tasks.iter().map(|task| task.status()).collect();
    assert_eq!(statuses, [Status::Blocked, Status::InProgress]);
    assert!(team.tasks.iter().all(|task| !task.added), "declared, as in a file");
    let again = t.ask(lead, named("other", file)).unwrap_err();
    assert_eq!((again.code, again.what.as_str()), (Code::BadPlan, "t has tasks already"));
}

#[test]
fn a_lead_is_told_why_a_file_does_not_fit_its_team() {
    let (mut t, lead) = alone();
    t.person(Command::AddMember(Box::new(trial::chair("a", Driver::Human).into()))).unwrap();
    let file = || team(vec![member("b", &[])]);
    let cases = [
        (led(vec![member("b", &[])]), "the file has a lead, and you lead t"),
        (TeamSpec { workspace: "/x".into(), ..file() }, "the file works in /x, and t in /w"),
        (team(vec![member("A", &[])]), "the name `A` is taken in t"),
        (team(vec![member("b", &["c"])]), "b depends on `c`, which does not exist"),
    ];
    let before = t.state.clone();
    for (file, why) in cases {
        assert_eq!(t.ask(lead.clone(), named("o", file)).unwrap_err().what, why);
    }
    assert_eq!(t.state, before);
}

#[test]
fn without_a_team_the_next_step_is_to_make_one() {
    let mut t = Trial::new(false);
    let rejection = t.person(Command::Dissolve).unwrap_err();
    assert_eq!((rejection.code, rejection.what.as_str()), (Code::NotFound, "there is no team yet"));
}
