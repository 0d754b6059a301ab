//! The real binary on a terminal of its own, and what that terminal shows.
use pty_process::blocking::{Command, Pty, open};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{Read, Write};
use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

const ROWS: u16 = 30;
const COLUMNS: u16 = 120;

pub struct Screen {
    pty: Pty,
    child: Child,
    parser: vt100::Parser,
}

impl Screen {
    pub fn start(folder: &Path, words: &[&str]) -> Self {
        let (pty, pts) = open().unwrap();
        pty.resize(pty_process::Size::new(ROWS, COLUMNS)).unwrap();
        let command = Command::new(env!("CARGO_BIN_EXE_teamtui")).args(words).current_dir(folder);
        let command = command.env("TERM", "xterm-256color").env("LANG", "C.UTF-8");
        let child = command.env_remove("TEAMTUI_SOCKET").env_remove("TEAMTUI_TOKEN").spawn(pts).unwrap();
        let (rows, columns) = (ROWS.try_into().unwrap(), COLUMNS.try_into().unwrap());
        Self { pty, child, parser: vt100::Parser::new(rows, columns, 0) }
    }

    /// Takes in what comes within that time.
    pub fn read(&mut self, within: Duration) {
        let timeout = Timespec::try_from(within).unwrap();
        if poll(&mut [PollFd::new(&self.pty, PollFlags::IN)], Some(&timeout)).unwrap_or(0) > 0 {
            let mut bytes = [0; 4096];
            let read = self.pty.read(&mut bytes).unwrap_or(0);
            self.parser.process(&bytes[..read]);
        }
    }

    pub fn contents(&self) -> String {
        self.parser.screen().contents()
    }

    pub fn until_shown(&mut self, text: &str, patience: Duration) {
        let until = Instant::now() + patience;
        while !self.contents().contains(text) {
            self.read(Duration::from_millis(20));
            assert!(Instant::now() < until, "`{text}` is not shown:\n{}", self.contents());
        }
    }

    pub fn keys(&mut self, keys: &str) {
        self.pty.write_all(keys.as_bytes()).unwrap();
    }

    /// `q`, and Enter where it asks; until it has ended and given the terminal back.
    pub fn quit(&mut self, patience: Duration) {
        self.keys("q");
        let until = Instant::now() + patience;
        let mut asked = false;
        while self.child.try_wait().unwrap().is_none() {
            self.read(Duration::from_millis(20));
            if !asked && self.contents().contains("keeps running") {
                asked = true;
                self.keys("\r");
            }
            assert!(Instant::now() < until, "it does not end:\n{}", self.contents());
        }
        assert!(
            !self.parser.screen().alternate_screen() || {
                self.read(Duration::from_millis(200));
                !self.parser.screen().alternate_screen()
            }
        );
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // One that has ended is not there to be ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
