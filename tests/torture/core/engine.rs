//! The single writer without a thread: decides, commits to a disk of bytes, reacts; and crashes, or its disk does.
use std::collections::{BTreeMap, BTreeSet};

use super::post::Post;
use crate::torture::{Counts, Dice};
use teamtui::domain::{
    Actor, Asked, AttemptId, By, Code, Command, Data, Decision, Effect, Event, Fact, Job, Now, Purpose,
    Rejection, Reply, RunHeader, Seq, State, TeamId, Token, decide, next_due, react,
};

/// What becomes of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Commits,
    /// The disk refuses it.
    Fails,
    /// The disk says that it refused it, and has it.
    FailsAndIsThere,
    /// The owner dies before the disk has it.
    CrashesBefore,
    /// The disk has it; the owner dies before it says or does anything.
    CrashesAfter,
}

/// Whoever sits and runs.
#[derive(Debug, Clone)]
pub struct Agent {
    pub token: Token,
    pub team: TeamId,
    pub purpose: Purpose,
    /// It was asked to end, or let go.
    pub stopping: bool,
    /// Its process has ended; its checks run.
    pub exited: bool,
}

/// A fact as the disk has it.
type Row = (u16, u16, Vec<u8>);

pub struct Core {
    disk: Vec<Row>,
    state: State,
    /// The fold of what is on the disk, kept beside the state.
    safe: State,
    now: u64,
    random: Dice,
    pub agents: BTreeMap<AttemptId, Agent>,
    /// Looks at outputs and checks that are under way.
    pub looks: Vec<(Option<AttemptId>, TeamId)>,
    /// File writes that were asked for and not settled.
    pub writes: Vec<(AttemptId, Token, Seq)>,
    /// Tokens that are worth nothing any more.
    pub gone: Vec<(AttemptId, Token)>,
    started: BTreeSet<AttemptId>,
    post: Post,
    /// Texts of messages that were refused by the disk: nobody may ever see them.
    unsent: BTreeSet<String>,
    pub counts: Counts,
}

impl Core {
    /// An open run without a team.
    pub fn new(headless: bool) -> Self {
        let mut core = Self {
            disk: Vec::new(),
            state: State::default(),
            safe: State::default(),
            now: 0,
            random: Dice(7),
            agents: BTreeMap::new(),
            looks: Vec::new(),
            writes: Vec::new(),
            gone: Vec::new(),
            started: BTreeSet::new(),
            post: Post::default(),
            unsent: BTreeSet::new(),
            counts: Counts::default(),
        };
        core.must(system(Command::OpenRun(RunHeader {
            run: "sim".into(),
            headless,
            ..RunHeader::default()
        })));
        core
    }

    pub fn state(&self) -> &State {
        &self.state
    }

    pub fn pass(&mut self, ms: u64) {
        self.now += ms;
    }

    /// Time goes on to what is due next.
    pub fn jump(&mut self) {
        let due = next_due(&self.state).unwrap_or_default();
        self.now = due.max(self.now + 1);
    }

    /// Messages that were sent.
    pub fn messages(&self) -> u64 {
        self.post.counts()[0].1
    }

    /// No look is under way.
    pub fn is_idle(&self) -> bool {
        self.looks.is_empty()
    }

    /// One that must be accepted.
    pub fn must(&mut self, asked: Asked) {
        let replies = self.turn(vec![asked], Fate::Commits);
        replies.into_iter().for_each(|reply| drop(reply.unwrap()));
    }

    /// One batch, as the engine does it; the answers, where they are given.
    pub fn turn(&mut self, asked: Vec<Asked>, fate: Fate) -> Vec<Result<Reply, Rejection>> {
        let mut facts = Vec::new();
        let mut replies = Vec::new();
        if next_due(&self.state).is_some_and(|due| due <= self.now) {
            facts.extend(self.decide(&system(Command::Tick)).facts);
        }
        for one in &asked {
            let decision = self.decide(one);
            facts.extend(decision.facts);
            replies.push(decision.reply);
        }
        let effects = react(&self.state, &facts);
        match fate {
            Fate::Commits => {
                self.commit(&facts);
                self.perform(effects);
                self.answer(&asked, &replies, &facts);
            }
            Fate::Fails | Fate::FailsAndIsThere => {
                self.counts.add("failed commits", 1);
                if fate == Fate::FailsAndIsThere {
                    self.commit(&facts);
                    self.perform(effects);
                } else {
                    self.unsent.extend(facts.iter().filter_map(sent_text));
                }
                self.state = self.safe.clone();
                self.ask_again(&asked);
                replies.clear();
            }
            Fate::CrashesBefore => self.crash(),
            Fate::CrashesAfter => {
                self.commit(&facts);
                self.crash();
            }
        }
        self.check_moves();
        replies
    }

    fn decide(&mut self, asked: &Asked) -> Decision {
        let is_stale = match &asked.actor {
            Actor::Member { attempt, token } => {
                self.state.live.get(attempt).is_none_or(|live| live.token != *token)
            }
            _ => false,
        };
        let now =
            Now { elapsed_ms: self.now, at_ms: 1_000_000 + self.now, random: self.random.roll(u64::MAX) };
        let decision = decide(&mut self.state, now, asked);
        if is_stale {
            self.check_stale(asked, &decision);
        }
        decision
    }

    /// R12: refused, and nothing happened. Only to complete twice is no fault, and a late result is kept as an orphan.
    fn check_stale(&mut self, asked: &Asked, decision: &Decision) {
        let is_late = matches!(asked.command, Command::Complete { .. });
        match &decision.reply {
            Ok(reply) => {
                assert!(is_late && decision.facts.is_empty(), "a stale token was accepted: {reply:?}")
            }
            Err(rejection) => assert!(rejection.code == Code::StaleToken || is_late, "{rejection:?}"),
        }
        // The lead may begin a turn, to hear of it.
        let is_kept =
            |fact: &Fact| is_late && (matches!(fact.event, Event::OrphanKept(_)) || fact.by == By::System);
        assert!(decision.facts.iter().all(is_kept), "a stale token did something: {:?}", decision.facts);
        self.counts.add("stale tokens refused", 1);
    }

    fn commit(&mut self, facts: &[Fact]) {
        if facts.is_empty() {
            return;
        }
        self.counts.add("commits", 1);
        for fact in facts {
            assert_eq!(fact.seq, self.safe.seq.next(), "a gap in seq");
            let (kind, version) = fact.event.kind();
            let row = (kind, version, fact.encode().unwrap());
            let decoded = Fact::decode(fact.seq, row.0, row.1, &row.2).unwrap();
            assert_eq!(decoded, *fact, "the disk has another fact");
            self.safe.evolve(&decoded);
            self.disk.push(row);
            self.post.take(fact);
            if let Some(text) = sent_text(fact) {
                assert!(!self.unsent.contains(&text), "`{text}` was refused by the disk and is sent");
            }
            self.follow(&fact.event);
        }
        if self.random.percent(5) {
            assert_eq!(self.state, self.safe, "the fold of the facts is the state");
        }
    }

    /// Agents end with their attempts; their tokens outlive them.
    fn follow(&mut self, event: &Event) {
        match event {
            Event::AttemptStarted(e) => {
                assert!(self.started.insert(e.attempt), "attempt {} began twice", e.attempt);
            }
            Event::CompletionAsked(e) => {
                if let Some(agent) = self.agents.get_mut(&e.attempt) {
                    agent.exited |= e.exit.is_some();
                }
            }
            Event::AttemptEnded(e) => {
                if let Some(agent) = self.agents.remove(&e.attempt) {
                    self.gone.push((e.attempt, agent.token));
                }
            }
            _ => {}
        }
    }

    fn perform(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Start(job) => self.seat(&job),
                Effect::Stop { attempt, .. } | Effect::LetGo { attempt, .. } => {
                    if let Some(agent) = self.agents.get_mut(&attempt) {
                        agent.stopping = true;
                    }
                }
                Effect::Check(job) => self.looks.push((job.attempt, job.team)),
                Effect::Checked { .. } | Effect::Mail(_) | Effect::Answered { .. } | Effect::Due(_) => {}
            }
        }
    }

    fn seat(&mut self, job: &Job) {
        let same = |other: &Agent| {
            matches!(job.purpose, Purpose::Task(_)) && (other.team, other.purpose) == (job.team, job.purpose)
        };
        assert!(!self.agents.values().any(same), "two agents at {}", job.label);
        let agent =
            Agent { token: job.token, team: job.team, purpose: job.purpose, stopping: false, exited: false };
        assert!(self.agents.insert(job.attempt, agent).is_none(), "attempt {} was seated twice", job.attempt);
        self.counts.add("attempts", 1);
    }

    fn answer(&mut self, asked: &[Asked], replies: &[Result<Reply, Rejection>], facts: &[Fact]) {
        for (asked, reply) in asked.iter().zip(replies) {
            let Ok(reply) = reply else { continue };
            Post::check_inbox(reply, facts);
            if let Command::Send { text, .. } = &asked.command {
                let said = facts.iter().filter(|f| sent_text(f).as_deref() == Some(text.raw())).count();
                assert_eq!(said, 1, "`{}` was acknowledged", text.raw());
            }
            if let (Data::Write(seq), Actor::Member { attempt, token }) = (&reply.data, &asked.actor) {
                self.writes.push((*attempt, *token, *seq));
            }
        }
    }

    /// What the runtime reports, it reports until it is stored.
    fn ask_again(&mut self, asked: &[Asked]) {
        for one in asked {
            if let Command::SettleChecks { attempt, team, .. } = &one.command {
                self.looks.push((*attempt, *team));
            }
        }
    }

    /// The owner dies with everyone who sits; the next one folds what is on the disk and recovers, and may die of that.
    fn crash(&mut self) {
        loop {
            self.counts.add("crashes", 1);
            let agents = std::mem::take(&mut self.agents);
            self.gone.extend(agents.into_iter().map(|(attempt, agent)| (attempt, agent.token)));
            (self.looks, self.writes) = Default::default();
            self.state = self.fold();
            assert_eq!(self.state, self.safe, "the fold of the disk is what was committed");
            let facts = self.decide(&system(Command::Recover(Box::default()))).facts;
            let effects = react(&self.state, &facts);
            match self.random.roll(10) {
                0 => continue,
                1 => self.commit(&facts),
                _ => {
                    self.commit(&facts);
                    self.perform(effects);
                    return;
                }
            }
        }
    }

    fn fold(&self) -> State {
        let mut state = State::default();
        for (at, (kind, version, body)) in self.disk.iter().enumerate() {
            state.evolve(&Fact::decode(Seq(at as u64 + 1), *kind, *version, body).unwrap());
        }
        state
    }

    /// Every live attempt has somebody who moves it: an agent, a look, or a person.
    fn check_moves(&self) {
        for (id, attempt) in self.state.live.iter().filter(|(_, attempt)| !attempt.human) {
            let looks = self.looks.iter().any(|(of, _)| *of == Some(*id));
            let moves = self.agents.get(id).is_some_and(|agent| !agent.exited);
            assert!(looks || moves, "nobody moves attempt {id}: {attempt:?}");
        }
    }

    /// At the end: the disk, the state and the books are one.
    pub fn check_whole(&mut self) {
        assert_eq!(self.fold(), self.state, "the fold of all facts is the state");
        self.post.check(&self.state);
        self.counts.add("facts", self.disk.len() as u64);
        for (what, count) in self.post.counts() {
            self.counts.add(what, count);
        }
    }
}

pub fn system(command: Command) -> Asked {
    Asked { actor: Actor::System, team: None, line: None, command }
}

/// The text of a message that a member or the person sent, delivered or kept.
fn sent_text(fact: &Fact) -> Option<String> {
    match &fact.event {
        Event::MessageSent(e) if e.text.raw().starts_with("mail ") => Some(e.text.raw().to_owned()),
        _ => None,
    }
}
