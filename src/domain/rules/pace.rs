//! How long 10,000 tasks take; measured by hand: `cargo test --lib rules::pace -- --ignored --nocapture`.
use crate::domain::trial::{by_name, chair, member, name, reviewer, team};
use crate::domain::*;
use std::time::{Duration, Instant};

const TASKS: usize = 10_000;

fn ask(state: &mut State, actor: Actor, command: Command) -> Result<Reply, Rejection> {
    let asked = Asked { actor, team: None, line: None, command };
    decide(state, Now::default(), &asked).reply
}

/// A team of 16 whose `[tasks.*]` wait for those that `edges` says.
fn plan(edges: impl Fn(usize) -> Vec<usize>, change: impl Fn(usize, &mut TaskSpec)) -> TeamSpec {
    let members = (0..16).map(|m| chair(&format!("m{m}"), Driver::Scripted(Vec::new()))).collect();
    let mut spec = team(members);
    spec.limits.parallel = 16;
    let edge = |on: usize| EdgeSpec { on: by_name(&format!("t{on}")), needs: Needs::Completed };
    spec.tasks = (0..TASKS)
        .map(|t| {
            let mut task = TaskSpec {
                name: Some(name(&format!("t{t}"))),
                assignee: Some(name(&format!("m{}", t % 15))),
                depends_on: edges(t).into_iter().map(edge).collect(),
                ..TaskSpec::default()
            };
            change(t, &mut task);
            task.into()
        })
        .collect();
    spec
}

/// Completes and approves whatever is live until nothing is; the time of each tenth of the commands.
fn run(state: &mut State) -> Vec<Duration> {
    let mut marks = vec![Instant::now()];
    let mut done: usize = 0;
    while let Some((id, attempt)) = state.live.first_key_value() {
        let (id, actor) = (*id, Actor::Member { attempt: *id, token: attempt.token });
        match attempt.purpose {
            Purpose::Task(_) => drop(ask(state, actor, Command::Complete { task: None, text: "r".into() })),
            _ => drop(ask(state, actor, Command::Approve { task: None, text: "".into() })),
        }
        if state.live.contains_key(&id) {
            let end = AttemptEnd::default();
            ask(state, Actor::System, Command::EndAttempt { attempt: id, end }).unwrap();
        }
        done += 1;
        if done.is_multiple_of(TASKS / 10) {
            marks.push(Instant::now());
        }
    }
    marks.push(Instant::now());
    marks.windows(2).map(|w| w[1] - w[0]).collect()
}

fn measure(what: &str, spec: TeamSpec) {
    let mut state = State::default();
    let begin = Instant::now();
    ask(&mut state, Actor::Person, Command::Create(Box::new(spec))).unwrap();
    let created = begin.elapsed();
    let tenths = run(&mut state);
    let open = state.teams[&TeamId(1)].tasks.iter().filter(|t| t.phase != state::Phase::Completed).count();
    println!("{what}: created in {created:?}, each tenth {tenths:?}, {open} not completed");
    assert_eq!(open, 0);
}

#[test]
#[ignore = "a measurement"]
fn ten_thousand_tasks_on_16_members_stay_linear() {
    measure("independent", plan(|_| Vec::new(), |_, _| {}));
    measure("layers", plan(|t| (t.saturating_sub(20)..t.saturating_sub(17)).collect(), |_, _| {}));
    measure("chain", plan(|t| t.checked_sub(1).into_iter().collect(), |_, _| {}));
    measure("hub", plan(|t| if t == 0 { Vec::new() } else { vec![0] }, |_, _| {}));
    measure(
        "fan-in",
        plan(|t| if t + 1 == TASKS { (0..TASKS - 1).collect() } else { Vec::new() }, |_, _| {}),
    );
    measure("reviewed by one", plan(|_| Vec::new(), |_, task| task.review = vec![reviewer("m15")]));
}

#[test]
#[ignore = "a measurement"]
fn ten_thousand_commands_of_one_kind_stay_linear() {
    let mut state = State::default();
    ask(
        &mut state,
        Actor::Person,
        Command::Create(Box::new(team(vec![member("a", &[]), member("b", &["a"])]))),
    )
    .unwrap();
    let tenth = |state: &mut State, what: &str, command: &dyn Fn(usize) -> (Actor, Command)| {
        let mut times = Vec::new();
        for tenth in 0..10 {
            let begin = Instant::now();
            for n in 0..TASKS / 10 {
                let (actor, command) = command(tenth * TASKS / 10 + n);
                ask(state, actor, command).unwrap();
            }
            times.push(begin.elapsed());
        }
        println!("{what}: each tenth {times:?}");
    };
    let a = state.live.values().next().unwrap();
    let a = Actor::Member { attempt: a.id, token: a.token };
    let to_b = || TaskSpec { assignee: Some(name("b")), ..TaskSpec::default() };
    tenth(&mut state, "add", &|_| (Actor::Person, Command::AddTask(Box::new(to_b()))));
    let own = || TaskSpec { assignee: Some(name("a")), ..TaskSpec::default() };
    tenth(&mut state, "add by a member", &|_| (a.clone(), Command::AddTask(Box::new(own()))));
    let last = |n: usize| TaskRef::Number(TaskNo(n as u32 + 3));
    tenth(&mut state, "cancel", &|n| {
        (Actor::Person, Command::Cancel { tasks: vec![last(n)], dependents: None, text: "".into() })
    });
    tenth(&mut state, "send", &|_| (Actor::Person, Command::Send { to: "a".into(), text: "x".into() }));
    let begin = Instant::now();
    let hub = plan(|t| if t == 0 { Vec::new() } else { vec![0] }, |_, _| {});
    let mut state = State::default();
    ask(&mut state, Actor::Person, Command::Create(Box::new(hub))).unwrap();
    let created = begin.elapsed();
    let cancel = Command::Cancel {
        tasks: vec![by_name("t0")],
        dependents: Some(Dependents::Release),
        text: "".into(),
    };
    ask(&mut state, Actor::Person, cancel).unwrap();
    println!(
        "a hub of 9,999 created in {created:?}, cancelled and released in {:?}",
        begin.elapsed() - created
    );
}
