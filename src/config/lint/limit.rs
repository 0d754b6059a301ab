//! Limits that cannot be met.

use crate::config::declare::LimitDecl;
use crate::config::report::Report;
use crate::config::resolve::Chair;
use crate::domain::Limits;
use crate::text::quantity::{duration, money};

/// Reports limits under which nothing could start, and chairs whose own are beyond the team's.
pub(super) fn check_limits(limits: &LimitDecl, chairs: &[Chair], report: &mut Report<'_>) {
    check_team(limits, report);
    for chair in chairs {
        let name = &chair.name;
        if let (Some(team), Some(own)) = (&limits.time, &chair.agent.time)
            && own.value > team.value
        {
            let message = format!(
                "an attempt of {name} may take {}, and the team has {} in all",
                duration(own.value),
                duration(team.value)
            );
            let help = format!("the team's `time` is at {}", report.line_col(&team.at));
            report.warning("unmet_limit", &own.at, &message, &[help]);
        }
        if let (Some(team), Some(own)) = (&limits.money, &chair.agent.cost)
            && own.value > team.value
        {
            let message = format!(
                "an attempt of {name} reserves {} USD, and the team has {} USD in all: it could never start",
                money(own.value),
                money(team.value)
            );
            let help = format!("the team's `money` is at {}", report.line_col(&team.at));
            report.error("unmet_limit", &own.at, &message, &[help]);
        }
    }
}

fn check_team(limits: &LimitDecl, report: &mut Report<'_>) {
    let written = Limits {
        parallel: limits.parallel.as_ref().map_or(1, |said| said.value),
        time_ms: limits.time.as_ref().map(|said| said.value),
        ..Limits::default()
    };
    let Some((key, why)) = crate::config::limit::unmet(&written) else { return };
    let parallel = limits.parallel.as_ref().map(|said| &said.at);
    let time = limits.time.as_ref().map(|said| &said.at);
    let at = if key == "parallel" { parallel } else { time };
    if let Some(at) = at {
        report.error("unmet_limit", at, why, &[]);
    }
}
