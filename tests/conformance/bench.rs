//! An owner with its sockets in a folder of its own, and both ways to it.
use std::path::PathBuf;
use std::time::Duration;
use teamtui::domain::{
    Actor, AgentSpec, Asked, AttemptId, Command, Driver, Fact, Limits, MemberSpec, Name, RunHeader, Seq,
    State, TaskNo, TaskRef, TaskSpec, TeamId, TeamSpec,
};
use teamtui::runtime::{Begin, Feed, Handle, Owned, Remote};
use teamtui::server::{self, Listening, Sockets};
use teamtui::store::{RunDir, StateDir};
use teamtui::text::Untrusted;

/// No test waits longer than this for something that must happen.
pub const PATIENCE: Duration = Duration::from_secs(60);
pub const TEAM: TeamId = TeamId(1);

/// How a handle reaches the owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Local,
    Remote,
}

pub struct Bench {
    pub owned: Owned,
    pub listening: Listening,
    pub sockets: Sockets,
    pub run: RunDir,
    folder: tempfile::TempDir,
}

impl Bench {
    pub async fn new(is_virtual: bool) -> Self {
        // Memory where there is some: what is tested here is not the disk.
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let project = StateDir::new(folder.path().join("state")).project(folder.path()).unwrap();
        let run = project.new_run().unwrap();
        let sockets = server::sockets(&run).unwrap();
        let owned = Owned::begin(begin(&run, &sockets, Some(header(is_virtual)))).await.unwrap();
        let listening = server::listen(&owned.local, &sockets).unwrap();
        Self { owned, listening, sockets, run, folder }
    }

    pub async fn handle(&self, way: Way) -> Handle {
        match way {
            Way::Local => self.owned.handle.clone(),
            Way::Remote => Handle::Remote(Remote::connect(&self.sockets.owner, &self.run).await.unwrap()),
        }
    }

    /// Makes the team.
    pub async fn team(&self, members: Vec<MemberSpec>) -> State {
        let spec = team(self.folder.path().to_str().unwrap(), members);
        self.owned.handle.submit(person(Command::Create(Box::new(spec)))).await.unwrap();
        self.state().await
    }

    pub async fn state(&self) -> State {
        (*self.owned.handle.snapshot().await.unwrap()).clone()
    }

    pub async fn end(self) {
        drop(self.listening);
        self.owned.end().await;
    }
}

/// The same test over a fresh owner for each transport.
pub async fn over_both(test: impl AsyncFn(&Bench, Handle)) {
    for way in [Way::Local, Way::Remote] {
        let bench = Bench::new(false).await;
        let handle = bench.handle(way).await;
        let ended = tokio::time::timeout(PATIENCE, test(&bench, handle)).await;
        assert!(ended.is_ok(), "{way:?}: it does not end");
        bench.end().await;
    }
}

pub fn header(is_virtual: bool) -> RunHeader {
    let run = "01890a5d-ac96-774b-bcce-b302099a8057".to_owned();
    RunHeader { run, number: Some(1), virtual_time: is_virtual, ..RunHeader::default() }
}

pub fn begin(run: &RunDir, sockets: &Sockets, header: Option<RunHeader>) -> Begin {
    Begin {
        run: run.clone(),
        header,
        command: "teamtui --script a.team".to_owned(),
        socket: Some(sockets.owner.clone()),
        member_socket: Some(sockets.member.clone()),
        // Nobody here runs a process.
        exe: PathBuf::from("/nowhere"),
    }
}

fn team(workspace: &str, members: Vec<MemberSpec>) -> TeamSpec {
    TeamSpec {
        name: name("t"),
        title: None,
        goal: None,
        file: None,
        workspace: workspace.to_owned(),
        env: Vec::new(),
        limits: Limits::default(),
        lead: None,
        agents: Default::default(),
        members,
        tasks: Vec::new(),
    }
}

/// A person in a chair, with a brief: the attempt is live at once and the test acts in its name.
pub fn human(own: &str) -> MemberSpec {
    member(own, Driver::Human)
}

pub fn scripted(own: &str, lines: &[&str]) -> MemberSpec {
    member(own, Driver::Scripted(vec![lines.iter().map(|l| (*l).to_owned()).collect()]))
}

fn member(own: &str, driver: Driver) -> MemberSpec {
    let brief = TaskSpec { name: Some(name(own)), prompt: Some(text("do it")), ..TaskSpec::default() };
    MemberSpec {
        name: name(own),
        title: None,
        agent_name: None,
        agent: AgentSpec { time_ms: None, ..AgentSpec::new(driver) },
        brief: Some(brief.into()),
    }
}

pub fn name(text: &str) -> Name {
    Name::reference(text).unwrap()
}

pub fn text(text: &str) -> Untrusted {
    Untrusted::from(text.to_owned())
}

pub fn number(no: u32) -> TaskRef {
    TaskRef::Number(TaskNo(no))
}

pub fn person(command: Command) -> Asked {
    Asked { actor: Actor::Person, team: None, line: None, command }
}

/// What a member asks inside its live attempt.
pub fn by_member(state: &State, member: &str, command: Command) -> Asked {
    let (attempt, live) = state.attempt_of(TEAM, &name(member)).unwrap();
    Asked { actor: Actor::Member { attempt, token: live.token }, team: None, line: None, command }
}

pub fn attempt_of(state: &State, member: &str) -> AttemptId {
    state.attempt_of(TEAM, &name(member)).unwrap().0
}

pub fn comment(said: &str) -> Command {
    Command::Comment { task: number(1), text: text(said) }
}

/// Facts until the one with this seq.
pub async fn until(feed: &mut Feed, last: Seq) -> Vec<Fact> {
    let mut found: Vec<Fact> = Vec::new();
    while found.last().is_none_or(|fact| fact.seq < last) {
        found.extend(feed.next().await.unwrap().iter().cloned());
    }
    found
}

/// Facts until one for which this holds.
pub async fn until_so(feed: &mut Feed, mut so: impl FnMut(&Fact) -> bool) -> Vec<Fact> {
    let mut found: Vec<Fact> = Vec::new();
    while !found.iter().any(&mut so) {
        found.extend(feed.next().await.unwrap().iter().cloned());
    }
    found
}
