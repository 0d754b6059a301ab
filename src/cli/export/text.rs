//! What goes out beside the events and the output: what each team declared, and the report.
use crate::domain::view::{RunView, Stream, phrase};
use crate::domain::{AgentSpec, Event, Fact, Seq, State, TeamId, TeamSpec};
use crate::runtime::{OwnerError, read_facts};
use crate::script::page::Page;
use crate::script::report::text;
use crate::store::RunDir;
use crate::store::archive::Text;
use std::collections::BTreeMap;

/// A run as far as it is told in texts.
#[derive(Default)]
pub struct Told {
    state: State,
    teams: BTreeMap<TeamId, TeamSpec>,
}

impl Told {
    /// Reads it from its first fact on.
    pub fn of(run: &RunDir) -> Result<Self, OwnerError> {
        let mut told = Self::default();
        read_facts(run, Seq(0), |facts| {
            facts.iter().for_each(|fact| told.fact(fact));
            true
        })?;
        Ok(told)
    }

    fn fact(&mut self, fact: &Fact) {
        if let (Event::TeamCreated(e), Some(team)) = (&fact.event, fact.team) {
            self.teams.insert(team, TeamSpec::clone(&e.spec));
        }
        self.state.evolve(fact);
    }

    /// The texts of the archive.
    pub fn texts(&self) -> Vec<Text> {
        let declared = |(id, spec): (&TeamId, &TeamSpec)| {
            Some(Text::Team(id.0, serde_json::to_string(spec).ok()? + "\n"))
        };
        let mut texts: Vec<Text> = self.teams.iter().filter_map(declared).collect();
        let view = RunView::of(&self.state, self.state.elapsed_ms);
        let mut report = Vec::new();
        if text::report(&mut report, &Page::default(), &view).is_ok() {
            texts.push(Text::Report(String::from_utf8_lossy(&report).into_owned()));
            texts.push(Text::ReportLine(Stream::last(&view, "") + "\n"));
        }
        texts
    }

    /// `, ci.toml, the report`.
    pub fn said(&self) -> String {
        let file = self.state.run.header.file.as_ref().map(|file| file.line());
        let declared = match (file, self.teams.len()) {
            (_, 0) => String::new(),
            (Some(file), 1) if file.ends_with(".toml") => format!(", {file}"),
            (_, 1) => self.teams.values().map(|team| format!(", the team {}", team.name)).collect(),
            (_, n) => format!(", {}", phrase::plural(n, "team", "teams")),
        };
        declared + ", the report"
    }

    /// Variables that its files set: `NAME=value`.
    pub fn variables(&self) -> Vec<(String, String)> {
        let mut lines: Vec<&String> = Vec::new();
        for team in self.state.teams.values() {
            lines.extend(&team.env);
            let lead = team.lead.iter().map(|lead| &lead.agent);
            let agents = team.agents.values().map(|agent| agent.as_ref());
            let members = team.members.values().map(|member| &member.agent);
            let all: Vec<&AgentSpec> = lead.chain(agents).chain(members).collect();
            lines.extend(all.into_iter().flat_map(|agent| &agent.env));
        }
        let pair =
            |line: &String| line.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
        lines.into_iter().filter_map(pair).collect()
    }
}
