//! One unit of work on its way to a task: what it says, who does it, what it waits for.

use std::rc::Rc;

use super::edge::Edge;
use super::name::{Holder, Names};
use crate::config::declare::{AgentDecl, TaskDecl};
use crate::config::report::Report;
use crate::domain::limits::MAX_PROMPT_BYTES;
use crate::domain::{Name, Reviewer, TaskSpec};
use crate::text::quantity::size;

/// A brief or a task with its texts spliced.
#[derive(Debug)]
pub(in crate::config) struct Work {
    pub name: Name,
    /// The name in messages: that of the group for a member of an `each`.
    pub label: String,
    pub decl: TaskDecl,
    /// How its member runs, if it is a brief.
    pub agent: Option<Rc<AgentDecl>>,
    /// The folder its process works in, absolute.
    pub folder: Rc<str>,
    pub edges: Vec<Edge>,
}

impl Work {
    /// The task as it is frozen; what it says of others is checked.
    pub(super) fn spec(
        &self,
        names: &Names,
        has_lead: bool,
        agents: &[Name],
        report: &mut Report<'_>,
    ) -> TaskSpec {
        let untrusted = |text: &Option<crate::config::string::Text>| {
            text.as_ref().map(|text| crate::text::Untrusted::from(text.value.as_str()))
        };
        let values =
            |list: &[crate::config::string::Text]| list.iter().map(|text| text.value.clone()).collect();
        self.check(report);
        TaskSpec {
            name: Some(self.name.clone()),
            title: untrusted(&self.decl.title),
            prompt: untrusted(&self.decl.prompt),
            assignee: self.assignee(names, has_lead, agents, report),
            depends_on: self.edges.iter().map(Edge::spec).collect(),
            priority: self.decl.priority,
            optional: self.decl.optional,
            outputs: values(&self.decl.outputs),
            checks: values(&self.decl.checks),
            review: self.review(names, report),
            default: untrusted(&self.decl.default),
        }
    }

    fn check(&self, report: &mut Report<'_>) {
        let name = &self.name;
        if let Some(prompt) = self.decl.prompt.as_ref().filter(|prompt| prompt.value.len() > MAX_PROMPT_BYTES)
        {
            let most = size(u64::try_from(MAX_PROMPT_BYTES).unwrap_or(u64::MAX));
            report.error("too_large", &prompt.at, &format!("the prompt of {name} is over {most}"), &[]);
        }
        let asks = self.decl.prompt.is_some() || self.decl.title.is_some() || self.decl.is_broken;
        if self.agent.is_none() && !asks {
            let message = format!("{name} asks for nothing: it has no `prompt`");
            report.error("missing_key", &self.decl.name.at, &message, &[]);
        }
    }

    fn assignee(
        &self,
        names: &Names,
        has_lead: bool,
        agents: &[Name],
        report: &mut Report<'_>,
    ) -> Option<Name> {
        // A brief is its member's by its place in the team.
        let written = self.decl.assignee.as_ref()?;
        let name = Name::reference(&written.value).ok();
        if let Some(name) = &name {
            if let (Some(given), Some(Holder::Brief | Holder::Chair)) =
                (names.given(name), names.holder(name))
            {
                return Some(given.clone());
            }
            if name.is_lead() && has_lead {
                return Some(name.clone());
            }
        }
        if report.skips_error() {
            return None;
        }
        let (message, help) = self.nobody(&written.value, name.as_ref(), names, agents, report);
        report.error("nobody", &written.at, &message, &[help]);
        None
    }

    /// Why the assignee cannot do it, and what to do.
    fn nobody(
        &self,
        written: &str,
        name: Option<&Name>,
        names: &Names,
        agents: &[Name],
        report: &mut Report<'_>,
    ) -> (String, String) {
        let task = &self.name;
        let key = name.map(Name::key).unwrap_or_default();
        if key == "lead" {
            let message = format!("{task} is given to the lead, and no agent sits in that chair");
            return (message, "give the lead one: `[lead]`, or name a member".to_owned());
        }
        if matches!(key, "person" | "human" | "user") {
            let message = format!("{task} is given to a person, and no person has a chair");
            return (message, "make one: `[members.NAME]` with `driver = \"human\"`".to_owned());
        }
        if let Some((group, Holder::Group)) = name.and_then(|name| Some((name, names.holder(name)?))) {
            let first = names.members_of(group).first().map(Name::as_str).unwrap_or_default();
            let message = format!("{task} is given to `{written}`, and these are several members");
            return (message, format!("name one of them, as `{first}`"));
        }
        let message = format!("{task} is given to `{written}`, and there is no such member");
        let help = match names.nearest_member(written, report) {
            Some(near) => format!("did you mean `{near}`?"),
            None if name.is_some_and(|name| agents.contains(name)) => {
                format!("that is an agent; give it a chair: `[members.NAME]` with `agent = \"{written}\"`")
            }
            None => "name a member of `[members]`".to_owned(),
        };
        (message, help)
    }

    /// Is that the member who does it?
    fn is_done_by(&self, member: &Name) -> bool {
        let given = self.decl.assignee.as_ref().and_then(|to| Name::reference(&to.value).ok());
        given.as_ref() == Some(member) || (self.agent.is_some() && self.name == *member)
    }

    fn review(&self, names: &Names, report: &mut Report<'_>) -> Vec<Reviewer> {
        let mut reviewers: Vec<Reviewer> = Vec::new();
        for written in &self.decl.review {
            let name = Name::reference(&written.value).ok();
            let member =
                name.as_ref().and_then(|name| names.given(name).filter(|given| is_member(names, given)));
            let reviewer = match (name.as_ref().map(Name::key), member) {
                (Some("person" | "user" | "human"), _) => Reviewer::Person,
                (Some("lead"), _) => Reviewer::Lead,
                (_, Some(member)) => Reviewer::Member(member.clone()),
                _ if report.skips_error() => continue,
                _ => {
                    let near = names.nearest_member(&written.value, report);
                    let help = match near {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => "name a member, `lead` or `person`".to_owned(),
                    };
                    let message = format!(
                        "{} is reviewed by `{}`, and there is no such member",
                        self.name, written.value
                    );
                    report.error("unknown_member", &written.at, &message, &[help]);
                    continue;
                }
            };
            if matches!(&reviewer, Reviewer::Member(member) if self.is_done_by(member)) {
                let message = format!("{} would review its own work", written.value);
                report.error(
                    "own_review",
                    &written.at,
                    &message,
                    &["name another member, `lead` or `person`".to_owned()],
                );
                continue;
            }
            if reviewers.contains(&reviewer) {
                let message = format!("`{}` reviews {} twice", written.value, self.name);
                report.error("duplicate_reviewer", &written.at, &message, &["keep one".to_owned()]);
            } else {
                reviewers.push(reviewer);
            }
        }
        reviewers
    }
}

fn is_member(names: &Names, name: &Name) -> bool {
    matches!(names.holder(name), Some(Holder::Brief | Holder::Chair))
}
