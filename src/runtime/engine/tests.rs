//! The order in which things become known, over a disk that fails when told to.
use super::*;
use crate::domain::trial::{member, name, team};
use crate::store::fault::Disk;
use std::sync::Mutex;

type Watched = Arc<Mutex<Option<oneshot::Receiver<Result<Reply, Rejection>>>>>;

/// What was performed, and whether whoever is watched had been answered by then.
#[derive(Clone, Default)]
struct Seen {
    done: Arc<Mutex<Vec<(String, bool)>>>,
    watched: Watched,
}

impl Effects for Seen {
    fn prepare(&self, _: &[Effect]) {}

    fn forget(&self) {}

    fn crash(&self) {}

    fn trouble(&self, _: Option<&str>) {}

    fn perform(&self, effect: Effect) {
        let word = format!("{effect:?}").split(['(', ' ']).next().unwrap_or_default().to_owned();
        let answered = self.watched.lock().unwrap().as_mut().is_some_and(|one| one.try_recv().is_ok());
        self.done.lock().unwrap().push((word, answered));
    }

    fn published(&self, _: Seq) {}
}

fn engine(disk: &Disk) -> (Engine<Seen>, Seen) {
    let seen = Seen::default();
    let journal = Journal::new(disk.store());
    (Engine::new(journal, State::default(), Clock::real(0), seen.clone(), 7), seen)
}

fn request(actor: Actor, command: Command) -> (Request, oneshot::Receiver<Result<Reply, Rejection>>) {
    let (answer, later) = oneshot::channel();
    let asked = Box::new(Asked { actor, team: None, line: None, command });
    (Request::Submit { asked, answer }, later)
}

fn create() -> Command {
    Command::Create(Box::new(team(vec![member("a", &[])])))
}

/// A turn with one command; its answer.
fn ask(engine: &mut Engine<Seen>, actor: Actor, command: Command) -> Result<Reply, Rejection> {
    let (request, mut later) = request(actor, command);
    engine.turn(vec![request]);
    later.try_recv().unwrap()
}

fn as_member(engine: &Engine<Seen>) -> Actor {
    let attempt = engine.state.live.values().next().unwrap();
    Actor::Member { attempt: attempt.id, token: attempt.token }
}

#[test]
fn whoever_is_answered_finds_the_effects_of_it_done() {
    let (mut engine, seen) = engine(&Disk::default());
    let (request, later) = request(Actor::Person, create());
    *seen.watched.lock().unwrap() = Some(later);
    engine.turn(vec![request]);
    assert_eq!(*seen.done.lock().unwrap(), [("Start".to_owned(), false)]);
    assert!(seen.watched.lock().unwrap().as_mut().unwrap().try_recv().unwrap().is_ok());
}

#[test]
fn a_commit_that_failed_and_is_there_after_all_is_published_with_its_effects() {
    let disk = Disk::default();
    let (mut engine, seen) = engine(&disk);
    let (sink, mut published) = mpsc::channel(8);
    engine.subscribers.push(sink);
    // The disk takes the commit, and cannot say so.
    disk.fail_at_sync(1);
    let refused = ask(&mut engine, Actor::Person, create()).unwrap_err();
    assert_eq!((refused.code, refused.help.as_slice()), (Code::NotStored, [UNKNOWN.to_owned()].as_slice()));
    assert!(published.try_recv().is_err() && seen.done.lock().unwrap().is_empty());
    let refused = ask(&mut engine, Actor::Person, Command::Sleep { ms: 1 }).unwrap_err();
    assert_eq!(refused.code, Code::NotStored, "nothing is decided while the disk does not answer");
    disk.heal();
    engine.turn(Vec::new());
    let facts = published.try_recv().unwrap();
    assert_eq!(facts.first().map(|fact| fact.event.word()), Some("team_created"));
    assert_eq!(seen.done.lock().unwrap().len(), 1);
    assert!(engine.state.live.len() == 1 && engine.unread.is_none());
}

#[test]
fn r23_mail_is_not_read_for_one_who_has_hung_up() {
    let (mut engine, _) = engine(&Disk::default());
    ask(&mut engine, Actor::Person, create()).unwrap();
    let (waits, later) = request(as_member(&engine), Command::ReadInbox { wait_ms: Some(60_000) });
    engine.turn(vec![waits]);
    drop(later);
    let send = Command::Send { to: "a".into(), text: "hi".into() };
    ask(&mut engine, Actor::Person, send).unwrap();
    engine.turn(Vec::new());
    let unread = engine.state.teams.values().next().unwrap().mail.unread(Some(&name("a")));
    assert_eq!(unread.len(), 1);
}

#[test]
fn r31_whoever_asks_again_while_the_former_question_is_withdrawn_waits_for_the_new_one() {
    let (mut engine, _) = engine(&Disk::default());
    ask(&mut engine, Actor::Person, create()).unwrap();
    let member = as_member(&engine);
    let question = || Command::Ask { of: crate::domain::Asker::Person, text: "which?".into(), default: None };
    let (first, hung_up) = request(member.clone(), question());
    engine.turn(vec![first]);
    drop(hung_up);
    // It is noticed, and decided with whatever comes next.
    engine.turn(vec![Request::HungUp]);
    let (again, mut later) = request(member, question());
    engine.turn(vec![again]);
    assert!(matches!(later.try_recv(), Err(oneshot::error::TryRecvError::Empty)), "it waits");
    let answer = Command::Answer { of: crate::domain::trial::by_name("a"), text: "this".into() };
    ask(&mut engine, Actor::Person, answer).unwrap();
    assert!(later.try_recv().unwrap().is_ok());
}
