//! What is in the store when its owner has gone and another opens it.
use crate::bench::{Bench, TEAM, begin, by_member, human, name, person, text};
use teamtui::domain::{Command, Data, State, TaskSpec};
use teamtui::runtime::Owned;

fn send(to: &str, said: &str) -> Command {
    Command::Send { to: to.to_owned(), text: text(said) }
}

fn subjects(state: &State) -> Vec<String> {
    state.teams[&TEAM].tasks.iter().map(|task| format!("{} {}", task.label(), task.status())).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn row_1_32_a_run_that_is_opened_again_has_its_teams_members_messages_and_read_marks() {
    let bench = Bench::new(false).await;
    let made = bench.team(vec![human("a"), human("b")]).await;
    let handle = bench.owned.handle.clone();
    let spec = TaskSpec { title: Some(text("free")), prompt: Some(text("free")), ..TaskSpec::default() };
    handle.submit(person(Command::AddTask(Box::new(spec)))).await.unwrap();
    handle.submit(person(send("a", "read"))).await.unwrap();
    let read = by_member(&made, "a", Command::ReadInbox { wait_ms: None });
    let Data::Inbox(letters) = handle.submit(read).await.unwrap().data else { panic!() };
    assert_eq!(letters.len(), 1);
    handle.submit(person(send("a", "not read"))).await.unwrap();
    let b = by_member(&made, "b", Command::Complete { task: None, text: text("the finding") });
    handle.submit(b).await.unwrap();
    let before = bench.state().await;
    assert_eq!(before.teams[&TEAM].mail.unread(Some(&name("a"))).len(), 1);

    let (run, sockets) = (bench.run.clone(), bench.sockets.clone());
    drop(bench.listening);
    bench.owned.end().await;
    let again = Owned::begin(begin(&run, &sockets, None)).await.unwrap();
    let after = (*again.handle.snapshot().await.unwrap()).clone();
    let (was, is) = (&before.teams[&TEAM], &after.teams[&TEAM]);
    assert_eq!((&is.name, is.revision, subjects(&after)), (&was.name, was.revision, subjects(&before)));
    assert_eq!(is.members.keys().collect::<Vec<_>>(), was.members.keys().collect::<Vec<_>>());
    assert_eq!(is.mail, was.mail, "every message, and who has read it");
    let result = is.tasks.iter().find_map(|task| task.result.as_ref()).unwrap();
    assert_eq!(result.text.raw(), "the finding");
    // What was read is not read again, and the rest is.
    let read = by_member(&after, "a", Command::ReadInbox { wait_ms: None });
    let Data::Inbox(letters) = again.handle.submit(read).await.unwrap().data else { panic!() };
    assert_eq!(letters.iter().map(|letter| letter.text.raw()).collect::<Vec<_>>(), ["not read"]);
    again.end().await;
}
