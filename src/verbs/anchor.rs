//! Paths in a command, seen from where it is given.
use crate::domain::{Command, PlanStep};
use std::path::Path;

/// The command with the folders of the members it adds seen from `base`; an absolute one stays as it is.
pub fn anchored(mut command: Command, base: &Path) -> Command {
    let anchor = |cwd: &mut Option<String>| {
        if let Some(cwd) = cwd {
            *cwd = base.join(&*cwd).to_string_lossy().into_owned();
        }
    };
    match &mut command {
        Command::AddMember(add) => anchor(&mut add.member.agent.cwd),
        Command::Replan(replan) => {
            for step in &mut replan.steps {
                if let PlanStep::Add(add) = step {
                    anchor(&mut add.member.agent.cwd);
                }
            }
        }
        _ => {}
    }
    command
}
