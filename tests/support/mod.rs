//! A project and a state home of their own for one test of the real binary, and everything that runs in them.
#![allow(dead_code, reason = "each test file uses its part")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A condition that does not come true in this time never will.
pub const LONG: Duration = Duration::from_secs(30);
/// Between two looks at a condition.
const LOOK: Duration = Duration::from_millis(5);

/// A project in a folder of its own; dropped, what is left in it is ended.
pub struct Sandbox {
    dir: tempfile::TempDir,
}

/// What a command came to.
#[derive(Debug)]
pub struct Ran {
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
    /// The exit code; 128 and the signal that ended it.
    pub rc: i32,
}

impl Sandbox {
    /// An empty project.
    pub fn new() -> Self {
        let dir = tempfile::Builder::new().prefix("teamtui-cli-").tempdir().unwrap();
        fs::create_dir_all(dir.path().join("p/.git")).unwrap();
        Self { dir }
    }

    /// A project with these files.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let sandbox = Self::new();
        files.iter().for_each(|(name, text)| sandbox.file(name, text));
        sandbox
    }

    /// The project.
    pub fn root(&self) -> PathBuf {
        self.dir.path().join("p")
    }

    /// Writes a file of the project.
    pub fn file(&self, name: &str, text: &str) {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Reads a file of the project; empty where it is not there.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.root().join(name)).unwrap_or_default()
    }

    /// A file of the standing run; none while its project has no folder.
    pub fn standing(&self, name: &str) -> Option<PathBuf> {
        let projects = fs::read_dir(self.dir.path().join("state/teamtui")).ok()?;
        let project = projects.flatten().next()?.path();
        Some(project.join("standing").join(name))
    }

    /// The command, not started, its streams in pipes.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_teamtui"));
        command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.env_clear();
        command.envs(self.env()).current_dir(self.root());
        command
    }

    /// The environment of every command here.
    pub fn env(&self) -> Vec<(String, String)> {
        let dir = |name: &str| self.dir.path().join(name).display().to_string();
        let path = std::env::var("PATH").unwrap();
        let pairs = [
            ("PATH", path),
            ("HOME", dir("home")),
            ("XDG_STATE_HOME", dir("state")),
            ("TERM", "xterm-256color".to_owned()),
            ("LANG", "C.UTF-8".to_owned()),
            ("TZ", "UTC".to_owned()),
        ];
        pairs.map(|(name, value)| (name.to_owned(), value)).to_vec()
    }

    /// Runs it to its end.
    pub fn run(&self, args: &[&str]) -> Ran {
        ended(self.command(args).spawn().unwrap())
    }

    /// Runs it with a text on standard input.
    pub fn run_with(&self, args: &[&str], input: &str) -> Ran {
        self.file(".git/input", input);
        let input = fs::File::open(self.root().join(".git/input")).unwrap();
        ended(self.command(args).stdin(input).spawn().unwrap())
    }

    /// Starts it; with [`ended`] or [`Sandbox::until`] it is followed.
    pub fn start(&self, args: &[&str]) -> Child {
        self.command(args).spawn().unwrap()
    }

    /// Waits until it is so.
    pub fn until(&self, what: &str, mut is_so: impl FnMut() -> bool) {
        let until = Instant::now() + LONG;
        while !is_so() {
            assert!(Instant::now() < until, "it never came to this: {what}");
            std::thread::sleep(LOOK);
        }
    }

    /// Waits for a file of the project.
    pub fn until_file(&self, name: &str) {
        self.until(name, || self.root().join(name).exists());
    }

    /// Processes that have this sandbox in their environment, but for owners that idle.
    pub fn survivors(&self) -> Vec<(i32, String)> {
        let mark = self.dir.path().as_os_str().as_bytes();
        let has = |pid: i32| {
            let env = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            env.windows(mark.len()).any(|part| part == mark)
        };
        let own = i32::try_from(std::process::id()).unwrap();
        let pids = fs::read_dir("/proc").unwrap().flatten();
        let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        pids.filter(|pid| *pid != own && has(*pid))
            .map(|pid| {
                let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
                (pid, String::from_utf8_lossy(&line).replace('\0', " ").trim().to_owned())
            })
            .filter(|(_, line)| !line.is_empty())
            .collect()
    }

    /// Waits until nothing runs here any more.
    pub fn until_nobody(&self) {
        let until = Instant::now() + LONG;
        while !self.survivors().is_empty() {
            assert!(Instant::now() < until, "left over: {:?}", self.survivors());
            std::thread::sleep(LOOK);
        }
    }

    /// Text with what differs from run to run made equal: times are `T`, blanks one, the sandbox's path `DIR`.
    pub fn same(&self, text: &str) -> String {
        let text = text.replace(&self.dir.path().display().to_string(), "DIR");
        text.lines().map(|line| same_line(line.trim()) + "\n").collect()
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        for (pid, _) in self.survivors() {
            // One that is gone already is gone.
            let _ = Command::new("kill").args(["-9", &pid.to_string()]).stderr(Stdio::null()).status();
        }
    }
}

/// Waits for its end.
pub fn ended(mut child: Child) -> Ran {
    use std::os::unix::process::ExitStatusExt;
    let out = drained(child.stdout.take());
    let err = drained(child.stderr.take());
    let until = Instant::now() + LONG;
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if Instant::now() > until {
            child.kill().unwrap();
            let out = out.join().unwrap();
            panic!("it did not end:\n{out}\n{}", err.join().unwrap());
        }
        std::thread::sleep(LOOK);
    };
    let rc = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default());
    Ran { out: out.join().unwrap(), err: err.join().unwrap(), rc }
}

fn drained(stream: Option<impl std::io::Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            stream.read_to_end(&mut bytes).unwrap();
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Sends a signal to one process.
pub fn signal(pid: u32, name: &str) {
    let status = Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).status().unwrap();
    assert!(status.success());
}

fn same_line(line: &str) -> String {
    let words = line.split_whitespace().map(same_word);
    words.collect::<Vec<_>>().join(" ")
}

/// A word, with a time in it made `T`: `0.4s`, `1m42s,`, `19:02`.
fn same_word(word: &str) -> String {
    let core = word.trim_matches(|c: char| "(),;:".contains(c));
    if !is_time(core) {
        return word.to_owned();
    }
    word.replacen(core, "T", 1)
}

fn is_time(word: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    if let Some(seconds) = word.strip_suffix('s') {
        let rest = seconds.rsplit_once('m').map_or(seconds, |(_, rest)| rest);
        return rest.split('.').all(digits);
    }
    word.len() >= 5
        && word.split(':').count() >= 2
        && word.split(':').all(|part| part.len() == 2 && digits(part))
}
