//! From a declared member to its chairs: its agent below its own keys, one chair a value of `each`, texts spliced.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use super::Resolver;
use super::agent::{Seat, check_keys};
use super::name::Holder;
use super::work::Work;
use crate::config::declare::{AgentDecl, MemberDecl, TaskDecl};
use crate::config::report::{At, Report, Said};
use crate::config::string::Text;
use crate::domain::{AgentSpec, MemberSpec, Name, limits::MAX_MEMBERS};
use crate::text::Untrusted;
use crate::text::quantity::count;

/// Agents that an error lists.
const MAX_LISTED: usize = 12;

/// A chair on its way to a member.
#[derive(Debug)]
pub(in crate::config) struct Chair {
    pub name: Name,
    pub at: At,
    pub title: Option<Text>,
    pub agent_name: Option<Name>,
    pub agent: Rc<AgentDecl>,
    /// Its agent exists, if it names one.
    pub is_known: bool,
}

impl Resolver<'_, '_, '_> {
    /// Makes the chairs and briefs of all members; too many are refused before any is made.
    pub fn seat(&mut self, members: Vec<MemberDecl>) {
        let mut total = 0;
        for member in &members {
            total += member.each.as_ref().map_or(1, |each| each.value.len());
            if total > MAX_MEMBERS {
                let most = count(u64::try_from(MAX_MEMBERS).unwrap_or(u64::MAX));
                let help = "declare work for the same chairs as `[tasks.NAME]`, or split the team".to_owned();
                let message = format!("a team has at most {most} members, and this one is beyond");
                self.report.error("too_many", &member.task.name.at, &message, &[help]);
                return;
            }
        }
        for member in members {
            check_keys(&member.own, self.report);
            match member.each.clone() {
                Some(each) => self.seat_each(&member, each),
                None => {
                    let name = member.task.name.clone();
                    self.splicer.set_each(None);
                    let label = name.value.clone();
                    self.seat_one(member, name, &label);
                }
            }
        }
    }

    /// What an agent of that name is; an unknown one is an error. None, false: it is named and unknown.
    pub fn agent_of(&mut self, written: Option<&Text>) -> (Option<(Name, AgentDecl)>, bool) {
        let Some(written) = written else { return (None, true) };
        let name = Name::reference(&written.value).ok();
        let found = self.agents.iter().find(|(known, _)| Some(known) == name.as_ref());
        if found.is_some() {
            return (found.cloned(), true);
        }
        if self.report.skips_error() {
            return (None, false);
        }
        let names: Vec<&str> = self.agents.iter().map(|(name, _)| name.as_str()).collect();
        let help = match self.report.nearest(&written.value, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if names.is_empty() => format!("declare it: `[agents.{}]`", written.value),
            None if names.len() > MAX_LISTED => format!("there are {} others", names.len()),
            None => format!("the agents: {}", names.join(", ")),
        };
        let message = format!("there is no agent `{}`", written.value);
        self.report.error("unknown_agent", &written.at, &message, &[help]);
        (None, false)
    }

    /// Puts the values of variables into all texts of an agent.
    pub fn splice_agent(&mut self, agent: &mut AgentDecl) {
        let (splicer, report) = (&mut self.splicer, &mut *self.report);
        agent.texts(&mut |text, style| splicer.splice(text, style, report));
    }

    /// Puts the values of variables into all texts of a task.
    pub fn splice_task(&mut self, task: &mut TaskDecl) {
        let (splicer, report) = (&mut self.splicer, &mut *self.report);
        task.texts(&mut |text, style| splicer.splice(text, style, report));
    }

    fn seat_each(&mut self, member: &MemberDecl, each: Said<Vec<Text>>) {
        let label = &member.task.name.value;
        if each.value.is_empty() {
            self.report.error("empty", &each.at, &format!("`each` is empty: no member {label} is made"), &[]);
            return;
        }
        let Some(group) = self.names.give(&member.task.name, Holder::Group, self.report) else { return };
        let mut made = Vec::new();
        for value in &each.value {
            let mut value = value.clone();
            self.splicer.set_each(None);
            self.splicer.splice(&mut value, crate::config::splice::Style::Plain, self.report);
            let mut name = Text::empty(value.at.clone());
            name.push_value(&format!("{label}-{}", value.value), value.at.start);
            self.splicer.set_each(Some(&value.value));
            made.extend(self.seat_one(member.clone(), name, label));
        }
        self.names.fill(group, made);
    }

    fn seat_one(&mut self, member: MemberDecl, name: Text, label: &str) -> Option<Name> {
        let is_broken = member.own.is_broken || member.task.is_broken;
        let has_work = is_broken || member.task.prompt.is_some() || !member.own.line_keys().is_empty();
        let (base, is_known) = self.agent_of(member.agent.as_ref());
        let agent_name = base.as_ref().map(|(name, _)| name.clone());
        let mut agent = match &base {
            Some((_, base)) => member.own.over(base),
            None => member.own,
        };
        let mut task = member.task;
        self.splice_agent(&mut agent);
        self.splice_task(&mut task);
        let holder = if has_work { Holder::Brief } else { Holder::Chair };
        let given = self.names.give(&name, holder, self.report)?;
        let (title, at, agent) = (task.title.take(), name.at.clone(), Rc::new(agent));
        if let Some(key) = task.needs_work.as_ref().filter(|_| !has_work && is_known) {
            let message = format!("`{}` has no meaning here: {label} has no task of its own", key.value);
            let help = "give it a `prompt`, `run`, `argv` or `script`".to_owned();
            self.report.error("no_meaning", &key.at, &message, &[help]);
        }
        if has_work {
            let folder = self.folder_of(&agent).into();
            let (name, label, agent) = (given.clone(), label.to_owned(), Some(Rc::clone(&agent)));
            self.works.push(Work { name, label, decl: task, agent, folder, edges: Vec::new() });
        }
        self.chairs.push(Chair { name: given.clone(), at, title, agent_name, agent, is_known });
        Some(given)
    }

    /// Where a process of that agent works, absolute.
    fn folder_of(&self, agent: &AgentDecl) -> String {
        match &agent.cwd {
            Some(cwd) => self.context.path(&cwd.value),
            None => self.context.workspace.clone(),
        }
    }

    /// The agents that say all that one needs to run, for members that are added later. One that speaks of `each` needs a
    /// member that has values.
    pub fn kept_agents(&mut self) -> BTreeMap<Name, Arc<AgentSpec>> {
        let mut kept = BTreeMap::new();
        self.splicer.set_each(None);
        for (name, decl) in &self.agents {
            let Some(at) = decl.whole_at() else { continue };
            let (mut decl, mut aside) = (decl.clone(), Report::new(self.report.source()));
            decl.texts(&mut |text, style| self.splicer.splice(text, style, &mut aside));
            if aside.has_error() {
                continue;
            }
            let agent = super::agent::resolve(
                &decl,
                Seat { name: name.as_str(), is_lead: true },
                &at,
                &self.context,
                self.report,
            );
            kept.extend(agent.map(|agent| (name.clone(), Arc::new(agent))));
        }
        kept
    }

    /// The members as they are frozen, each with its brief.
    pub fn members(&mut self) -> Vec<MemberSpec> {
        let has_lead = self.has_lead;
        let agents: Vec<Name> = self.agents.iter().map(|(name, _)| name.clone()).collect();
        let mut members = Vec::new();
        let mut briefs = self.works.iter().filter(|work| work.agent.is_some()).peekable();
        for chair in &self.chairs {
            let brief = briefs.next_if(|work| work.name == chair.name);
            let brief = brief.map(|work| work.spec(&self.names, has_lead, &agents, self.report));
            if !chair.is_known {
                continue;
            }
            let name = chair.name.as_str();
            let agent = super::agent::resolve(
                &chair.agent,
                Seat { name, is_lead: false },
                &chair.at,
                &self.context,
                self.report,
            );
            let Some(agent) = agent else { continue };
            members.push(MemberSpec {
                name: chair.name.clone(),
                title: chair.title.as_ref().map(|title| Untrusted::from(title.value.as_str())),
                agent_name: chair.agent_name.clone(),
                agent,
                brief: brief.map(Into::into),
            });
        }
        members
    }
}
