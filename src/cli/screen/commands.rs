//! The table of commands, as the palette uses it.
use crate::app::{Checked, Commands, Completion, Entry, Names};
use crate::verbs::{self, Named};

/// The one table.
pub struct Table;

impl Commands for Table {
    fn rank(&self, query: &str, recent: &[String]) -> Vec<Entry> {
        let ids: Vec<&str> = recent.iter().filter_map(|line| line.split_whitespace().next()).collect();
        verbs::rank(query, &ids).into_iter().map(entry).collect()
    }

    fn complete(&self, line: &str, cursor: usize, names: &Names) -> Vec<Completion> {
        let found = verbs::complete(line, cursor, &known(names));
        let way =
            |c: verbs::Candidate| Completion { span: c.span.start..c.span.end, text: c.insert, help: c.note };
        found.into_iter().map(way).collect()
    }

    fn form(&self, line: &str) -> Option<(String, String)> {
        let verb = verbs::find(line.split_whitespace().next()?)?;
        Some((verb.usage(), verb.title.to_owned()))
    }

    fn check(&self, line: &str, names: &Names) -> Option<Checked> {
        match verbs::parse_line(line, false) {
            Ok(Some(_)) => None,
            Ok(None) => Some(missing(line, "a command")),
            Err(error) => {
                if let Some(needed) = verbs::needs(line).filter(|_| error.span.start >= line.trim_end().len())
                {
                    return Some(missing(line, &needed));
                }
                let typed = line.get(error.span.start..error.span.end).unwrap_or_default();
                let fix = nearest(typed, names);
                let next = error.help.first().map_or_else(String::new, |help| format!("; {help}"));
                Some(Checked {
                    span: error.span.start..error.span.end,
                    message: format!("{}{next}", error.what),
                    fix,
                })
            }
        }
    }
}

fn entry(ranked: verbs::Ranked) -> Entry {
    let length = ranked.verb.id.chars().count();
    let found =
        ranked.matched.iter().filter_map(|at| usize::try_from(*at).ok()).filter(|at| *at < length).collect();
    Entry {
        id: ranked.verb.id.to_owned(),
        help: ranked.verb.title.to_owned(),
        key: ranked.verb.key.map(str::to_owned),
        found,
    }
}

fn missing(line: &str, needed: &str) -> Checked {
    Checked { span: line.len()..line.len(), message: format!("needs {needed}"), fix: None }
}

fn nearest(typed: &str, names: &Names) -> Option<String> {
    let tasks = names.tasks.iter().map(|(name, _)| name.as_str());
    let all = tasks.chain(names.members.iter().map(|(name, _)| name.as_str()));
    crate::text::nearest(typed, all).map(str::to_owned)
}

fn known(names: &Names) -> verbs::Names {
    let named = |list: &[(String, String)]| list.iter().map(|(name, note)| Named::new(name, note)).collect();
    verbs::Names {
        tasks: named(&names.tasks),
        members: named(&names.members),
        teams: names.teams.iter().map(|name| Named::new(name, "")).collect(),
        agents: Vec::new(),
    }
}
