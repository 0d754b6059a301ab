//! The books of the mailbox, kept from facts alone: what was sent, read and left, and in which order.
use std::collections::{BTreeMap, BTreeSet};

use teamtui::domain::state::MessageState;
use teamtui::domain::{Data, Event, Fact, MessageId, Party, Reply, State, TeamId};

type Id = (TeamId, MessageId);
type Pair = (TeamId, Party, Party);

#[derive(Debug, Default)]
pub struct Post {
    /// From whom to whom, of each message that was sent.
    sent: BTreeMap<Id, (Party, Party)>,
    read: BTreeSet<Id>,
    left: BTreeSet<Id>,
    /// The last message that was read of each sender by each recipient.
    last: BTreeMap<Pair, MessageId>,
}

impl Post {
    /// What a commit says of mail.
    pub fn take(&mut self, fact: &Fact) {
        let Some(team) = fact.team else { return };
        match &fact.event {
            Event::MessageSent(e) => {
                let before = self.sent.insert((team, e.id), (e.from.clone(), e.to.clone()));
                assert_eq!(before, None, "message {} was sent twice", e.id);
            }
            Event::MessagesRead(e) => e.ids.iter().for_each(|id| self.is_read(team, *id, &e.reader)),
            Event::MessagesLeft(e) => {
                for id in &e.ids {
                    let is_first = self.left.insert((team, *id)) && !self.read.contains(&(team, *id));
                    assert!(is_first, "message {id} was left and was read or left before");
                }
            }
            _ => {}
        }
    }

    fn is_read(&mut self, team: TeamId, id: MessageId, reader: &Party) {
        let (from, to) = self.sent.get(&(team, id)).unwrap_or_else(|| panic!("{id} was read and never sent"));
        assert_eq!(to, reader, "message {id} was read by another");
        assert!(self.read.insert((team, id)), "message {id} was read twice");
        assert!(!self.left.contains(&(team, id)), "message {id} was read after it was left");
        let last = self.last.insert((team, from.clone(), to.clone()), id);
        assert!(last.is_none_or(|last| last < id), "message {id} came before an earlier one");
    }

    /// What a reader was handed is what the facts of the same commit say was read.
    pub fn check_inbox(reply: &Reply, facts: &[Fact]) {
        let Data::Inbox(letters) = &reply.data else { return };
        for letter in letters {
            let said = facts
                .iter()
                .any(|fact| matches!(&fact.event, Event::MessagesRead(e) if e.ids.contains(&letter.id)));
            assert!(said, "message {} was handed out and is not told to be read", letter.id);
        }
    }

    /// Every message that was ever sent is where the books have it: none lost, none doubled.
    pub fn check(&self, state: &State) {
        let mut count = 0;
        for (team, id) in state.teams.iter().flat_map(|(t, team)| team.mail.messages.iter().map(|m| (*t, m)))
        {
            let key = (team, id.id);
            let expected = (self.read.contains(&key), self.left.contains(&key));
            let found = match &id.state {
                MessageState::Read { .. } => (true, false),
                MessageState::Left => (false, true),
                MessageState::Sent => (false, false),
            };
            assert_eq!(found, expected, "message {key:?}");
            let is_unread =
                state.teams[&team].mail.unread.values().filter(|ids| ids.contains(&id.id)).count();
            assert_eq!(
                is_unread,
                usize::from(found == (false, false)),
                "message {key:?} waits {is_unread} times"
            );
            count += 1;
        }
        assert_eq!(count, self.sent.len(), "messages were sent that are nowhere");
    }

    pub fn counts(&self) -> [(&'static str, u64); 3] {
        [
            ("messages", self.sent.len() as u64),
            ("messages read", self.read.len() as u64),
            ("messages left", self.left.len() as u64),
        ]
    }
}
