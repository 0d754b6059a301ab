//! For tests: a run without a world. Commands go in, facts come out, agents end as the test says.
use super::state::{Attempt, Task};
use super::*;
use crate::text::Untrusted;

/// A run in memory, with a clock that the test moves.
pub(crate) struct Trial {
    pub state: State,
    pub facts: Vec<Fact>,
    pub effects: Vec<Effect>,
    pub now: u64,
}

pub(crate) fn name(text: &str) -> Name {
    Name::reference(text).unwrap()
}

pub(crate) fn by_name(text: &str) -> TaskRef {
    TaskRef::Name(name(text))
}

/// A member with a scripted brief that waits for `after`.
pub(crate) fn member(own: &str, after: &[&str]) -> MemberSpec {
    let edges = after.iter().map(|on| match on.strip_suffix(":finished") {
        Some(on) => EdgeSpec { on: by_name(on), needs: Needs::Finished },
        None => EdgeSpec { on: by_name(on), needs: Needs::Completed },
    });
    let brief = TaskSpec { name: Some(name(own)), depends_on: edges.collect(), ..TaskSpec::default() };
    MemberSpec { brief: Some(brief), ..chair(own, Driver::Scripted(Vec::new())) }
}

/// A member without a brief.
pub(crate) fn chair(own: &str, driver: Driver) -> MemberSpec {
    MemberSpec { name: name(own), title: None, agent_name: None, agent: AgentSpec::new(driver), brief: None }
}

pub(crate) fn team(members: Vec<MemberSpec>) -> TeamSpec {
    TeamSpec {
        name: name("t"),
        title: None,
        goal: None,
        file: None,
        workspace: "/w".into(),
        env: Vec::new(),
        limits: Limits::default(),
        lead: None,
        members,
        tasks: Vec::new(),
    }
}

impl Trial {
    /// An open run without a team.
    pub fn new(headless: bool) -> Self {
        let mut trial = Self { state: State::default(), facts: Vec::new(), effects: Vec::new(), now: 0 };
        let header = RunHeader { run: "test".into(), headless, ..RunHeader::default() };
        trial.system(Command::OpenRun(header));
        trial
    }

    /// A run with one team.
    pub fn with(spec: TeamSpec) -> Self {
        let mut trial = Self::new(false);
        trial.person(Command::Create(Box::new(spec))).unwrap();
        trial
    }

    pub fn ask(&mut self, actor: Actor, command: Command) -> Result<Reply, Rejection> {
        let before = self.state.clone();
        let asked = Asked { actor, team: None, line: None, command };
        let now = Now { elapsed_ms: self.now, at_ms: 1_000_000 + self.now, random: self.state.seq.0 };
        let decision = decide(&mut self.state, now, &asked);
        if decision.facts.is_empty() {
            assert_eq!(before, self.state, "no fact, no change");
        }
        self.effects.extend(react(&self.state, &decision.facts));
        self.facts.extend(decision.facts);
        decision.reply
    }

    pub fn person(&mut self, command: Command) -> Result<Reply, Rejection> {
        self.ask(Actor::Person, command)
    }

    pub fn system(&mut self, command: Command) {
        self.ask(Actor::System, command).unwrap();
    }

    pub fn tick(&mut self, ms: u64) {
        self.now += ms;
        self.system(Command::Tick);
    }

    /// The live attempt of a member.
    pub fn attempt(&self, member: &str) -> Attempt {
        self.try_attempt(member).unwrap_or_else(|| panic!("{member} has no live attempt"))
    }

    pub fn try_attempt(&self, member: &str) -> Option<Attempt> {
        self.state.live.values().find(|a| a.member == name(member)).cloned()
    }

    /// A command from inside a member's live attempt.
    pub fn member(&mut self, member: &str, command: Command) -> Result<Reply, Rejection> {
        let attempt = self.attempt(member);
        self.ask(Actor::Member { attempt: attempt.id, token: attempt.token }, command)
    }

    pub fn complete(&mut self, member: &str, text: &str) -> Result<Reply, Rejection> {
        self.member(member, Command::Complete { task: None, text: text.into() })
    }

    pub fn fail(&mut self, member: &str, text: &str) -> Result<Reply, Rejection> {
        self.member(member, Command::Fail { task: None, text: text.into() })
    }

    /// The agent of a member's live attempt ends.
    pub fn end(&mut self, member: &str, cause: EndCause) {
        let attempt = self.attempt(member).id;
        self.system(Command::EndAttempt {
            attempt,
            end: AttemptEnd { cause, result: Untrusted::from("out"), ..AttemptEnd::default() },
        });
    }

    pub fn task(&self, label: &str) -> &Task {
        let team = self.state.teams.values().next_back().unwrap();
        let number = team.find_task(&by_name(label)).unwrap_or_else(|| panic!("no task {label}"));
        team.task(number).unwrap()
    }

    pub fn status(&self, label: &str) -> Status {
        self.task(label).status()
    }

    /// Words of the events so far, for comparing what happened.
    pub fn words(&self) -> Vec<&'static str> {
        self.facts.iter().map(|f| f.event.word()).collect()
    }
}
