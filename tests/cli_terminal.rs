//! The same on a terminal: ends scroll, a live block below them is redrawn in place and gone at the end.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod support;

use pty_process::Size;
use pty_process::blocking::{Command, open};
use std::io::Read;
use std::sync::{Arc, Mutex};
use support::Sandbox;

const CI: &str = r#"
name = "ci"
limits = { parallel = 4, time = "30m" }
[members]
lint = { run = "true" }
docs = { run = "exit 1", depends_on = ["lint"], optional = true }
build = { run = "echo compiling; until test -e go; do sleep 0.02; done" }
test = { run = "true", depends_on = ["build"] }
"#;

/// A command in a terminal of 80 by 24, and what that terminal shows.
struct OnTerminal {
    child: std::process::Child,
    screen: Arc<Mutex<(vt100::Parser, Vec<u8>)>>,
    reader: std::thread::JoinHandle<()>,
}

impl OnTerminal {
    fn start(sandbox: &Sandbox, args: &[&str]) -> Self {
        let (mut pty, pts) = open().unwrap();
        pty.resize(Size::new(24, 80)).unwrap();
        let command = Command::new(env!("CARGO_BIN_EXE_teamtui")).args(args).current_dir(sandbox.root());
        let child = command.env_clear().envs(sandbox.env()).spawn(pts).unwrap();
        let (rows, columns) = (24.try_into().unwrap(), 80.try_into().unwrap());
        let screen = Arc::new(Mutex::new((vt100::Parser::new(rows, columns, 200), Vec::new())));
        let shown = Arc::clone(&screen);
        let reader = std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            // The terminal of a process that ended gives an error.
            while let Ok(read @ 1..) = pty.read(&mut bytes) {
                let mut shown = shown.lock().unwrap();
                shown.0.process(&bytes[..read]);
                shown.1.extend_from_slice(&bytes[..read]);
            }
        });
        Self { child, screen, reader }
    }

    fn shows(&self) -> String {
        self.screen.lock().unwrap().0.screen().contents()
    }

    /// The exit code, all that is shown at the end, and all bytes.
    fn end(mut self, sandbox: &Sandbox) -> (i32, String, Vec<u8>) {
        sandbox.until("its end", || self.child.try_wait().unwrap().is_some());
        let rc = self.child.wait().unwrap().code().unwrap();
        self.reader.join().unwrap();
        let shown = self.screen.lock().unwrap();
        (rc, shown.0.screen().contents(), shown.1.clone())
    }
}

#[test]
fn section_2_ends_scroll_and_a_live_block_is_drawn_below_them() {
    let sandbox = Sandbox::with(&[("ci.toml", CI)]);
    let running = OnTerminal::start(&sandbox, &["--script", "ci.toml"]);
    sandbox.until("the live block", || {
        let shown = running.shows();
        shown.contains("failed     docs") && shown.contains("compiling") && shown.contains("2 of 4 ended")
    });
    let shown = sandbox.same(&running.shows());
    assert!(shown.starts_with("run 1: ci, 4 tasks, parallel 4, time cap 30m\n"), "{shown}");
    assert!(shown.contains("T failed docs 1/1 T exit 1; optional\n────"), "{shown}");
    assert!(
        shown.contains(
            "T ci 2 of 4 ended, 1 live, 1 blocked\n◐ ▌build 1/1 T compiling\n▌critical path: build, test\n"
        ),
        "{shown}"
    );
    assert!(!shown.contains("started"), "{shown}");
    // Interrupted lines are never drawn over: at the end the block is gone, and all ends are there once.
    sandbox.file("go", "");
    let (rc, shown, bytes) = running.end(&sandbox);
    assert_eq!(rc, 0, "{shown}");
    let shown = sandbox.same(&shown);
    assert!(!shown.contains('◐') && !shown.contains('─') && !shown.contains("critical path:"), "{shown}");
    for line in ["T completed lint 1/1 T", "T completed build 1/1 T \"compiling\"", "T completed test 1/1 T"]
    {
        assert_eq!(shown.lines().filter(|l| *l == line).count(), 1, "{line}\n{shown}");
    }
    assert!(shown.contains("\nrun 1: ci, every required task completed, T\n"), "{shown}");
    assert!(String::from_utf8_lossy(&bytes).contains("\x1b[32mcompleted\x1b[0m"));
}

#[test]
fn section_6_watch_is_redrawn_in_place_on_a_terminal() {
    let sandbox = Sandbox::with(&[("ci.toml", CI)]);
    assert_eq!(sandbox.run(&["do", "create", "ci.toml"]).rc, 0);
    let watching = OnTerminal::start(&sandbox, &["status", "--watch"]);
    sandbox
        .until("the failed one", || sandbox.same(&watching.shows()).contains("#2 failed docs 1/1 T exit 1"));
    sandbox.file("go", "");
    let (rc, shown, _) = watching.end(&sandbox);
    assert_eq!(rc, 0, "{shown}");
    let shown = sandbox.same(&shown);
    assert_eq!(
        shown.trim(),
        "\
standing run: ci, plan 1, T, nothing live; every required task completed
#1 completed lint 1/1 T
#2 failed docs 1/1 T exit 1; optional
#3 completed build 1/1 T \"compiling\"
#4 completed test 1/1 T"
    );
}

#[test]
fn without_a_capable_terminal_nothing_is_redrawn() {
    let sandbox = Sandbox::with(&[("ci.toml", CI), ("go", "")]);
    let mut env = sandbox.env();
    env.retain(|(name, _)| name != "TERM");
    let (pty, pts) = open().unwrap();
    pty.resize(Size::new(24, 80)).unwrap();
    let command = Command::new(env!("CARGO_BIN_EXE_teamtui")).args(["--script", "ci.toml"]);
    let mut child = command.current_dir(sandbox.root()).env_clear().envs(env).spawn(pts).unwrap();
    let reader = std::thread::spawn(move || {
        let (mut pty, mut all, mut bytes) = (pty, Vec::new(), [0; 4096]);
        while let Ok(read @ 1..) = pty.read(&mut bytes) {
            all.extend_from_slice(&bytes[..read]);
        }
        String::from_utf8_lossy(&all).into_owned()
    });
    sandbox.until("its end", || child.try_wait().unwrap().is_some());
    let shown = reader.join().unwrap();
    assert!(!shown.contains('\x1b') && shown.contains("started    build"), "{shown}");
}

#[test]
fn a_frozen_owner_is_shown_to_be_silent_and_then_to_be_back() {
    let team = "name = \"t\"\n[members.a]\nrun = \"sleep 600\"\n";
    let sandbox = Sandbox::with(&[("t.toml", team)]);
    assert_eq!(sandbox.run(&["do", "create", "t.toml"]).rc, 0);
    let mut screen = OnTerminal::start(&sandbox, &[]);
    let pid = |screen: &OnTerminal| {
        let shown = screen.shows();
        let (_, behind) = shown.split_once("owner pid ")?;
        behind.split_whitespace().next()?.parse::<i32>().ok()
    };
    sandbox.until("the owner's process", || pid(&screen).is_some());
    let owner = rustix::process::Pid::from_raw(pid(&screen).unwrap()).unwrap();
    rustix::process::kill_process(owner, rustix::process::Signal::STOP).unwrap();
    sandbox.until("its silence", || {
        let shown = screen.shows();
        shown.contains("OWNER SILENT 0m0") && shown.contains("as of ") && !shown.contains("following")
    });
    rustix::process::kill_process(owner, rustix::process::Signal::CONT).unwrap();
    sandbox.until("its return", || {
        let shown = screen.shows();
        shown.contains("owner back, ") && !shown.contains("OWNER SILENT")
    });
    screen.child.kill().unwrap();
    screen.child.wait().unwrap();
}
