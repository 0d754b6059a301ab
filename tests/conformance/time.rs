//! Virtual time: it jumps when everyone waits, and never past somebody who has a command to give.
use crate::bench::{Bench, PATIENCE, scripted, until_so};
use teamtui::domain::{Event, Seq};

const HOUR_MS: u64 = 3_600_000;

fn has_ended(fact: &teamtui::domain::Fact) -> bool {
    matches!(fact.event, Event::AttemptEnded(_))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_hour_of_the_team_takes_no_hour() {
    let bench = Bench::new(true).await;
    let lines = ["sleep 20m", "progress 50 half", "sleep 40m", "complete done"];
    bench.team(vec![scripted("a", &lines)]).await;
    let mut feed = bench.owned.handle.subscribe(Seq(0)).await.unwrap();
    tokio::time::timeout(PATIENCE, until_so(&mut feed, has_ended)).await.unwrap();
    assert!(bench.state().await.elapsed_ms >= HOUR_MS);
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_attends_stops_the_jump_until_it_is_parked_at_the_last_fact() {
    let bench = Bench::new(true).await;
    let attendance = bench.owned.handle.attend();
    let mut feed = bench.owned.handle.subscribe(Seq(0)).await.unwrap();
    bench.team(vec![scripted("a", &["sleep 1h", "complete done"])]).await;
    while bench.state().await.timers.is_empty() {
        tokio::task::yield_now().await;
    }
    for _ in 0..200 {
        assert_eq!(bench.state().await.elapsed_ms, 0, "it has a command to give");
    }
    let seen = bench.state().await.seq;
    attendance.park(Seq(seen.0 - 1));
    for _ in 0..50 {
        assert_eq!(bench.state().await.elapsed_ms, 0, "it has not seen the last fact");
    }
    attendance.park(seen);
    // A stall is noted on the way: it must be seen before time goes on.
    let stalled = until_so(&mut feed, |fact| matches!(fact.event, Event::AttemptStalled(_)));
    let facts = tokio::time::timeout(PATIENCE, stalled).await.unwrap();
    let stalled_ms = bench.state().await.elapsed_ms;
    assert!(0 < stalled_ms && stalled_ms < HOUR_MS, "{stalled_ms}");
    attendance.park(facts.last().unwrap().seq);
    let passed = until_so(&mut feed, |fact| fact.elapsed_ms >= HOUR_MS);
    tokio::time::timeout(PATIENCE, passed).await.unwrap();
    drop(attendance);
    bench.end().await;
}
