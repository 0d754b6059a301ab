//! For tests: a run without a world. Commands go in, facts come out, agents end as the test says.
use super::state::{Attempt, Task};
use super::*;
use crate::text::Untrusted;

/// A run in memory, with a clock that the test moves.
pub(crate) struct Trial {
    pub state: State,
    /// The facts so far, folded once more.
    pub folded: State,
    pub facts: Vec<Fact>,
    pub effects: Vec<Effect>,
    pub now: u64,
}

pub(crate) fn name(text: &str) -> Name {
    Name::reference(text).unwrap()
}

/// By number, where it is one.
pub(crate) fn task_ref(text: &str) -> TaskRef {
    text.parse().map_or_else(|_| by_name(text), |no| TaskRef::Number(TaskNo(no)))
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
    MemberSpec { brief: Some(brief.into()), ..chair(own, Driver::Scripted(Vec::new())) }
}

/// A member without a brief.
pub(crate) fn chair(own: &str, driver: Driver) -> MemberSpec {
    MemberSpec { name: name(own), title: None, agent_name: None, agent: AgentSpec::new(driver), brief: None }
}

impl From<MemberSpec> for AddMember {
    /// As it is: nothing of another agent or task.
    fn from(member: MemberSpec) -> Self {
        Self { member, like: None, given: Vec::new() }
    }
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
        agents: Default::default(),
        members,
        tasks: Vec::new(),
    }
}

/// A member whose brief is a shell line.
pub(crate) fn process(own: &str, after: &[&str]) -> MemberSpec {
    let driver = Driver::Process { line: Line::Run("true".into()), stdin: Stdin::Null };
    MemberSpec { agent: AgentSpec::new(driver), ..member(own, after) }
}

/// A person with a task.
pub(crate) fn human(own: &str, after: &[&str]) -> MemberSpec {
    MemberSpec { agent: AgentSpec::new(Driver::Human), ..member(own, after) }
}

/// A member whose brief is changed.
pub(crate) fn with(mut spec: MemberSpec, change: impl FnOnce(&mut TaskSpec)) -> MemberSpec {
    change(std::sync::Arc::make_mut(spec.brief.as_mut().unwrap()));
    spec
}

/// A member whose agent is changed.
pub(crate) fn agent(mut spec: MemberSpec, change: impl FnOnce(&mut AgentSpec)) -> MemberSpec {
    change(&mut spec.agent);
    spec
}

/// A team led by a scripted agent.
pub(crate) fn led(members: Vec<MemberSpec>) -> TeamSpec {
    let agent = AgentSpec::new(Driver::Scripted(Vec::new()));
    let lead = LeadSpec { agent, prompt: None, outputs: Vec::new(), checks: Vec::new() };
    TeamSpec { lead: Some(lead), ..team(members) }
}

pub(crate) fn reviewer(own: &str) -> Reviewer {
    Reviewer::Member(name(own))
}

impl Trial {
    /// An open run without a team.
    pub fn new(headless: bool) -> Self {
        Self::open(RunHeader { run: "test".into(), headless, ..RunHeader::default() })
    }

    /// An open run of that header.
    pub fn open(header: RunHeader) -> Self {
        let (state, folded) = Default::default();
        let mut trial = Self { state, folded, facts: Vec::new(), effects: Vec::new(), now: 0 };
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
        let asked = Asked { actor, team: None, line: None, command };
        let now = Now { elapsed_ms: self.now, at_ms: 1_000_000 + self.now, random: self.state.seq.0 };
        let decision = decide(&mut self.state, now, &asked);
        rules::audit::fold(&mut self.folded, &decision.facts, &self.state);
        rules::audit::counters(&self.state);
        if let Err(rejection) = &decision.reply {
            assert!(!rejection.what.is_empty(), "it says what and why");
            let says_how = !rejection.help.is_empty() || rejection.code == Code::AtCapacity;
            assert!(says_how, "it says the next step: {rejection:?}");
        }
        self.effects.extend(react(&self.state, &decision.facts));
        self.facts.extend(decision.facts);
        decision.reply
    }

    /// From here on nobody can be asked.
    pub fn go_headless(&mut self) {
        self.state.run.header.headless = true;
        self.folded.run.header.headless = true;
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

    /// The agent of a member's live attempt ends, and leaves `out`.
    pub fn end(&mut self, member: &str, cause: EndCause) {
        let attempt = self.attempt(member).id;
        self.end_attempt(attempt, cause);
    }

    pub fn end_attempt(&mut self, attempt: AttemptId, cause: EndCause) {
        let end = AttemptEnd { cause, result: Untrusted::from("out"), ..AttemptEnd::default() };
        self.system(Command::EndAttempt { attempt, end });
    }

    /// The outputs and checks of a member's live attempt were looked at.
    pub fn checked(&mut self, member: &str, refused: &[&str]) {
        let attempt = self.attempt(member);
        let refused = refused.iter().map(|r| Untrusted::from(*r)).collect();
        let (team, attempt) = (attempt.team, Some(attempt.id));
        self.system(Command::SettleChecks { attempt, team, refused, outputs: Vec::new() });
    }

    pub fn send(&mut self, from: &str, to: &str, text: &str) -> Result<Reply, Rejection> {
        self.member(from, Command::Send { to: to.into(), text: text.into() })
    }

    /// Texts of the mail that a member reads now.
    pub fn inbox(&mut self, member: &str) -> Vec<String> {
        let reply = self.member(member, Command::ReadInbox { wait_ms: None }).unwrap();
        let Data::Inbox(letters) = reply.data else { panic!("{reply:?}") };
        letters.iter().map(|l| l.text.raw().to_owned()).collect()
    }

    pub fn add(&mut self, to: &str) -> String {
        let spec = TaskSpec { assignee: Some(name(to)), ..TaskSpec::default() };
        self.person(Command::AddTask(Box::new(spec))).unwrap();
        self.newest()
    }

    /// The newest task, as it can be referred to.
    pub fn newest(&self) -> String {
        self.the_team().tasks.last().unwrap().number.to_string()
    }

    pub fn replan(&mut self, steps: Vec<PlanStep>) -> Result<Reply, Rejection> {
        self.person(Command::Replan(Replan { steps, at: None, dry_run: false }))
    }

    pub fn cancel(&mut self, task: &str, dependents: Option<Dependents>) -> Result<Reply, Rejection> {
        self.person(Command::Cancel { tasks: vec![task_ref(task)], dependents, text: "".into() })
    }

    pub fn retry(&mut self, task: &str) -> Result<Reply, Rejection> {
        self.person(Command::Retry { tasks: vec![task_ref(task)], text: "".into() })
    }

    /// The newest team.
    pub fn the_team(&self) -> &state::Team {
        self.state.teams.values().next_back().unwrap()
    }

    /// Names of those who have a live attempt.
    pub fn live(&self) -> Vec<String> {
        self.state.live.values().map(|a| a.member.to_string()).collect()
    }

    /// Everyone's live attempt that was asked to stop, stops.
    pub fn all_stop(&mut self) {
        let stopping: Vec<AttemptId> =
            self.state.live.values().filter(|a| a.stop.is_some()).map(|a| a.id).collect();
        for attempt in stopping {
            self.end_attempt(attempt, EndCause::Stopped);
        }
    }

    /// How often an event of that word happened.
    pub fn count(&self, word: &str) -> usize {
        self.words().iter().filter(|w| **w == word).count()
    }

    pub fn task(&self, label: &str) -> &Task {
        let team = self.state.teams.values().next_back().unwrap();
        let number = team.find_task(&task_ref(label)).unwrap_or_else(|| panic!("no task {label}"));
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
