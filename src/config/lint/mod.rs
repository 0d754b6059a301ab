//! What can be told of a team without running it: pipes that hide failures, missing programs, inputs that nobody
//! makes, outputs outside the workspace, limits that cannot be met.

mod input;
mod limit;
mod output;
mod pipe;
mod program;

pub(super) use output::check_outputs;

use std::collections::BTreeSet;

use super::declare::LimitDecl;
use super::resolve::Resolver;
use super::string::Text;
use crate::domain::Name;

/// Looks at every chair and task.
pub(super) fn lint(resolver: &mut Resolver<'_, '_, '_>, limits: &LimitDecl) {
    let (context, report) = (&resolver.context, &mut *resolver.report);
    limit::check_limits(limits, &resolver.chairs, report);
    for chair in &resolver.chairs {
        program::check_folder(&chair.agent, chair.name.as_str(), context, report);
    }
    let briefs: BTreeSet<&Name> = resolver.works.iter().map(|work| &work.name).collect();
    for chair in resolver.chairs.iter().filter(|chair| !briefs.contains(&chair.name)) {
        program::check_chair(chair, context, report);
    }
    for work in &resolver.works {
        check_outputs(work.name.as_str(), &work.decl.outputs, &context.workspace, report);
        program::check_programs(work, context, report);
        if let Some(run) = work.agent.as_ref().and_then(|agent| agent.run.as_ref()) {
            pipe::check_pipes(&work.label, run, report);
        }
    }
    input::check_inputs(&resolver.works, report);
}

/// Every text of a task that a shell or an agent reads as work.
fn work_texts(work: &super::resolve::Work) -> impl Iterator<Item = &Text> {
    let agent = work.agent.as_ref();
    let run = agent.and_then(|agent| agent.run.as_ref());
    let argv = agent.and_then(|agent| agent.argv.as_ref()).into_iter().flat_map(|said| &said.value);
    work.decl.prompt.iter().chain(run).chain(argv).chain(&work.decl.checks)
}
