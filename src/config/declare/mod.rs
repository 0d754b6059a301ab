//! What a team file says, key by key and with places, before anything is looked up or spliced.

mod agent;
mod task;

use toml::de::DeTable;

pub(super) use agent::AgentDecl;
pub(super) use task::{EdgeDecl, TaskDecl};

use super::report::{Report, Said};
use super::schema::Scope;
use super::splice::Style;
use super::string::Text;
use super::table::{Entry, Table};

/// The whole file.
#[derive(Debug)]
pub(super) struct TeamDecl {
    pub name: Option<Text>,
    pub title: Option<Text>,
    pub goal: Option<Text>,
    pub workspace: Option<Text>,
    pub env: Vec<Text>,
    pub limits: LimitDecl,
    pub lead: Option<LeadDecl>,
    pub agents: Vec<(Text, AgentDecl)>,
    pub members: Vec<MemberDecl>,
    pub tasks: Vec<TaskDecl>,
}

/// `[limits]`.
#[derive(Debug, Default)]
pub(super) struct LimitDecl {
    pub parallel: Option<Said<u32>>,
    pub time: Option<Said<u64>>,
    pub money: Option<Said<u64>>,
    pub hops: Option<Said<u32>>,
    pub pair: Option<Said<u32>>,
    pub grace: Option<Said<u64>>,
}

/// `[lead]`.
#[derive(Debug)]
pub(super) struct LeadDecl {
    pub key: Text,
    pub agent: Option<Text>,
    pub own: AgentDecl,
    pub prompt: Option<Text>,
    pub outputs: Vec<Text>,
    pub checks: Vec<Text>,
}

/// `[members.NAME]`.
#[derive(Debug, Clone)]
pub(super) struct MemberDecl {
    pub agent: Option<Text>,
    pub each: Option<Said<Vec<Text>>>,
    pub own: AgentDecl,
    pub task: TaskDecl,
}

/// Reads a team file's tables.
pub(super) struct Reader<'a, 'r, 'f> {
    report: &'f mut Report<'r>,
    top: Table<'a>,
    first_header: Option<usize>,
}

impl<'a, 'r: 'a, 'f> Reader<'a, 'r, 'f> {
    /// Reads the top of a file.
    pub fn new(tree: &'a DeTable<'a>, report: &'f mut Report<'r>) -> Self {
        let source = report.source();
        let lines = 1..=source.place(source.text().len()..source.text().len()).line;
        let tables = super::table::entries(tree, source.text());
        let first = tables.iter().filter(|entry| entry.value.get_ref().is_table());
        let first = first.map(|entry| source.place(entry.key.at.clone()).line).min();
        let first_header =
            first.filter(|line| lines.contains(line) && source.line(*line).trim_start().starts_with('['));
        let top = Table::open(Scope::Team, tree, first_header, report);
        Self { report, top, first_header }
    }

    /// The variables of the file; what is no text was reported.
    pub fn vars(&mut self) -> Vec<(Text, Text)> {
        let mut vars = Vec::new();
        for entry in self.top.entries_of("vars") {
            match super::table::text(entry.value, self.report.source().text()) {
                Some(text) => vars.push((entry.key, text)),
                None => self.refuse_var(&entry),
            }
        }
        vars
    }

    /// The team.
    pub fn team(mut self) -> TeamDecl {
        let agents = self.top.entries_of("agents");
        let members = self.top.entries_of("members");
        let tasks = self.top.entries_of("tasks");
        TeamDecl {
            name: self.top.text("name"),
            title: self.top.text("title"),
            goal: self.top.text("goal"),
            workspace: self.top.text("workspace"),
            env: self.top.texts("env").map(|said| said.value).unwrap_or_default(),
            limits: self.limits(),
            lead: self.lead(),
            agents: agents.into_iter().map(|entry| self.agent(entry)).collect(),
            members: members.into_iter().map(|entry| self.member(entry)).collect(),
            tasks: tasks.into_iter().map(|entry| self.task(entry)).collect(),
        }
    }

    fn open(&mut self, scope: Scope, entry: &Entry<'a>) -> Option<Table<'a>> {
        let table = entry.value.get_ref().as_table()?;
        Some(Table::open(scope, table, self.first_header, self.report))
    }

    fn limits(&mut self) -> LimitDecl {
        let Some(entry) = self.top.entry("limits").cloned() else { return LimitDecl::default() };
        let Some(table) = self.open(Scope::Limits, &entry) else { return LimitDecl::default() };
        LimitDecl {
            parallel: table.whole("parallel"),
            time: table.duration("time"),
            money: table.money("money"),
            hops: table.whole("hops"),
            pair: table.whole("pair"),
            grace: table.duration("grace"),
        }
    }

    fn lead(&mut self) -> Option<LeadDecl> {
        let entry = self.top.entry("lead").cloned()?;
        let table = self.open(Scope::Lead, &entry)?;
        let texts = |key| table.texts(key).map(|said| said.value).unwrap_or_default();
        Some(LeadDecl {
            key: entry.key,
            agent: table.text("agent"),
            own: AgentDecl::read(&table),
            prompt: table.text("prompt"),
            outputs: texts("outputs"),
            checks: texts("checks"),
        })
    }

    fn agent(&mut self, entry: Entry<'a>) -> (Text, AgentDecl) {
        let table = self.open(Scope::Agent, &entry);
        (entry.key, table.map(|table| AgentDecl::read(&table)).unwrap_or_default())
    }

    fn member(&mut self, entry: Entry<'a>) -> MemberDecl {
        let table = self.table_of(Scope::Member, &entry);
        MemberDecl {
            agent: table.text("agent"),
            each: table.texts("each"),
            own: AgentDecl::read(&table),
            task: TaskDecl::read(entry.key, &table, self.report),
        }
    }

    fn task(&mut self, entry: Entry<'a>) -> TaskDecl {
        let table = self.table_of(Scope::Task, &entry);
        TaskDecl::read(entry.key, &table, self.report)
    }

    /// The table of an entry that the schema knows to be one.
    fn table_of(&mut self, scope: Scope, entry: &Entry<'a>) -> Table<'a> {
        self.open(scope, entry).unwrap_or_default()
    }

    fn refuse_var(&mut self, entry: &Entry<'a>) {
        let name = &entry.key.value;
        let what = super::table::phrase(entry.value.get_ref());
        let message = format!("variable `{name}` takes text in quotes, not {what}");
        let help = match (Scope::Team.key(name), self.first_header) {
            (Some(_), Some(line)) => {
                vec![format!("if you mean the team's `{name}`, move it above line {line}")]
            }
            _ => Vec::new(),
        };
        self.report.error("wrong_type", &entry.value.span(), &message, &help);
    }
}

impl LeadDecl {
    /// Every text in which variables stand.
    pub fn texts(&mut self, visit: &mut dyn FnMut(&mut Text, Style)) {
        self.own.texts(visit);
        for text in self.prompt.iter_mut().chain(&mut self.outputs) {
            visit(text, Style::Plain);
        }
        for check in &mut self.checks {
            visit(check, Style::Shell);
        }
    }
}
