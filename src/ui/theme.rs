//! Themes: what each role looks like. They are files; two of them are in the program.
use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::str::FromStr;

use crate::text::{self, Colour};

/// What a cell is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Anything to read.
    Text,
    /// Settled, secondary.
    Dim,
    /// Names, keys, links.
    Accent,
    /// Completed, runs next.
    Ok,
    /// Running, in review.
    Running,
    /// Stale, paused, at risk, past a limit.
    Warn,
    /// Failed, refused.
    Error,
    /// Waits on the person.
    NeedsYou,
    /// Letters that were found.
    Match,
    /// Added, not yet so.
    Ghost,
    /// Cancelled, not yet so.
    Struck,
    /// On the longest chain.
    Critical,
    /// Code, commands, paths.
    Code,
    /// Not now, but then.
    Past,
    /// Title rules and boxes.
    Border,
    /// The title rule of the focus.
    BorderFocus,
    /// The chosen row.
    Selection,
}

/// What each role looks like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theme {
    /// Its name.
    pub name: String,
    /// Logs may have the colours that processes ask for.
    pub colours: bool,
    roles: BTreeMap<Role, Style>,
}

/// Why a file is no theme.
#[derive(Debug, thiserror::Error)]
pub enum ThemeError {
    /// It is not TOML of the right shape.
    #[error("the theme cannot be read: {0}")]
    Shape(#[from] toml::de::Error),
    /// A colour that does not exist.
    #[error("`{0}` is no colour; write one of the 16 names, a number of the palette, or #rrggbb")]
    Colour(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    #[serde(default = "yes")]
    colours: bool,
    roles: BTreeMap<Role, Look>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
struct Look {
    fg: Option<String>,
    bg: Option<String>,
    bold: bool,
    faint: bool,
    italic: bool,
    underlined: bool,
    reversed: bool,
    struck: bool,
}

fn yes() -> bool {
    true
}

const DEFAULT: &str = include_str!("../../themes/default.toml");
const MONOCHROME: &str = include_str!("../../themes/monochrome.toml");

impl Default for Theme {
    /// The terminal's own colours.
    fn default() -> Self {
        Self::builtin(DEFAULT)
    }
}

impl Theme {
    /// Attributes only.
    pub fn monochrome() -> Self {
        Self::builtin(MONOCHROME)
    }

    /// The theme for what the environment asks for: `NO_COLOR` set and not empty, `TERM=dumb`.
    pub fn chosen(no_colour: bool, is_dumb: bool) -> Self {
        if no_colour || is_dumb { Self::monochrome() } else { Self::default() }
    }

    /// Reads a theme file. A role that is not in it is plain.
    pub fn parse(file: &str) -> Result<Self, ThemeError> {
        let file: File = toml::from_str(file)?;
        let mut roles = BTreeMap::new();
        for (role, look) in file.roles {
            roles.insert(role, look.style()?);
        }
        Ok(Self { name: file.name, colours: file.colours, roles })
    }

    /// What a role looks like.
    pub fn style(&self, role: Role) -> Style {
        self.roles.get(&role).copied().unwrap_or_default()
    }

    /// What log text looks like: weights always, colours where the theme has any.
    pub fn log(&self, style: text::Style) -> Style {
        let mut out = Style::new();
        if self.colours {
            out.fg = colour(style.fg);
            out.bg = colour(style.bg);
        }
        let weights = [
            (style.bold, Modifier::BOLD),
            (style.dim, Modifier::DIM),
            (style.italic, Modifier::ITALIC),
            (style.underline, Modifier::UNDERLINED),
            (style.reverse, Modifier::REVERSED),
            (style.struck, Modifier::CROSSED_OUT),
        ];
        weights.into_iter().filter(|(is, _)| *is).fold(out, |out, (_, modifier)| out.add_modifier(modifier))
    }

    /// A file of the program: a test reads each, so what is missing is plain rather than an end.
    fn builtin(file: &str) -> Self {
        Self::parse(file).unwrap_or(Self { name: String::new(), colours: false, roles: BTreeMap::new() })
    }
}

impl Look {
    fn style(&self) -> Result<Style, ThemeError> {
        let read = |name: &Option<String>| -> Result<Option<Color>, ThemeError> {
            let Some(name) = name else { return Ok(None) };
            Color::from_str(name).map(Some).map_err(|_| ThemeError::Colour(name.clone()))
        };
        let style = Style { fg: read(&self.fg)?, bg: read(&self.bg)?, ..Style::new() };
        let weights = [
            (self.bold, Modifier::BOLD),
            (self.faint, Modifier::DIM),
            (self.italic, Modifier::ITALIC),
            (self.underlined, Modifier::UNDERLINED),
            (self.reversed, Modifier::REVERSED),
            (self.struck, Modifier::CROSSED_OUT),
        ];
        let set = weights.into_iter().filter(|(is, _)| *is);
        Ok(set.fold(style, |style, (_, modifier)| style.add_modifier(modifier)))
    }
}

fn colour(colour: Colour) -> Option<Color> {
    Some(match colour {
        Colour::Default => return None,
        Colour::Ansi(number) | Colour::Indexed(number) => Color::Indexed(number),
        Colour::Rgb(red, green, blue) => Color::Rgb(red, green, blue),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_themes_of_the_program_can_be_read_and_name_every_role() {
        for file in [DEFAULT, MONOCHROME] {
            let theme = Theme::parse(file).unwrap();
            assert_eq!(theme.roles.len(), 17, "{}", theme.name);
        }
    }

    #[test]
    fn monochrome_has_no_colour_and_paints_no_background() {
        let theme = Theme::monochrome();
        assert!(theme.roles.values().all(|style| style.fg.is_none() && style.bg.is_none()));
        assert_eq!(theme.log(text::Style { fg: Colour::Ansi(1), ..text::Style::default() }), Style::new());
    }

    #[test]
    fn the_environment_chooses() {
        assert_eq!(Theme::chosen(false, false).name, "default");
        assert_eq!(Theme::chosen(true, false).name, "monochrome");
        assert_eq!(Theme::chosen(false, true).name, "monochrome");
    }

    #[test]
    fn a_wrong_theme_says_what_is_wrong() {
        let unknown = Theme::parse("name = \"x\"\n[roles]\ntext = { fg = \"mauve-ish\" }").unwrap_err();
        assert!(unknown.to_string().contains("`mauve-ish` is no colour"));
        assert!(Theme::parse("name = \"x\"\n[roles]\ntxet = {}").is_err());
    }
}
