//! The terminal, taken and given back. One function gives it back, from every exit.
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::terminal::{
    EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{cursor, queue};
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once};

use super::TermError;

/// The terminal is ours.
static TAKEN: AtomicBool = AtomicBool::new(false);
/// What panics said while it was: printing it then would be lost in the screen, or spoil it.
static SAID: Mutex<String> = Mutex::new(String::new());
static HOOK: Once = Once::new();

/// Bytes of panics that are kept. Reason: the first one tells.
const MAX_SAID_BYTES: usize = 16 << 10;

/// The terminal while it is ours. Dropping it gives it back, also while a panic unwinds.
#[derive(Debug)]
pub struct Guard(());

impl Guard {
    /// Takes the terminal.
    pub fn enter() -> Result<Self, TermError> {
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return Err(TermError::NoTerminal);
        }
        HOOK.call_once(keep_what_panics_say);
        let guard = Self(());
        take()?;
        Ok(guard)
    }

    /// Takes it again, after it was given back or another program had it.
    pub fn reenter(&self) -> io::Result<()> {
        take()
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        restore();
    }
}

fn take() -> io::Result<()> {
    TAKEN.store(true, Ordering::SeqCst);
    enable_raw_mode()?;
    let mut out = io::stdout();
    queue!(out, EnterAlternateScreen, EnableBracketedPaste, cursor::Hide)?;
    out.flush()
}

/// Gives the terminal back as it was. Doing it twice, or on a terminal that is gone, does nothing: there is no one left to
/// tell of an error.
pub fn restore() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    let mut out = io::stdout();
    let _ = queue!(out, EndSynchronizedUpdate, DisableBracketedPaste, LeaveAlternateScreen, cursor::Show);
    let _ = out.flush();
    let _ = disable_raw_mode();
    let said = SAID.lock().map(|mut said| std::mem::take(&mut *said)).unwrap_or_default();
    if !said.is_empty() {
        let _ = io::stderr().write_all(said.as_bytes());
    }
}

/// While the terminal is ours, what a panic says is kept until it is given back; else it goes the usual way.
fn keep_what_panics_say() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !TAKEN.load(Ordering::SeqCst) {
            return usual(panic);
        }
        if let Ok(mut said) = SAID.lock()
            && said.len() < MAX_SAID_BYTES
        {
            let text = crate::text::sanitise::block(&panic.to_string()).into_owned();
            said.push_str(&text);
            said.push('\n');
        }
    }));
}
