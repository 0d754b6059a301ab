//! The names of one team: members and tasks share one space, agents have their own (R1, R2).

use std::collections::BTreeMap;

use crate::config::report::{At, Report};
use crate::config::string::Text;
use crate::domain::{Name, NameError};

/// What a name was given to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holder {
    /// A member with a task of its own.
    Brief,
    /// A member without one.
    Chair,
    /// A task.
    Task,
    /// All members of one `each`.
    Group,
}

/// The names given so far.
#[derive(Debug, Default)]
pub(super) struct Names {
    given: BTreeMap<Name, (Holder, At)>,
    groups: BTreeMap<Name, Vec<Name>>,
    order: Vec<Name>,
}

impl Names {
    /// Gives a name to a member or task; one that is taken or no name is an error.
    pub fn give(&mut self, name: &Text, holder: Holder, report: &mut Report<'_>) -> Option<Name> {
        let parsed = parse(name, report)?;
        if let Some((other, (_, at))) = self.given.get_key_value(&parsed) {
            let why = match other.as_str() == parsed.as_str() {
                false => "names differ by more than case",
                true if holder == Holder::Task => "members and tasks share their names",
                true => "`each` makes a member of each value",
            };
            let place = report.line_col(at);
            let message = format!("the name `{parsed}` is taken by `{other}` at {place} ({why})");
            report.error("name_taken", &name.at, &message, &[]);
            return None;
        }
        self.given.insert(parsed.clone(), (holder, name.at.clone()));
        self.order.push(parsed.clone());
        Some(parsed)
    }

    /// Says which members a group has.
    pub fn fill(&mut self, group: Name, members: Vec<Name>) {
        self.groups.insert(group, members);
    }

    /// What has that name.
    pub fn holder(&self, name: &Name) -> Option<Holder> {
        self.given.get(name).map(|(holder, _)| *holder)
    }

    /// The name as it was given.
    pub fn given(&self, name: &Name) -> Option<&Name> {
        self.given.get_key_value(name).map(|(name, _)| name)
    }

    /// The members of a group.
    pub fn members_of(&self, group: &Name) -> &[Name] {
        self.groups.get(group).map(Vec::as_slice).unwrap_or_default()
    }

    /// Does that name stand for tasks?
    pub fn is_work(&self, name: &Name) -> bool {
        match self.holder(name) {
            Some(Holder::Brief | Holder::Task) => true,
            Some(Holder::Group) => self.members_of(name).first().is_some_and(|first| self.is_work(first)),
            Some(Holder::Chair) | None => false,
        }
    }

    /// Is that a member?
    pub fn is_member(&self, name: &Name) -> bool {
        matches!(self.holder(name), Some(Holder::Brief | Holder::Chair))
    }

    /// The task that was probably meant.
    pub fn nearest_work(&self, written: &str, report: &mut Report<'_>) -> Option<&str> {
        report.nearest(written, self.order.iter().filter(|name| self.is_work(name)).map(Name::as_str))
    }

    /// The member that was probably meant.
    pub fn nearest_member(&self, written: &str, report: &mut Report<'_>) -> Option<&str> {
        report.nearest(written, self.order.iter().filter(|name| self.is_member(name)).map(Name::as_str))
    }
}

/// Reads a name that is being given; a bad one is an error.
pub(super) fn parse(name: &Text, report: &mut Report<'_>) -> Option<Name> {
    match Name::parse(&name.value) {
        Ok(parsed) => Some(parsed),
        Err(why) => {
            let help = match &why {
                NameError::Reserved(name) if name.eq_ignore_ascii_case("lead") => {
                    "the lead has a table of its own: `[lead]`".to_owned()
                }
                NameError::Reserved(_) => "take another name; show this one as its `title`".to_owned(),
                _ => "a name is like `auth-2`; any text can be its `title`".to_owned(),
            };
            report.error("bad_name", &name.at, &why.to_string(), &[help]);
            None
        }
    }
}

/// `build's`, `docs'`.
pub(super) fn possessive(name: &str) -> String {
    if name.ends_with(['s', 'S']) { format!("{name}'") } else { format!("{name}'s") }
}
