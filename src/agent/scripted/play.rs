//! One attempt of a scripted member: what each line does, and where the attempt is over.
use std::collections::BTreeMap;
use std::path::Path;

use super::fault::{Fault, Over};
use crate::agent::beneath::Inside;
use crate::agent::seat::{Order, Seat};
use crate::domain::port::Channel;
use crate::domain::{
    Actor, Asked, Code, Command, Data, Letter, Name, Rejection, Reply, Seq, State, TeamId, job,
};
use crate::text::Untrusted;
use crate::text::quantity::duration;
use crate::verbs::{Act, MemberAct, Read, anchored, parse_line};

/// What a line comes to.
pub type Done = Result<(), Fault>;

/// An attempt while its lines are run.
pub struct Play {
    pub(super) seat: Seat,
    /// What each file was when this attempt last read or wrote it.
    pub(super) known: BTreeMap<Inside, Option<String>>,
    /// What it said last.
    pub last: Untrusted,
    /// Bytes of output.
    pub bytes: u64,
}

impl Play {
    /// Before the first line.
    pub fn new(seat: Seat) -> Self {
        Self { seat, known: BTreeMap::new(), last: Untrusted::default(), bytes: 0 }
    }

    /// Runs lines until there are no more, or one of them ends the attempt.
    pub async fn lines(&mut self, lines: &[String]) -> Result<(), Over> {
        for (number, line) in (1..).zip(lines) {
            if is_end(*self.seat.orders.borrow()) {
                return Err(Over::Stopped);
            }
            match self.line(line).await {
                Ok(()) => {}
                Err(Fault::Over(over)) => return Err(over),
                Err(Fault::Refused(what, help)) => return Err(self.refused(number, &what, &help)),
            }
        }
        Ok(())
    }

    fn refused(&self, number: usize, what: &str, help: &[String]) -> Over {
        let why = format!("line {number}: {what}");
        self.note(&why);
        help.iter().for_each(|step| self.note(&format!("help: {step}")));
        Over::Broken(Untrusted::from(why))
    }

    async fn line(&mut self, line: &str) -> Done {
        let Some(parsed) = parse_line(line, true)? else { return Ok(()) };
        let team = parsed.team;
        match parsed.act {
            Act::Ask(command) => self.command(team, command).await,
            Act::Sleep { ms } => self.ask(team, Command::Sleep { ms }).await.map(drop),
            Act::Inbox { wait_ms } => {
                let reply = self.ask(team, Command::ReadInbox { wait_ms }).await?;
                self.answer(&reply);
                Ok(())
            }
            Act::Read(read) => self.look(team, &read).await,
            Act::Report { path } => self.report(team, path).await,
            Act::Member(act) => self.act(act).await,
            Act::Create { .. } | Act::Wait(_) | Act::Expect(_) | Act::Export { .. } => {
                let what = format!("`{}` is for whoever runs the team", parsed.verb.id);
                Err(Rejection::new(Code::NotYours, what).into())
            }
        }
    }

    async fn command(&mut self, team: Option<Name>, command: Command) -> Done {
        let ends = End::of(&command);
        // Paths of members that a lead adds are seen from the workspace.
        let command = anchored(command, Path::new(&self.seat.job.workspace));
        let reply = self.ask(team, command).await?;
        let goes_on = match ends {
            End::No => true,
            End::Own => false,
            End::Maybe => {
                let state = self.snapshot().await?;
                self.goes_on(&state)
            }
        };
        // Nobody reads on in an attempt that is over: its end is told by the fact.
        if !goes_on {
            return Err(Over::Settled.into());
        }
        self.answer(&reply);
        Ok(())
    }

    /// The attempt is live, and nothing is said yet that ends it.
    fn goes_on(&self, state: &State) -> bool {
        state
            .live
            .get(&self.seat.attempt())
            .is_some_and(|live| live.offered.is_none() && live.failing.is_none() && !live.is_fenced())
    }

    async fn act(&mut self, act: MemberAct) -> Done {
        match act {
            MemberAct::Say(text) => {
                self.print(format!("{text}\n").as_bytes());
                self.last = Untrusted::from(text);
                Ok(())
            }
            MemberAct::Emit(text) => {
                self.print(text.as_bytes());
                Ok(())
            }
            MemberAct::Read { path } => self.read(&path).await,
            MemberAct::Write { path, text } => self.write(&path, text).await,
            MemberAct::Hang => Err(self.hang(None).await.into()),
            MemberAct::Crash { at: Some(seq) } => Err(self.hang(Some(Seq(seq))).await.into()),
            MemberAct::Crash { at: None } => Err(crashed().into()),
        }
    }

    /// Waits for ever, or until it crashes.
    async fn hang(&mut self, until: Option<Seq>) -> Over {
        let hang = self.seat.port.hang(self.seat.attempt());
        let mut seq = self.seat.seq.clone();
        let reached = async move {
            match until {
                Some(until) if seq.wait_for(|now| *now >= until).await.is_ok() => {}
                _ => std::future::pending().await,
            }
        };
        let waited = async {
            tokio::select! {
                () = hang => Over::Stopped,
                () = reached => crashed(),
            }
        };
        self.unless_stopped(waited).await.unwrap_or(Over::Stopped)
    }

    async fn look(&mut self, team: Option<Name>, read: &Read) -> Done {
        let state = self.snapshot().await?;
        let team = self.team(&state, team)?;
        self.seat.render.read(&state, team, read).iter().for_each(|line| self.note(line));
        Ok(())
    }

    async fn report(&mut self, team: Option<Name>, path: Option<String>) -> Done {
        let state = self.snapshot().await?;
        let team = self.team(&state, team)?;
        let lines = self.seat.render.report(&state, team);
        match path {
            Some(path) => self.write(&path, lines.iter().map(|line| format!("{line}\n")).collect()).await,
            None => {
                lines.iter().for_each(|line| self.note(line));
                Ok(())
            }
        }
    }

    fn team(&self, state: &State, name: Option<Name>) -> Result<TeamId, Rejection> {
        let Some(name) = name else { return Ok(self.seat.job.team) };
        let found = state.find_team(&name).map(|(id, _)| id);
        found.ok_or_else(|| Rejection::new(Code::NotFound, format!("there is no team `{name}`")))
    }

    pub(super) async fn ask(&mut self, team: Option<Name>, command: Command) -> Result<Reply, Fault> {
        let answer = self.seat.port.submit(self.asked(team, command));
        Ok(self.unless_stopped(answer).await??)
    }

    pub(super) fn asked(&self, team: Option<Name>, command: Command) -> Asked {
        let actor = Actor::Member { attempt: self.seat.job.attempt, token: self.seat.job.token };
        Asked { actor, team, line: None, command }
    }

    async fn snapshot(&mut self) -> Result<std::sync::Arc<State>, Over> {
        let snapshot = self.seat.port.snapshot();
        self.unless_stopped(snapshot).await
    }

    /// Waits for something, but no longer than the attempt may.
    pub(super) async fn unless_stopped<T>(&mut self, wanted: impl Future<Output = T>) -> Result<T, Over> {
        let mut orders = self.seat.orders.clone();
        let ordered = async move {
            if orders.wait_for(|order| is_end(*order)).await.is_err() {
                // Nobody gives orders any more.
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            biased;
            () = ordered => Err(Over::Stopped),
            got = wanted => Ok(got),
        }
    }

    fn answer(&self, reply: &Reply) {
        reply.lines.iter().for_each(|line| self.note(line));
        match &reply.data {
            Data::Inbox(letters) => letters.iter().for_each(|letter| self.note(&mail(letter))),
            Data::Answer(text) => self.note(&format!("answer: {}", text.line())),
            _ => {}
        }
    }

    fn print(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.seat.output.write(Channel::Out, bytes);
    }

    pub(super) fn note(&self, line: &str) {
        self.seat.output.write(Channel::Note, format!("{line}\n").as_bytes());
    }
}

/// Whether a command that is accepted ends the attempt.
enum End {
    No,
    /// It is about the caller's own.
    Own,
    /// It names a task, which may be the caller's own.
    Maybe,
}

impl End {
    fn of(command: &Command) -> Self {
        let task = match command {
            Command::Complete { task, .. }
            | Command::Fail { task, .. }
            | Command::Approve { task, .. }
            | Command::SendBack { task, .. } => task,
            _ => return Self::No,
        };
        if task.is_none() { Self::Own } else { Self::Maybe }
    }
}

fn is_end(order: Order) -> bool {
    order != Order::Run
}

fn crashed() -> Over {
    Over::Broken(Untrusted::from("crashed"))
}

fn mail(letter: &Letter) -> String {
    let (from, at) = (job::party(&letter.from), duration(letter.sent_ms));
    format!("from {from} at {at}: {}", letter.text.line())
}
