//! What a row of the table is made of.
use super::act::Act;
use super::error::ParseError;
use super::reader::Reader;
use std::fmt;

/// A command: one row of the table, from which parser, completion, help, palette, keys and docs are made.
pub struct Verb {
    /// The word it begins with.
    pub id: &'static str,
    /// A few words, for the palette.
    pub title: &'static str,
    /// One sentence.
    pub help: &'static str,
    /// Where it stands in the help.
    pub group: Group,
    /// What follows the word.
    pub args: Form,
    /// Who may.
    pub who: Who,
    /// The key that does it in the screen, unless it was bound to another.
    pub key: Option<&'static str>,
    /// Lines that work. Those of verbs that need an attempt are a member's.
    pub examples: &'static [&'static str],
    /// What more there is to say.
    pub more: Option<&'static str>,
    /// From what follows the word to what is asked.
    pub(super) read: fn(&mut Reader<'_>) -> Result<Act, ParseError>,
}

/// What belongs together in the help.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// The team as a whole.
    Team,
    /// What is to be done by whom.
    Plan,
    /// Work on one task.
    Task,
    /// Ways out.
    End,
    /// Accepting what was done.
    Review,
    /// Messages and questions.
    Talk,
    /// Scripts of people and members.
    Script,
    /// Scripted members alone: not in the palette, not in the overview.
    Scripted,
}

/// What follows a verb: slots in order, and pairs anywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    /// In order.
    pub slots: &'static [Slot],
    /// In any order; `team=` is every verb's and not among them.
    pub keys: &'static [Key],
    /// The keys of a member or task that it adds.
    pub added: &'static [Key],
}

/// A place for one argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// Its name in usage lines: `TASK`.
    pub name: &'static str,
    /// What fits.
    pub kind: Kind,
    /// It may not be left out.
    pub required: bool,
    /// The words before it.
    pub lead: &'static [&'static str],
}

/// An argument with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// What stands before `=`.
    pub name: &'static str,
    /// The name of its value in usage lines.
    pub value: &'static str,
    /// What fits.
    pub kind: Kind,
    /// It may not be left out.
    pub required: bool,
    /// What it says, in a few words.
    pub about: &'static str,
}

/// What fits in a slot or behind a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// One task.
    Task,
    /// Tasks with commas.
    Tasks,
    /// `all`, or tasks with commas.
    AllOrTasks,
    /// One task, named first by who has no attempt.
    Own,
    /// Tasks with commas, each with `:finished` or `:completed` or neither.
    Edges,
    /// A member.
    Member,
    /// Members with commas.
    Members,
    /// A member, the lead or the person.
    To,
    /// Members, the lead or the person, with commas.
    Reviewers,
    /// An agent, or the member who has it.
    Agent,
    /// A live team.
    Team,
    /// A name to be given.
    NewName,
    /// Text to the end.
    Text,
    /// A text as one word or string.
    Value,
    /// Texts with commas.
    Values,
    /// `NAME=VALUE`, with commas.
    Settings,
    /// A file.
    Path,
    /// A whole number.
    Number,
    /// Whole numbers with commas.
    Numbers,
    /// As `5m`.
    Duration,
    /// As `2.00`.
    Money,
    /// One of these.
    Choice(&'static [&'static str]),
    /// Statuses, `held` and `settled`, with commas.
    Goals,
    /// A string for a task, a name for a member.
    Subject,
    /// The steps of a replan.
    Steps,
    /// What `expect` asserts.
    Check,
}

impl Kind {
    /// May blanks stand in it?
    pub(super) fn has_blanks(self) -> bool {
        matches!(self, Self::Text | Self::Value | Self::Values | Self::Settings | Self::Path)
    }

    /// Does it take more than one, with commas or by giving the key again?
    pub(super) fn is_list(self) -> bool {
        matches!(
            self,
            Self::Tasks
                | Self::Edges
                | Self::Members
                | Self::Reviewers
                | Self::Values
                | Self::Settings
                | Self::Numbers
                | Self::Goals
        )
    }
}

/// Who may: the people and scripts that run a team, its lead, its members, the reviewers of the task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Who {
    /// The person at the keyboard, or a script.
    pub person: May,
    /// The lead.
    pub lead: May,
    /// A member, in an attempt or turn.
    pub member: May,
    /// Who reviews the task, in a review of it.
    pub reviewer: May,
}

/// Whether one of them may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum May {
    /// It may not.
    No,
    /// Where the team allows it, within the caps of R27.
    IfAllowed,
    /// For tasks that are theirs.
    IfTheirs,
    /// Members of the scripted driver alone.
    IfScripted,
    /// It may.
    Yes,
}

impl Who {
    /// The same for all four.
    pub const ALL: Self = Self { person: May::Yes, lead: May::Yes, member: May::Yes, reviewer: May::Yes };
    /// Nobody: to begin with.
    pub(super) const NONE: Self = Self { person: May::No, lead: May::No, member: May::No, reviewer: May::No };

    /// Who may, as a sentence.
    pub fn sentence(self) -> String {
        if self == Self::ALL {
            return "Everyone.".to_owned();
        }
        let named = [
            ("the person, a script", self.person),
            ("the lead", self.lead),
            (if self.member == May::IfScripted { "a scripted member" } else { "a member" }, self.member),
            ("a reviewer of the task", self.reviewer),
        ];
        let all: Vec<String> = named
            .into_iter()
            .filter_map(|(name, may)| match may {
                May::No => None,
                May::Yes | May::IfScripted => Some(name.to_owned()),
                May::IfAllowed => Some(format!("{name} where the team allows it")),
                May::IfTheirs => Some(format!("{name} where the task is theirs")),
            })
            .collect();
        let all = all.join(", ");
        let mut letters = all.chars();
        letters.next().map(|c| format!("{}{}.", c.to_uppercase(), letters.as_str())).unwrap_or_default()
    }
}

impl Verb {
    /// Its keys and those of what it adds, without `team=`.
    pub fn keys(&self) -> impl Iterator<Item = &'static Key> + Clone + use<> {
        self.args.keys.iter().chain(self.args.added)
    }

    /// The key of that name; `team` is one of every verb.
    pub fn key_of(&self, name: &str) -> Option<&'static Key> {
        self.keys().chain([&super::key::TEAM]).find(|key| key.name == name)
    }

    /// Does its text run to the end of the line? Then `word=` is text, unless the verb has that key.
    pub fn takes_text(&self) -> bool {
        self.args.slots.iter().any(|slot| slot.kind == Kind::Text)
    }

    /// How it is written, in one line: `send TO TEXT`.
    pub fn usage(&self) -> String {
        let slots = self.args.slots.iter().map(Slot::usage);
        let keys = self.args.keys.iter().map(Key::usage);
        let more = self.lists_added().then(|| "[KEY=VALUE ..]".to_owned());
        [self.id.to_owned()].into_iter().chain(slots).chain(keys).chain(more).collect::<Vec<_>>().join(" ")
    }

    /// Are the keys of what it adds its own? In a replan they are those of a step.
    pub fn lists_added(&self) -> bool {
        !self.args.added.is_empty() && !self.args.slots.iter().any(|slot| slot.kind == Kind::Steps)
    }

    /// Is it found in the palette?
    pub fn is_in_palette(&self) -> bool {
        self.group != Group::Scripted
    }
}

impl Slot {
    /// How it stands in a usage line.
    pub fn usage(&self) -> String {
        let words: Vec<&str> = self.lead.iter().copied().chain([self.name]).collect();
        let words = words.join(" ");
        if self.required { words } else { format!("[{words}]") }
    }

    /// With those words before it.
    pub(super) const fn after(mut self, lead: &'static [&'static str]) -> Self {
        self.lead = lead;
        self
    }
}

impl Key {
    /// How it stands in a usage line.
    pub fn usage(&self) -> String {
        let pair = format!("{}={}", self.name, self.value);
        if self.required { pair } else { format!("[{pair}]") }
    }
}

impl PartialEq for Verb {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Verb {}

impl fmt::Debug for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)
    }
}
