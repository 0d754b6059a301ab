//! The keys of the table, and the slots that many verbs share.
use super::verb::{Key, Kind, Slot};

/// Every verb has it.
pub const TEAM: Key = key("team", "TEAM", Kind::Team, "another team than the one that is meant anyway");

const fn key(name: &'static str, value: &'static str, kind: Kind, about: &'static str) -> Key {
    Key { name, value, kind, required: false, about }
}

const fn required(mut key: Key) -> Key {
    key.required = true;
    key
}

/// A place that must be filled.
pub(super) const fn slot(name: &'static str, kind: Kind) -> Slot {
    Slot { name, kind, required: true, lead: &[] }
}

/// A place that may be left out.
pub(super) const fn maybe(name: &'static str, kind: Kind) -> Slot {
    Slot { name, kind, required: false, lead: &[] }
}

pub(super) const FLAG: Kind = Kind::Choice(&["true", "false"]);
pub(super) const DEPENDENTS: Kind = Kind::Choice(&["hold", "release"]);
pub(super) const ASKED: Kind = Kind::Choice(&["person", "lead"]);

pub(super) const TASK: Slot = slot("TASK", Kind::Task);
pub(super) const TASKS: Slot = slot("TASK,..", Kind::Tasks);
pub(super) const OWN: Slot = slot("TASK", Kind::Own);
pub(super) const TEXT: Slot = slot("TEXT", Kind::Text);
pub(super) const MAYBE_TEXT: Slot = maybe("TEXT", Kind::Text);
pub(super) const MEMBER: Slot = slot("MEMBER", Kind::Member);
pub(super) const MAYBE_MEMBER: Slot = maybe("MEMBER", Kind::Member);
pub(super) const PATH: Slot = slot("PATH", Kind::Path);
pub(super) const MAYBE_PATH: Slot = maybe("PATH", Kind::Path);

pub(super) const SET: Key = key("set", "NAME=VALUE", Kind::Settings, "a variable of the file");
pub(super) const AS: Key = key("as", "NAME", Kind::NewName, "the name of the team, in place of the file's");
pub(super) const AT: Key = key("at", "REV", Kind::Number, "refused if the plan is not at this revision");
pub(super) const DRY_RUN: Key = key("dry_run", "true", FLAG, "show the difference, change nothing");
pub(super) const WAIT: Key = key("wait", "TIME", Kind::Duration, "wait that long for one");
pub(super) const OWN_TASK: Key = key("task", "TASK", Kind::Task, "another task than one's own");
pub(super) const BY: Key = required(key("by", "WHO,..", Kind::Reviewers, "who reviews, in turn"));
pub(super) const RELEASE: Key = key("release", "true", FLAG, "what waits on it goes on without it");
pub(super) const ATTEMPT: Key =
    key("attempt", "N", Kind::Number, "of which attempt; else the newest that has one");
/// Who a task is for; needed where a task is added.
pub(super) const ADD_TO: Key = key("to", "WHO", Kind::To, "who does the task");
pub(super) const TO: Key = required(key("to", "WHO", Kind::To, "who does it"));
pub(super) const STATUS: Key = key("status", "STATUS,..", Kind::Goals, "those that are one of these");
pub(super) const ASSIGNEE: Key = key("assignee", "MEMBER,..", Kind::Members, "those of these members");
pub(super) const SCRIPT_OUT: Key = key("script", "true", FLAG, "the person's commands as a script");
pub(super) const ANSWER: Key = key("default", "TEXT", Kind::Value, "taken where nobody can answer");

pub(super) const TITLE: Key = key("title", "TEXT", Kind::Value, "shown in place of the name");
pub(super) const PROMPT: Key = key("prompt", "TEXT", Kind::Value, "what is asked");
pub(super) const AFTER: Key =
    key("after", "TASK,..", Kind::Edges, "what it waits for; `TASK:finished` only orders");
pub(super) const NEEDS: Key = key(
    "needs",
    "finished",
    Kind::Choice(&["completed", "finished"]),
    "what `after` needs, where it does not say",
);
pub(super) const PRIORITY: Key = key("priority", "N", Kind::Number, "higher starts first; 0 without it");
pub(super) const OPTIONAL: Key = key("optional", "true", FLAG, "may fail without failing the team");
pub(super) const OUTPUTS: Key = key("outputs", "PATH,..", Kind::Values, "files it must write");
pub(super) const CHECKS: Key =
    key("checks", "LINE,..", Kind::Values, "commands that must exit 0 before it completes");
pub(super) const REVIEW: Key = key("review", "WHO,..", Kind::Reviewers, "who reviews it, in turn");
pub(super) const AGENT: Key =
    key("agent", "NAME", Kind::Agent, "who sits in the chair; its other keys go on top");

/// The keys of a member or task that is added, in the order in which they are printed.
pub(super) const ADDED: &[Key] = &[
    AGENT,
    DRIVER,
    RUN,
    ARGV,
    SCRIPT,
    STDIN,
    TITLE,
    PROMPT,
    AFTER,
    NEEDS,
    PRIORITY,
    OPTIONAL,
    OUTPUTS,
    CHECKS,
    REVIEW,
    ANSWER,
    INSTRUCTIONS,
    ENV,
    CWD,
    TIME,
    STALL,
    STALL_ACTION,
    STOP,
    STEPS,
    RERUN,
    RETRIES,
    COST,
    EXIT,
    UNCONFIRMED,
];

const DRIVER: Key = key("driver", "human", Kind::Choice(&["human"]), "the person does it");
const RUN: Key = key("run", "LINE", Kind::Value, "a shell line; exit 0 completes it");
const ARGV: Key = key("argv", "WORD,..", Kind::Values, "a program and its arguments, without a shell");
const SCRIPT: Key = key("script", "LINE,..", Kind::Values, "lines of this language");
const STDIN: Key = key(
    "stdin",
    "prompt",
    Kind::Choice(&["null", "prompt"]),
    "what the process reads: nothing, or the prompt",
);
const INSTRUCTIONS: Key = key("instructions", "TEXT", Kind::Value, "given above the goal");
const ENV: Key = key("env", "NAME,..", Kind::Values, "variables it gets: `NAME`, `PREFIX_*`, `NAME=value`");
const CWD: Key = key("cwd", "PATH", Kind::Path, "the folder it works in");
const TIME: Key = key("time", "TIME", Kind::Duration, "wall clock of one attempt, or `none`");
const STALL: Key =
    key("stall", "TIME", Kind::Duration, "silence after which it is shown stalled; `0s`: never");
const STALL_ACTION: Key = key("stall_action", "fail", Kind::Choice(&["tell", "fail"]), "what a stall does");
const STOP: Key =
    key("stop", "SIGNAL", Kind::Choice(&["TERM", "INT", "HUP", "QUIT"]), "the signal that asks it to stop");
const STEPS: Key = key("steps", "N", Kind::Number, "steps of one attempt");
const RERUN: Key =
    key("rerun", "safe", Kind::Choice(&["ask", "safe"]), "after a restart: a choice, or again by itself");
const RETRIES: Key = key("retries", "N", Kind::Number, "attempts after a failed one");
const COST: Key = key("cost", "MONEY", Kind::Money, "reserved for one attempt");
const EXIT: Key = key("exit", "N,..", Kind::Numbers, "exit codes that complete; 0 without it");
const UNCONFIRMED: Key =
    key("unconfirmed", "accept", Kind::Choice(&["review", "accept"]), "what ending without `complete` means");
