//! A project with a team in it, the runs of the real binary there, and what can be known of them from outside.
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, ExitStatus};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use teamtui::domain::view::Stream;
use teamtui::domain::{Fact, Seq, State, Status};
use teamtui::runtime::{read_facts, read_run};
use teamtui::store::{RunDir, StateDir};

use crate::support::Sandbox;

/// Whatever has not happened after so long never will.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A project of its own.
pub struct World {
    pub sandbox: Sandbox,
}

/// A running teamtui, its streams read as they come.
pub struct Running {
    child: Child,
    out: JoinHandle<Vec<String>>,
    err: JoinHandle<String>,
}

/// How it ended.
#[derive(Debug)]
pub struct Ended {
    /// Whole lines of standard output.
    pub lines: Vec<String>,
    pub err: String,
    pub status: ExitStatus,
}

impl Ended {
    /// The exit code; 128 and the signal that ended it.
    pub fn rc(&self) -> i32 {
        self.status.code().unwrap_or_else(|| 128 + self.status.signal().unwrap_or_default())
    }
}

/// Label, status and result of every task, in order.
pub type Board = Vec<(String, Status, Option<String>)>;

impl World {
    pub fn with(files: &[(&str, &str)]) -> Self {
        Self { sandbox: Sandbox::with(files) }
    }

    pub fn root(&self) -> PathBuf {
        self.sandbox.root()
    }

    pub fn start(&self, args: &[&str]) -> Running {
        self.start_with(args, &[])
    }

    pub fn start_with(&self, args: &[&str], env: &[(&str, &str)]) -> Running {
        let mut command = self.sandbox.command(args);
        let mut child = command.envs(env.iter().copied()).spawn().unwrap();
        let (out, err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        Running {
            child,
            out: std::thread::spawn(move || whole_lines(out)),
            err: std::thread::spawn(move || text(err)),
        }
    }

    pub fn run(&self, args: &[&str]) -> Ended {
        self.start(args).ended()
    }

    /// The folder of a run; none where nothing was made yet.
    pub fn run_dir(&self, number: u64) -> Option<RunDir> {
        let home = self.sandbox.env().into_iter().find(|(name, _)| name == "XDG_STATE_HOME").unwrap().1;
        let state = PathBuf::from(home).join("teamtui");
        if !state.exists() {
            return None;
        }
        let project = StateDir::new(state).project(&self.root().canonicalize().unwrap()).unwrap();
        project.run(number).ok().filter(RunDir::has_store)
    }

    /// Every fact of a run that nobody owns.
    pub fn facts(&self, number: u64) -> Vec<Fact> {
        let Some(run) = self.run_dir(number) else { return Vec::new() };
        let mut all = Vec::new();
        let read = read_facts(&run, Seq(0), |facts| {
            all.extend(facts);
            true
        });
        read.unwrap();
        all
    }

    /// The state of a run that nobody owns.
    pub fn state(&self, number: u64) -> State {
        self.run_dir(number).map(|run| read_run(&run).unwrap()).unwrap_or_default()
    }

    /// How each task of the only team stands.
    pub fn board(&self, number: u64) -> Board {
        board(&self.state(number))
    }
}

pub fn board(state: &State) -> Board {
    let Some(team) = state.teams.values().next() else { return Vec::new() };
    let text = |task: &teamtui::domain::state::Task| task.result.as_ref().map(|r| r.text.raw().to_owned());
    team.tasks.iter().map(|task| (task.label(), task.status(), text(task))).collect()
}

impl Running {
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// It has ended and was not waited for.
    pub fn is_over(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Waits for its end.
    pub fn ended(mut self) -> Ended {
        let until = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if Instant::now() > until {
                self.child.kill().unwrap();
                let (lines, err) = (self.out.join().unwrap(), self.err.join().unwrap());
                panic!("it did not end:\n{}\n{err}", lines.join("\n"));
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        Ended { lines: self.out.join().unwrap(), err: self.err.join().unwrap(), status }
    }
}

/// Lines with their end; what was cut off by a kill was not told.
fn whole_lines(from: impl Read) -> Vec<String> {
    let mut from = BufReader::new(from);
    let mut lines = Vec::new();
    loop {
        let mut line = Vec::new();
        from.read_until(b'\n', &mut line).unwrap();
        if line.pop() != Some(b'\n') {
            return lines;
        }
        lines.push(String::from_utf8(line).unwrap());
    }
}

fn text(mut from: impl Read) -> String {
    let mut bytes = Vec::new();
    from.read_to_end(&mut bytes).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Everything that was printed as a fact is in the log, the same at the same seq. Gives how many were.
pub fn check_told(facts: &[Fact], told: &[String]) -> u64 {
    let (mut state, mut stream) = (State::default(), Stream::new(&State::default(), false));
    let mut lines = BTreeMap::new();
    for (at, fact) in facts.iter().enumerate() {
        assert_eq!(fact.seq.0, at as u64 + 1, "the log has a gap");
        state.evolve(fact);
        lines.insert(fact.seq.0, stream.fact(fact, &state));
    }
    let mut count = 0;
    for line in told {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        let Some(seq) = value["seq"].as_u64() else { continue };
        let kept = lines.get(&seq).unwrap_or_else(|| panic!("seq {seq} was told and is lost: {line}"));
        assert_eq!(kept.as_deref(), Some(line.as_str()), "seq {seq} was told otherwise");
        count += 1;
    }
    count
}

/// Children of a process that are guards.
pub fn guards(owner: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{owner}/task")).into_iter().flatten().flatten();
    let children = tasks.flat_map(|task| {
        let listed = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
        listed.split_whitespace().filter_map(|pid| pid.parse::<u32>().ok()).collect::<Vec<_>>()
    });
    let is_guard = |pid: &u32| {
        std::fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| line.ends_with(b"\0guard\0"))
    };
    children.filter(is_guard).collect()
}

/// Ends a process at once; one that is gone is gone.
pub fn kill_9(pid: u32) {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw).unwrap();
    let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
}
