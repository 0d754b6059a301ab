//! What tasks wait for: names become edges, and edges must not go round (R5).

use std::collections::BTreeMap;

use super::name::{Holder, Names, possessive};
use super::work::Work;
use crate::config::declare::EdgeDecl;
use crate::config::report::{At, Report};
use crate::domain::limits::MAX_EDGES;
use crate::domain::{EdgeSpec, Name, Needs, TaskRef};
use crate::graph::find_cycle;
use crate::text::quantity::count;

/// Edges of one team; more are refused. Reason: `each` times a long `depends_on` would fill the memory.
pub const MAX_TEAM_EDGES: usize = 1_000_000;
/// Loops of one file that are told apart; after these the rest follows.
const MAX_LOOPS: usize = 5;
/// Edges of one loop whose places are listed.
const MAX_LISTED: usize = 10;

/// An edge, and where its upstream was written.
#[derive(Debug, Clone)]
pub(in crate::config) struct Edge {
    pub on: Name,
    pub needs: Needs,
    pub at: At,
}

impl Edge {
    /// The edge as it is frozen.
    pub fn spec(&self) -> EdgeSpec {
        EdgeSpec { on: TaskRef::Name(self.on.clone()), needs: self.needs }
    }
}

/// Looks up the upstreams of one task; what is unknown, itself or repeated is an error and left out.
pub(super) fn resolve(
    task: &Name,
    decls: &[EdgeDecl],
    names: &Names,
    agents: &[Name],
    report: &mut Report<'_>,
) -> Vec<Edge> {
    let mut edges: Vec<Edge> = Vec::new();
    let mut seen: BTreeMap<Name, At> = BTreeMap::new();
    for decl in decls {
        for on in upstreams(task, decl, names, agents, report) {
            let at = decl.on.at.clone();
            if on == *task {
                let help = "take it out: a task cannot wait for its own end".to_owned();
                report.error("self_dependency", &at, &format!("{task} depends on itself"), &[help]);
            } else if let Some(first) = seen.get(&on) {
                let help = format!("the first is at {}; keep one", report.line_col(first));
                report.error(
                    "duplicate_dependency",
                    &at,
                    &format!("{task} depends on `{on}` twice"),
                    &[help],
                );
            } else {
                seen.insert(on.clone(), at.clone());
                edges.push(Edge { on, needs: decl.needs, at });
            }
        }
    }
    if let Some(edge) = edges.get(MAX_EDGES) {
        let most = count(u64::try_from(MAX_EDGES).unwrap_or(u64::MAX));
        report.error("too_many", &edge.at, &format!("{task} waits for more than {most} tasks"), &[]);
    }
    edges
}

fn upstreams(
    task: &Name,
    decl: &EdgeDecl,
    names: &Names,
    agents: &[Name],
    report: &mut Report<'_>,
) -> Vec<Name> {
    let written = decl.on.value.trim();
    let name = Name::reference(written).ok();
    let found = name.as_ref().and_then(|name| Some((names.given(name)?, names.holder(name)?)));
    match found {
        Some((name, Holder::Brief | Holder::Task)) => vec![name.clone()],
        Some((group, Holder::Group)) if names.is_work(group) => names.members_of(group).to_vec(),
        Some((name, Holder::Chair | Holder::Group)) => {
            let help = format!("give {name} a `prompt`, or depend on a task it is assigned to");
            let message = format!("{task} depends on `{name}`, which has no task of its own");
            report.error("unknown_dependency", &decl.on.at, &message, &[help]);
            Vec::new()
        }
        None if report.skips_error() => Vec::new(),
        None => {
            let message = format!("{task} depends on `{written}`, which does not exist");
            let help = match names.nearest_work(written, report) {
                Some(near) => vec![format!("did you mean `{near}`?")],
                None if name.is_some_and(|name| agents.contains(&name)) => {
                    vec![format!("`{written}` is an agent; depend on a member or a task")]
                }
                None => Vec::new(),
            };
            report.error("unknown_dependency", &decl.on.at, &message, &help);
            Vec::new()
        }
    }
}

/// Reports every loop, each exactly, with the place of each of its edges.
pub(super) fn report_loops(works: &[Work], report: &mut Report<'_>) {
    let index: BTreeMap<&Name, usize> = works.iter().enumerate().map(|(at, work)| (&work.name, at)).collect();
    let nodes: Vec<usize> = (0..works.len()).collect();
    let upstream = |edge: &Edge| index.get(&edge.on).copied();
    let mut edges: Vec<(usize, usize)> = Vec::new();
    for (from, work) in works.iter().enumerate() {
        edges.extend(work.edges.iter().filter_map(|edge| Some((from, upstream(edge)?))));
    }
    for _ in 0..MAX_LOOPS {
        let Some(found) = find_cycle(&nodes, &edges) else { return };
        let next = found.iter().cycle().skip(1);
        let steps: Vec<(usize, usize)> = found.iter().copied().zip(next.copied()).collect();
        report_loop(works, &steps, report);
        edges.retain(|edge| !steps.contains(edge));
    }
}

fn report_loop(works: &[Work], steps: &[(usize, usize)], report: &mut Report<'_>) {
    let places: Vec<(&Name, &Edge)> = steps
        .iter()
        .filter_map(|(from, to)| {
            let (work, upstream) = (works.get(*from)?, works.get(*to)?);
            Some((&work.name, work.edges.iter().find(|edge| edge.on == upstream.name)?))
        })
        .collect();
    let Some((first, edge)) = places.first() else { return };
    let names: Vec<&str> = places.iter().map(|(name, _)| name.as_str()).chain([first.as_str()]).collect();
    let listed: Vec<String> = places
        .iter()
        .take(MAX_LISTED)
        .map(|(name, edge)| format!("{} at {}", possessive(name.as_str()), report.line_col(&edge.at)))
        .collect();
    let more = places.len().saturating_sub(MAX_LISTED);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    let help = format!("each waits for the next; remove one: {}{more}", listed.join(", "));
    report.error("cycle", &edge.at, &format!("cycle: {}", names.join(" -> ")), &[help]);
}
