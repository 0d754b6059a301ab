//! THE table: one row for each command, in the order of the overview.
use super::act::Act;
use super::error::ParseError;
use super::key::*;
use super::read::{check, plan, scripted, talk, team, work};
use super::reader::Reader;
use super::verb::{Form, Group, Key, Kind, May, Slot, Verb, Who};

const RUNS: Who = Who { person: May::Yes, ..Who::NONE };
const LEADS: Who = Who { lead: May::Yes, ..RUNS };
const REVIEWS: Who = Who { reviewer: May::Yes, ..LEADS };
const WORKS: Who = Who { person: May::IfTheirs, member: May::Yes, ..Who::NONE };
const GIVES: Who = Who { member: May::IfAllowed, ..LEADS };
const MEMBER_ONLY: Who = Who { member: May::Yes, ..Who::NONE };
const SCRIPTED: Who = Who { member: May::IfScripted, ..Who::NONE };
const CRASHES: Who = Who { member: May::IfScripted, ..RUNS };
const INSIDE: Who = Who { person: May::No, ..Who::ALL };

/// Every command.
pub static TABLE: &[Verb] = &[
    row("create", Group::Team, RUNS, team::create)
        .says("make a team from a file", "Create a team from a file.")
        .takes(&[PATH], &[SET, AS])
        .shown(&["create examples/auth-review.toml", "create team.toml set=service=login as=login-review"]),
    row("dissolve", Group::Team, LEADS, team::dissolve)
        .says("stop everyone and end the team", "Stop everyone and end the team.")
        .shown(&["dissolve", "dissolve team=auth-review"]),
    row("status", Group::Team, Who::ALL, team::status)
        .says("the team and its tasks", "Show the team and its tasks.")
        .shown(&["status"]),
    row("pause", Group::Team, LEADS, team::pause)
        .says("start nothing new", "Start nothing new, for one member or all.")
        .takes(&[MAYBE_MEMBER], &[])
        .shown(&["pause", "pause security"]),
    row("resume", Group::Team, LEADS, team::resume)
        .says("undo pause", "Undo pause, for one member or all.")
        .takes(&[MAYBE_MEMBER], &[])
        .shown(&["resume", "resume security"]),
    row("report", Group::Team, Who::ALL, team::report)
        .says("print or write the report", "Print the report, or write it to a file.")
        .takes(&[MAYBE_PATH], &[])
        .shown(&["report", "report out/report.md"]),
    row("export", Group::Team, RUNS, team::export)
        .says("write the run to a file", "Write the run, or the person's commands as a script.")
        .takes(&[MAYBE_PATH], &[SCRIPT_OUT])
        .shown(&["export run.tar.zst", "export script=true"]),
    row("add", Group::Plan, GIVES, plan::add)
        .says("add a task or a member", "Add a task for someone, or a member.")
        .takes(&[slot("\"SUBJECT\" or NAME", Kind::Subject)], &[ADD_TO])
        .adds(ADDED)
        .key("a")
        .shown(&[
            "add \"check the cache keys\" to=security after=perf",
            "add perf2 agent=reviewer prompt=\"Profile it again\"",
            "add fmt run=\"cargo fmt --check\" optional=true",
        ])
        .more("A string is the subject of a task and needs to=; a bare name is that of a member, which the lead and the person add. A taken name gets -2."),
    row("replan", Group::Plan, LEADS, plan::replan)
        .says("change the plan, apply as one", "Change the plan in one step, all or nothing.")
        .takes(&[slot(STEPS_USAGE, Kind::Steps)], &[AT, DRY_RUN])
        .adds(ADDED)
        .key("R")
        .shown(&[
            "replan cancel perf add perf2 agent=reviewer prompt=\"Profile it again\" replace perf=perf2",
            "replan rewire summary after=security,perf2:finished dry_run=true",
        ])
        .more("Prints what is kept, added, dropped, newly runnable and still held. Refused: a cycle, an unknown task, an old REV."),
    row("remove", Group::Plan, LEADS, plan::remove)
        .says("close a member's chair, cancel its tasks", "Cancel a member's tasks and close the chair.")
        .takes(&[MEMBER], &[])
        .shown(&["remove perf"]),
    row("assign", Group::Plan, GIVES, plan::assign)
        .says("give a task to someone", "Give a task to someone.")
        .takes(&[TASK], &[TO])
        .key("s")
        .shown(&["assign #12 to=security"]),
    row("update", Group::Plan, LEADS, plan::update)
        .says("change title, priority or optional", "Change title, priority or optional.")
        .takes(&[TASK], &[TITLE, PRIORITY, OPTIONAL])
        .key("p")
        .shown(&["update summary priority=5 optional=true"]),
    row("list", Group::Task, Who::ALL, team::list)
        .says("tasks, filtered", "List tasks.")
        .takes(&[], &[STATUS, ASSIGNEE])
        .shown(&["list", "list status=failed,held assignee=security"]),
    row("get", Group::Task, Who::ALL, team::get)
        .says("one task with result and history", "Show one task with result and history.")
        .takes(&[TASK], &[])
        .key("enter")
        .shown(&["get summary", "get #12"]),
    row("why", Group::Task, Who::ALL, team::why)
        .says("why a task is not done", "Say why a task is not done.")
        .takes(&[TASK], &[])
        .key("w")
        .shown(&["why summary"]),
    row("claim", Group::Task, MEMBER_ONLY, work::claim)
        .says("take a pending task nobody has", "Take a pending task nobody has.")
        .takes(&[TASK], &[])
        .shown(&["claim #12"]),
    row("progress", Group::Task, MEMBER_ONLY, work::progress)
        .says("how far it is, in percent", "Say how far it is, in percent.")
        .takes(&[slot("PERCENT", Kind::Number), MAYBE_TEXT], &[])
        .shown(&["progress 40 parsing"]),
    row("complete", Group::Task, WORKS, work::complete)
        .says("finish with a result", "Finish with a result.")
        .takes(&[OWN, MAYBE_TEXT], &[OWN_TASK])
        .shown(&["complete \"1 finding\"", "complete task=summary \"joined\""])
        .more(OWN_MORE),
    row("fail", Group::Task, WORKS, work::fail)
        .says("give up with a reason", "Give up with a reason.")
        .takes(&[OWN, MAYBE_TEXT], &[OWN_TASK])
        .shown(&["fail no access", "fail task=summary \"nothing to join\""])
        .more(OWN_MORE),
    row("comment", Group::Task, Who::ALL, work::comment)
        .says("note something on a task", "Note something on a task.")
        .takes(&[TASK, TEXT], &[])
        .key("c")
        .shown(&["comment summary \"the trace is in perf.md\""]),
    row("cancel", Group::End, LEADS, work::cancel)
        .says("cancel tasks", "Cancel tasks; hold or release what waits on them.")
        .takes(&[TASKS, maybe("hold or release", DEPENDENTS), MAYBE_TEXT], &[])
        .key("x")
        .shown(&["cancel perf release", "cancel perf,style hold \"not worth it\""])
        .more("Without a word: what waits on a declared task is held, on an added one released."),
    row("retry", Group::End, LEADS, work::retry)
        .says("a new attempt of a failed or stale task", "Try a failed or stale task again.")
        .takes(&[TASKS, MAYBE_TEXT], &[])
        .key("t")
        .shown(&["retry perf", "retry test-2,docs \"use the small set\""]),
    row("adopt", Group::End, LEADS, work::adopt)
        .says("make a late result the result", "Make a late or unconfirmed result the result.")
        .takes(&[TASK], &[ATTEMPT])
        .shown(&["adopt #12 attempt=2"]),
    row("interrupt", Group::End, LEADS, team::interrupt)
        .says("end a member's attempt", "End a member's attempt; its task is stale.")
        .takes(&[MEMBER], &[])
        .key("i")
        .shown(&["interrupt security"]),
    row("expect", Group::End, RUNS, check::expect)
        .says("end the script unless it is so", "End the script unless it is so.")
        .takes(&[slot(CHECK_USAGE, Kind::Check)], &[])
        .shown(&[
            "expect summary completed",
            "expect summary held by perf",
            "expect #12 assigned security",
            "expect summary result contains \"1 finding\"",
            "expect messages perf -> security >= 1",
            "expect cost < 2.00",
        ])
        .more("STATUS is one of blocked pending in_progress in_review completed failed cancelled stale held settled. A sign is one of < <= = >= >."),
    row("review", Group::Review, LEADS, work::review)
        .says("ask for reviews before it completes", "Ask for reviews before it completes.")
        .takes(&[TASK], &[BY])
        .shown(&["review summary by=critic,person"]),
    row("approve", Group::Review, REVIEWS, work::approve)
        .says("accept a task in review", "Accept a task in review.")
        .takes(&[OWN, MAYBE_TEXT], &[OWN_TASK])
        .key("a")
        .shown(&["approve summary", "approve task=summary \"reads well\""])
        .more(OWN_MORE),
    row("send_back", Group::Review, REVIEWS, work::send_back)
        .says("return a task with feedback", "Return a task in review with feedback.")
        .takes(&[OWN, TEXT], &[OWN_TASK])
        .key("b")
        .shown(&["send_back task=summary \"name the files\""])
        .more(OWN_MORE),
    row("reject", Group::Review, LEADS, work::reject)
        .says("cancel with a reason, tell the lead", "Cancel a task in review for good.")
        .takes(&[TASK, TEXT], &[RELEASE])
        .shown(&["reject summary \"not what was asked\" release=true"]),
    row("send", Group::Talk, Who::ALL, talk::send)
        .says("put a message into a member's mailbox", "Send a message.")
        .takes(&[slot("TO", Kind::To), TEXT], &[])
        .key("m")
        .shown(&["send security \"look at refresh tokens first\"", "send lead need the trace"]),
    row("broadcast", Group::Talk, Who { reviewer: May::No, ..Who::ALL }, talk::broadcast)
        .says("send to everyone else", "Send to everyone else.")
        .takes(&[TEXT], &[])
        .key("b")
        .shown(&["broadcast \"the schema is final\""]),
    row("inbox", Group::Talk, INSIDE, talk::inbox)
        .says("read new messages", "Read new messages.")
        .takes(&[], &[WAIT])
        .shown(&["inbox", "inbox wait=5m"]),
    row("ask", Group::Talk, Who { lead: May::Yes, ..MEMBER_ONLY }, talk::ask)
        .says("ask and wait for the answer", "Ask and wait for the answer.")
        .takes(&[slot("person or lead", ASKED), TEXT], &[ANSWER])
        .shown(&["ask person \"Ship 0.2.0?\" default=no"]),
    row("answer", Group::Talk, LEADS, talk::answer)
        .says("answer an open question", "Answer the open question of a task or member.")
        .takes(&[TASK, TEXT], &[])
        .shown(&["answer sign-off yes"]),
    row("say", Group::Talk, INSIDE, talk::say)
        .says("show a line to whoever watches", "Show a line to whoever watches.")
        .takes(&[TEXT], &[])
        .shown(&["say looking at caches"]),
    row("wait", Group::Script, RUNS, team::wait)
        .says("go on when it is so", "Go on when it is so.")
        .takes(
            &[
                slot("all or TASK,..", Kind::AllOrTasks),
                maybe("STATUS,..", Kind::Goals).after(&["until"]),
                maybe("TIME", Kind::Duration).after(&["within"]),
            ],
            &[],
        )
        .shown(&["wait all", "wait perf until failed within 5m", "wait security,perf"])
        .more("Without until: each task is completed, cancelled, failed, stale or held. all: no attempt or turn is live or due, and each task is final, settled or held."),
    row("sleep", Group::Script, Who { member: May::Yes, ..RUNS }, team::sleep)
        .says("wait that long", "Wait that long.")
        .takes(&[slot("TIME", Kind::Duration)], &[])
        .shown(&["sleep 2s", "sleep 1m30s"]),
    row("write", Group::Script, MEMBER_ONLY, scripted::write)
        .says("write a file", "Write a file, guarded by its hash.")
        .takes(&[PATH, MAYBE_TEXT], &[])
        .shown(&["write SECURITY.md \"token refresh races\""]),
    row("read", Group::Scripted, SCRIPTED, scripted::read)
        .says("read a file", "Read a file.")
        .takes(&[PATH], &[])
        .shown(&["read SECURITY.md"]),
    row("emit", Group::Scripted, SCRIPTED, scripted::emit)
        .says("print bytes", "Print exactly these bytes.")
        .takes(&[slot("\"TEXT\"", Kind::Value)], &[])
        .shown(&["emit \"50%\\u{d}100%\\n\""]),
    row("hang", Group::Scripted, SCRIPTED, scripted::hang).says("never end", "Never end.").shown(&["hang"]),
    row("crash", Group::Scripted, CRASHES, scripted::crash)
        .says("die", "Die, now or when the log has come to an event.")
        .takes(&[maybe("N", Kind::Number).after(&["at", "event"])], &[])
        .shown(&["crash", "crash at event 12"])
        .more("In a script it is the owner that dies, as by kill -9: what ran is lost, the log is read anew and recovered, and the script goes on. Its members are scripted."),
];

const STEPS_USAGE: &str =
    "cancel T.. | add NAME .. | rewire T after=E.. | prompt T \"TEXT\" | replace OLD=NEW  ";
const CHECK_USAGE: &str = "T STATUS | T held by T.. | T assigned MEMBER | T result contains \"TEXT\" | messages A -> B < N | cost < MONEY";
const OWN_MORE: &str =
    "Who has no attempt names the task first; who has one means its own, and another by task=.";

/// The command with that id.
pub fn find(id: &str) -> Option<&'static Verb> {
    TABLE.iter().find(|verb| verb.id == id)
}

const fn row(
    id: &'static str,
    group: Group,
    who: Who,
    read: fn(&mut Reader<'_>) -> Result<Act, ParseError>,
) -> Verb {
    let args = Form { slots: &[], keys: &[], added: &[] };
    Verb { id, title: "", help: "", group, args, who, key: None, examples: &[], more: None, read }
}

impl Verb {
    const fn says(mut self, title: &'static str, help: &'static str) -> Self {
        self.title = title;
        self.help = help;
        self
    }

    const fn takes(mut self, slots: &'static [Slot], keys: &'static [Key]) -> Self {
        self.args = Form { slots, keys, added: &[] };
        self
    }

    const fn adds(mut self, keys: &'static [Key]) -> Self {
        self.args.added = keys;
        self
    }

    const fn key(mut self, key: &'static str) -> Self {
        self.key = Some(key);
        self
    }

    const fn shown(mut self, examples: &'static [&'static str]) -> Self {
        self.examples = examples;
        self
    }

    const fn more(mut self, more: &'static str) -> Self {
        self.more = Some(more);
        self
    }
}
