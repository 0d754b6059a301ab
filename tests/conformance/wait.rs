//! Answers that come later.
use crate::bench::{Bench, attempt_of, by_member, comment, human, number, over_both, person, scripted, text};
use teamtui::domain::{Asker, Command, Data};
use teamtui::runtime::{Handle, Remote};

const LONG_MS: u64 = 3_600_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sleep_is_answered_when_its_time_has_come() {
    over_both(async |bench, handle| {
        let before = bench.team(vec![human("a")]).await.elapsed_ms;
        let reply = handle.submit(person(Command::Sleep { ms: 40 })).await.unwrap();
        let state = handle.snapshot().await.unwrap();
        assert!(state.elapsed_ms >= before + 40, "{} {before}", state.elapsed_ms);
        assert!(reply.seq <= state.seq && state.timers.is_empty());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_inbox_waits_for_mail_and_a_question_for_its_answer() {
    over_both(async |bench, handle| {
        let state = bench.team(vec![human("a"), scripted("b", &["inbox wait=1h"])]).await;
        let asks = |who: &str, command| {
            let (handle, asked) = (handle.clone(), by_member(&state, who, command));
            tokio::spawn(async move { handle.submit(asked).await })
        };
        let reads = asks("a", Command::ReadInbox { wait_ms: Some(LONG_MS) });
        let asked = asks("b", Command::Ask { of: Asker::Person, text: text("which?"), default: None });
        let b = attempt_of(&state, "b");
        while handle.snapshot().await.unwrap().live[&b].question.is_none() {
            tokio::task::yield_now().await;
        }
        handle.submit(person(Command::Send { to: "a".to_owned(), text: text("hello") })).await.unwrap();
        let Data::Inbox(letters) = reads.await.unwrap().unwrap().data else { panic!("no letters") };
        assert_eq!(letters.iter().map(|l| l.text.line().into_owned()).collect::<Vec<_>>(), ["hello"]);
        handle.submit(person(Command::Answer { of: number(2), text: text("that one") })).await.unwrap();
        let Data::Answer(answer) = asked.await.unwrap().unwrap().data else { panic!("no answer") };
        assert_eq!(answer.line(), "that one");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_attempt_that_ends_while_it_waits_is_told() {
    over_both(async |bench, handle| {
        let state = bench.team(vec![human("a")]).await;
        let (other, asked) =
            (handle.clone(), by_member(&state, "a", Command::ReadInbox { wait_ms: Some(LONG_MS) }));
        let reads = tokio::spawn(async move { other.submit(asked).await });
        while handle.snapshot().await.unwrap().timers.is_empty() {
            tokio::task::yield_now().await;
        }
        let cancel = Command::Cancel { tasks: vec![number(1)], dependents: None, text: text("no") };
        handle.submit(person(cancel)).await.unwrap();
        assert!(reads.await.unwrap().is_err());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r31_a_question_is_withdrawn_when_whoever_asked_hangs_up() {
    over_both(async |bench, handle| {
        let state = bench.team(vec![scripted("a", &["sleep 10m"])]).await;
        let asks = async |asked: bool| {
            while bench.state().await.live.values().any(|a| a.question.is_some() != asked) {
                tokio::task::yield_now().await;
            }
        };
        let ask = || Command::Ask { of: Asker::Person, text: text("Ship it?"), default: None };
        let (other, asked) = (handle.clone(), by_member(&state, "a", ask()));
        let asking = tokio::spawn(async move { other.submit(asked).await });
        asks(true).await;
        asking.abort();
        asks(false).await;
        // One that is answered, and one whose attempt has ended, are over when their asker goes.
        let (other, asked) = (handle.clone(), by_member(&state, "a", ask()));
        let asking = tokio::spawn(async move { other.submit(asked).await });
        asks(true).await;
        handle.submit(person(Command::Answer { of: number(1), text: text("yes") })).await.unwrap();
        assert!(asking.await.unwrap().is_ok());
        let before = bench.state().await;
        handle.submit(person(comment("it goes on"))).await.unwrap();
        assert_eq!(bench.state().await.seq.0, before.seq.0 + 1, "nothing more was withdrawn");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mail_ends_the_wait_for_it_and_not_another_sleep_of_the_same_attempt() {
    over_both(async |bench, handle| {
        let state = bench.team(vec![human("a")]).await;
        let spawn = |command: Command| {
            let (other, asked) = (handle.clone(), by_member(&state, "a", command));
            tokio::spawn(async move { other.submit(asked).await })
        };
        let sleeps = spawn(Command::Sleep { ms: LONG_MS });
        let reads = spawn(Command::ReadInbox { wait_ms: Some(LONG_MS) });
        while bench.state().await.timers.len() < 2 {
            tokio::task::yield_now().await;
        }
        handle.submit(person(Command::Send { to: "a".to_owned(), text: text("hi") })).await.unwrap();
        let Data::Inbox(letters) = reads.await.unwrap().unwrap().data else { panic!() };
        assert_eq!(letters.len(), 1);
        assert_eq!(bench.state().await.timers.len(), 1);
        assert!(!sleeps.is_finished());
        sleeps.abort();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_hangs_up_while_it_waits_is_forgotten() {
    let bench = Bench::new(false).await;
    bench.team(vec![human("a")]).await;
    let remote = Handle::Remote(Remote::connect(&bench.sockets.owner, &bench.run).await.unwrap());
    let asking = {
        let remote = remote.clone();
        tokio::spawn(async move { remote.submit(person(Command::Sleep { ms: LONG_MS })).await })
    };
    while bench.state().await.timers.is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(bench.listening.attached.count(), 1);
    asking.abort();
    let gone = async {
        while bench.listening.attached.count() > 0 {
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(crate::bench::PATIENCE, gone).await.unwrap();
    remote.submit(person(comment("it goes on"))).await.unwrap();
    bench.end().await;
}
