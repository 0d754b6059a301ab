//! Which project, which run, which terminal: what every subcommand asks first.
use super::args::{Colour, PlaceArgs, PrintArgs};
use crate::config;
use crate::script::pen::Streams;
use crate::script::{Page, Palette};
use crate::store::{ProjectDir, StateDir, StoreError};
use std::io::IsTerminal;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};

/// Columns of a terminal that does not say.
const COLUMNS: usize = 80;
/// Rows of a terminal that does not say.
const ROWS: usize = 24;

/// The project and its state directory.
pub struct Project {
    /// The git top level, else the current folder.
    pub root: PathBuf,
    /// Its runs.
    pub dir: ProjectDir,
    /// Flags that were given before, as they are pasted.
    pub flags: String,
}

/// Finds the project of the current folder.
pub fn project(at: &PlaceArgs) -> Result<Project, String> {
    let here = std::env::current_dir().map_err(|e| format!("the current folder cannot be read: {e}"))?;
    let root = config::project_root(&here);
    let state = match &at.state {
        Some(path) => here.join(path),
        None => config::state_folder().map_err(|e| e.to_string())?,
    };
    let dir = StateDir::new(state).project(&root).map_err(said)?;
    let flags = at.state.as_ref().map_or_else(String::new, |path| format!(" --state {}", shell(path)));
    Ok(Project { root, dir, flags })
}

fn shell(path: &Path) -> String {
    let text = path.to_string_lossy();
    crate::text::shell_word(&text).unwrap_or_else(|_| text.into_owned())
}

/// A store error as the text after `error: `.
pub fn said(error: StoreError) -> String {
    format!("{}: {error}", error.word())
}

/// stdout and stderr as pages, and the shape of stderr where it is a terminal.
pub struct Terminal {
    /// stdout.
    pub out: Page,
    /// stderr.
    pub err: Page,
    /// Columns and rows of stderr, where lines can be redrawn on it.
    pub shape: Option<(usize, usize)>,
    /// Rows of the terminal.
    pub rows: usize,
    /// Only ASCII is drawn.
    pub ascii: bool,
    /// It takes no movements of the cursor.
    pub is_dumb: bool,
}

/// Looks at the terminal once.
pub fn terminal(print: &PrintArgs) -> Terminal {
    let plain = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    let dumb = std::env::var_os("TERM").is_none_or(|t| t.is_empty() || t == "dumb");
    let colour = |is_terminal: bool| match print.color {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => is_terminal && !plain && !dumb,
    };
    let (out, err) = (std::io::stdout().is_terminal(), std::io::stderr().is_terminal());
    let (columns, rows) = size().unwrap_or((COLUMNS, ROWS));
    let page = |is_terminal: bool| Page {
        palette: Palette { colour: colour(is_terminal) },
        width: is_terminal.then_some(columns),
    };
    let moves = err && !dumb;
    Terminal {
        out: page(out),
        err: page(err),
        shape: moves.then_some((columns, rows)),
        rows,
        ascii: !is_utf8(),
        is_dumb: dumb,
    }
}

/// Columns and rows of the first stream that is a terminal and says them. Only the stream itself is asked: crossterm
/// starts `tput` where nothing is a terminal.
fn size() -> Option<(usize, usize)> {
    let streams = [
        rustix::termios::tcgetwinsize(std::io::stderr()),
        rustix::termios::tcgetwinsize(std::io::stdout()),
        rustix::termios::tcgetwinsize(std::io::stdin()),
    ];
    let said = streams.into_iter().flatten().find(|size| size.ws_col > 0 && size.ws_row > 0);
    said.map(|size| (usize::from(size.ws_col), usize::from(size.ws_row)))
}

/// The two streams of the process, for a thread of their own: whoever holds the standard ones is not waited for.
pub fn streams() -> std::io::Result<Streams> {
    let own = |fd: BorrowedFd<'_>| fd.try_clone_to_owned().map(std::fs::File::from);
    let (out, err) = (std::io::stdout(), std::io::stderr());
    Ok(Streams { out: Box::new(own(out.as_fd())?), err: Box::new(own(err.as_fd())?) })
}

/// Does the locale say that text is UTF-8?
pub fn is_utf8() -> bool {
    let set = ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|v| !v.is_empty()));
    set.is_none_or(|v| v.to_ascii_uppercase().replace('-', "").contains("UTF8"))
}

/// Seconds that local time is ahead of UTC now.
pub fn utc_offset_s() -> i32 {
    jiff::ZonedDateTime::now().offset().seconds()
}

/// A wall clock time of today as local clock, an older one as date.
pub fn clock(at_ms: u64) -> String {
    stamp(at_ms, "%H:%M:%S")
}

/// The same without seconds, for tables.
pub fn clock_short(at_ms: u64) -> String {
    stamp(at_ms, "%H:%M")
}

fn stamp(at_ms: u64, of_today: &str) -> String {
    let ms = i64::try_from(at_ms).unwrap_or(i64::MAX);
    let at = jiff::Timestamp::from_millisecond(ms).unwrap_or(jiff::Timestamp::MAX);
    let at = at.to_zoned_datetime(jiff::tz::TimeZone::system());
    let form = if at.date() == jiff::ZonedDateTime::now().date() { of_today } else { "%Y-%m-%d" };
    at.strftime(form).to_string()
}

/// The command line as it was typed, for whoever is refused.
pub fn command_line() -> String {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let line = std::iter::once("teamtui".to_owned()).chain(words).collect::<Vec<_>>().join(" ");
    crate::text::cut(&crate::text::sanitise::line(&line), 120).into_owned()
}

/// This binary, as it is started again.
pub fn exe() -> PathBuf {
    let own = Path::new("/proc/self/exe");
    if own.exists() {
        own.to_owned()
    } else {
        std::env::current_exe().unwrap_or_else(|_| PathBuf::from("teamtui"))
    }
}
