//! Which key does what. The hint bar, the help and what a key does are all made from this one table.
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::Pane;

/// What has the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// Wherever no text is typed.
    Any,
    /// The rail.
    Plan,
    /// The log.
    Logs,
    /// The first screen.
    Start,
    /// The owner does not answer.
    Lost,
    /// The palette. It takes all other keys as text.
    Palette,
    /// The box that asks before leaving.
    Quit,
    /// The box that asks before a team is dissolved.
    Dissolve,
    /// A team is being dissolved.
    Dissolving,
    /// A box of one task.
    Detail,
    /// A box of text.
    Reply,
    /// The report of the last recovery.
    Recovery,
    /// The box of keys.
    Help,
}

/// What a key does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Open the palette.
    Commands,
    /// Open the box of keys.
    Help,
    /// Leave, after a question if something runs.
    Quit,
    /// Go to a pane.
    Focus(Pane),
    /// Go to the next live team.
    NextTeam,
    /// Go to the next pane.
    NextPane,
    /// Go to the previous pane.
    PreviousPane,
    /// The focused pane alone, or all again.
    Zoom,
    /// Down one.
    Down,
    /// Up one.
    Up,
    /// To the first.
    First,
    /// To the last.
    Last,
    /// Down half a pane.
    HalfDown,
    /// Up half a pane.
    HalfUp,
    /// Copy what is looked at.
    Copy,
    /// Close what is on top.
    Close,
    /// Clear the input, else as `Quit`.
    Clear,
    /// Give the terminal back for a while.
    Suspend,
    /// Draw every cell again.
    Redraw,
    /// Everything about the selected task.
    Detail,
    /// To the first task that it waits for.
    ToUpstream,
    /// To the first task that waits for it.
    ToDownstream,
    /// To the next thing that waits on a person.
    NextDecision,
    /// To the one before.
    PreviousDecision,
    /// To the next task of the longest chain.
    NextCritical,
    /// To the next task that runs.
    NextRunning,
    /// Ask why a task is not done.
    Why,
    /// Write to its member.
    Message,
    /// Try it again.
    Retry,
    /// End its member's attempt.
    Interrupt,
    /// Fold runs of finished rows, or unfold them.
    Fold,
    /// Cancel it.
    Cancel,
    /// Add a task.
    Add,
    /// Begin or end following.
    Follow,
    /// To the next task that has output.
    NextOutput,
    /// To the one before.
    PreviousOutput,
    /// To the log of the task.
    ToLog,
    /// Take the chosen way to begin.
    Begin,
    /// Try the owner now.
    Reconnect,
    /// Dissolve the team.
    Dissolve,
    /// Ask before the team is dissolved.
    AskDissolve,
    /// What the last recovery found.
    Recovery,
    /// Leave now.
    QuitNow,
    /// In the palette: complete.
    Complete,
    /// In the palette: run.
    Run,
    /// In the palette: the line before.
    Older,
}

impl Act {
    /// The command that it begins a line with.
    fn verb(self) -> Option<&'static str> {
        Some(match self {
            Self::Cancel => "cancel",
            Self::Retry => "retry",
            Self::Message => "send",
            Self::Why => "why",
            Self::Add => "add",
            Self::Interrupt => "interrupt",
            _ => return None,
        })
    }
}

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Binding {
    /// Where.
    pub mode: Mode,
    /// The key.
    pub key: Key,
    /// What it does.
    pub act: Act,
    /// Two or three words for it.
    pub word: &'static str,
    /// Where it stands in the hint bar.
    pub hint: Hint,
}

/// Where a key stands in the hint bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hint {
    /// Nowhere, only in the help.
    No,
    /// At the left, in the order of the table.
    Left,
    /// At the right.
    Right,
}

/// A key as it is bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// A character, with shift where it needs it.
    Char(char),
    /// A character with ctrl.
    Ctrl(char),
    /// A key without a character.
    Named(KeyCode),
}

impl Key {
    /// The key of an event. Alt and the other modifiers are no keys of this program.
    pub fn of(event: &KeyEvent) -> Option<Self> {
        let others = KeyModifiers::ALT | KeyModifiers::SUPER | KeyModifiers::HYPER | KeyModifiers::META;
        if event.modifiers.intersects(others) {
            return None;
        }
        Some(match event.code {
            KeyCode::Char(c) if event.modifiers.contains(KeyModifiers::CONTROL) => {
                Self::Ctrl(c.to_ascii_lowercase())
            }
            KeyCode::Char(c) => Self::Char(c),
            code => Self::Named(code),
        })
    }

    /// Its name in hints and help.
    pub fn word(self) -> String {
        match self {
            Self::Char(c) => c.to_string(),
            Self::Ctrl(c) => format!("ctrl-{c}"),
            Self::Named(KeyCode::BackTab) => "shift-tab".to_owned(),
            Self::Named(code) => code.to_string().to_lowercase(),
        }
    }
}

const fn bound(mode: Mode, key: Key, act: Act, word: &'static str) -> Binding {
    Binding { mode, key, act, word, hint: Hint::No }
}

const fn left(mode: Mode, key: Key, act: Act, word: &'static str) -> Binding {
    Binding { mode, key, act, word, hint: Hint::Left }
}

const fn right(key: char, act: Act, word: &'static str) -> Binding {
    Binding { mode: Mode::Any, key: Key::Char(key), act, word, hint: Hint::Right }
}

const ENTER: Key = Key::Named(KeyCode::Enter);
const ESC: Key = Key::Named(KeyCode::Esc);
const fn c(c: char) -> Key {
    Key::Char(c)
}

/// The table.
pub const BINDINGS: &[Binding] = &[
    left(Mode::Plan, ENTER, Act::Detail, "detail"),
    left(Mode::Plan, c('x'), Act::Cancel, "cancel"),
    left(Mode::Plan, c('t'), Act::Retry, "retry"),
    left(Mode::Plan, c('m'), Act::Message, "message"),
    left(Mode::Plan, c('w'), Act::Why, "why"),
    left(Mode::Plan, c('a'), Act::Add, "add"),
    left(Mode::Plan, c('i'), Act::Interrupt, "interrupt"),
    left(Mode::Plan, c(']'), Act::NextDecision, "next decision"),
    bound(Mode::Plan, c('['), Act::PreviousDecision, "previous decision"),
    left(Mode::Plan, c('z'), Act::Fold, "fold"),
    bound(Mode::Plan, c('h'), Act::ToUpstream, "to what it needs"),
    bound(Mode::Plan, c('l'), Act::ToDownstream, "to what needs it"),
    bound(Mode::Plan, c('p'), Act::NextCritical, "next critical"),
    bound(Mode::Plan, c('f'), Act::NextRunning, "next running"),
    left(Mode::Logs, ENTER, Act::Detail, "task detail"),
    left(Mode::Logs, c('f'), Act::Follow, "follow"),
    left(Mode::Logs, c(']'), Act::NextOutput, "next member"),
    left(Mode::Logs, c('['), Act::PreviousOutput, "previous member"),
    left(Mode::Logs, c('m'), Act::Message, "message"),
    left(Mode::Logs, c('i'), Act::Interrupt, "interrupt"),
    left(Mode::Start, ENTER, Act::Begin, "begin"),
    left(Mode::Lost, c('r'), Act::Reconnect, "try now"),
    left(Mode::Palette, Key::Named(KeyCode::Tab), Act::Complete, "complete"),
    left(Mode::Palette, ENTER, Act::Run, "run"),
    left(Mode::Palette, Key::Named(KeyCode::Up), Act::Up, "history"),
    left(Mode::Palette, Key::Ctrl('p'), Act::Older, "older"),
    bound(Mode::Palette, Key::Named(KeyCode::Down), Act::Down, "down"),
    bound(Mode::Palette, Key::Ctrl('c'), Act::Clear, "clear"),
    left(Mode::Palette, ESC, Act::Close, "close"),
    left(Mode::Quit, ENTER, Act::QuitNow, "quit"),
    left(Mode::Quit, c('d'), Act::AskDissolve, "dissolve one first"),
    left(Mode::Quit, ESC, Act::Close, "stay"),
    left(Mode::Dissolve, c('D'), Act::Dissolve, "dissolve"),
    left(Mode::Dissolve, c('y'), Act::Copy, "copy the line"),
    left(Mode::Dissolve, ESC, Act::Close, "keep it running"),
    left(Mode::Dissolving, ESC, Act::Close, "hide this"),
    left(Mode::Detail, ENTER, Act::ToLog, "its log"),
    left(Mode::Detail, c('t'), Act::Retry, "retry"),
    left(Mode::Detail, c('x'), Act::Cancel, "cancel"),
    left(Mode::Detail, c('m'), Act::Message, "message"),
    left(Mode::Detail, c('w'), Act::Why, "why"),
    left(Mode::Detail, ESC, Act::Close, "close"),
    left(Mode::Reply, c('y'), Act::Copy, "copy"),
    left(Mode::Reply, ESC, Act::Close, "close"),
    bound(Mode::Reply, ENTER, Act::Close, "close"),
    left(Mode::Recovery, c('t'), Act::Retry, "retry"),
    left(Mode::Recovery, ENTER, Act::ToLog, "log"),
    left(Mode::Recovery, c('y'), Act::Copy, "copy report"),
    left(Mode::Recovery, ESC, Act::Close, "to the plan"),
    bound(Mode::Recovery, c('s'), Act::Close, "later"),
    left(Mode::Help, ESC, Act::Close, "close"),
    bound(Mode::Help, c('?'), Act::Close, "close"),
    bound(Mode::Help, c('q'), Act::Close, "close"),
    right(':', Act::Commands, "commands"),
    right('?', Act::Help, "help"),
    right('q', Act::Quit, "quit"),
    bound(Mode::Any, c('j'), Act::Down, "down"),
    bound(Mode::Any, c('k'), Act::Up, "up"),
    bound(Mode::Any, Key::Named(KeyCode::Down), Act::Down, "down"),
    bound(Mode::Any, Key::Named(KeyCode::Up), Act::Up, "up"),
    bound(Mode::Any, c('g'), Act::First, "first"),
    bound(Mode::Any, c('G'), Act::Last, "last"),
    bound(Mode::Any, Key::Ctrl('d'), Act::HalfDown, "half down"),
    bound(Mode::Any, Key::Ctrl('u'), Act::HalfUp, "half up"),
    bound(Mode::Any, c('1'), Act::Focus(Pane::Plan), "plan"),
    bound(Mode::Any, c('2'), Act::Focus(Pane::Logs), "logs"),
    bound(Mode::Any, c('0'), Act::NextTeam, "next team"),
    bound(Mode::Any, Key::Named(KeyCode::Tab), Act::NextPane, "next pane"),
    bound(Mode::Any, Key::Named(KeyCode::BackTab), Act::PreviousPane, "previous pane"),
    bound(Mode::Any, c('+'), Act::Zoom, "zoom"),
    bound(Mode::Any, Key::Ctrl('r'), Act::Recovery, "the last recovery"),
    bound(Mode::Any, c('y'), Act::Copy, "copy"),
    bound(Mode::Any, ESC, Act::Close, "close what is on top"),
    bound(Mode::Any, Key::Ctrl('c'), Act::Clear, "clear, then quit"),
    bound(Mode::Any, Key::Ctrl('z'), Act::Suspend, "suspend"),
    bound(Mode::Any, Key::Ctrl('l'), Act::Redraw, "redraw"),
    bound(Mode::Any, Key::Ctrl('p'), Act::Commands, "commands"),
];

/// What a key does in a mode: its own keys first, then those of any mode.
pub fn act(mode: Mode, key: Key) -> Option<Act> {
    let find = |mode| BINDINGS.iter().find(|binding| binding.mode == mode && binding.key == key);
    let any = if mode == Mode::Palette { None } else { find(Mode::Any) };
    find(mode).or(any).map(|binding| binding.act)
}

/// The key of the plan that begins a line with this command.
pub fn key_of(verb: &str) -> Option<Key> {
    keys(Mode::Plan).find(|binding| binding.act.verb() == Some(verb)).map(|binding| binding.key)
}

/// The keys of a mode, in the order of the table.
pub fn keys(mode: Mode) -> impl Iterator<Item = &'static Binding> {
    BINDINGS.iter().filter(move |binding| binding.mode == mode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_has_two_meanings_in_a_mode() {
        for (at, one) in BINDINGS.iter().enumerate() {
            let twice =
                BINDINGS.iter().skip(at + 1).find(|other| other.mode == one.mode && other.key == one.key);
            assert!(twice.is_none(), "{:?} in {:?}", one.key, one.mode);
        }
    }

    #[test]
    fn what_cannot_be_undone_is_not_on_enter() {
        let irreversible = [Act::Dissolve];
        assert!(BINDINGS.iter().all(|b| b.key != ENTER || !irreversible.contains(&b.act)));
    }

    #[test]
    fn keys_have_names() {
        assert_eq!(Key::Ctrl('p').word(), "ctrl-p");
        assert_eq!(ENTER.word(), "enter");
        assert_eq!(ESC.word(), "esc");
        assert_eq!(Key::Named(KeyCode::BackTab).word(), "shift-tab");
    }
}
