//! What is asked, what is published of it, and what is read back.
use crate::bench::{
    Bench, PATIENCE, Way, attempt_of, comment, human, number, over_both, person, scripted, text, until,
};
use std::time::Duration;
use teamtui::domain::{Code, Command, Fact, Seq, State};
use teamtui::runtime::{Handle, Remote};
use teamtui::store::StateDir;

fn is_gapless(facts: &[Fact], from: u64) -> bool {
    facts.iter().zip(from..).all(|(fact, seq)| fact.seq.0 == seq)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_command_is_accepted_with_its_seq_or_refused_with_the_next_step() {
    over_both(async |bench, handle| {
        bench.team(vec![human("a")]).await;
        let reply = handle.submit(person(comment("hello"))).await.unwrap();
        assert_eq!(handle.snapshot().await.unwrap().seq, reply.seq);
        let unknown = Command::Comment { task: number(99), text: text("x") };
        let refused = handle.submit(person(unknown)).await.unwrap_err();
        assert_eq!(refused.code, Code::NotFound);
        assert!(refused.what.contains("99") && !refused.help.is_empty(), "{refused:?}");
        assert_eq!(handle.snapshot().await.unwrap().seq, reply.seq, "a refusal leaves no fact");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_snapshot_is_the_fold_of_the_feed() {
    over_both(async |bench, handle| {
        let mut feed = handle.subscribe(Seq(0)).await.unwrap();
        bench.team(vec![human("a"), scripted("b", &["complete done"])]).await;
        let mut last = Seq(0);
        for n in 0..30 {
            last = handle.submit(person(comment(&n.to_string()))).await.unwrap().seq;
        }
        let mut folded = State::default();
        let facts = until(&mut feed, last).await;
        assert!(is_gapless(&facts, 1));
        facts.iter().for_each(|fact| folded.evolve(fact));
        let state = handle.snapshot().await.unwrap();
        // Facts of the scripted member may have come since.
        if folded.seq < state.seq {
            let more = until(&mut handle.subscribe(folded.seq).await.unwrap(), state.seq).await;
            more.iter().filter(|fact| fact.seq <= state.seq).for_each(|fact| folded.evolve(fact));
        }
        assert_eq!(folded, *state);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_feed_begins_in_the_middle_or_in_the_future() {
    over_both(async |bench, handle| {
        bench.team(vec![human("a")]).await;
        let middle = handle.submit(person(comment("one"))).await.unwrap().seq;
        let after = handle.submit(person(comment("two"))).await.unwrap().seq;
        let facts = until(&mut handle.subscribe(middle).await.unwrap(), after).await;
        assert_eq!(facts[0].seq, middle.next());
        let future = Seq(after.0 + 3);
        let mut feed = handle.subscribe(future).await.unwrap();
        let mut last = after;
        while last.0 < future.0 + 2 {
            last = handle.submit(person(comment("more"))).await.unwrap().seq;
        }
        let facts = until(&mut feed, last).await;
        assert!(is_gapless(&facts, future.0 + 1), "{:?}", facts[0].seq);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_subscriber_holds_nobody_up_and_gets_every_fact_in_order() {
    /// More commits than a subscriber may lag, in a text that fills every buffer on the way.
    const COMMITS: usize = 1_300;
    over_both(async |bench, handle| {
        bench.team(vec![human("a")]).await;
        let mut feed = handle.subscribe(Seq(0)).await.unwrap();
        // It reads once, so that it is live, and then not.
        let first = feed.next().await.unwrap();
        let long = "x".repeat(2_000);
        let mut last = Seq(0);
        for _ in 0..COMMITS {
            last = handle.submit(person(comment(&long))).await.unwrap().seq;
        }
        let rest = until(&mut feed, last).await;
        let facts: Vec<Fact> = first.iter().cloned().chain(rest).collect();
        assert!(is_gapless(&facts, 1));
        assert_eq!(facts.len() as u64, last.0);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_end_of_the_owner_ends_every_feed_and_every_question() {
    for way in [Way::Local, Way::Remote] {
        let bench = Bench::new(false).await;
        bench.team(vec![human("a")]).await;
        let handle = bench.handle(way).await;
        let mut feed = handle.subscribe(Seq(0)).await.unwrap();
        feed.next().await.unwrap();
        bench.end().await;
        while feed.next().await.is_some() {}
        assert!(handle.snapshot().await.is_err());
        let refused = handle.submit(person(comment("late"))).await.unwrap_err();
        // In this process it may have been asked; behind the socket it was not.
        let code = if way == Way::Local { Code::OwnerGone } else { Code::NotStored };
        assert_eq!(refused.code, code);
        assert!(refused.what.contains("ended"), "{refused:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kill_9_of_the_owner_ends_the_feed_of_a_client() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_teamtui"));
    command.args(["serve", "--state", "state"]).current_dir(&root).kill_on_drop(true);
    let mut owner = command.stderr(std::process::Stdio::null()).spawn().unwrap();
    let run = StateDir::new(root.join("state")).project(&root).unwrap().standing().unwrap();
    let socket = teamtui::server::sockets(&run).unwrap().owner;
    let connected = async {
        loop {
            if let Ok(remote) = Remote::connect(&socket, &run).await {
                return Handle::Remote(remote);
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let handle = tokio::time::timeout(PATIENCE, connected).await.unwrap();
    let mut feed = handle.subscribe(Seq(0)).await.unwrap();
    assert!(feed.next().await.is_some());
    owner.kill().await.unwrap();
    let ended = async { while feed.next().await.is_some() {} };
    tokio::time::timeout(PATIENCE, ended).await.unwrap();
    assert!(handle.snapshot().await.is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_ask_at_once_and_all_are_answered() {
    over_both(async |bench, handle| {
        bench.team(vec![human("a")]).await;
        let asking = (0..50).map(|n| {
            let handle = handle.clone();
            tokio::spawn(async move { handle.submit(person(comment(&n.to_string()))).await.unwrap().seq })
        });
        let mut seqs: Vec<Seq> = Vec::new();
        for asked in asking.collect::<Vec<_>>() {
            seqs.push(asked.await.unwrap());
        }
        let state = handle.snapshot().await.unwrap();
        assert_eq!(
            state.teams[&crate::bench::TEAM].tasks.iter().map(|t| t.comments.len()).sum::<usize>(),
            50
        );
        assert!(seqs.iter().all(|seq| *seq <= state.seq));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn output_is_read_while_it_grows() {
    over_both(async |bench, handle| {
        let state =
            bench.team(vec![scripted("a", &["say first half", "inbox wait=10m", "say second half"])]).await;
        let attempt = attempt_of(&state, "a");
        let mut seen = Vec::new();
        let mut at = 0;
        let mut sent = false;
        while !String::from_utf8_lossy(&seen).contains("second half") {
            if let Ok(chunk) = handle.output(attempt, at, 5).await
                && !chunk.bytes.is_empty()
            {
                assert_eq!(chunk.offset, at);
                at = chunk.end();
                seen.extend(chunk.bytes);
                continue;
            }
            if !sent && String::from_utf8_lossy(&seen).contains("first half") {
                let go_on = Command::Send { to: "a".to_owned(), text: text("go on") };
                handle.submit(person(go_on)).await.unwrap();
                sent = true;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert!(sent);
    })
    .await;
}
