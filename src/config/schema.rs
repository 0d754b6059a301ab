//! Every key of a team file in one table: where it belongs, what it takes, what it means. Errors about keys and
//! `teamtui help file` are made from it.

use std::fmt::Write as _;

use crate::text;

/// Where a key stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The top of the file.
    Team,
    /// `[limits]`.
    Limits,
    /// `[lead]`.
    Lead,
    /// `[agents.NAME]`.
    Agent,
    /// `[members.NAME]`.
    Member,
    /// `[tasks.NAME]`.
    Task,
    /// A table in `depends_on`.
    Edge,
}

/// What a key takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Any text.
    Text,
    /// A list of texts.
    Texts,
    /// `true` or `false`.
    Flag,
    /// A whole number within these bounds.
    Whole(i64, i64),
    /// Text that is a duration.
    Duration,
    /// Text that is money.
    Money,
    /// One of these words.
    Word(&'static [&'static str]),
    /// Names and tables `{ task, needs }`.
    Edges,
    /// Lines, or a list of lists of them.
    Lines,
    /// Exit codes.
    Exits,
    /// A table of its own.
    Table,
    /// A table of tables, one a name.
    Tables,
}

/// One key.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// As it is written.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// Where it belongs.
    pub scopes: &'static [Scope],
    /// What it means, in a few words.
    pub meaning: &'static str,
}

/// Attempts after the first that a file may ask for: more is a loop, not a retry.
pub const MAX_RETRIES: i64 = 100;
/// Drivers of this build.
pub const DRIVERS: [&str; 3] = ["process", "scripted", "human"];
/// Drivers that are known words, and that this build does not have.
pub const MODEL_DRIVERS: [&str; 3] = ["anthropic", "openai", "acp"];

const U32: i64 = 4_294_967_295;
const CHAIR: &[Scope] = &[Scope::Lead, Scope::Agent, Scope::Member];
const WORK: &[Scope] = &[Scope::Member, Scope::Task];
const GOAL: &[Scope] = &[Scope::Lead, Scope::Member, Scope::Task];

const fn key(name: &'static str, kind: Kind, scopes: &'static [Scope], meaning: &'static str) -> Key {
    Key { name, kind, scopes, meaning }
}

/// The table.
pub const KEYS: &[Key] = &[
    key("name", Kind::Text, &[Scope::Team], "the team's name, unique among live teams; needed"),
    key("title", Kind::Text, &[Scope::Team, Scope::Member, Scope::Task], "shown beside the name"),
    key("goal", Kind::Text, &[Scope::Team], "shown, and given to every member"),
    key("workspace", Kind::Text, &[Scope::Team], "the folder members work in; default: the project"),
    key(
        "env",
        Kind::Texts,
        &[Scope::Team, Scope::Lead, Scope::Agent, Scope::Member],
        "environment handed on: `NAME`, `PREFIX_*`, `NAME=value`; all levels add up",
    ),
    key("vars", Kind::Table, &[Scope::Team], "texts for `{{ vars.NAME }}`; `--set NAME=value`"),
    key("limits", Kind::Table, &[Scope::Team], "what the team may use"),
    key("lead", Kind::Table, &[Scope::Team], "who leads; default: whoever runs it"),
    key("agents", Kind::Tables, &[Scope::Team], "agents that members name"),
    key("members", Kind::Tables, &[Scope::Team], "chairs, and the work of each"),
    key("tasks", Kind::Tables, &[Scope::Team], "more work for those who have a chair"),
    key("parallel", Kind::Whole(0, U32), &[Scope::Limits], "live attempts at once; default 8"),
    key("money", Kind::Money, &[Scope::Limits], "most the team may spend; default: no cap"),
    key("hops", Kind::Whole(0, U32), &[Scope::Limits], "longest chain of messages; default 10"),
    key("pair", Kind::Whole(0, U32), &[Scope::Limits], "messages between one pair; default 100"),
    key("grace", Kind::Duration, &[Scope::Limits], "from asking to stop to ending; default 10s"),
    key("agent", Kind::Text, &[Scope::Lead, Scope::Member], "an agent of `[agents]`; own keys win"),
    key("each", Kind::Texts, &[Scope::Member], "one member `NAME-VALUE` a value; `{{ each }}`"),
    key("driver", Kind::Text, CHAIR, "process, scripted or human; follows from the keys below"),
    key("run", Kind::Text, CHAIR, "one shell line; exit 0 completes"),
    key("argv", Kind::Texts, CHAIR, "a program and its arguments, no shell"),
    key("script", Kind::Lines, CHAIR, "lines of the script language; lists of lines: one an attempt"),
    key("stdin", Kind::Word(&["null", "prompt"]), CHAIR, "what a process reads; default null"),
    key("model", Kind::Text, CHAIR, "for drivers with a model"),
    key("base_url", Kind::Text, CHAIR, "for drivers with a model"),
    key("tools", Kind::Texts, CHAIR, "for drivers with a model"),
    key("instructions", Kind::Text, CHAIR, "given to the agent above the goal"),
    key("cwd", Kind::Text, CHAIR, "its folder; default: the workspace"),
    key(
        "time",
        Kind::Duration,
        &[Scope::Limits, Scope::Lead, Scope::Agent, Scope::Member],
        "wall clock: of the team (headless 60m), of one attempt (30m, human: none)",
    ),
    key("stall", Kind::Duration, CHAIR, "silence that is shown; default 5m, 0s: never"),
    key("stall_action", Kind::Word(&["tell", "fail"]), CHAIR, "what a stall does; default tell"),
    key("stop", Kind::Word(&["TERM", "INT", "HUP", "QUIT"]), CHAIR, "asks to stop; default TERM"),
    key("steps", Kind::Whole(1, U32), CHAIR, "steps of one attempt or turn; default 200"),
    key("rerun", Kind::Word(&["ask", "safe"]), CHAIR, "after a crash: your choice, or by itself"),
    key("retries", Kind::Whole(0, MAX_RETRIES), CHAIR, "attempts after a failed one; default 0"),
    key("cost", Kind::Money, CHAIR, "reserved for one attempt; default 0"),
    key("exit", Kind::Exits, CHAIR, "exit codes that complete; default [0]"),
    key(
        "unconfirmed",
        Kind::Word(&["review", "accept"]),
        CHAIR,
        "ended without `complete`: to be reviewed, or its last text is the result",
    ),
    key("assignee", Kind::Text, &[Scope::Task], "the member who does it; default: whoever claims it"),
    key("prompt", Kind::Text, GOAL, "what is asked"),
    key("depends_on", Kind::Edges, WORK, "names, or `{ task = NAME, needs = .. }`"),
    key("task", Kind::Text, &[Scope::Edge], "what is waited for"),
    key(
        "needs",
        Kind::Word(&["completed", "finished"]),
        &[Scope::Member, Scope::Task, Scope::Edge],
        "its result, or only its end; beside `depends_on`: of its plain names",
    ),
    key("priority", Kind::Whole(-2_147_483_648, 2_147_483_647), WORK, "higher starts first; default 0"),
    key("optional", Kind::Flag, WORK, "may fail without failing the team"),
    key("outputs", Kind::Texts, GOAL, "files it must write, in the workspace"),
    key("checks", Kind::Texts, GOAL, "shell lines that must exit 0"),
    key("review", Kind::Texts, WORK, "who reviews it, in turn: members, `lead`, `person`"),
    key("default", Kind::Text, WORK, "for a person: the answer that headless runs take"),
];

impl Scope {
    /// Every scope, in the order of a file.
    pub const ALL: [Self; 7] =
        [Self::Team, Self::Limits, Self::Lead, Self::Agent, Self::Member, Self::Task, Self::Edge];

    /// What it is called: `a member`.
    pub fn phrase(self) -> &'static str {
        match self {
            Self::Team => "the team",
            Self::Limits => "the limits",
            Self::Lead => "the lead",
            Self::Agent => "an agent",
            Self::Member => "a member",
            Self::Task => "a task",
            Self::Edge => "an edge",
        }
    }

    /// Its header in a file.
    pub fn header(self) -> &'static str {
        match self {
            Self::Team => "at the top, before any `[table]`",
            Self::Limits => "[limits]",
            Self::Lead => "[lead]",
            Self::Agent => "[agents.NAME]",
            Self::Member => "[members.NAME]",
            Self::Task => "[tasks.NAME]",
            Self::Edge => "depends_on = [{ .. }]",
        }
    }

    /// Its keys, in the order of the table.
    pub fn keys(self) -> impl Iterator<Item = &'static Key> {
        KEYS.iter().filter(move |key| key.scopes.contains(&self))
    }

    /// The key of that name here.
    pub fn key(self, name: &str) -> Option<&'static Key> {
        self.keys().find(|key| key.name == name)
    }
}

impl Kind {
    /// What it takes, in words.
    pub fn phrase(self) -> String {
        match self {
            Self::Text => "text in quotes".to_owned(),
            Self::Texts => "a list of texts".to_owned(),
            Self::Flag => "`true` or `false`".to_owned(),
            Self::Whole(0, U32) => "a whole number".to_owned(),
            Self::Whole(1, U32) => "a whole number from 1".to_owned(),
            Self::Whole(from, _) if from < 0 => "a whole number".to_owned(),
            Self::Whole(from, to) => format!("a whole number from {from} to {to}"),
            Self::Duration => "a duration such as \"1m30s\"".to_owned(),
            Self::Money => "money such as \"2.00 USD\"".to_owned(),
            Self::Word(words) => {
                let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
                quoted.join(" or ")
            }
            Self::Edges => {
                "a list of names and tables `{ task = \"NAME\", needs = \"finished\" }`".to_owned()
            }
            Self::Lines => "a list of lines, or a list of lists of lines".to_owned(),
            Self::Exits => "a list of exit codes from 0 to 255".to_owned(),
            Self::Table => "a table".to_owned(),
            Self::Tables => "tables, one a name".to_owned(),
        }
    }
}

/// Why a key is refused here, and what to do; `first_header` is the line of the file's first table.
pub fn refuse_key(scope: Scope, name: &str, first_header: Option<usize>) -> (&'static str, String, String) {
    let elsewhere = KEYS.iter().find(|key| key.name == name);
    if let Some(key) = elsewhere {
        let message = format!("key `{name}` does not belong in {}", scope.phrase());
        return ("misplaced_key", message, move_key(scope, key, first_header));
    }
    let here = text::nearest(name, scope.keys().map(|key| key.name));
    let help = match (here, text::nearest(name, KEYS.iter().map(|key| key.name))) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, Some(near)) => {
            let owners = KEYS.iter().find(|key| key.name == near).map(owners).unwrap_or_default();
            format!("did you mean `{near}`, a key of {owners}?")
        }
        (None, None) => {
            let names: Vec<&str> = scope.keys().map(|key| key.name).collect();
            format!("keys of {}: {}", scope.phrase(), names.join(" "))
        }
    };
    ("unknown_key", format!("unknown key `{name}` in {}", scope.phrase()), help)
}

fn move_key(scope: Scope, key: &Key, first_header: Option<usize>) -> String {
    let instead = match (key.name, scope) {
        ("goal", Scope::Member | Scope::Task | Scope::Lead) => ", or use `prompt`",
        ("goal", Scope::Agent) => ", or use `instructions`",
        ("name", _) => ", or use `title`: the table's own name is its name",
        _ => "",
    };
    let target = match (key.scopes.first(), first_header) {
        (Some(Scope::Team), Some(line)) => format!("move it above line {line}"),
        (Some(Scope::Team), None) | (None, _) => "move it to the top of the file".to_owned(),
        (Some(Scope::Edge), _) => "write it inside `depends_on = [{ .. }]`".to_owned(),
        (Some(first), _) => format!("move it under `{}`", first.header()),
    };
    format!("it is a key of {}: {target}{instead}", owners(key))
}

fn owners(key: &Key) -> String {
    let phrases: Vec<&str> = key.scopes.iter().map(|scope| scope.phrase()).collect();
    match phrases.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => phrases.concat(),
    }
}

/// The text of `teamtui help file`.
pub fn help_file() -> String {
    let mut out = "A team file is TOML. Every key but `name` may be left out.\n".to_owned();
    for scope in Scope::ALL {
        // Writing to a string does not fail.
        let _ = writeln!(out, "\n{} ({})", scope.phrase(), scope.header());
        for key in scope.keys().filter(|key| is_told(scope, key)) {
            let _ = writeln!(out, "  {:<13} {}", key.name, key.meaning);
            let _ = writeln!(out, "  {:<13}   takes {}", "", key.kind.phrase());
        }
        if let Some(also) = told_elsewhere(scope) {
            let _ = writeln!(out, "  {also}");
        }
    }
    out.push_str("\nPaths are relative to the file. `{{ vars.NAME }}` and `{{ each }}` stand for texts; in `run` and `checks` as one quoted word.\n");
    out
}

/// Keys that a scope shares are told once.
fn is_told(scope: Scope, key: &Key) -> bool {
    let by_agent = matches!(scope, Scope::Lead | Scope::Member) && key.scopes.contains(&Scope::Agent);
    let by_task = matches!(scope, Scope::Lead | Scope::Member) && key.scopes.contains(&Scope::Task);
    !by_agent && !by_task
}

fn told_elsewhere(scope: Scope) -> Option<&'static str> {
    match scope {
        Scope::Lead => Some("and every key of an agent; prompt, outputs and checks of a task"),
        Scope::Member => Some("and every key of an agent, and of a task but assignee"),
        _ => None,
    }
}
