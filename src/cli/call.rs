//! One call of the program: its arguments, its two streams, and how it says that it could not do what was asked.
use super::args::Cli;
use super::place::{self, Project, Terminal};
use crate::domain::view::Line;
use crate::script::teller::Silenced;
use std::io::Write;

/// Exit code of something that is not there, or was refused.
pub const NOT_FOUND: u8 = 1;
/// Exit code of usage, files, the store: nothing was started.
pub const USAGE: u8 = 2;
/// Exit code of a closed standard output: 128 and SIGPIPE.
const CLOSED: u8 = 141;

/// The arguments and the streams.
pub struct Call<'a> {
    /// What was asked.
    pub cli: &'a Cli,
    /// Results.
    pub out: &'a mut dyn Write,
    /// Everything else.
    pub err: &'a mut dyn Write,
    /// What the two are.
    pub terminal: Terminal,
}

/// It could not be done: `error: WHY`, its help, and the exit code. Without a reason nothing is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failed {
    /// The exit code.
    pub rc: u8,
    /// After `error: `.
    pub why: String,
    /// After `help: ` each.
    pub help: Vec<String>,
}

/// The exit code of a call.
pub type Done = Result<u8, Failed>;

impl Failed {
    /// With an exit code and a reason.
    pub fn new(rc: u8, why: impl Into<String>) -> Self {
        Self { rc, why: why.into(), help: Vec::new() }
    }

    /// Nothing was started, for that reason.
    pub fn usage(why: impl Into<String>) -> Self {
        Self::new(USAGE, why)
    }

    /// With one more next step.
    #[must_use]
    pub fn help(mut self, step: impl Into<String>) -> Self {
        self.help.push(step.into());
        self
    }

    /// Only an exit code; what there was to say is said.
    pub fn silent(rc: u8) -> Self {
        Self::new(rc, "")
    }
}

impl From<Silenced> for Failed {
    fn from(silenced: Silenced) -> Self {
        match silenced {
            Silenced::Closed => Self::silent(CLOSED),
            full @ (Silenced::Out(_) | Silenced::Unread) => Self::new(1, full.to_string()),
        }
    }
}

impl<'a> Call<'a> {
    /// Looks at the streams.
    pub fn new(cli: &'a Cli, out: &'a mut dyn Write, err: &'a mut dyn Write) -> Self {
        let terminal = place::terminal(&cli.print);
        Self { cli, out, err, terminal }
    }

    /// The project of the current folder.
    pub fn project(&self) -> Result<Project, Failed> {
        place::project(&self.cli.at).map_err(Failed::usage)
    }

    /// A line on standard output, cut to a terminal.
    pub fn line(&mut self, line: &Line) -> Result<(), Failed> {
        let text = self.terminal.out.paint(line);
        self.whole(&text)
    }

    /// Lines on standard output.
    pub fn lines(&mut self, lines: &[Line]) -> Result<(), Failed> {
        lines.iter().try_for_each(|line| self.line(line))
    }

    /// A line on standard output as it is: our own text, or harmless.
    pub fn whole(&mut self, text: &str) -> Result<(), Failed> {
        writeln!(self.out, "{text}").map_err(|e| Silenced::from(e).into())
    }

    /// Text on standard output that brings its line ends.
    pub fn text(&mut self, text: &str) -> Result<(), Failed> {
        self.out.write_all(text.as_bytes()).map_err(|e| Silenced::from(e).into())
    }

    /// Bytes that a program made, on standard output.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), Failed> {
        self.out.write_all(bytes).map_err(|e| Silenced::from(e).into())
    }

    /// What was printed is on its way; a closed or full standard output is known by now.
    pub fn flush(&mut self) -> Result<(), Failed> {
        self.out.flush().map_err(|e| Silenced::from(e).into())
    }

    /// A line on standard error. What it does not take is not said.
    pub fn say(&mut self, line: &str) {
        // One write: what another process says on the same stream does not fall between a line and its end.
        let _ = self.err.write_all(format!("{line}\n").as_bytes());
    }

    /// The exit code, with the error and its help on standard error.
    pub fn end(&mut self, done: Done) -> u8 {
        let flushed = if done.is_ok() { self.flush() } else { Ok(()) };
        match done.and_then(|rc| flushed.map(|()| rc)) {
            Ok(rc) => rc,
            Err(failed) => {
                if !failed.why.is_empty() {
                    self.say(&format!("error: {}", failed.why));
                    failed.help.iter().for_each(|step| self.say(&format!("help: {step}")));
                }
                failed.rc
            }
        }
    }
}
