//! How work is declared: the keys of `[tasks.NAME]`, and of a member that has a brief.

use crate::config::report::{Report, Said};
use crate::config::schema::Scope;
use crate::config::splice::Style;
use crate::config::string::Text;
use crate::config::table::{Table, text};
use crate::domain::Needs;

/// The keys of a task.
#[derive(Debug, Clone)]
pub(in crate::config) struct TaskDecl {
    pub name: Text,
    pub title: Option<Text>,
    pub prompt: Option<Text>,
    pub assignee: Option<Text>,
    pub depends_on: Vec<EdgeDecl>,
    pub priority: i32,
    pub optional: bool,
    pub outputs: Vec<Text>,
    pub checks: Vec<Text>,
    pub review: Vec<Text>,
    pub default: Option<Text>,
    /// The first key that has no meaning without work.
    pub needs_work: Option<Text>,
    /// Its prompt was of the wrong kind, and reported.
    pub is_broken: bool,
}

/// One edge.
#[derive(Debug, Clone)]
pub(in crate::config) struct EdgeDecl {
    pub on: Text,
    pub needs: Needs,
}

const WORK_KEYS: [&str; 8] =
    ["depends_on", "needs", "priority", "optional", "outputs", "checks", "review", "default"];

impl TaskDecl {
    /// Reads a task's keys.
    pub fn read<'r: 'a, 'a>(name: Text, table: &Table<'a>, report: &mut Report<'r>) -> Self {
        let texts = |key| table.texts(key).map(|said| said.value).unwrap_or_default();
        Self {
            name,
            title: table.text("title"),
            prompt: table.text("prompt"),
            assignee: table.text("assignee"),
            priority: table.whole("priority").map_or(0, |said: Said<i32>| said.value),
            optional: table.flag("optional").unwrap_or_default(),
            outputs: texts("outputs"),
            checks: texts("checks"),
            review: texts("review"),
            default: table.text("default"),
            needs_work: table.first_of(&WORK_KEYS).map(|entry| entry.key.clone()),
            is_broken: table.has_refused(&["prompt"]),
            depends_on: edges(table, report),
        }
    }

    /// Every text in which variables stand.
    pub fn texts(&mut self, visit: &mut dyn FnMut(&mut Text, Style)) {
        let single = self.title.iter_mut().chain(&mut self.prompt).chain(&mut self.assignee);
        let lists = self.outputs.iter_mut().chain(&mut self.review).chain(&mut self.default);
        let edges = self.depends_on.iter_mut().map(|edge| &mut edge.on);
        for text in single.chain(lists).chain(edges) {
            visit(text, Style::Plain);
        }
        for check in &mut self.checks {
            visit(check, Style::Shell);
        }
    }
}

/// The edges of `depends_on`; `needs` beside it is the default of its plain names.
fn edges<'r: 'a, 'a>(table: &Table<'a>, report: &mut Report<'r>) -> Vec<EdgeDecl> {
    let plain = needs(table).unwrap_or_default();
    let Some(entry) = table.entry("depends_on") else {
        if let Some(entry) = table.entry("needs") {
            let help = "write `depends_on`, or take it out".to_owned();
            let message = "`needs` has no meaning without `depends_on`";
            report.error("no_meaning", &entry.key.at, message, &[help]);
        }
        return Vec::new();
    };
    let source = report.source().text();
    let mut edges = Vec::new();
    for item in entry.value.get_ref().as_array().into_iter().flatten() {
        if let Some(on) = text(item, source) {
            edges.push(EdgeDecl { on, needs: plain });
        }
        let Some(fields) = item.get_ref().as_table() else { continue };
        let fields = Table::open(Scope::Edge, fields, None, report);
        match fields.text("task") {
            Some(on) => edges.push(EdgeDecl { on, needs: needs(&fields).unwrap_or_default() }),
            None if fields.entry("task").is_none() => {
                let help = "write `{ task = \"NAME\", needs = \"finished\" }`".to_owned();
                report.error("missing_key", &item.span(), "this edge names no task", &[help]);
            }
            None => {}
        }
    }
    edges
}

fn needs(table: &Table<'_>) -> Option<Needs> {
    let word = table.text("needs")?.value;
    Some(if word == "finished" { Needs::Finished } else { Needs::Completed })
}
