//! A project with the example team, and the three ways to run it.
use crate::log::{self, Story};
use crate::screen::Screen;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use teamtui::domain::{Fact, Seq, Status};
use teamtui::runtime::{Feed, Handle, Remote};
use teamtui::server;
use teamtui::store::{ProjectDir, RunDir, StateDir};

/// Nothing takes longer than this.
const PATIENCE: Duration = Duration::from_secs(60);
const FILE: &str = "auth-review.toml";
const SCRIPT: &str = "auth-review.team";

pub struct Face {
    _folder: tempfile::TempDir,
    root: PathBuf,
}

impl Face {
    /// The example, with commands that take the same time everywhere.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
        let mut team = std::fs::read_to_string(examples.join(FILE)).unwrap();
        for (begin, instead) in [
            ("run = \"git log", "run = \"sleep 2; echo src/auth.rs\""),
            ("run = \"cargo fmt", "run = \"exit 1\""),
            (
                "script = [\"say looking",
                "script = [\"say looking at caches\", \"sleep 4s\", 'send security \"need the trace\"', \"fail no access\"]",
            ),
        ] {
            let line = team.lines().find(|line| line.starts_with(begin)).unwrap().to_owned();
            team = team.replace(&line, instead);
        }
        std::fs::write(root.join(FILE), team).unwrap();
        std::fs::copy(examples.join(SCRIPT), root.join(SCRIPT)).unwrap();
        Self { _folder: folder, root }
    }

    /// `teamtui --script auth-review.team`.
    pub fn by_script(self) -> Story {
        let ran = self.command(&["--script", SCRIPT, "--format", "ndjson"]).output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        log::read(&self.project().run(1).unwrap())
    }

    /// `teamtui do LINE`, a line at a time.
    pub fn by_do(self) -> Story {
        let owner = self.serve();
        for line in self.lines() {
            let ran = self.command(&["do", &line]).output().unwrap();
            assert!(ran.status.success(), "{line}: {}", String::from_utf8_lossy(&ran.stderr));
        }
        self.end(owner)
    }

    /// Keys in the screen: the palette takes the same lines. What a script waits for, the person sees.
    pub fn by_keys(self) -> Story {
        let owner = self.serve();
        let tokio =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let handle = tokio.block_on(self.handle());
        let mut feed = tokio.block_on(handle.subscribe(Seq(0))).unwrap();
        let mut screen = Screen::start(&self.root, &["--state", "state"]);
        screen.until_shown("no team yet", PATIENCE);
        for line in self.lines() {
            if line.starts_with("wait perf") {
                self.until(&mut screen, || {
                    is_so(&tokio, &handle, |status| status("perf") == Some(Status::Failed))
                });
            } else if line.starts_with("wait") || line.starts_with("expect") {
                self.until(&mut screen, || {
                    is_so(&tokio, &handle, |status| status("summary") == Some(Status::Completed))
                });
            } else {
                screen.keys(&format!(":{line}\r"));
                if line == "dissolve" {
                    screen.until_shown("cannot be undone", PATIENCE);
                    screen.keys("D");
                }
                self.until(&mut screen, || tokio.block_on(came(&mut feed, &line)));
            }
        }
        screen.quit(PATIENCE);
        drop((feed, handle));
        self.end(owner)
    }

    /// The lines of the script.
    fn lines(&self) -> Vec<String> {
        let script = std::fs::read_to_string(self.root.join(SCRIPT)).unwrap();
        let lines = script.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        lines.map(str::to_owned).collect()
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_teamtui"));
        command.args(["--state", "state"]).args(words).current_dir(&self.root).stdin(Stdio::null());
        command.env_remove("TEAMTUI_SOCKET").env_remove("TEAMTUI_TOKEN");
        command
    }

    fn project(&self) -> ProjectDir {
        StateDir::new(self.root.join("state")).project(&self.root).unwrap()
    }

    fn standing(&self) -> RunDir {
        self.project().standing().unwrap()
    }

    fn serve(&self) -> Child {
        let owner = self.command(&["serve"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        drop(tokio.block_on(self.handle()));
        owner
    }

    async fn handle(&self) -> Handle {
        let run = self.standing();
        let socket = server::sockets(&run).unwrap().owner;
        let until = Instant::now() + PATIENCE;
        loop {
            match Remote::connect(&socket, &run).await {
                Ok(remote) => return Handle::Remote(remote),
                Err(error) => assert!(Instant::now() < until, "{error}"),
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// The owner ends, and its log can be read.
    fn end(&self, mut owner: Child) -> Story {
        let pid = rustix::process::Pid::from_raw(i32::try_from(owner.id()).unwrap()).unwrap();
        // An owner that has just gone by itself is asked in vain.
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        owner.wait().unwrap();
        log::read(&self.standing())
    }

    fn until(&self, screen: &mut Screen, mut holds: impl FnMut() -> bool) {
        let until = Instant::now() + PATIENCE;
        while !holds() {
            screen.read(Duration::from_millis(20));
            assert!(Instant::now() < until, "it does not come:\n{}", screen.contents());
        }
    }
}

/// Did the command of this line come to the log?
async fn came(feed: &mut Feed, line: &str) -> bool {
    let is = |fact: &Fact| fact.line.as_ref().is_some_and(|own| own.line() == line);
    let next = tokio::time::timeout(Duration::from_millis(20), feed.next());
    next.await.ok().flatten().is_some_and(|facts| facts.iter().any(is))
}

fn is_so(
    tokio: &tokio::runtime::Runtime,
    handle: &Handle,
    holds: impl Fn(&dyn Fn(&str) -> Option<Status>) -> bool,
) -> bool {
    let state = tokio.block_on(handle.snapshot()).unwrap();
    let status = |name: &str| {
        let (_, team) = state.live_teams().next()?;
        let task = team.tasks.iter().find(|task| task.label() == name)?;
        Some(task.status())
    };
    holds(&status)
}
