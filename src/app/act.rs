//! What keys do. A key that changes anything says it as a script line; a line that needs a word more begins the palette.
use crossterm::event::KeyEvent;

use super::dialog::{Dissolve, Reply, last_top, running};
use super::jump::{jump, next_team};
use super::keymap::{self, Act, Key, Mode};
use super::layout::{Slot, layout};
use super::panes::handle;
use super::panes::rail::span;
use super::update::remember;
use super::{AppEffect, Dialog, Link, Model, Over, Palette, Pane, WayAct, palette, recovery};
use crate::domain::{Name, TeamId};
use crate::text::Span;

/// What has the keys now; what lies on top first.
pub fn mode(model: &Model) -> Mode {
    match &model.over {
        Over::Palette(_) => Mode::Palette,
        Over::Dialog(Dialog::Help(_)) => Mode::Help,
        Over::Dialog(Dialog::Quit) => Mode::Quit,
        Over::Dialog(Dialog::Dissolve(Dissolve { asked: Some(_), .. })) => Mode::Dissolving,
        Over::Dialog(Dialog::Dissolve(_)) => Mode::Dissolve,
        Over::Dialog(Dialog::Detail(..)) => Mode::Detail,
        Over::Dialog(Dialog::Reply(_)) => Mode::Reply,
        Over::Dialog(Dialog::Recovery(_)) => Mode::Recovery,
        Over::Nothing if model.is_start() => Mode::Start,
        Over::Nothing if model.focus == Pane::Logs => Mode::Logs,
        Over::Nothing => Mode::Plan,
    }
}

/// Takes one key.
pub(super) fn key(model: &mut Model, event: KeyEvent, effects: &mut Vec<AppEffect>) {
    let mode = mode(model);
    let key = Key::of(&event);
    let bound = key.and_then(|key| {
        let lost = matches!(model.over, Over::Nothing) && !model.is_up();
        let while_lost = lost.then(|| keymap::keys(Mode::Lost).find(|binding| binding.key == key)).flatten();
        while_lost.map(|binding| binding.act).or_else(|| keymap::act(mode, key))
    });
    match bound {
        Some(act) if mode == Mode::Palette => in_palette(model, act, effects),
        Some(act) => run(model, act, effects),
        None if mode == Mode::Palette => {
            with_palette(model, |palette, source| palette.type_key(event, source))
        }
        None if mode == Mode::Start && begin_by(model, key, effects) => {}
        None => {
            if let Some(key) = key {
                model.tell(format!("{} does nothing here; ? shows the keys that do", key.word()), false);
            }
        }
    }
}

/// Text that was pasted goes where text is typed, and nowhere else.
pub(super) fn paste(model: &mut Model, text: &str) {
    with_palette(model, |palette, source| palette.paste(text, source));
}

fn run(model: &mut Model, act: Act, effects: &mut Vec<AppEffect>) {
    match act {
        Act::Commands => open_palette(model, ""),
        Act::Help => model.over = Over::Dialog(Dialog::Help(0)),
        Act::Quit | Act::Clear => ask_quit(model, effects),
        Act::QuitNow => effects.push(AppEffect::Quit),
        Act::Focus(pane) => model.focus = pane,
        Act::NextTeam => next_team(model),
        Act::NextPane => model.focus = model.focus.turned(1),
        Act::PreviousPane => model.focus = model.focus.turned(Pane::ALL.len() - 1),
        Act::Zoom => model.zoomed = !model.zoomed,
        Act::Down | Act::Up | Act::First | Act::Last | Act::HalfDown | Act::HalfUp => go(model, act),
        Act::Copy => copy(model, effects),
        Act::Close => close(model),
        Act::Suspend => effects.push(AppEffect::Suspend),
        Act::Redraw => effects.push(AppEffect::Redraw),
        Act::Reconnect => effects.push(AppEffect::Reconnect),
        Act::Begin => begin(model, effects),
        Act::Follow => with_log(model, |model, slot| {
            model.log.toggle_follow(usize::from(slot.width), usize::from(slot.height));
        }),
        Act::Recovery => recovery::show(model),
        Act::ToLog | Act::Retry if recovery::is_open(model) => recovery::choose(model, act, effects),
        Act::ToLog => {
            model.over = Over::Nothing;
            model.focus = Pane::Logs;
        }
        Act::AskDissolve => {
            if let Some(team) = model.team {
                ask_dissolve(model, team);
            }
        }
        Act::Dissolve => dissolve(model, effects),
        Act::Fold => {
            model.rail.folded = !model.rail.folded;
            model.rail.top = 0;
        }
        Act::Complete | Act::Run | Act::Older => {}
        Act::ToUpstream
        | Act::ToDownstream
        | Act::NextDecision
        | Act::PreviousDecision
        | Act::NextCritical
        | Act::NextRunning
        | Act::NextOutput
        | Act::PreviousOutput => jump(model, act),
        Act::Detail | Act::Why | Act::Message | Act::Retry | Act::Interrupt | Act::Cancel | Act::Add => {
            about_task(model, act, effects);
        }
    }
}

fn close(model: &mut Model) {
    match model.over {
        Over::Nothing => model.zoomed = false,
        _ => model.over = Over::Nothing,
    }
    // A team that was seen to its end goes out of view now.
    model.stale = true;
}

// --- The palette.

fn open_palette(model: &mut Model, line: &str) {
    let names = model.names();
    let source = palette::Source { commands: model.commands, names: &names, recent: &model.recent };
    model.over = Over::Palette(Box::new(Palette::new(line, source)));
}

/// Opens the palette with a line that was refused.
pub(super) fn type_again(model: &mut Model, line: &str, why: String) {
    let names = model.names();
    let source = palette::Source { commands: model.commands, names: &names, recent: &model.recent };
    model.over = Over::Palette(Box::new(Palette::refused(line, why, source)));
}

fn with_palette(model: &mut Model, change: impl FnOnce(&mut Palette, palette::Source<'_>)) {
    let names = model.names();
    let source = palette::Source { commands: model.commands, names: &names, recent: &model.recent };
    if let Over::Palette(palette) = &mut model.over {
        change(palette, source);
    }
}

fn in_palette(model: &mut Model, act: Act, effects: &mut Vec<AppEffect>) {
    let mut line = None;
    let mut is_done = act == Act::Close;
    with_palette(model, |palette, source| match act {
        Act::Complete => palette.complete(source),
        Act::Up => palette.up(source),
        Act::Down => palette.down(),
        Act::Older => palette.older(source),
        Act::Clear => is_done = !palette.clear(source),
        Act::Run => line = palette.run(source),
        _ => {}
    });
    if is_done || line.is_some() {
        model.over = Over::Nothing;
    }
    if let Some(line) = line {
        submit(model, line, effects);
    }
}

/// Runs a line, if there is someone to run it. What cannot be undone asks first.
pub(super) fn submit(model: &mut Model, line: String, effects: &mut Vec<AppEffect>) {
    if let Some(team) = dissolved_by(model, &line) {
        return ask_dissolve(model, team);
    }
    if !model.is_up() {
        let why = "The owner does not answer, nothing was sent. enter sends it when it is back".to_owned();
        return type_again(model, &line, why);
    }
    remember(model, &line);
    model.waiting.push(line.clone());
    effects.push(AppEffect::Submit { line, team: model.team_name() });
}

fn dissolved_by(model: &Model, line: &str) -> Option<TeamId> {
    let mut words = line.split_whitespace();
    if words.next() != Some("dissolve") {
        return None;
    }
    match words.next().map(|word| word.strip_prefix("team=")) {
        None => model.team,
        Some(Some(name)) => model.state.find_team(&Name::reference(name).ok()?).map(|(id, _)| id),
        Some(None) => None,
    }
}

// --- Leaving, beginning, ending.

fn ask_quit(model: &mut Model, effects: &mut Vec<AppEffect>) {
    if !model.is_live() || model.over_is_quit() {
        effects.push(AppEffect::Quit);
    } else {
        model.over = Over::Dialog(Dialog::Quit);
    }
}

impl Model {
    /// Ctrl-C once more in the box that asks means it.
    fn over_is_quit(&self) -> bool {
        matches!(self.over, Over::Dialog(Dialog::Quit))
    }
}

fn ask_dissolve(model: &mut Model, team: TeamId) {
    model.team = Some(team);
    model.stale = true;
    model.over = Over::Dialog(Dialog::Dissolve(Dissolve { team, asked: None }));
}

fn dissolve(model: &mut Model, effects: &mut Vec<AppEffect>) {
    let Over::Dialog(Dialog::Dissolve(Dissolve { team, asked: None })) = model.over else { return };
    if !model.is_up() {
        return model.tell("The owner does not answer, nothing was sent. r tries it now.", true);
    }
    let Some(named) = model.state.team(team) else { return };
    let asked = Some(running(model, team, named));
    effects.push(AppEffect::Submit { line: "dissolve".to_owned(), team: Some(named.name.clone()) });
    model.waiting.push("dissolve".to_owned());
    remember(model, "dissolve");
    model.over = Over::Dialog(Dialog::Dissolve(Dissolve { team, asked }));
}

/// Takes the way to begin that has this key. False: none has.
fn begin_by(model: &mut Model, key: Option<Key>, effects: &mut Vec<AppEffect>) -> bool {
    let Some(Key::Char(typed)) = key else { return false };
    let Some(at) = model.start.ways.iter().position(|way| way.key == typed) else { return false };
    model.start.chosen = at;
    begin(model, effects);
    true
}

fn begin(model: &mut Model, effects: &mut Vec<AppEffect>) {
    match model.start.way().map(|way| way.act.clone()) {
        Some(WayAct::Run(line)) => submit(model, line, effects),
        Some(WayAct::Type(line)) => open_palette(model, &line),
        Some(WayAct::Tell(text)) => model.tell(text, true),
        None => {}
    }
}

// --- Moving.

/// The log's part of the screen, where it is seen.
fn with_log(model: &mut Model, change: impl FnOnce(&mut Model, ratatui::layout::Rect)) {
    if let Some(Slot { body, .. }) = layout(model).log {
        change(model, body);
    }
}

/// Moves what is on top: a box, the first screen, or the focused pane.
fn go(model: &mut Model, act: Act) {
    let half = usize::from(layout(model).panes.height / 2).max(1);
    let (down, steps) = match act {
        Act::Down => (true, 1),
        Act::Up => (false, 1),
        Act::HalfDown => (true, half),
        Act::HalfUp => (false, half),
        Act::Last => (true, usize::MAX),
        _ => (false, usize::MAX),
    };
    let is_start = model.is_start();
    let last = match &model.over {
        Over::Dialog(dialog) => last_top(model, dialog),
        _ => 0,
    };
    match &mut model.over {
        Over::Dialog(
            Dialog::Help(top)
            | Dialog::Detail(_, top)
            | Dialog::Recovery(top)
            | Dialog::Reply(Reply { top, .. }),
        ) => {
            *top = moved(*top, down, steps, last + 1);
        }
        Over::Dialog(_) | Over::Palette(_) => {}
        Over::Nothing if is_start => model.start.choose(down, steps.min(model.start.ways.len())),
        Over::Nothing if model.focus == Pane::Logs => with_log(model, |model, area| {
            let (columns, height) = (usize::from(area.width), usize::from(area.height));
            match act {
                Act::Last => model.log.follow(),
                Act::First => model.log.rewind(columns, height),
                _ => model.log.scroll(down, steps, columns, height),
            }
        }),
        Over::Nothing => move_cursor(model, down, steps),
    }
}

fn moved(top: usize, down: bool, steps: usize, length: usize) -> usize {
    let last = length.saturating_sub(1);
    if down { top.saturating_add(steps).min(last) } else { top.saturating_sub(steps) }
}

/// Moves the cursor by lines. A folded run is entered at the end that is nearer.
fn move_cursor(model: &mut Model, down: bool, steps: usize) {
    let Some(line) = model.rail.selected_line() else { return };
    let to = moved(line, down, steps, model.rail.lines().len());
    let Some(rows) = model.rail.lines().get(to).map(span) else { return };
    let row = if down || to == line { rows.start } else { rows.end - 1 };
    if to != line {
        model.rail.selected = model.rail.rows().get(row).copied();
    }
}

// --- The selected task.

fn about_task(model: &mut Model, act: Act, effects: &mut Vec<AppEffect>) {
    if act == Act::Add && model.team.is_some() {
        return open_palette(model, "add ");
    }
    let Some(task) = model.team().and_then(|team| team.task(model.rail.selected?)) else { return };
    let name = handle(task);
    let member = task.assignee.clone();
    let number = task.number;
    let to_member = |verb: &str, after: &str| member.as_ref().map(|member| format!("{verb} {member}{after}"));
    let line = match act {
        Act::Detail => {
            model.over = Over::Dialog(Dialog::Detail(number, 0));
            return;
        }
        Act::Why => {
            model.over = Over::Nothing;
            return submit(model, format!("why {name}"), effects);
        }
        Act::Retry => Some(format!("retry {name}")),
        Act::Cancel => Some(format!("cancel {name}")),
        Act::Message => to_member("send", " "),
        Act::Interrupt => to_member("interrupt", ""),
        _ => None,
    };
    match line {
        Some(line) => open_palette(model, &line),
        None => {
            model.tell(format!("{name} has no member yet. : assign {name} to=MEMBER gives it to one."), true)
        }
    }
}

fn copy(model: &mut Model, effects: &mut Vec<AppEffect>) {
    let lost = match &model.link {
        Link::Lost { loss, .. } => Some(format!("{} {}", loss.pid, loss.socket)),
        Link::Waiting | Link::Up => None,
    };
    let (what, text) = match &model.over {
        Over::Dialog(Dialog::Dissolve(_)) => ("the line", "dissolve".to_owned()),
        Over::Dialog(Dialog::Reply(reply)) => ("the answer", reply.lines.join("\n")),
        Over::Dialog(Dialog::Recovery(_)) => ("the report", recovery::text(model)),
        _ if lost.is_some() => ("pid and socket", lost.unwrap_or_default()),
        _ if model.focus == Pane::Logs => ("the log in view", log_in_view(model)),
        _ => match model.team().and_then(|team| team.task(model.rail.selected?)) {
            Some(task) => ("the name", handle(task)),
            None => return,
        },
    };
    effects.push(AppEffect::Copy(text));
    model.tell(format!("copied {what}"), false);
}

fn log_in_view(model: &Model) -> String {
    let Some(Slot { body, .. }) = layout(model).log else { return String::new() };
    let (lines, _) = model.log.view(usize::from(body.width), usize::from(body.height));
    let plain = |spans: &Vec<Span>| spans.iter().map(|span| span.text.as_str()).collect::<String>();
    lines.iter().map(plain).collect::<Vec<_>>().join("\n")
}
