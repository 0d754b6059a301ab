//! Runs for tests, made of facts by hand.
use crate::domain::event::{
    AttemptEnded, AttemptStarted, CapReached, QuestionAsked, RunClosed, RunOpened, StopAsked, TeamCreated,
};
use crate::domain::state::State;
use crate::domain::view::{Narrator, RunView, Stream, Told};
use crate::domain::*;
use std::collections::BTreeMap;

/// 2026-11-30T18:20:00.004Z.
pub const OPENED_MS: u64 = 1_796_062_800_004;

pub fn name(written: &str) -> Name {
    Name::reference(written).unwrap()
}

/// A member with a brief: `name`, `needs` as `build,docs:finished`.
pub fn member(written: &str, needs: &str) -> MemberSpec {
    let edge = |e: &str| {
        let (on, needs) = match e.split_once(':') {
            Some((on, _)) => (on, Needs::Finished),
            None => (e, Needs::Completed),
        };
        EdgeSpec { on: TaskRef::Name(name(on)), needs }
    };
    let depends_on = needs.split(',').filter(|e| !e.is_empty()).map(edge).collect();
    let brief = TaskSpec { name: Some(name(written)), depends_on, ..TaskSpec::default() };
    let line = Line::Run("true".to_owned());
    MemberSpec {
        name: name(written),
        title: None,
        agent_name: None,
        agent: AgentSpec::new(Driver::Process { line, stdin: Stdin::Null }),
        brief: Some(brief.into()),
    }
}

pub fn retries(mut member: MemberSpec, n: u32) -> MemberSpec {
    member.agent.retries = n;
    member
}

pub fn optional(mut member: MemberSpec) -> MemberSpec {
    if let Some(brief) = &mut member.brief {
        std::sync::Arc::make_mut(brief).optional = true;
    }
    member
}

pub fn spec(written: &str, members: Vec<MemberSpec>) -> TeamSpec {
    TeamSpec {
        name: name(written),
        title: None,
        goal: None,
        file: None,
        workspace: "/w".to_owned(),
        env: Vec::new(),
        limits: Limits { parallel: 4, time_ms: Some(1_800_000), ..Limits::default() },
        lead: None,
        agents: Default::default(),
        members,
        tasks: Vec::new(),
    }
}

/// A run that is being told.
#[derive(Debug)]
pub struct Story {
    pub state: State,
    pub now: u64,
    pub told: Vec<Told>,
    pub lines: Vec<String>,
    pub facts: Vec<(Fact, State)>,
    narrator: Narrator,
    stream: Stream,
    attempts: BTreeMap<String, u64>,
    team: Option<TeamId>,
    by: By,
}

impl Story {
    pub fn new(run: Option<u64>, file: &str) -> Self {
        let mut story = Self {
            state: State::default(),
            now: 0,
            told: Vec::new(),
            lines: Vec::new(),
            facts: Vec::new(),
            narrator: Narrator::default(),
            stream: Stream::default(),
            attempts: BTreeMap::new(),
            team: None,
            by: By::System,
        };
        let header = RunHeader {
            number: run,
            file: Some(file.into()),
            headless: run.is_some(),
            ..RunHeader::default()
        };
        story.by(By::Person).tell(RunOpened { header });
        story
    }

    /// The next fact is by them.
    pub fn by(&mut self, by: By) -> &mut Self {
        self.by = by;
        self
    }

    pub fn at(&mut self, ms: u64) -> &mut Self {
        self.now = ms;
        self
    }

    /// The next fact gets this seq, as if others had been between.
    pub fn seq(&mut self, seq: u64) -> &mut Self {
        self.state.seq = Seq(seq - 1);
        self
    }

    pub fn tell(&mut self, event: impl Into<Event>) -> &mut Self {
        let fact = Fact {
            seq: self.state.seq.next(),
            elapsed_ms: self.now,
            at_ms: OPENED_MS + self.now,
            team: self.team,
            by: std::mem::take(&mut self.by),
            line: None,
            event: event.into(),
        };
        self.state.evolve(&fact);
        self.told.push(self.narrator.tell(&fact, &self.state));
        self.lines.extend(self.stream.fact(&fact, &self.state));
        self.facts.push((fact, self.state.clone()));
        self
    }

    pub fn team(&mut self, spec: TeamSpec) -> &mut Self {
        self.team = Some(self.team.map_or(TeamId(1), TeamId::next));
        self.by(By::Person).tell(TeamCreated { spec: Box::new(spec) })
    }

    pub fn id(&self) -> TeamId {
        self.team.unwrap()
    }

    pub fn number(&self, task: &str) -> TaskNo {
        self.state.teams[&self.id()].names[&name(task)]
    }

    pub fn start(&mut self, task: &str) -> &mut Self {
        let number = self.number(task);
        let of = self.state.task(self.id(), number).unwrap();
        let nth = of.begun + 1;
        let attempt = self.state.last_attempt.next();
        self.attempts.insert(task.to_owned(), attempt.0);
        let member = of.assignee.clone().unwrap();
        self.tell(AttemptStarted {
            attempt,
            member,
            purpose: Purpose::Task(number),
            nth,
            token: Token(7),
            reserved_micros: 0,
        })
    }

    pub fn attempt(&self, task: &str) -> AttemptId {
        AttemptId(self.attempts[task])
    }

    pub fn end(&mut self, task: &str, took_ms: u64, change: impl FnOnce(&mut AttemptEnded)) -> &mut Self {
        let mut ended = AttemptEnded {
            attempt: self.attempt(task),
            outcome: Outcome::Completed,
            reason: "".into(),
            exit: Some(0),
            took_ms,
            output_bytes: 0,
            result: None,
            status: Some(Status::Completed),
            again: false,
            spent_micros: 0,
        };
        change(&mut ended);
        self.tell(ended)
    }

    pub fn done(&mut self, task: &str, took_ms: u64) -> &mut Self {
        self.end(task, took_ms, |_| {})
    }

    pub fn said(&mut self, task: &str, took_ms: u64, result: &str) -> &mut Self {
        self.end(task, took_ms, |e| e.result = Some(result.into()))
    }

    pub fn failed(&mut self, task: &str, took_ms: u64, exit: i32, again: bool) -> &mut Self {
        self.end(task, took_ms, |e| {
            e.outcome = Outcome::Failed;
            e.reason = format!("exit {exit}").into();
            e.exit = Some(exit);
            e.status = Some(Status::Failed);
            e.again = again;
        })
    }

    pub fn interrupted(&mut self, task: &str, took_ms: u64) -> &mut Self {
        self.end(task, took_ms, |e| {
            e.outcome = Outcome::Interrupted;
            e.reason = "interrupted".into();
            e.exit = None;
            e.status = Some(Status::Stale);
        })
    }

    pub fn stop(&mut self, task: &str, cause: StopCause) -> &mut Self {
        let attempt = self.attempt(task);
        self.tell(StopAsked { attempt, cause })
    }

    pub fn cap(&mut self, cap: Cap) -> &mut Self {
        self.tell(CapReached { cap })
    }

    pub fn ask(&mut self, task: &str, text: &str) -> &mut Self {
        let attempt = self.attempt(task);
        self.tell(QuestionAsked { attempt, of: Asker::Person, text: text.into(), default: None })
    }

    pub fn close(&mut self, reason: CloseReason) -> &mut Self {
        let team = self.team.take();
        self.tell(RunClosed { reason });
        self.team = team;
        self
    }

    pub fn view(&self) -> RunView {
        RunView::of(&self.state, self.now)
    }
}

/// The team of `ci.toml`.
pub fn ci() -> TeamSpec {
    let mut report = member("report", "lint,test-1,test-2,test-3,docs:finished");
    if let Some(brief) = &mut report.brief {
        std::sync::Arc::make_mut(brief).outputs = vec!["report.md".to_owned()];
    }
    spec(
        "ci",
        vec![
            member("lint", ""),
            member("build", ""),
            retries(member("test-1", "build"), 1),
            retries(member("test-2", "build"), 1),
            retries(member("test-3", "build"), 1),
            optional(member("docs", "lint")),
            report,
        ],
    )
}

/// Run 41 of CLI.md: every required task completes, one after a retry.
pub fn run_41() -> Story {
    let mut s = Story::new(Some(41), "ci.toml");
    s.team(ci()).start("lint").start("build");
    s.at(38_200).done("lint", 38_200).start("docs");
    s.at(81_100).done("docs", 42_900);
    s.at(102_000).done("build", 102_000).start("test-1").start("test-2").start("test-3");
    s.at(148_000).failed("test-2", 46_000, 100, true).start("test-2");
    s.at(151_100).done("test-1", 49_100);
    s.at(159_000).done("test-3", 57_000);
    s.at(195_200).done("test-2", 47_200).start("report");
    let attempt = Some(s.attempt("report"));
    s.at(196_000).tell(crate::domain::event::ChecksSettled {
        attempt,
        refused: Vec::new(),
        outputs: vec![("report.md".to_owned(), 4_200)],
    });
    s.done("report", 800).close(CloseReason::Completed);
    s
}

/// Run 42 of CLI.md: one required task fails for good, and an optional one.
pub fn run_42() -> Story {
    let mut s = Story::new(Some(42), "ci.toml");
    s.team(ci()).start("lint").start("build");
    s.at(37_900).done("lint", 37_900).start("docs");
    s.at(79_400).failed("docs", 41_500, 1, false);
    s.at(101_600).done("build", 101_600).start("test-1").start("test-2").start("test-3");
    s.at(147_900).failed("test-2", 46_300, 100, true).start("test-2");
    s.at(150_200).done("test-1", 48_600);
    s.at(158_900).done("test-3", 57_300);
    s.at(194_000).end("test-2", 46_100, |e| {
        e.outcome = Outcome::Failed;
        e.reason = "exit 100".into();
        e.exit = Some(100);
        e.status = Some(Status::Failed);
        e.output_bytes = 24_710;
    });
    s.close(CloseReason::RequiredFailed);
    s
}

/// Run 43 of CLI.md: `--only test-1 --only test-2`.
pub fn run_43() -> Story {
    let mut s = Story::new(Some(43), "ci.toml");
    let test = |n| retries(member(n, "build"), 1);
    s.team(spec("ci", vec![member("build", ""), test("test-1"), test("test-2")])).start("build");
    let bytes = |s: &mut Story, task: &str, took, exit, bytes, again| {
        s.end(task, took, |e| {
            e.output_bytes = bytes;
            if exit != 0 {
                e.outcome = Outcome::Failed;
                e.reason = format!("exit {exit}").into();
                e.exit = Some(exit);
                e.status = Some(Status::Failed);
                e.again = again;
            }
        });
    };
    s.at(101_204).seq(41);
    bytes(&mut s, "build", 101_204, 0, 2_114, false);
    s.start("test-1").start("test-2");
    s.at(147_301).seq(96);
    bytes(&mut s, "test-2", 46_097, 100, 24_710, true);
    s.start("test-2");
    s.at(148_012).seq(99);
    bytes(&mut s, "test-1", 46_808, 100, 24_398, true);
    s.start("test-1");
    s.at(193_190).seq(190);
    bytes(&mut s, "test-2", 45_889, 100, 24_702, false);
    s.at(196_905).seq(195);
    bytes(&mut s, "test-1", 48_893, 0, 23_980, false);
    s.close(CloseReason::RequiredFailed);
    s
}

/// The team of `auth-review.toml`, before its replan: perf has failed.
pub fn auth_review(run: Option<u64>) -> Story {
    let mut s = Story::new(run, "auth-review.team");
    let mut security = member("security", "churn,style:finished");
    security.agent = AgentSpec::new(Driver::Scripted(Vec::new()));
    let mut team = spec(
        "auth-review",
        vec![member("churn", ""), optional(member("style", "")), security, member("perf", "")],
    );
    team.tasks = vec![std::sync::Arc::new(TaskSpec {
        name: Some(name("summary")),
        assignee: Some(name("security")),
        depends_on: member("x", "security,perf").brief.unwrap().depends_on.clone(),
        ..TaskSpec::default()
    })];
    s.team(team).start("churn").start("style").start("perf");
    s.at(400).done("churn", 400);
    s.at(900).done("style", 900).start("security").said("security", 0, "1 finding");
    s.at(2_000).by(By::Member(name("perf"))).end("perf", 2_000, |e| {
        e.outcome = Outcome::Failed;
        e.reason = "no access".into();
        e.exit = None;
        e.status = Some(Status::Failed);
    });
    s.at(4_100);
    s
}
