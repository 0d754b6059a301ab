//! What is said of a damaged store that was restored: from what, and exactly what is lost.
use super::call::{Call, Failed};
use super::{look, place};
use crate::domain::{AttemptId, Event, Fact, Party, Purpose, Seq, State, TaskNo, TeamId};
use crate::runtime::{Owned, OwnerError, mend_unowned, restore_unowned};
use crate::store::{Lost, Restored, RunDir, RunName, owner_of};
use crate::text::quantity::{count, duration};
use crate::text::sanitise;
use std::collections::BTreeMap;
use std::io::Write;

/// Lines of what is lost; further ones are counted.
const MAX_LINES: usize = 20;

/// Restores a run that nobody owns, where it is damaged, and says so. A run that cannot be opened says why later.
pub async fn mend(run: &RunDir, err: &mut dyn Write) -> Result<(), Failed> {
    if !run.has_store() || owner_of(run).map_err(look::failed)?.is_some() {
        return Ok(());
    }
    let folder = run.clone();
    let opened = tokio::task::spawn_blocking(move || match crate::store::Reader::open(&folder) {
        Err(error) if error.is_damage() => restore_unowned(&folder, &place::command_line()),
        _ => Ok(None),
    });
    let restored = opened.await.map_err(|error| Failed::usage(error.to_string()))?;
    let Some(restored) = restored.map_err(|error| look::unowned(run.name(), error))? else { return Ok(()) };
    let state = look::open(run).await?.state;
    for line in lines(run.name(), &restored, &state) {
        // What stderr does not take is not said.
        let _ = writeln!(err, "{line}");
    }
    Ok(())
}

/// What was found while the log of a run was read: damage that an opening does not look at is restored, and the call is
/// to be made again.
pub async fn found(run: &RunDir, error: OwnerError) -> Failed {
    let is_damage = matches!(&error, OwnerError::Store(error) if error.is_damage());
    let failed = look::unowned(run.name(), error);
    if !is_damage {
        return failed;
    }
    let folder = run.clone();
    let mended = tokio::task::spawn_blocking(move || mend_unowned(&folder, &place::command_line())).await;
    let Ok(Ok(Some(restored))) = mended else { return failed };
    let Ok(look) = look::open(run).await else { return failed };
    let lines = lines(run.name(), &restored, &look.state);
    lines.into_iter().fold(failed.help("ask again: it is restored by now"), Failed::help)
}

/// Says what the owner of a run had to restore.
pub async fn of_owner(owned: &Owned, run: &RunDir, err: &mut dyn Write) {
    let Some(restored) = &owned.restored else { return };
    let state = owned.handle.snapshot().await.unwrap_or_default();
    for line in lines(run.name(), restored, &state) {
        // What stderr does not take is not said.
        let _ = writeln!(err, "{line}");
    }
}

/// Says it of a run that was looked at.
pub fn of_look(call: &mut Call<'_>, look: &look::Look) {
    let Some(restored) = &look.restored else { return };
    lines(look.run.name(), restored, &look.state).iter().for_each(|line| call.say(line));
}

/// The lines, with the state that there is now for the names in it.
pub fn lines(run: RunName, restored: &Restored, state: &State) -> Vec<String> {
    let mut lines = vec![source(run, restored)];
    match &restored.lost {
        None => lines.push(format!("lost: nothing; the log goes to seq {} again", count(restored.last_seq))),
        Some(lost) => {
            lines.push(range(lost));
            lines.extend(what(lost, state));
        }
    }
    lines
}

/// `restored the standing run from the backup of 19:50:02 (seq 1,204); the damaged file is kept: standing/store.redb.damaged-1`.
fn source(run: RunName, restored: &Restored) -> String {
    let title = look::title(run);
    let last = count(restored.last_seq);
    let from = match &restored.backup {
        Some(backup) => {
            let (at, seq) = (place::clock(backup.made_at_ms), count(backup.seq));
            let more = (restored.salvaged > 0).then(|| format!(" and the damaged file (to seq {last})"));
            format!("the backup of {at} (seq {seq}){}", more.unwrap_or_default())
        }
        None => format!("what of it is whole (seq 1 to {last}); there was no backup"),
    };
    let kept = match (&restored.damaged, run) {
        (None, _) => "the file was gone".to_owned(),
        (Some(name), RunName::Standing) => format!("the damaged file is kept: standing/{name}"),
        (Some(name), RunName::Numbered(number)) => format!("the damaged file is kept: runs/{number}/{name}"),
    };
    format!("restored {title} from {from}; {kept}")
}

/// `lost: seq 1,205 to 1,211, 7 facts`.
fn range(lost: &Lost) -> String {
    let first = count(lost.first_seq);
    match (lost.last_seq, lost.is_open) {
        (None, _) => format!(
            "lost: what was stored from seq {first} on, if anything; it cannot be read, and nothing says where the log ended"
        ),
        (Some(last), is_open) => {
            let known = if last == lost.first_seq {
                format!("lost: seq {first}, 1 fact")
            } else {
                format!("lost: seq {first} to {}, {} facts", count(last), count(lost.count()))
            };
            let open = if is_open { ", and what came after, if anything" } else { "" };
            format!("{known}{open}")
        }
    }
}

/// What is known of the lost facts: by task, the messages by themselves, and how many cannot be read.
fn what(lost: &Lost, state: &State) -> Vec<String> {
    let facts = lost
        .readable
        .iter()
        .filter_map(|(seq, record)| Fact::decode(Seq(*seq), record.kind, record.version, &record.body).ok());
    let facts: Vec<Fact> = facts.collect();
    let mut told = Told { state, attempts: BTreeMap::new(), tasks: BTreeMap::new(), messages: Vec::new() };
    facts.iter().for_each(|fact| told.add(fact));
    let mut lines: Vec<String> = told
        .tasks
        .iter()
        .map(|((team, task), words)| format!("  {team}  {task}: {}", words.join(", ")))
        .collect();
    if !told.messages.is_empty() {
        lines.push(format!("  messages  {}, {}", told.messages.len(), told.messages.join("; ")));
    }
    if lines.len() > MAX_LINES {
        let more = lines.len() - MAX_LINES;
        lines.truncate(MAX_LINES);
        lines.push(format!("  and {} more tasks", count(u64::try_from(more).unwrap_or(u64::MAX))));
    }
    let read = u64::try_from(facts.len()).unwrap_or(u64::MAX);
    match lost.count().saturating_sub(read) {
        0 => {}
        1 => lines.push("  1 of them cannot be read: what it was is not known".to_owned()),
        unread => {
            lines.push(format!("  {} of them cannot be read: what they were is not known", count(unread)))
        }
    }
    lines
}

/// Lost facts by what they are about.
struct Told<'a> {
    state: &'a State,
    /// Attempts that began among what is lost.
    attempts: BTreeMap<AttemptId, (TeamId, TaskNo)>,
    /// By team and task, the words of what happened.
    tasks: BTreeMap<(String, String), Vec<String>>,
    messages: Vec<String>,
}

impl Told<'_> {
    fn add(&mut self, fact: &Fact) {
        if let Event::MessageSent(sent) = &fact.event {
            let at = duration(fact.elapsed_ms);
            return self.messages.push(format!("{} to {} at {at}", party(&sent.from), party(&sent.to)));
        }
        let fields = fields(fact);
        let id = |name: &str| fields.as_ref().and_then(|fields| fields.get(name)?.as_u64());
        let number = id("number").and_then(|number| u32::try_from(number).ok()).map(TaskNo);
        let attempt = id("attempt").map(AttemptId);
        if let (Event::AttemptStarted(started), Some(team)) = (&fact.event, fact.team)
            && let Some(number) = task_of(&started.purpose)
        {
            self.attempts.insert(started.attempt, (team, number));
        }
        let of_attempt = attempt.and_then(|attempt| self.task_of(attempt));
        let team = fact.team.or(of_attempt.map(|(team, _)| team));
        let number = number.or(of_attempt.map(|(_, number)| number));
        let place = (self.team(team), self.task(team, number));
        self.tasks.entry(place).or_default().push(fact.event.word().replace('_', " "));
    }

    fn task_of(&self, attempt: AttemptId) -> Option<(TeamId, TaskNo)> {
        let live = || {
            let live = self.state.live.get(&attempt)?;
            task_of(&live.purpose).map(|number| (live.team, number))
        };
        self.attempts.get(&attempt).copied().or_else(live)
    }

    fn team(&self, team: Option<TeamId>) -> String {
        let name = team.and_then(|id| self.state.team(id)).map(|team| team.name.to_string());
        name.unwrap_or_else(|| team.map_or_else(|| "run".to_owned(), |id| format!("team {}", id.0)))
    }

    fn task(&self, team: Option<TeamId>, number: Option<TaskNo>) -> String {
        let Some(number) = number else { return "-".to_owned() };
        let known = team.and_then(|team| self.state.task(team, number));
        known.map_or_else(|| format!("#{number}"), |task| sanitise::line(&task.label()).into_owned())
    }
}

fn task_of(purpose: &Purpose) -> Option<TaskNo> {
    match purpose {
        Purpose::Task(number) | Purpose::Review(number) => Some(*number),
        Purpose::Turn => None,
    }
}

fn party(party: &Party) -> &str {
    match party {
        Party::Person => "person",
        Party::Member(name) => name.as_str(),
        Party::System => "teamtui",
    }
}

/// The event as it is logged.
fn fields(fact: &Fact) -> Option<serde_json::Value> {
    let body = fact.encode().ok()?;
    let event = body.split(|byte| *byte == b'\n').nth(1)?;
    serde_json::from_slice(event).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Name;
    use crate::domain::event::{MessageSent, TaskCommented};
    use crate::domain::{By, MessageId};
    use crate::store::{Backup, Record};
    use crate::text::Untrusted;

    fn restored(lost: Option<Lost>) -> Restored {
        Restored {
            why: "a page".to_owned(),
            backup: Some(Backup { seq: 1_204, made_at_ms: 0 }),
            salvaged: 0,
            last_seq: 1_204,
            hash: String::new(),
            damaged: Some("store.redb.damaged-1".to_owned()),
            lost,
        }
    }

    fn lost(last_seq: Option<u64>, is_open: bool, readable: Vec<(u64, Record)>) -> Lost {
        Lost { first_seq: 1_205, last_seq, is_open, readable }
    }

    fn record(seq: u64, event: Event) -> (u64, Record) {
        let (kind, version) = event.kind();
        let team = Some(TeamId(1));
        let fact =
            Fact { seq: Seq(seq), elapsed_ms: 6_000, at_ms: 0, team, by: By::Person, line: None, event };
        (seq, Record { kind, version, flags: 0, body: fact.encode().unwrap() })
    }

    #[test]
    fn what_is_lost_is_named_by_seq_task_and_message_and_what_cannot_be_read_is_said_to_be_so() {
        let to = Party::Member(Name::reference("perf2").unwrap());
        let text = Untrusted::from("hello");
        let sent = MessageSent { id: MessageId(1), from: Party::Person, to, text: text.clone(), hop: 0 };
        let readable = vec![
            record(1_206, Event::MessageSent(sent)),
            record(1_207, Event::TaskCommented(TaskCommented { number: TaskNo(3), text })),
        ];
        let lines =
            lines(RunName::Standing, &restored(Some(lost(Some(1_211), false, readable))), &State::default());
        let first = lines.first().unwrap();
        assert!(first.starts_with("restored the standing run from the backup of "), "{first}");
        assert!(
            first.ends_with(" (seq 1,204); the damaged file is kept: standing/store.redb.damaged-1"),
            "{first}"
        );
        assert_eq!(
            lines[1..],
            [
                "lost: seq 1,205 to 1,211, 7 facts",
                "  team 1  #3: task commented",
                "  messages  1, person to perf2 at 6.0s",
                "  5 of them cannot be read: what they were is not known",
            ]
        );
    }

    #[test]
    fn one_fact_nothing_and_an_end_that_nothing_knows_are_said_so() {
        let said = |lost| lines(RunName::Numbered(4), &restored(lost), &State::default()).split_off(1);
        assert_eq!(said(None), ["lost: nothing; the log goes to seq 1,204 again"]);
        let one = said(Some(lost(Some(1_205), false, vec![])));
        assert_eq!(one, ["lost: seq 1,205, 1 fact", "  1 of them cannot be read: what it was is not known"]);
        let open = said(Some(lost(None, true, vec![])));
        assert!(open[0].contains("nothing says where the log ended"), "{open:?}");
        assert_eq!(open.len(), 1);
        assert!(said(Some(lost(Some(1_206), true, vec![])))[0].ends_with("and what came after, if anything"));
    }
}
