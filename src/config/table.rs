//! A table of the file: its keys in the order written, checked against the schema, its values read by their kind.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::report::{At, Report, Said};
use super::schema::{Kind, Scope, refuse_key};
use super::string::Text;
use crate::text::quantity::{parse_duration, parse_money};

/// A key and its value.
#[derive(Debug, Clone)]
pub(super) struct Entry<'a> {
    /// The key.
    pub key: Text,
    /// The value.
    pub value: &'a Spanned<DeValue<'a>>,
}

#[derive(Default)]
/// A table whose keys are known and whose values have the kind the schema says; others were reported and left out.
pub(super) struct Table<'a> {
    entries: Vec<Entry<'a>>,
    refused: Vec<&'static str>,
    source: &'a str,
}

impl<'a> Table<'a> {
    /// Checks the keys and values of a table.
    pub fn open<'r: 'a>(
        scope: Scope,
        table: &'a DeTable<'a>,
        first_header: Option<usize>,
        report: &mut Report<'r>,
    ) -> Self {
        let source = report.source().text();
        let (mut entries, mut refused) = (entries(table, source), Vec::new());
        entries.retain(|entry| {
            let Some(key) = scope.key(&entry.key.value) else {
                if report.skips_error() {
                    return false;
                }
                let (code, message, help) = refuse_key(scope, &entry.key.value, first_header);
                report.error(code, &entry.key.at, &message, &[help]);
                return false;
            };
            let Err((at, why)) = check(key.kind, entry.value) else { return true };
            let message = match why {
                Why::Not(what) => format!("`{}` takes {}, not {what}", key.name, key.kind.phrase()),
                Why::Quantity(why) => format!("`{}`: {why}", key.name),
            };
            report.error("wrong_type", &at, &message, &[]);
            refused.push(key.name);
            false
        });
        Self { entries, refused, source }
    }

    /// The entry of a key.
    pub fn entry(&self, key: &str) -> Option<&Entry<'a>> {
        self.entries.iter().find(|entry| entry.key.value == key)
    }

    /// Was one of these keys there with a value of the wrong kind?
    pub fn has_refused(&self, keys: &[&str]) -> bool {
        self.refused.iter().any(|key| keys.contains(key))
    }

    /// The first of these keys that is there.
    pub fn first_of(&self, keys: &[&str]) -> Option<&Entry<'a>> {
        self.entries.iter().find(|entry| keys.contains(&entry.key.value.as_str()))
    }

    /// A text.
    pub fn text(&self, key: &str) -> Option<Text> {
        text(self.entry(key)?.value, self.source)
    }

    /// A list of texts and where it stands.
    pub fn texts(&self, key: &str) -> Option<Said<Vec<Text>>> {
        let value = self.entry(key)?.value;
        Some(Said { value: texts(value, self.source), at: value.span() })
    }

    /// Lists of lines: one list stands for a list of one.
    pub fn lines(&self, key: &str) -> Option<Said<Vec<Vec<Text>>>> {
        let value = self.entry(key)?.value;
        let items = value.get_ref().as_array()?;
        let nested = items.iter().next().is_some_and(|item| item.get_ref().is_array());
        let lists = if nested {
            items.iter().map(|item| texts(item, self.source)).collect()
        } else {
            vec![texts(value, self.source)]
        };
        Some(Said { value: lists, at: value.span() })
    }

    /// `true` or `false`.
    pub fn flag(&self, key: &str) -> Option<bool> {
        self.entry(key)?.value.get_ref().as_bool()
    }

    /// A whole number that the schema bounds.
    pub fn whole<T: TryFrom<i64>>(&self, key: &str) -> Option<Said<T>> {
        let value = self.entry(key)?.value;
        let number = T::try_from(whole(value.get_ref())?).ok()?;
        Some(Said { value: number, at: value.span() })
    }

    /// Milliseconds.
    pub fn duration(&self, key: &str) -> Option<Said<u64>> {
        let value = self.entry(key)?.value;
        Some(Said { value: parse_duration(value.get_ref().as_str()?).ok()?, at: value.span() })
    }

    /// Micro-dollars.
    pub fn money(&self, key: &str) -> Option<Said<u64>> {
        let value = self.entry(key)?.value;
        Some(Said { value: parse_money(value.get_ref().as_str()?).ok()?, at: value.span() })
    }

    /// Exit codes.
    pub fn exits(&self, key: &str) -> Option<Said<Vec<i32>>> {
        let value = self.entry(key)?.value;
        let codes = value.get_ref().as_array()?.iter().filter_map(|item| whole(item.get_ref()));
        Some(Said { value: codes.filter_map(|code| i32::try_from(code).ok()).collect(), at: value.span() })
    }

    /// A table.
    pub fn table(&self, key: &str) -> Option<&'a DeTable<'a>> {
        self.entry(key)?.value.get_ref().as_table()
    }

    /// The entries of a table, in the order written.
    pub fn entries_of(&self, key: &str) -> Vec<Entry<'a>> {
        self.table(key).map(|table| entries(table, self.source)).unwrap_or_default()
    }
}

/// The entries of a table, in the order written.
pub(super) fn entries<'a>(table: &'a DeTable<'a>, source: &str) -> Vec<Entry<'a>> {
    let mut entries: Vec<Entry<'a>> = table
        .iter()
        .map(|(key, value)| {
            let raw = source.get(key.span()).unwrap_or_default();
            Entry { key: Text::read(key.get_ref(), raw, key.span()), value }
        })
        .collect();
    entries.sort_by_key(|entry| entry.key.at.start);
    entries
}

/// A value that is text.
pub(super) fn text(value: &Spanned<DeValue<'_>>, source: &str) -> Option<Text> {
    let raw = source.get(value.span()).unwrap_or_default();
    Some(Text::read(value.get_ref().as_str()?, raw, value.span()))
}

fn texts(value: &Spanned<DeValue<'_>>, source: &str) -> Vec<Text> {
    let items = value.get_ref().as_array().into_iter().flatten();
    items.filter_map(|item| text(item, source)).collect()
}

fn whole(value: &DeValue<'_>) -> Option<i64> {
    let number = value.as_integer()?;
    i64::from_str_radix(&number.as_str().replace('_', ""), number.radix()).ok()
}

/// What a value is, in words.
pub(super) fn phrase(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with a point",
        DeValue::Boolean(_) => "`true` or `false`",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

type Refused = (At, Why);

/// Why a value is refused.
enum Why {
    /// It is of another kind, in words.
    Not(String),
    /// It is text, and no such quantity.
    Quantity(String),
}

fn check(kind: Kind, value: &Spanned<DeValue<'_>>) -> Result<(), Refused> {
    match kind {
        Kind::Text => when(value, value.get_ref().is_str()),
        Kind::Flag => when(value, value.get_ref().is_bool()),
        Kind::Table => when(value, value.get_ref().is_table()),
        Kind::Tables => each_table(value),
        Kind::Texts => each(value, |item| when(item, item.get_ref().is_str())),
        Kind::Edges => each(value, |item| when(item, item.get_ref().is_str() || item.get_ref().is_table())),
        Kind::Exits => each(value, |item| bounded(item, 0, 255)),
        Kind::Lines => lines(value),
        Kind::Whole(from, to) => bounded(value, from, to),
        Kind::Duration => {
            quantity(value, |text| parse_duration(text).err().map(|why| Why::Quantity(why.to_string())))
        }
        Kind::Money => {
            quantity(value, |text| parse_money(text).err().map(|why| Why::Quantity(why.to_string())))
        }
        Kind::Word(words) => quantity(value, |text| {
            let near = || crate::text::nearest(text, words.iter().copied());
            let hint = || near().map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default();
            (!words.contains(&text)).then(|| Why::Not(format!("`{text}`{}", hint())))
        }),
    }
}

fn when(value: &Spanned<DeValue<'_>>, fits: bool) -> Result<(), Refused> {
    if fits { Ok(()) } else { Err((value.span(), Why::Not(phrase(value.get_ref()).to_owned()))) }
}

fn each(
    value: &Spanned<DeValue<'_>>,
    fits: impl Fn(&Spanned<DeValue<'_>>) -> Result<(), Refused>,
) -> Result<(), Refused> {
    when(value, value.get_ref().is_array())?;
    value.get_ref().as_array().into_iter().flatten().try_for_each(fits)
}

fn each_table(value: &Spanned<DeValue<'_>>) -> Result<(), Refused> {
    when(value, value.get_ref().is_table())?;
    let items = value.get_ref().as_table().into_iter().flatten();
    items.map(|(_, item)| item).try_for_each(|item| when(item, item.get_ref().is_table()))
}

fn lines(value: &Spanned<DeValue<'_>>) -> Result<(), Refused> {
    when(value, value.get_ref().is_array())?;
    let items = || value.get_ref().as_array().into_iter().flatten();
    let nested = items().next().is_some_and(|item| item.get_ref().is_array());
    items().try_for_each(|item| {
        if nested != item.get_ref().is_array() && (nested == item.get_ref().is_str()) {
            return Err((item.span(), Why::Not("both".to_owned())));
        }
        if nested {
            each(item, |line| when(line, line.get_ref().is_str()))
        } else {
            when(item, item.get_ref().is_str())
        }
    })
}

fn bounded(value: &Spanned<DeValue<'_>>, from: i64, to: i64) -> Result<(), Refused> {
    when(value, value.get_ref().is_integer())?;
    match whole(value.get_ref()) {
        Some(number) if (from..=to).contains(&number) => Ok(()),
        Some(number) => Err((value.span(), Why::Not(number.to_string()))),
        None => Err((value.span(), Why::Not("one so large".to_owned()))),
    }
}

fn quantity(value: &Spanned<DeValue<'_>>, wrong: impl Fn(&str) -> Option<Why>) -> Result<(), Refused> {
    when(value, value.get_ref().is_str())?;
    match value.get_ref().as_str().and_then(wrong) {
        Some(why) => Err((value.span(), why)),
        None => Ok(()),
    }
}
