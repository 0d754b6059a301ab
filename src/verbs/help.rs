//! The help: made from the table, and the few topics that are not a row of it.
use super::act::Goal;
use super::key::TEAM;
use super::table::{TABLE, find};
use super::verb::{Group, Verb};
use crate::domain::status;
use crate::text;

/// Columns of the name of a group in the left half of the overview.
const GROUP_COLUMNS: usize = 9;
/// The same in the right half.
const RIGHT_GROUP_COLUMNS: usize = 6;
/// Blanks between the two halves.
const GAP: usize = 6;
/// The groups of each row of the overview.
const ROWS: [(Group, Option<Group>); 4] = [
    (Group::Team, Some(Group::Plan)),
    (Group::Task, Some(Group::End)),
    (Group::Review, Some(Group::Talk)),
    (Group::Script, None),
];
/// What there is help for besides the verbs.
pub const TOPICS: [&str; 3] = ["statuses", "script", "exit"];

/// There is no such topic.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no help for `{word}`")]
pub struct NoTopic {
    /// What was asked for, as it can be shown.
    pub word: String,
    /// The next step.
    pub help: String,
}

/// What `teamtui help WORD` prints; without a word the overview. Ends in a newline.
pub fn topic(word: Option<&str>) -> Result<String, NoTopic> {
    let Some(word) = word else { return Ok(overview()) };
    if let Some(verb) = find(word) {
        return Ok(of(verb));
    }
    match word {
        "statuses" => Ok(status::table()),
        "script" => Ok(script()),
        "exit" => Ok(EXIT.to_owned()),
        _ => Err(no_topic(word)),
    }
}

fn no_topic(word: &str) -> NoTopic {
    let help = match text::nearest(word, TABLE.iter().map(|verb| verb.id).chain(TOPICS)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "all there is: `teamtui help`".to_owned(),
    };
    NoTopic { word: super::error::shown(word), help }
}

/// Every command on one page.
pub fn overview() -> String {
    let widest = ROWS.iter().map(|(left, _)| verbs_of(*left).len()).max().unwrap_or_default();
    let mut out = String::new();
    for (left, right) in ROWS {
        let verbs = verbs_of(left);
        out.push_str(&text::pad_right(word_of(left), GROUP_COLUMNS));
        match right {
            Some(right) => {
                out.push_str(&text::pad_right(&verbs, widest + GAP));
                out.push_str(&text::pad_right(word_of(right), RIGHT_GROUP_COLUMNS));
                out.push_str(&verbs_of(right));
            }
            None => out.push_str(&verbs),
        }
        out.push('\n');
    }
    out.push_str(
        "help: one of them: `teamtui help replan`; also `help statuses`, `help script`, `help exit`\n",
    );
    out
}

fn verbs_of(group: Group) -> String {
    TABLE.iter().filter(|verb| verb.group == group).map(|verb| verb.id).collect::<Vec<_>>().join(" ")
}

/// The word for a group.
pub fn word_of(group: Group) -> &'static str {
    match group {
        Group::Team => "team",
        Group::Plan => "plan",
        Group::Task => "task",
        Group::End => "end",
        Group::Review => "review",
        Group::Talk => "talk",
        Group::Script => "script",
        Group::Scripted => "scripted",
    }
}

/// One command: how it is written, what it does, who may, examples, and what more there is to say.
pub fn of(verb: &Verb) -> String {
    let mut out = format!("{}\n{} {}\n", verb.usage(), verb.help, verb.who.sentence());
    for example in verb.examples {
        out.push_str(&format!("  {example}\n"));
    }
    if let Some(more) = verb.more {
        out.push_str(more);
        out.push('\n');
    }
    if verb.lists_added() {
        out.push_str(&keys_of(verb));
    }
    out
}

fn keys_of(verb: &Verb) -> String {
    let pair = |name: &str, value: &str| format!("{name}={value}");
    let keys = verb.keys();
    let widest = keys.clone().map(|key| pair(key.name, key.value).len()).max().unwrap_or_default();
    keys.map(|key| format!("  {}  {}\n", text::pad_right(&pair(key.name, key.value), widest), key.about))
        .collect()
}

/// The script language on one page.
pub fn script() -> String {
    let scripted = verbs_of(Group::Scripted);
    format!(
        "A script is a file of lines, one command each; they are those of the palette and of `teamtui do`.\n\
         \x20 # a comment                                  first in a line or after a blank; #12 is a task\n\
         \x20 send security \"look at \\\"refresh\\\" first\"    escapes: \\\" \\\\ \\n \\t \\u{{1f600}}\n\
         \x20 prompt=\"\"\" ... \"\"\"                           text of more lines, without escapes\n\
         \x20 say looking at caches                        bare text runs to the end, a comment, or a key of the verb\n\
         \x20 add fmt run=\"cargo fmt\" after=a,b:finished   pairs and lists have no blanks around `=` and `,`\n\
         A task is its name or #12 (12, where nothing has that name). A quoted word is never a keyword.\n\
         Statuses: {}.\n\
         Times: 500ms 38.2s 1m42s 1h04m 2d. Money: 2.00. Every command takes {}={}.\n\
         Scripted members have all but what is the person's, and: {scripted}.\n\
         A line that is refused, or an `expect` that fails, ends the script with exit code 1.\n",
        Goal::WORDS.join(" "),
        TEAM.name,
        TEAM.value,
    )
}

const EXIT: &str = "\
0      every required task completed, and confirmed or accepted
1      not; or a command was refused, or an expect failed
2      usage, config, script or store: nothing was started
3      a cap was reached; the last line is the command that goes on
4      a person is waited for; likewise
128+n  ended by signal n; likewise
`teamtui do`: 0 done, 1 refused, 2 not understood. Reading commands: 0, 1 not found, 2 usage.
";

#[cfg(test)]
mod tests {
    use super::super::parse::parse_line;
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_command_has_all_its_help_and_examples_that_work() {
        let mut ids = BTreeSet::new();
        for verb in TABLE {
            assert!(ids.insert(verb.id), "{} is there twice", verb.id);
            assert!(!verb.title.is_empty() && verb.title.len() <= 45, "{}: title", verb.id);
            assert!(verb.help.ends_with('.'), "{}: help", verb.id);
            assert!(verb.who != super::super::verb::Who::NONE, "{}: nobody may", verb.id);
            assert!(!verb.examples.is_empty(), "{}: example", verb.id);
            for example in verb.examples {
                let read = parse_line(example, false).or_else(|_| parse_line(example, true));
                assert_eq!(read.unwrap().unwrap().verb, verb, "{example}");
            }
            assert!(topic(Some(verb.id)).unwrap().starts_with(verb.id));
        }
    }

    #[test]
    fn the_overview_names_every_command_once() {
        assert_eq!(
            overview(),
            "\
team     create dissolve status pause resume report export      plan  add replan remove assign update
task     list get why claim progress complete fail comment      end   cancel retry adopt interrupt expect
review   review approve send_back reject                        talk  send broadcast inbox ask answer say
script   wait sleep write
help: one of them: `teamtui help replan`; also `help statuses`, `help script`, `help exit`
"
        );
    }

    #[test]
    fn the_help_of_a_command_says_how_what_who_and_shows_it() {
        assert_eq!(
            topic(Some("replan")).unwrap(),
            "\
replan cancel T.. | add NAME .. | rewire T after=E.. | prompt T \"TEXT\" | replace OLD=NEW   [at=REV] [dry_run=true]
Change the plan in one step, all or nothing. The person, a script, the lead.
  replan cancel perf add perf2 agent=reviewer prompt=\"Profile it again\" replace perf=perf2
  replan rewire summary after=security,perf2:finished dry_run=true
Prints what is kept, added, dropped, newly runnable and still held. Refused: a cycle, an unknown task, an old REV.
"
        );
        assert_eq!(
            topic(Some("wait")).unwrap().lines().next(),
            Some("wait all or TASK,.. [until STATUS,..] [within TIME]")
        );
        assert_eq!(
            topic(Some("add")).unwrap().lines().next(),
            Some("add \"SUBJECT\" or NAME [to=WHO] [KEY=VALUE ..]")
        );
        assert!(topic(Some("add")).unwrap().contains("\n  agent=NAME"));
    }

    #[test]
    fn the_other_topics_are_there_and_a_wrong_one_names_the_nearest() {
        for word in TOPICS {
            assert!(topic(Some(word)).unwrap().ends_with('\n'));
        }
        assert!(topic(Some("statuses")).unwrap().starts_with("from"));
        assert_eq!(topic(Some("reply")).unwrap_err().word, "reply");
        assert_eq!(topic(Some("statusses")).unwrap_err().help, "did you mean `statuses`?");
    }

    #[test]
    fn no_line_of_help_is_wider_than_it_needs_to_be() {
        let all: String = TABLE.iter().map(of).chain([overview(), script(), EXIT.to_owned()]).collect();
        assert!(all.lines().all(|line| !line.ends_with(' ') && !line.contains('\t')));
    }
}
