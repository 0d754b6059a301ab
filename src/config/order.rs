//! A part of a team: `--only TASK` with all that it waits for, and `--retries N`.

use std::collections::BTreeSet;
use std::sync::Arc;

use thiserror::Error;

use crate::domain::{Name, Reviewer, TaskRef, TaskSpec, TeamSpec};
use crate::text::{Untrusted, nearest};

/// Why a team cannot be restricted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RestrictError {
    /// The team has no such task.
    #[error("there is no task `{}`; {help}", name.line())]
    Unknown {
        /// What was named.
        name: Untrusted,
        /// The nearest, or all there are.
        help: String,
    },
}

/// How many names an error lists.
const MAX_LISTED: usize = 12;

/// The team with the named tasks and all that they wait for, and no others. Names are in any spelling (R1).
///
/// A member stays if one of the kept tasks is its own, is assigned to it or is reviewed by it. Tasks that nobody is
/// assigned to may be claimed by anyone: then every member stays, those without a kept brief as chairs alone.
pub fn restrict(spec: &TeamSpec, names: &[String]) -> Result<TeamSpec, RestrictError> {
    let tasks = tasks(spec);
    let mut kept: BTreeSet<&Name> = BTreeSet::new();
    let mut open: Vec<&Name> = names.iter().map(|name| named(&tasks, name)).collect::<Result<_, _>>()?;
    while let Some(name) = open.pop() {
        if !kept.insert(name) {
            continue;
        }
        let task = tasks.iter().find(|(found, _)| *found == name).map(|(_, task)| *task);
        let upstream = task.into_iter().flat_map(|task| &task.depends_on);
        open.extend(upstream.filter_map(|edge| match &edge.on {
            TaskRef::Name(name) => Some(name),
            TaskRef::Number(_) => None,
        }));
    }
    Ok(cut_down(spec, &kept))
}

/// Gives every member that many retries, those that are added later too.
pub fn set_retries(spec: &mut TeamSpec, retries: u32) {
    for agent in spec.agents.values_mut() {
        Arc::make_mut(agent).retries = retries;
    }
    for member in &mut spec.members {
        member.agent.retries = retries;
    }
}

fn cut_down(spec: &TeamSpec, kept: &BTreeSet<&Name>) -> TeamSpec {
    let mut part = spec.clone();
    part.tasks.retain(|task| task.name.as_ref().is_some_and(|name| kept.contains(name)));
    for member in &mut part.members {
        member.brief = member.brief.take().filter(|_| kept.contains(&member.name));
    }
    let needed: BTreeSet<Name> = tasks(&part).iter().flat_map(|(name, task)| who(name, task)).collect();
    let anyone = part.tasks.iter().any(|task| task.assignee.is_none());
    part.members.retain(|member| anyone || member.brief.is_some() || needed.contains(&member.name));
    part
}

fn who(name: &Name, task: &TaskSpec) -> Vec<Name> {
    let reviewers = task.review.iter().filter_map(|reviewer| match reviewer {
        Reviewer::Member(name) => Some(name.clone()),
        Reviewer::Person | Reviewer::Lead => None,
    });
    reviewers.chain(task.assignee.clone()).chain([name.clone()]).collect()
}

/// Every task of the team by its name, in the order of their numbers.
fn tasks(spec: &TeamSpec) -> Vec<(&Name, &TaskSpec)> {
    let briefs = spec.members.iter().filter_map(|member| Some((&member.name, member.brief.as_deref()?)));
    let others = spec.tasks.iter().filter_map(|task| Some((task.name.as_ref()?, &**task)));
    briefs.chain(others).collect()
}

fn named<'a>(tasks: &[(&'a Name, &TaskSpec)], written: &str) -> Result<&'a Name, RestrictError> {
    let wanted = Name::reference(written).ok();
    let found = tasks.iter().map(|(name, _)| *name).find(|name| Some(*name) == wanted.as_ref());
    found.ok_or_else(|| {
        let all: Vec<&str> = tasks.iter().map(|(name, _)| name.as_str()).collect();
        let help = match nearest(written, all.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if all.len() > MAX_LISTED => format!("there are {} others", all.len()),
            None => format!("there are {}", all.join(", ")),
        };
        RestrictError::Unknown { name: written.into(), help }
    })
}
