//! Commands that can be pasted: they name the run and the team where that is needed.
use crate::domain::TeamId;
use crate::domain::state::State;

/// How commands are made for one team of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pasted {
    run: Option<u64>,
    team: Option<String>,
    flags: String,
    closed: bool,
}

impl Pasted {
    /// For a team; `flags` are those that were given before: ` --state DIR`.
    pub fn new(state: &State, team: TeamId, flags: &str) -> Self {
        let several = state.live_teams().nth(1).is_some();
        let name = state.team(team).filter(|_| several).map(|t| t.name.to_string());
        Self {
            run: state.run.header.number,
            team: name,
            flags: flags.to_owned(),
            closed: state.run.closed.is_some(),
        }
    }

    /// A command of the table, for a run that is live.
    pub fn act(&self, line: &str) -> String {
        let run = self.run.map_or_else(String::new, |n| format!(" --run {n}"));
        let team = self.team.as_ref().map_or_else(String::new, |name| format!(" team={name}"));
        format!("`teamtui do{run}{} {line}{team}`", self.flags)
    }

    /// A reading subcommand.
    pub fn look(&self, line: &str) -> String {
        let run = self.run.map_or_else(String::new, |n| format!(" --run {n}"));
        format!("`teamtui {line}{run}{}`", self.flags)
    }

    /// The command that takes a closed run up again; none while it is live, or for the standing run.
    pub fn resume(&self, options: &str) -> Option<String> {
        let run = self.run.filter(|_| self.closed)?;
        Some(format!("`teamtui resume {run}{options}{}`", self.flags))
    }
}
