//! Scripted members on a run in memory: what they say, ask, wait for and write, and how they end.
mod file;

use super::*;
use crate::agent::hash::sha256;
use crate::agent::process::env::Inherited;
use crate::agent::seat::{Order, Place, Render};
use crate::domain::port::{Channel, Later, Output, Port};
use crate::domain::trial::{Trial, by_name, member, name, team};
use crate::domain::{
    Asked, AttemptId, Code, Command, Data, Effect, Event, Rejection, Reply, Seq, State, Status, StopCause,
    TeamId,
};
use crate::text::Untrusted;
use crate::verbs::Read;
use futures::FutureExt;
use std::sync::{Arc, Mutex};
use tokio::sync::watch;

/// An owner in memory. Waits are over at once, by moving its clock, unless it is frozen.
struct Desk {
    trial: Mutex<Trial>,
    frozen: bool,
    /// What is found where checks are asked for.
    refused: Vec<Untrusted>,
    seq: watch::Sender<Seq>,
    printed: Mutex<Vec<(Channel, String)>>,
}

impl Desk {
    fn answer(&self, asked: Asked) -> Result<Reply, Rejection> {
        let mut trial = self.trial.lock().unwrap();
        let waits = match asked.command {
            Command::Sleep { ms } => ms,
            Command::ReadInbox { wait_ms } => wait_ms.unwrap_or_default(),
            _ => 0,
        };
        let reply = trial.ask(asked.actor.clone(), asked.command)?;
        let answer = match &reply.data {
            Data::Timer(_) | Data::InboxTimer(_) => {
                trial.tick(waits);
                Ok(reply)
            }
            Data::Checking => {
                let crate::domain::Actor::Member { attempt, .. } = asked.actor else { panic!("a member") };
                let settle = Command::SettleChecks {
                    attempt: Some(attempt),
                    team: TeamId(1),
                    refused: self.refused.clone(),
                    outputs: Vec::new(),
                };
                trial.system(settle);
                match self.refused.first() {
                    Some(refused) => Err(Rejection::new(Code::Blocked, refused.raw())),
                    None => Ok(reply),
                }
            }
            _ => Ok(reply),
        };
        self.seq.send_replace(trial.state.seq);
        answer
    }

    fn text(&self, wanted: Channel) -> String {
        let printed = self.printed.lock().unwrap();
        printed.iter().filter(|(channel, _)| *channel == wanted).map(|(_, text)| text.as_str()).collect()
    }
}

impl Port for Desk {
    fn submit(&self, asked: Asked) -> Later<Result<Reply, Rejection>> {
        let waits = matches!(asked.command, Command::Sleep { .. } | Command::ReadInbox { wait_ms: Some(_) });
        if self.frozen && waits {
            return Box::pin(std::future::pending());
        }
        let answer = self.answer(asked);
        Box::pin(async { answer })
    }

    fn hang(&self, _: AttemptId) -> Later<()> {
        Box::pin(std::future::pending())
    }

    fn snapshot(&self) -> Later<Arc<State>> {
        let state = Arc::new(self.trial.lock().unwrap().state.clone());
        Box::pin(async { state })
    }
}

impl Output for Desk {
    fn write(&self, channel: Channel, bytes: &[u8]) {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        self.printed.lock().unwrap().push((channel, text));
    }
}

impl Render for Desk {
    fn read(&self, state: &State, team: TeamId, read: &Read) -> Vec<String> {
        vec![format!("{} {read:?}", state.team(team).unwrap().name)]
    }

    fn report(&self, _: &State, _: TeamId) -> Vec<String> {
        vec!["# report".into(), "done".into()]
    }
}

/// A team of `a` and `b`, both at work, and a workspace.
struct Stage {
    folder: tempfile::TempDir,
    desk: Arc<Desk>,
    orders: watch::Sender<Order>,
}

impl Stage {
    fn new() -> Self {
        Self::with(|_| {})
    }

    fn with(change: impl FnOnce(&mut Desk)) -> Self {
        let mut gated = member("b", &[]);
        std::sync::Arc::make_mut(gated.brief.as_mut().unwrap()).checks = vec!["true".into()];
        let mut trial = Trial::with(team(vec![member("a", &[]), gated, member("c", &["a"])]));
        trial.now = 1000;
        let seq = watch::Sender::new(trial.state.seq);
        let mut desk = Desk {
            trial: Mutex::new(trial),
            frozen: false,
            refused: Vec::new(),
            seq,
            printed: Mutex::default(),
        };
        change(&mut desk);
        let orders = watch::Sender::new(Order::Run);
        Self { folder: tempfile::tempdir().unwrap(), desk: Arc::new(desk), orders }
    }

    fn seat(&self, who: &str, lines: &[&str]) -> Seat {
        let trial = self.desk.trial.lock().unwrap();
        let mut jobs = trial.effects.iter().filter_map(|effect| match effect {
            Effect::Start(job) if job.member == name(who) => Some((**job).clone()),
            _ => None,
        });
        let mut job = jobs.next_back().unwrap();
        job.agent.driver = Driver::Scripted(vec![lines.iter().map(|line| (*line).to_owned()).collect()]);
        job.workspace = self.folder.path().to_str().unwrap().to_owned();
        Seat {
            job,
            port: self.desk.clone(),
            output: self.desk.clone(),
            render: self.desk.clone(),
            orders: self.orders.subscribe(),
            seq: self.desk.seq.subscribe(),
            place: Place::default(),
            inherited: Arc::new(Inherited::default()),
            guard: None,
            gate: crate::agent::Gate::opened(),
        }
    }

    async fn play(&self, who: &str, lines: &[&str]) -> AttemptEnd {
        run(self.seat(who, lines)).await
    }

    fn status(&self, label: &str) -> Status {
        self.desk.trial.lock().unwrap().status(label)
    }

    fn file(&self, path: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(path)).unwrap()
    }
}

fn broken(why: impl Into<String>) -> EndCause {
    EndCause::Broken(Untrusted::from(why.into()))
}

#[tokio::test]
async fn lines_are_run_in_order_and_a_result_ends_the_attempt() {
    let stage = Stage::new();
    let lines = [
        "say looking",
        "# a comment",
        "",
        "emit \"50%\\u{d}\"",
        "sleep 2s",
        "complete \"1 finding\"",
        "say late",
    ];
    let end = stage.play("a", &lines).await;
    assert_eq!(end.cause, EndCause::Silent);
    assert_eq!((end.result.raw(), end.output_bytes), ("looking", 12));
    assert_eq!(stage.desk.text(Channel::Out), "looking\n50%\r");
    assert_eq!(stage.desk.text(Channel::Note), "", "nobody reads on in an attempt that is over");
    assert_eq!(stage.status("a"), Status::Completed);
    let trial = stage.desk.trial.lock().unwrap();
    assert_eq!(trial.now, 3000);
    assert_eq!(trial.task("a").result.as_ref().unwrap().text.raw(), "1 finding");
}

#[tokio::test]
async fn fail_ends_the_attempt_too() {
    let stage = Stage::new();
    assert_eq!(stage.play("a", &["fail no access", "complete"]).await.cause, EndCause::Silent);
    assert_eq!(stage.status("a"), Status::Failed);
}

#[tokio::test]
async fn r15_the_end_of_the_lines_leaves_the_last_words() {
    let stage = Stage::new();
    let end = stage.play("a", &["say one", "say two words"]).await;
    assert_eq!((end.cause, end.result.raw()), (EndCause::Silent, "two words"));
    assert_eq!(stage.status("a"), Status::InProgress, "the end is the runtime's to report");
}

#[test]
fn each_attempt_has_its_list_and_the_last_one_repeats() {
    let lists = [vec!["one".to_owned()], vec!["two".to_owned()]];
    assert_eq!(list_of(&lists, 1), ["one"]);
    assert_eq!(list_of(&lists, 2), ["two"]);
    assert_eq!(list_of(&lists, 9), ["two"]);
    assert!(list_of(&[], 1).is_empty());
}

#[tokio::test]
async fn a_refused_line_ends_the_attempt_with_its_number() {
    for (line, why) in [
        ("dissolve", "line 2: lead only: a is a member, and `dissolve` stops everyone"),
        ("cmplete x", "line 2: `cmplete` is no command"),
        ("wait all", "line 2: not yours: `wait` is for whoever runs the team"),
        ("create x.toml", "line 2: not yours: `create` is for whoever runs the team"),
        ("crash", "crashed"),
    ] {
        let stage = Stage::new();
        let end = stage.play("a", &["say so far", line, "complete"]).await;
        let EndCause::Broken(said) = &end.cause else { panic!("{:?}", end.cause) };
        assert!(said.raw().starts_with(why.split(" `dissolve`").next().unwrap()), "{said:?}");
        assert_eq!(end.result.raw(), "so far");
        assert_eq!(stage.status("a"), Status::InProgress, "{line}");
    }
}

#[tokio::test]
async fn what_a_refusal_advises_is_noted() {
    let stage = Stage::new();
    stage.play("a", &["cmplete x"]).await;
    assert_eq!(
        stage.desk.text(Channel::Note),
        "line 1: `cmplete` is no command\nhelp: did you mean `complete`?\n"
    );
}

#[tokio::test]
async fn a_result_for_another_task_leaves_the_attempt_going() {
    let stage = Stage::new();
    let end = stage.play("a", &["complete task=a \"done\"", "say late"]).await;
    assert_eq!((end.cause, end.result.raw()), (EndCause::Silent, ""), "its own by name");
    let stage = Stage::new();
    {
        let mut trial = stage.desk.trial.lock().unwrap();
        let added = crate::domain::TaskSpec {
            name: Some(name("more")),
            assignee: Some(name("a")),
            ..crate::domain::TaskSpec::default()
        };
        trial.person(Command::AddTask(Box::new(added))).unwrap();
    }
    let end = stage.play("a", &["complete task=more \"first\"", "say on"]).await;
    assert_eq!((end.cause, end.result.raw()), (EndCause::Silent, "on"));
    assert_eq!((stage.status("more"), stage.status("a")), (Status::Completed, Status::InProgress));
}

#[tokio::test]
async fn r16_a_result_that_its_checks_refuse_breaks_the_attempt() {
    let refuse = |desk: &mut Desk| desk.refused = vec!["check refused: true  exit 1".into()];
    let stage = Stage::with(refuse);
    let end = stage.play("b", &["complete x", "say late"]).await;
    assert_eq!(end.cause, broken("line 1: blocked: check refused: true  exit 1"));
    let stage = Stage::new();
    assert_eq!(stage.play("b", &["complete x"]).await.cause, EndCause::Silent);
    assert_eq!(stage.status("b"), Status::Completed);
}

#[tokio::test]
async fn mail_is_sent_and_read_as_the_member() {
    let stage = Stage::new();
    stage.play("a", &["send b need the trace"]).await;
    stage.play("b", &["inbox", "inbox wait=5m"]).await;
    let notes = stage.desk.text(Channel::Note);
    assert!(notes.contains("1 new messages\nfrom a at 1.0s: need the trace\n"), "{notes}");
    assert_eq!(stage.desk.trial.lock().unwrap().now, 301_000);
}

#[tokio::test]
async fn r31_an_answer_is_noted_and_the_lines_go_on() {
    let stage = Stage::with(|desk| desk.trial.get_mut().unwrap().go_headless());
    let end = stage.play("a", &["ask person \"Ship?\" default=no", "complete shipped"]).await;
    assert_eq!(end.cause, EndCause::Silent);
    assert!(stage.desk.text(Channel::Note).contains("answer: no\n"));
}

#[tokio::test]
async fn reading_verbs_show_what_the_views_say() {
    let stage = Stage::new();
    let end = stage.play("a", &["status", "why c", "status team=other"]).await;
    assert_eq!(end.cause, broken("line 3: not found: there is no team `other`"));
    let why = Read::Why(by_name("c"));
    assert!(stage.desk.text(Channel::Note).starts_with(&format!("t Status\nt {why:?}\n")));
    let stage = Stage::new();
    stage.play("a", &["report out/report.md", "report"]).await;
    assert_eq!(stage.file("out/report.md"), "# report\ndone\n");
    assert!(stage.desk.text(Channel::Note).ends_with("# report\ndone\n"));
}

#[tokio::test]
async fn a_stop_ends_whatever_is_waited_for() {
    let stop = Order::Stop { cause: StopCause::Dissolve, grace_ms: 10_000 };
    for order in [stop, Order::LetGo { grace_ms: 10_000 }] {
        for line in ["sleep 1h", "inbox wait=1h", "hang", "crash at event 1000000"] {
            let stage = Stage::with(|desk| desk.frozen = true);
            let mut playing = Box::pin(run(stage.seat("a", &["say up", line, "say late"])));
            assert!((&mut playing).now_or_never().is_none(), "{line}");
            stage.orders.send_replace(order);
            let end = playing.await;
            assert_eq!((end.cause, end.result.raw()), (EndCause::Stopped, "up"), "{line}");
        }
    }
    let stage = Stage::new();
    stage.orders.send_replace(stop);
    assert_eq!(stage.play("a", &["complete x"]).await.cause, EndCause::Stopped);
    assert_eq!(stage.status("a"), Status::InProgress);
}

#[tokio::test]
async fn a_crash_may_wait_for_an_event() {
    let stage = Stage::new();
    let now = stage.desk.seq.borrow().0;
    let line = format!("crash at event {}", now + 1);
    let mut playing = Box::pin(run(stage.seat("a", &[&line])));
    assert!((&mut playing).now_or_never().is_none());
    stage.play("b", &["progress 10 working"]).await;
    assert_eq!(playing.await.cause, broken("crashed"));
}
