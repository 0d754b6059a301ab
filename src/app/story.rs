//! The story that tests draw: team `ship-0.4` after 14 minutes, made of facts as an owner would tell them.
use super::{
    Checked, Chunk, Commands, Completion, Entry, Model, Msg, Names, News, Owner, Start, Way, WayAct, update,
};
use crate::domain::event::{
    AttemptEnded, AttemptStarted, EdgeFact, MemberAdded, PlanChanged, ProgressNoted, RunOpened, TeamCreated,
};
use crate::domain::{
    Actor, AgentSpec, Asked, AttemptId, By, Command, Driver, EdgeSpec, Event, Fact, Found, LeftOver, Limits,
    Line, MemberSpec, Name, Needs, Now, Outcome, OutputSeam, Purpose, Revision, RunHeader, Seq, State,
    Status, Stdin, TaskNo, TaskRef, TaskSpec, TeamId, TeamSpec, Token, decide,
};
use crate::text::Untrusted;

/// A few commands, looked up plainly.
pub struct Few;

const FEW: [(&str, &str, &str, &str); 8] = [
    ("replan", "replan STEP...", "stage changes to the plan, apply as one", ""),
    ("retry", "retry TASKS [TEXT]", "a new attempt of a failed or stale task", "t"),
    ("remove", "remove MEMBER", "close a member's chair, cancel its tasks", ""),
    ("resume", "resume [MEMBER]", "go on after a pause or a cap", ""),
    ("send", "send TO TEXT", "put a message into a member's mailbox", "m"),
    ("create", "create FILE", "make a team from a file", ""),
    ("dissolve", "dissolve", "stop everyone and end the team", ""),
    ("why", "why TASK", "say why a task is not done", "w"),
];

impl Commands for Few {
    fn rank(&self, query: &str, _recent: &[String]) -> Vec<Entry> {
        let fits = |(id, ..): &&(&str, &str, &str, &str)| id.starts_with(query);
        let entry = |(id, _, help, key): &(&str, &str, &str, &str)| Entry {
            id: (*id).to_owned(),
            help: (*help).to_owned(),
            key: (!key.is_empty()).then(|| (*key).to_owned()),
            found: (0..query.len()).collect(),
        };
        FEW.iter().filter(fits).map(entry).collect()
    }

    fn complete(&self, line: &str, cursor: usize, names: &Names) -> Vec<Completion> {
        let start = line[..cursor].rfind(' ').map_or(0, |at| at + 1);
        let all = if line.starts_with("send") { &names.members } else { &names.tasks };
        let fits = |(name, _): &&(String, String)| name.starts_with(&line[start..cursor]);
        let completion = |(name, help): &(String, String)| Completion {
            span: start..cursor,
            text: name.clone(),
            help: help.clone(),
        };
        all.iter().filter(fits).map(completion).collect()
    }

    fn form(&self, line: &str) -> Option<(String, String)> {
        let word = line.split(' ').next()?;
        let (_, form, help, _) = FEW.iter().find(|(id, ..)| *id == word)?;
        Some(((*form).to_owned(), (*help).to_owned()))
    }

    fn check(&self, line: &str, names: &Names) -> Option<Checked> {
        let (verb, task) = line.split_once(' ').unwrap_or((line, ""));
        let is_known = names.tasks.iter().any(|(name, _)| name == task.split(' ').next().unwrap_or(""));
        let missing = |message: &str| {
            Some(Checked { span: line.len()..line.len(), message: message.to_owned(), fix: None })
        };
        match verb {
            "retry" if task.is_empty() => missing("`retry` needs a task. Type its name or number."),
            "send" if !task.trim().contains(' ') => missing("`send` needs TEXT."),
            "retry" if !is_known => Some(Checked {
                span: 6..6 + task.split(' ').next().unwrap_or("").len(),
                message: "There is no task `dosc`. The nearest is `docs` (#10, failed).".to_owned(),
                fix: Some("docs".to_owned()),
            }),
            _ => None,
        }
    }
}

/// Folds facts the way an owner tells them: in order, without gaps.
#[derive(Default)]
pub struct Teller {
    pub facts: Vec<Fact>,
    now_ms: u64,
    attempts: u64,
    /// Whom facts are about, once it is not the first.
    pub team: Option<TeamId>,
}

/// A task of a story: name, member, and what it waits for.
pub type Told<'a> = (&'a str, &'a str, &'a [&'a str]);

/// The twelve tasks.
pub const SHIP: [Told<'static>; 12] = [
    ("plan", "arch", &[]),
    ("schema", "arch", &["plan"]),
    ("store", "core", &["schema"]),
    ("engine", "core", &["schema"]),
    ("script-runner", "core", &["engine"]),
    ("tui-shell", "ui", &["plan"]),
    ("dag-pane", "ui", &["engine", "tui-shell"]),
    ("log-pane", "ui", &["tui-shell"]),
    ("integrate", "ops", &["store", "script-runner", "dag-pane", "log-pane"]),
    ("docs", "writer", &["plan"]),
    ("review", "critic", &["integrate", "docs"]),
    ("release", "ops", &["review"]),
];

pub fn name(text: &str) -> Name {
    Name::reference(text).unwrap()
}

impl Teller {
    pub fn at(&mut self, minutes: u64, seconds: u64) -> &mut Self {
        self.now_ms = minutes * 60_000 + seconds * 1000;
        self
    }

    pub fn say(&mut self, event: impl Into<Event>) -> &mut Self {
        let seq = Seq(self.facts.len() as u64 + 1);
        // 14:17:38 UTC, so that 14m02 later it is 14:31:40.
        let at_ms = 1_796_048_258_000 + self.now_ms;
        let team = (seq.0 > 1).then_some(self.team.unwrap_or(TeamId(1)));
        let by = By::System;
        let event = event.into();
        self.facts.push(Fact { seq, elapsed_ms: self.now_ms, at_ms, team, by, line: None, event });
        self
    }

    pub fn team(&mut self, team: &str, tasks: &[Told<'_>], title: impl Fn(&str) -> String) -> &mut Self {
        self.say(RunOpened { header: RunHeader::default() });
        self.made(team, tasks, title)
    }

    /// A second team; facts are about it from here on.
    pub fn beside(&mut self, team: &str, tasks: &[Told<'_>]) -> &mut Self {
        self.team = Some(TeamId(2));
        self.made(team, tasks, str::to_owned)
    }

    pub fn made(&mut self, team: &str, tasks: &[Told<'_>], title: impl Fn(&str) -> String) -> &mut Self {
        let agent = || AgentSpec::new(Driver::Scripted(vec![vec!["hang".to_owned()]]));
        let mut members: Vec<MemberSpec> = Vec::new();
        for (_, member, _) in tasks {
            if !members.iter().any(|m| m.name == name(member)) {
                let (name, agent) = (name(member), agent());
                members.push(MemberSpec { name, title: None, agent_name: None, agent, brief: None });
            }
        }
        let edge = |on: &&str| EdgeSpec { on: TaskRef::Name(name(on)), needs: Needs::Completed };
        let tasks = tasks
            .iter()
            .map(|(task, member, after)| TaskSpec {
                name: Some(name(task)),
                title: Some(Untrusted::from(title(task))),
                assignee: Some(name(member)),
                depends_on: after.iter().map(edge).collect(),
                ..TaskSpec::default()
            })
            .map(Into::into)
            .collect();
        let limits = Limits { money_micros: Some(5_000_000), ..Limits::default() };
        let spec = TeamSpec {
            name: name(team),
            title: None,
            goal: None,
            file: None,
            workspace: "/src/ship".to_owned(),
            env: Vec::new(),
            limits,
            lead: None,
            agents: Default::default(),
            members,
            tasks,
        };
        self.say(TeamCreated { spec: Box::new(spec) })
    }

    pub fn start(&mut self, task: u32, member: &str, nth: u32) -> AttemptId {
        self.attempts += 1;
        let attempt = AttemptId(self.attempts);
        self.say(AttemptStarted {
            attempt,
            member: name(member),
            purpose: Purpose::Task(TaskNo(task)),
            nth,
            token: Token(self.attempts),
            reserved_micros: 0,
        });
        attempt
    }

    pub fn end(&mut self, attempt: AttemptId, took_ms: u64, spent_micros: u64, status: Status, why: &str) {
        let is_done = status == Status::Completed;
        self.say(AttemptEnded {
            attempt,
            outcome: if is_done { Outcome::Completed } else { Outcome::Failed },
            reason: Untrusted::from(why),
            exit: Some(i32::from(!is_done)),
            took_ms,
            output_bytes: 9,
            result: is_done.then(|| Untrusted::from("done")),
            status: Some(status),
            again: false,
            spent_micros,
        });
    }

    fn done(&mut self, task: u32, member: &str, from: (u64, u64), took_s: u64, cents: u64) {
        let start = from.0 * 60 + from.1;
        let attempt = self.at(0, start).start(task, member, 1);
        self.at(0, start + took_s);
        self.end(attempt, took_s * 1000, cents * 10_000, Status::Completed, "");
    }
}

/// The facts of the story.
pub fn ship() -> Teller {
    let mut t = Teller::default();
    t.team("ship-0.4", &SHIP, |task| task.replace('-', " "));
    t.done(1, "arch", (0, 5), 65, 4);
    t.done(2, "arch", (1, 10), 151, 7);
    t.done(3, "core", (3, 41), 254, 11);
    t.done(6, "ui", (1, 10), 315, 5);
    let first = t.at(6, 0).start(10, "writer", 1);
    t.at(6, 32);
    t.end(first, 32_000, 370_000, Status::Failed, "exit 1");
    t.at(6, 20).start(8, "ui", 1);
    let second = t.at(6, 40).start(10, "writer", 2);
    let engine = t.at(7, 50).start(4, "core", 1);
    t.at(13, 46);
    t.end(second, 426_000, 0, Status::Failed, "check refused: cargo test --doc  exit 101");
    t.at(14, 2);
    t.say(ProgressNoted { attempt: engine, percent: 60, text: Untrusted::from("cargo test runtime::") });
    t
}

/// What engine wrote.
pub const ENGINE_LOG: &str = "\
Reading how the store answers before I write the loop.
\x1b[2m[read] src/store/writer.rs  214 lines\x1b[0m
\x1b[2m[read] src/store/reader.rs  98 lines\x1b[0m
The writer drains its queue, decides on a speculative state and commits once, so the engine answers after the commit, never before it.
\x1b[2m[edit] src/runtime/engine.rs  +84 -3\x1b[0m
\x1b[2m[run] cargo check  exit 0, 4.1s\x1b[0m
\x1b[2m[run] cargo test runtime::  12s\x1b[0m
  running 31 tests
  test engine::answers_after_commit \x1b[32mok\x1b[0m
  test engine::refuses_when_full \x1b[32mok\x1b[0m
  test engine::drops_nothing \x1b[32mok\x1b[0m
  test engine::one_commit_per_batch \x1b[32mok\x1b[0m
  test engine::wakes_on_mail \x1b[32mok\x1b[0m
  test timers::due_after_restart \x1b[32mok\x1b[0m
";

pub fn start_screen() -> Start {
    let way = |key: char, word: &str, help: &str, act: WayAct| Way {
        key,
        word: word.to_owned(),
        help: help.to_owned(),
        act,
    };
    Start {
        recovery_seen: crate::domain::Seq(0),
        version: "0.4.0".to_owned(),
        project: "~/src/ship".to_owned(),
        project_note: "git, branch main".to_owned(),
        members: vec![
            "any command works here as a member".to_owned(),
            "models: no key set    claude, codex: not on PATH".to_owned(),
        ],
        ways: vec![
            way('d', "demo", "a team of eight in one minute, no key, no network", WayAct::Run("demo".into())),
            way(
                'c',
                "create",
                "a team from an example: review, fix-tests, release",
                WayAct::Type("create ".into()),
            ),
            way('l', "lead", "say what you want; needs a model", WayAct::Tell("No model key is set.".into())),
        ],
        runs: 0,
        chosen: 0,
    }
}

/// A screen of that size before anything has come.
pub fn blank(width: u16, height: u16) -> Model {
    let mut model = Model::new(&Few, start_screen(), 0);
    update(&mut model, Msg::Resize(width, height));
    model
}

/// A screen that has been told these facts.
pub fn told(teller: &Teller, width: u16, height: u16) -> Model {
    let mut model = blank(width, height);
    let snapshot = News::Snapshot {
        state: Box::new(State::default()),
        elapsed_ms: 0,
        at_ms: 0,
        owner: Owner { pid: 4121, here: false },
    };
    update(&mut model, Msg::News(snapshot));
    update(&mut model, Msg::News(News::Facts(teller.facts.clone())));
    model
}

/// The story at its end, the log of engine in view.
pub fn shipping(width: u16, height: u16) -> Model {
    let mut model = told(&ship(), width, height);
    if let Some(attempt) = model.log.attempt {
        let bytes = ENGINE_LOG.as_bytes().to_vec();
        update(&mut model, Msg::Output(Chunk { attempt, at: 0, bytes }));
    }
    model
}

/// Added members and changed edges, for tests of a plan that moves.
pub fn replanned(teller: &mut Teller) {
    let agent = AgentSpec::new(Driver::Human);
    let brief = TaskSpec { name: Some(name("docs2")), ..TaskSpec::default() };
    let member =
        MemberSpec { name: name("docs2"), title: None, agent_name: None, agent, brief: Some(brief.into()) };
    teller.say(MemberAdded { member: Box::new(member), number: Some(TaskNo(13)) });
    let edges = [9, 13].map(|on| EdgeFact { on: TaskNo(on), needs: Needs::Completed, waived: false });
    teller.say(PlanChanged {
        revision: Revision(9),
        rewired: vec![(TaskNo(11), edges.to_vec())],
        prompts: Vec::new(),
        replaced: vec![(TaskNo(10), TaskNo(13))],
    });
}

/// The owner was killed in the middle of the story, and its run has another one.
pub fn recovered(width: u16, height: u16) -> Model {
    let mut model = told(&ship(), width, height);
    let ask = model.state.live.keys().next_back().copied();
    for (id, attempt) in &model.state.live {
        let team = model.state.teams.get_mut(&attempt.team);
        if let Some(member) =
            team.and_then(|team| team.members.get_mut(&attempt.member)).filter(|_| Some(*id) == ask)
        {
            let line = Line::Run("cargo test ui::log".to_owned());
            member.agent.driver = Driver::Process { line, stdin: Stdin::Null };
        }
    }
    let found = Found {
        processes: [71_502, 71_507].map(|pid| LeftOver { pid, attempt: ask }).to_vec(),
        ended: 2,
        seams: ask.map(|attempt| OutputSeam { attempt, past: 212, lost: 0 }).into_iter().collect(),
        took_ms: 600,
        ..Found::default()
    };
    let command = Command::Recover(Box::new(found));
    let asked = Asked { actor: Actor::System, team: None, line: None, command };
    let now = Now { elapsed_ms: model.state.elapsed_ms, at_ms: model.state.at_ms + 18_000, random: 7 };
    let mut state = model.state.clone();
    let decision = decide(&mut state, now, &asked);
    update(&mut model, Msg::News(News::Facts(decision.facts)));
    model
}
