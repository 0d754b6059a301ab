//! The screen on a real terminal: this test binary runs itself in a pty, and the bytes go through a terminal's parser.
use super::*;
use crate::app::story::{ENGINE_LOG, Few, ship, start_screen};
use crate::app::{Chunk, News, Owner};
use crate::domain::{AttemptId, Name, State};
use crate::ui::{Glyphs, Theme};
use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use std::io::{Read, Write};
use std::process::Child;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

const ROWS: u16 = 24;
const COLUMNS: u16 = 80;
/// A condition that does not come true in this time never will.
const LONG: Duration = Duration::from_secs(20);

/// An owner whose story is told, and that says yes to everything.
struct Told {
    /// Nothing is live, so nothing moves.
    idle: bool,
}

impl ScreenClient for Told {
    fn subscribe(&self) -> mpsc::Receiver<News> {
        let (tell, news) = mpsc::channel(8);
        let mut state = State::default();
        if !self.idle {
            ship().facts.iter().for_each(|fact| state.evolve(fact));
        }
        let (elapsed_ms, owner) = (state.elapsed_ms, Owner { pid: 4121, here: false });
        tell.try_send(News::Snapshot { state: Box::new(state), elapsed_ms, at_ms: 0, owner }).unwrap();
        // The owner lives as long as the screen.
        std::mem::forget(tell);
        news
    }

    fn submit(
        &self,
        line: String,
        _team: Option<Name>,
    ) -> impl Future<Output = Result<Vec<String>, String>> + Send + 'static {
        assert!(!line.contains("panic"), "the screen met `{line}`");
        std::future::ready(Ok(vec![format!("did {line}")]))
    }

    fn seen(&self, _: crate::domain::Seq) {}

    fn output(&self, attempt: AttemptId) -> mpsc::Receiver<Chunk> {
        let (tell, output) = mpsc::channel(8);
        let bytes = ENGINE_LOG.as_bytes().to_vec();
        tell.try_send(Chunk { attempt, at: 0, bytes }).unwrap();
        output
    }
}

/// The screen itself; only ever run by the tests below, in a terminal.
#[test]
#[ignore = "run by the other tests, in a terminal"]
fn a_screen() {
    let idle = std::env::var("SCREEN_IDLE").is_ok();
    let options = ScreenOptions {
        commands: &Few,
        start: start_screen(),
        utc_offset_s: 0,
        theme: Theme::default(),
        glyphs: Glyphs::Unicode,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let exit = runtime.block_on(run(Told { idle }, options));
    // A terminal that is gone cannot be told.
    let _ = writeln!(std::io::stdout(), "left by {exit:?}");
    std::process::exit(7);
}

/// A screen in a terminal, and what that terminal shows.
struct OnTerminal {
    pty: Pty,
    child: Child,
    parser: vt100::Parser,
    bytes: Vec<u8>,
}

impl OnTerminal {
    fn start(idle: bool) -> Self {
        let (pty, pts) = open().unwrap();
        pty.resize(Size::new(ROWS, COLUMNS)).unwrap();
        let args = ["term::tests::a_screen", "--exact", "--ignored", "--nocapture", "--test-threads=1"];
        let mut command =
            Command::new(std::env::current_exe().unwrap()).args(args).env("TERM", "xterm-256color");
        command = if idle { command.env("SCREEN_IDLE", "1") } else { command };
        let child = command.spawn(pts).unwrap();
        let rows = std::num::NonZeroU16::new(ROWS).unwrap();
        let columns = std::num::NonZeroU16::new(COLUMNS).unwrap();
        Self { pty, child, parser: vt100::Parser::new(rows, columns, 0), bytes: Vec::new() }
    }

    /// Takes in what comes within that time. False: nothing came, or nothing will any more.
    fn read(&mut self, within: Duration) -> bool {
        let timeout = Timespec::try_from(within).unwrap();
        let ready = poll(&mut [PollFd::new(&self.pty, PollFlags::IN)], Some(&timeout)).unwrap_or(0);
        let mut bytes = [0; 4096];
        let read = if ready > 0 { self.pty.read(&mut bytes).unwrap_or(0) } else { 0 };
        self.parser.process(&bytes[..read]);
        self.bytes.extend_from_slice(&bytes[..read]);
        read > 0
    }

    fn shows(&self, text: &str) -> bool {
        self.parser.screen().contents().contains(text)
    }

    fn until(&mut self, what: &str, holds: impl Fn(&Self) -> bool) {
        let end = Instant::now() + LONG;
        while !holds(self) {
            self.read(Duration::from_millis(50));
            assert!(Instant::now() < end, "{what}:\n{}", self.parser.screen().contents());
        }
    }

    fn until_shown(&mut self, text: &str) {
        self.until(text, |screen| screen.shows(text));
    }

    fn keys(&mut self, keys: &str) {
        self.pty.write_all(keys.as_bytes()).unwrap();
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for its end, and what it said behind the screen.
    fn ended(&mut self) -> String {
        let end = Instant::now() + LONG;
        while self.child.try_wait().unwrap().is_none() {
            self.read(Duration::from_millis(20));
            assert!(Instant::now() < end, "it does not end:\n{}", self.parser.screen().contents());
        }
        while self.read(Duration::from_millis(50)) {}
        self.parser.screen().contents()
    }

    fn is_restored(&self) -> bool {
        let screen = self.parser.screen();
        let termios = rustix::termios::tcgetattr(&self.pty).unwrap();
        let is_cooked = termios.local_modes.contains(rustix::termios::LocalModes::ICANON);
        !screen.alternate_screen() && !screen.bracketed_paste() && !screen.hide_cursor() && is_cooked
    }
}

impl Drop for OnTerminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn keys_go_in_frames_come_out_and_quitting_gives_the_terminal_back() {
    let mut screen = OnTerminal::start(false);
    screen.until_shown("engine::answers_after_commit ok");
    assert!(screen.parser.screen().alternate_screen());
    screen.keys("]");
    screen.until_shown("writer #10 docs");
    screen.keys(":why docs\r");
    screen.until_shown("did why docs");
    screen.keys("q");
    screen.until_shown("keeps running without this screen");
    screen.keys("\r");
    let said = screen.ended();
    assert!(said.contains("left by Ok(Quit)"), "{said}");
    assert!(screen.is_restored());
}

#[test]
fn every_frame_is_one_synchronized_update() {
    let mut screen = OnTerminal::start(false);
    screen.until_shown("engine::answers_after_commit ok");
    screen.keys("jjjkkk:re");
    screen.until_shown(": re");
    screen.until("every update ends", |s| {
        let text = String::from_utf8_lossy(&s.bytes).into_owned();
        let (begun, ended) = (text.matches("\x1b[?2026h").count(), text.matches("\x1b[?2026l").count());
        begun >= 2 && begun == ended
    });
}

#[test]
fn nothing_live_writes_nothing() {
    let mut screen = OnTerminal::start(true);
    screen.until_shown("teamtui runs a team of agents");
    while screen.read(Duration::from_millis(100)) {}
    assert!(!screen.read(Duration::from_millis(1500)), "it wrote while nothing was live");
}

#[test]
fn seconds_pass_once_a_second_while_something_runs() {
    let mut screen = OnTerminal::start(false);
    screen.until_shown("14m04");
    let frames = String::from_utf8_lossy(&screen.bytes).matches("\x1b[?2026h").count();
    assert!(frames <= 6, "{frames} frames in two seconds");
}

#[test]
fn c026_every_signal_that_ends_gives_the_terminal_back() {
    for (signal, number) in [(Signal::TERM, 15), (Signal::INT, 2), (Signal::HUP, 1)] {
        let mut screen = OnTerminal::start(true);
        screen.until_shown("teamtui runs a team of agents");
        screen.signal(signal);
        let said = screen.ended();
        assert!(said.contains(&format!("left by Ok(Signal({number}))")), "{said}");
        assert!(screen.is_restored());
    }
}

#[test]
fn a_panic_gives_the_terminal_back_and_is_told_behind_it() {
    let mut screen = OnTerminal::start(false);
    screen.until_shown("engine::answers_after_commit ok");
    screen.keys(":panic\r");
    let said = screen.ended();
    assert!(said.contains("the screen met `panic`"), "{said}");
    assert!(screen.is_restored());
}

#[test]
fn c026_a_terminal_that_is_gone_ends_the_screen_and_does_not_spin() {
    let mut screen = OnTerminal::start(true);
    screen.until_shown("teamtui runs a team of agents");
    let (pty, _pts) = open().unwrap();
    drop(std::mem::replace(&mut screen.pty, pty));
    let end = Instant::now() + LONG;
    while screen.child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < end, "it lives on without a terminal");
        std::thread::yield_now();
    }
}

#[test]
fn ctrl_z_gives_the_terminal_back_and_fg_takes_it_again() {
    let mut screen = OnTerminal::start(false);
    screen.until_shown("engine::answers_after_commit ok");
    screen.keys("\x1a");
    screen.until("it is suspended", |s| !s.parser.screen().alternate_screen());
    let is_stopped = |s: &OnTerminal| {
        let options = WaitOptions::UNTRACED | WaitOptions::NOHANG;
        waitpid(Some(Pid::from_child(&s.child)), options).unwrap().is_some_and(|(_, status)| status.stopped())
    };
    screen.until("it is stopped", is_stopped);
    screen.signal(Signal::CONT);
    screen.until_shown("engine::answers_after_commit ok");
    screen.until("it is back", |s| s.parser.screen().alternate_screen());
    screen.keys("?");
    screen.until_shown("keys: plan");
}

#[test]
fn a_size_that_changes_is_followed() {
    let mut screen = OnTerminal::start(false);
    screen.until_shown("engine::answers_after_commit ok");
    for (rows, columns) in [(1, 1), (2, 3), (60, 200), (5, 19), (24, 80)] {
        screen.pty.resize(Size::new(rows, columns)).unwrap();
    }
    screen.until_shown("path 2/7");
}

#[test]
fn without_a_terminal_it_says_so() {
    let mut said = String::new();
    let mut child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["term::tests::a_screen", "--exact", "--ignored", "--nocapture"])
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    child.wait().unwrap();
    assert!(said.contains("left by Err(NoTerminal)"), "{said}");
}
