//! What is compared of a log.
use serde_json::Value;
use std::collections::BTreeMap;
use teamtui::domain::{AttemptId, Event, Fact, Party, Purpose, Seq, TaskNo};
use teamtui::store::{Reader, RunDir};

/// What happened to each task, and what each sender said, in order.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Story {
    pub tasks: BTreeMap<String, Vec<String>>,
    pub senders: BTreeMap<String, Vec<String>>,
}

/// Fields that differ between two runs of the same.
const OWN: &[&str] =
    &["attempt", "token", "took_ms", "output_bytes", "id", "ids", "asked", "at", "timer", "due_ms"];

/// The log of a run that nobody owns.
pub fn read(run: &RunDir) -> Story {
    let mut story = Story::default();
    let mut names: BTreeMap<TaskNo, String> = BTreeMap::new();
    let mut attempts: BTreeMap<AttemptId, String> = BTreeMap::new();
    for fact in facts(run) {
        match &fact.event {
            Event::TeamCreated(created) => {
                let briefs = created.spec.members.iter().filter_map(|m| m.brief.as_ref());
                let own = briefs.chain(&created.spec.tasks).filter_map(|task| task.name.as_ref());
                names.extend((1..).map(TaskNo).zip(own.map(ToString::to_string)));
                continue;
            }
            Event::MemberAdded(added) => {
                let number = added.number.unwrap();
                names.insert(number, added.member.name.to_string());
            }
            Event::AttemptStarted(started) => {
                let whose = match started.purpose {
                    Purpose::Task(number) | Purpose::Review(number) => names[&number].clone(),
                    Purpose::Turn => format!("turns of {}", started.member),
                };
                attempts.insert(started.attempt, whose);
            }
            Event::OutputMarked(_) => continue,
            _ => {}
        }
        let body = body(&fact);
        let said = format!("{} {}", fact.event.word(), plain(body.clone()));
        if let Event::MessageSent(sent) = &fact.event {
            let sender = match &sent.from {
                Party::Person => "person".to_owned(),
                Party::Member(name) => name.to_string(),
                Party::System => "teamtui".to_owned(),
            };
            story.senders.entry(sender).or_default().push(said);
            continue;
        }
        let number = body.get("number").and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok());
        let by_number = number.and_then(|n| names.get(&TaskNo(n)));
        let attempt = body.get("attempt").and_then(Value::as_u64);
        let whose = by_number.or_else(|| attempts.get(&AttemptId(attempt?)));
        if let Some(whose) = whose {
            story.tasks.entry(whose.clone()).or_default().push(said);
        }
    }
    story
}

fn facts(run: &RunDir) -> Vec<Fact> {
    let reader = Reader::open(run).unwrap();
    let mut facts = Vec::new();
    for commit in reader.commits(1).unwrap() {
        let commit = commit.unwrap();
        for (seq, record) in (commit.first_seq..).zip(&commit.records) {
            facts.push(Fact::decode(Seq(seq), record.kind, record.version, &record.body).unwrap());
        }
    }
    facts
}

/// The event as the log has it, without its head.
fn body(fact: &Fact) -> Value {
    let encoded = fact.encode().unwrap();
    let event = encoded.splitn(2, |byte| *byte == b'\n').nth(1).unwrap();
    serde_json::from_slice(event).unwrap()
}

fn plain(mut value: Value) -> Value {
    if let Value::Object(fields) = &mut value {
        OWN.iter().for_each(|own| drop(fields.remove(*own)));
    }
    value
}
