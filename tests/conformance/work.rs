//! Who may write what: claims, tokens, doors, and the one owner.
use crate::bench::{Bench, TEAM, begin, by_member, comment, human, name, number, over_both, person, text};
use teamtui::domain::{Actor, Asked, Code, Command, Data, Seq, Status, TaskSpec, Token};
use teamtui::runtime::{Handle, Owned, Remote};

const CLAIMERS: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];
const ROUNDS: usize = 40;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c008_of_eight_who_claim_at_once_one_wins_and_the_others_learn_its_name() {
    over_both(async |bench, handle| {
        let state = bench.team(CLAIMERS.into_iter().map(human).collect()).await;
        for _ in 0..ROUNDS {
            let spec =
                TaskSpec { title: Some(text("free")), prompt: Some(text("free")), ..TaskSpec::default() };
            let added = handle.submit(person(Command::AddTask(Box::new(spec)))).await.unwrap();
            let Data::Added { number: Some(task), .. } = added.data else { panic!("{added:?}") };
            let claims: Vec<_> = CLAIMERS
                .into_iter()
                .map(|who| {
                    let asked = by_member(&state, who, Command::Claim { task: number(task.0) });
                    let handle = handle.clone();
                    tokio::spawn(async move { (who, handle.submit(asked).await) })
                })
                .collect();
            let mut winners = Vec::new();
            let mut losers = Vec::new();
            for claim in claims {
                match claim.await.unwrap() {
                    (who, Ok(_)) => winners.push(who),
                    (_, Err(refused)) => losers.push(refused),
                }
            }
            let now = handle.snapshot().await.unwrap();
            let owner = now.task(TEAM, task).unwrap().assignee.clone().unwrap();
            assert_eq!(winners, [owner.as_str()]);
            assert_eq!(losers.len(), CLAIMERS.len() - 1);
            for refused in losers {
                assert_eq!(refused.code, Code::NotYours);
                assert!(refused.what.contains(&format!("taken: {owner} has it")), "{refused:?}");
            }
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c007_a_stale_token_is_refused_and_the_task_stays_cancelled() {
    over_both(async |bench, handle| {
        let state = bench.team(vec![human("a"), human("b")]).await;
        let late = by_member(&state, "a", Command::Complete { task: None, text: text("late") });
        let cancel = Command::Cancel { tasks: vec![number(1)], dependents: None, text: text("not needed") };
        handle.submit(person(cancel)).await.unwrap();
        let refused = handle.submit(late).await.unwrap_err();
        assert_eq!(refused.code, Code::StaleToken, "{refused:?}");
        assert_eq!(
            handle.snapshot().await.unwrap().task(TEAM, teamtui::domain::TaskNo(1)).unwrap().status(),
            Status::Cancelled
        );
        // Another's attempt with one's own token is no way around it.
        let Actor::Member { attempt, .. } = by_member(&state, "b", Command::Tick).actor else { panic!() };
        let Actor::Member { token, .. } = by_member(&state, "a", Command::Tick).actor else { panic!() };
        let forged = Asked {
            actor: Actor::Member { attempt, token },
            team: None,
            line: None,
            command: Command::Complete { task: None, text: text("forged") },
        };
        assert_eq!(handle.submit(forged).await.unwrap_err().code, Code::StaleToken);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_members_door_knows_members_only_and_no_client_is_the_system() {
    let bench = Bench::new(false).await;
    let state = bench.team(vec![human("a")]).await;
    let before = state.seq;
    let door = Handle::Remote(Remote::connect(&bench.sockets.member, &bench.run).await.unwrap());
    let owner = Handle::Remote(Remote::connect(&bench.sockets.owner, &bench.run).await.unwrap());
    for (handle, actor) in
        [(&door, Actor::Person), (&door, Actor::Script), (&door, Actor::System), (&owner, Actor::System)]
    {
        let asked = Asked { actor, team: None, line: None, command: comment("x") };
        let refused = handle.submit(asked).await.unwrap_err();
        assert!(refused.what.contains("members show the token"), "{refused:?}");
    }
    assert_eq!(bench.state().await.seq, before);
    door.submit(by_member(&state, "a", comment("mine"))).await.unwrap();
    let seen = door.snapshot().await.unwrap();
    assert!(seen.live.values().all(|a| a.token == Token::default()), "a member sees no token of others");
    assert!(owner.snapshot().await.unwrap().live.values().any(|a| a.token != Token::default()));
    let mut feed = door.subscribe(Seq(0)).await.unwrap();
    assert!(feed.next().await.is_none(), "nor the facts that have them");
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c036_a_second_owner_is_refused_with_the_pid_of_the_first() {
    let bench = Bench::new(false).await;
    let Err(error) = Owned::begin(begin(&bench.run, &bench.sockets, None)).await else {
        panic!("two owners")
    };
    let said = error.to_string();
    assert!(said.contains(&std::process::id().to_string()), "{said}");
    bench.team(vec![human("a")]).await;
    let (run, sockets) = (bench.run.clone(), bench.sockets.clone());
    drop(bench.listening);
    bench.owned.end().await;
    let again = Owned::begin(begin(&run, &sockets, None)).await;
    let again = again.unwrap_or_else(|e| panic!("the lock is free: {e}"));
    assert!(again.handle.snapshot().await.unwrap().find_team(&name("t")).is_some());
    again.end().await;
}
