//! A cursor that its caller holds: a seq, up to which it has seen everything.
use crate::bench::{by_member, comment, human, over_both, person, text, until};
use teamtui::domain::{Command, Event, Fact, Seq, State};

/// How many attempts end in these facts.
fn ends(facts: &[Fact]) -> usize {
    facts.iter().filter(|fact| matches!(fact.event, Event::AttemptEnded(_))).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c014_what_came_between_two_looks_is_told_at_once_and_once() {
    over_both(async |bench, handle| {
        bench.team(vec![human("a"), human("b"), human("c")]).await;
        let state = handle.snapshot().await.unwrap();
        let first = state.seq;
        let done = by_member(&state, "a", Command::Complete { task: None, text: text("done") });
        let failed = by_member(&state, "b", Command::Fail { task: None, text: text("no") });
        handle.submit(done).await.unwrap();
        let second = handle.submit(failed).await.unwrap().seq;
        // Nothing happens any more: what is told now was there before it was asked for.
        let facts = until(&mut handle.subscribe(first).await.unwrap(), second).await;
        assert!(facts.iter().zip(first.0 + 1..).all(|(fact, seq)| fact.seq.0 == seq), "{facts:?}");
        assert_eq!(ends(&facts), 2, "{facts:?}");
        // From the new cursor nothing is told until something happens.
        let cursor = facts.last().unwrap().seq;
        let mut third = handle.subscribe(cursor).await.unwrap();
        let said = handle.submit(person(comment("later"))).await.unwrap().seq;
        let facts = until(&mut third, said).await;
        assert_eq!(facts.iter().map(|fact| fact.seq).collect::<Vec<_>>(), [cursor.next()]);
        assert_eq!(ends(&facts), 0);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c014_an_old_cursor_gives_all_of_it_and_who_holds_a_bogus_one_is_answered_with_the_state() {
    over_both(async |bench, handle| {
        bench.team(vec![human("a")]).await;
        let last = handle.submit(person(comment("one"))).await.unwrap().seq;
        let mut folded = State::default();
        let facts = until(&mut handle.subscribe(Seq(0)).await.unwrap(), last).await;
        facts.iter().for_each(|fact| folded.evolve(fact));
        assert_eq!(folded, *handle.snapshot().await.unwrap());
        // One of another run: the state itself says where the true one stands, whoever else waits.
        let _waiting = handle.subscribe(Seq(u64::MAX)).await.unwrap();
        let state = handle.snapshot().await.unwrap();
        assert_eq!(state.seq, last);
        let said = handle.submit(person(comment("two"))).await.unwrap().seq;
        let facts = until(&mut handle.subscribe(state.seq).await.unwrap(), said).await;
        assert_eq!(facts.first().map(|fact| fact.seq), Some(last.next()));
    })
    .await;
}
