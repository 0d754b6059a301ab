//! A project in a folder of its own, and the binary run in it.
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

pub struct House {
    folder: tempfile::TempDir,
}

/// What a run came to.
pub struct Ran {
    pub rc: i32,
    pub out: Vec<u8>,
    pub err: String,
    /// Most memory that the process itself held, in KiB.
    pub peak_kib: u64,
}

impl House {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path().join(name), bytes).unwrap();
    }

    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_teamtui"));
        command.args(words).current_dir(self.path());
        command.env_remove("TEAMTUI_SOCKET").env_remove("TEAMTUI_TOKEN").env_remove("GITHUB_ACTIONS");
        command.env("XDG_STATE_HOME", self.path().join("state-home")).env("LANG", "C.UTF-8");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs it with its state in `state`.
    pub fn run(&self, words: &[&str]) -> Ran {
        let words: Vec<&str> = words.iter().copied().chain(["--state", "state"]).collect();
        finish(self.command(&words).spawn().unwrap())
    }

    /// A file that must be refused before anything is stored.
    pub fn refused(&self, name: &str) -> Ran {
        let ran = self.run(&["--script", name]);
        assert_eq!(ran.rc, 2, "{name}: {}", ran.err);
        assert!(self.runs().is_empty(), "{name}: a run was made: {:?}", self.runs());
        assert!(ran.err.lines().any(|line| line.starts_with("error: ")), "{name}: {}", ran.err);
        ran
    }

    /// Every file there is, from the project's folder.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        gather(self.path(), &mut found);
        found.iter().map(|path| path.strip_prefix(self.path()).unwrap().to_owned()).collect()
    }

    fn runs(&self) -> Vec<PathBuf> {
        self.files().into_iter().filter(|path| path.extension().is_some_and(|e| e == "redb")).collect()
    }
}

fn gather(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { gather(&path, found) } else { found.push(path) }
    }
}

/// Waits for its end, and watches its memory meanwhile.
pub fn finish(mut child: Child) -> Ran {
    use std::io::Read;
    let pid = child.id();
    let (mut out, mut err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let out = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        out.read_to_end(&mut bytes).map(|_| bytes).unwrap()
    });
    let err = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        err.read_to_end(&mut bytes).map(|_| bytes).unwrap()
    });
    let mut peak_kib = 0;
    let status = loop {
        peak_kib = peak_kib.max(peak(pid));
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    let err = String::from_utf8(err.join().unwrap()).unwrap();
    Ran { rc: status.code().unwrap_or(-1), out: out.join().unwrap(), err, peak_kib }
}

fn peak(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").trim().parse().unwrap_or_default()
}
