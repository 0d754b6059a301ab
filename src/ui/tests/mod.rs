//! The frames, as snapshots: the text of each row, and below it what each cell looks like where it is not plain.
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};

use super::{Glyphs, Theme, view};
use crate::app::story::{Teller, blank, ship, shipping, told};
use crate::app::{Loss, Model, Msg, News, Owner, update};
use crate::domain::State;

mod hostile;
mod snapshot;

/// What the screen shows.
pub fn drawn(model: &Model) -> Buffer {
    drawn_with(model, &Theme::default(), Glyphs::Unicode)
}

pub fn drawn_with(model: &Model, theme: &Theme, glyphs: Glyphs) -> Buffer {
    let (width, height) = model.size;
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let area = terminal.get_frame().area();
    terminal
        .draw(|frame| {
            if let Some(at) = view(model, theme, glyphs, area, frame.buffer_mut()) {
                assert!(at.x < width && at.y < height, "the cursor is at {at}");
                frame.set_cursor_position(at);
            }
        })
        .unwrap();
    terminal.backend().buffer().clone()
}

/// The rows as text, without blanks at their ends.
pub fn text(buffer: &Buffer) -> String {
    let row = |y: u16| -> String {
        let mut skip = 0;
        let mut row = String::new();
        for x in 0..buffer.area.width {
            if skip > 0 {
                skip -= 1;
                continue;
            }
            let symbol = buffer[(x, y)].symbol();
            skip = crate::text::width(symbol).saturating_sub(1);
            row.push_str(symbol);
        }
        row.trim_end().to_owned()
    };
    (0..buffer.area.height).map(row).collect::<Vec<_>>().join("\n")
}

/// The rows as text, each with a row of marks below it where a cell is not plain.
pub fn styled(buffer: &Buffer) -> String {
    let text = text(buffer);
    let marks = |y: u16| -> String {
        (0..buffer.area.width).map(|x| mark(&buffer[(x, y)])).collect::<String>().trim_end().to_owned()
    };
    let mut out = String::new();
    for (y, line) in text.lines().enumerate() {
        out.push_str(&format!("|{line}\n"));
        let marks = marks(u16::try_from(y).unwrap());
        if !marks.is_empty() {
            out.push_str(&format!(" {marks}\n"));
        }
    }
    out
}

/// One letter for what a cell looks like: upper case where it is bold, `#` where it is reversed, `_` underlined.
fn mark(cell: &Cell) -> char {
    let style = cell.style();
    let modifier = style.add_modifier;
    if modifier.contains(Modifier::REVERSED) {
        return '#';
    }
    if cell.symbol() == " " {
        return ' ';
    }
    if modifier.contains(Modifier::UNDERLINED) {
        return '_';
    }
    let colour = match style.fg {
        Some(Color::Cyan) => 'c',
        Some(Color::Green) => 'g',
        Some(Color::Magenta) => 'm',
        Some(Color::Red) => 'r',
        Some(Color::Indexed(number)) => char::from_digit(u32::from(number % 8), 10).unwrap_or('?'),
        _ if modifier.contains(Modifier::BOLD) => 'b',
        _ if modifier.contains(Modifier::DIM) => '.',
        _ => ' ',
    };
    if modifier.contains(Modifier::BOLD) { colour.to_ascii_uppercase() } else { colour }
}

pub fn press(model: &mut Model, keys: &str) {
    for key in keys.split(' ').filter(|key| !key.is_empty()) {
        let event = match key {
            "enter" => KeyEvent::from(KeyCode::Enter),
            "esc" => KeyEvent::from(KeyCode::Esc),
            "tab" => KeyEvent::from(KeyCode::Tab),
            "down" => KeyEvent::from(KeyCode::Down),
            "space" => KeyEvent::from(KeyCode::Char(' ')),
            key => match key.strip_prefix("ctrl-") {
                Some(c) => KeyEvent::new(KeyCode::Char(c.chars().next().unwrap()), KeyModifiers::CONTROL),
                None => KeyEvent::from(KeyCode::Char(key.chars().next().unwrap())),
            },
        };
        update(model, Msg::Key(event));
    }
}

pub fn type_text(model: &mut Model, text: &str) {
    for c in text.chars() {
        update(model, Msg::Key(KeyEvent::from(KeyCode::Char(c))));
    }
}
