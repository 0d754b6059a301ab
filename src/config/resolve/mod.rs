//! What was declared becomes a team: names are given, agents looked up, texts spliced, edges followed.

mod agent;
mod edge;
mod member;
mod name;
mod work;

use std::path::PathBuf;
use std::rc::Rc;

pub(super) use agent::flat;
pub(super) use member::Chair;
pub(super) use work::Work;

use self::name::{Holder, Names};
use super::Options;
use super::declare::{AgentDecl, LeadDecl, LimitDecl, TaskDecl, TeamDecl};
use super::finding::Finding;
use super::report::Report;
use super::set::Vars;
use super::splice::{MAX_SPLICED_BYTES, Splicer, Style};
use super::string::Text;
use crate::domain::limits::{HEADLESS_TIME_MS, MAX_TASKS};
use crate::domain::{LeadSpec, Limits, Name, TeamSpec};
use crate::text::Untrusted;
use crate::text::quantity::size;

/// Agents of one team; more are refused. Reason: there are no more members to sit in their chairs.
const MAX_AGENTS: usize = 1_000;

/// What paths and questions go by.
pub(super) struct Context<'o> {
    pub options: &'o Options<'o>,
    /// The folder of the file, absolute: its paths are relative to it.
    pub folder: PathBuf,
    /// The folder that members work in, absolute.
    pub workspace: String,
}

/// The team on its way.
pub(super) struct Resolver<'o, 'r, 'f> {
    pub context: Context<'o>,
    pub report: &'f mut Report<'r>,
    splicer: Splicer<'o>,
    names: Names,
    agents: Vec<(Name, AgentDecl)>,
    has_lead: bool,
    pub chairs: Vec<Chair>,
    pub works: Vec<Work>,
}

/// Resolves a team; what is wrong is reported, and what is left is checked on.
pub(super) fn resolve(
    decl: TeamDecl,
    vars: &Vars,
    options: &Options<'_>,
    report: &mut Report<'_>,
) -> Option<TeamSpec> {
    let path = flat(&options.probe.current().join(report.source().path()));
    let folder = path.parent().map(PathBuf::from).unwrap_or_default();
    let workspace = options.workspace.to_string_lossy().into_owned();
    let mut resolver = Resolver {
        context: Context { options, folder, workspace },
        report,
        splicer: Splicer::new(vars),
        names: Names::default(),
        agents: Vec::new(),
        has_lead: decl.lead.is_some(),
        chairs: Vec::new(),
        works: Vec::new(),
    };
    resolver.team(decl)
}

impl Resolver<'_, '_, '_> {
    fn team(&mut self, decl: TeamDecl) -> Option<TeamSpec> {
        let name = self.team_name(decl.name.as_ref());
        let title = self.spliced(decl.title);
        let goal = self.spliced(decl.goal);
        let env = self.env(decl.env);
        if let Some(workspace) = decl.workspace {
            self.set_workspace(workspace);
        }
        self.take_agents(decl.agents);
        self.seat(decl.members);
        self.take_tasks(decl.tasks);
        self.connect();
        let lead = decl.lead.and_then(|lead| self.lead(lead));
        let limits = self.limits(&decl.limits);
        let members = self.members();
        let tasks = self.tasks();
        let agents = self.kept_agents();
        self.check_size();
        super::lint::lint(self, &decl.limits);
        let untrusted = |text: Option<Text>| text.map(|text| Untrusted::from(text.value));
        Some(TeamSpec {
            name: name?,
            title: untrusted(title),
            goal: untrusted(goal),
            file: Some(self.report.source().path().into()),
            workspace: self.context.workspace.clone(),
            env,
            limits,
            lead,
            agents,
            members,
            tasks,
        })
    }

    fn team_name(&mut self, name: Option<&Text>) -> Option<Name> {
        if let Some(name) = name {
            return name::parse(name, self.report);
        }
        if self.report.has_refused("name") {
            return None;
        }
        let finding = Finding::error("missing_key", self.report.source().path(), "the team has no `name`");
        self.report.add(finding.with_help("begin the file with `name = \"NAME\"`"));
        None
    }

    fn spliced(&mut self, text: Option<Text>) -> Option<Text> {
        let mut text = text?;
        self.splicer.splice(&mut text, Style::Plain, self.report);
        Some(text)
    }

    fn env(&mut self, env: Vec<Text>) -> Vec<String> {
        let env: Vec<Text> = env.into_iter().filter_map(|entry| self.spliced(Some(entry))).collect();
        for entry in &env {
            agent::check_env(entry, self.report);
        }
        env.into_iter().map(|entry| entry.value).collect()
    }

    fn set_workspace(&mut self, workspace: Text) {
        let Some(workspace) = self.spliced(Some(workspace)) else { return };
        self.context.workspace = self.context.path(&workspace.value);
        if !self.context.options.probe.is_folder(self.context.workspace.as_ref()) {
            let message = format!("the workspace `{}` is no folder", self.context.workspace);
            let help = "paths are relative to this file".to_owned();
            self.report.error("no_folder", &workspace.at, &message, &[help]);
        }
    }

    fn take_agents(&mut self, agents: Vec<(Text, AgentDecl)>) {
        for (key, decl) in agents {
            agent::check_keys(&decl, self.report);
            let mut unused = decl.clone();
            self.splicer.set_each(Some("each"));
            self.splice_agent(&mut unused);
            let Some(name) = name::parse(&key, self.report) else { continue };
            if self.agents.len() >= MAX_AGENTS {
                self.report.error("too_many", &key.at, "a team has at most 1,000 agents", &[]);
                return;
            }
            if let Some((other, _)) = self.agents.iter().find(|(other, _)| *other == name) {
                let message =
                    format!("the name `{name}` is taken by `{other}` (names differ by more than case)");
                self.report.error("name_taken", &key.at, &message, &[]);
                continue;
            }
            self.agents.push((name, decl));
        }
    }

    fn take_tasks(&mut self, tasks: Vec<TaskDecl>) {
        self.splicer.set_each(None);
        self.works.reserve_exact(tasks.len());
        let workspace: Rc<str> = self.context.workspace.as_str().into();
        for mut decl in tasks {
            self.splice_task(&mut decl);
            let Some(name) = self.names.give(&decl.name, Holder::Task, self.report) else { continue };
            let (label, folder) = (decl.name.value.clone(), Rc::clone(&workspace));
            self.works.push(Work { name, label, decl, agent: None, folder, edges: Vec::new() });
        }
    }

    /// Follows every edge, and refuses loops.
    fn connect(&mut self) {
        let agents = self.agent_names();
        let mut total = 0;
        for work in &mut self.works {
            work.edges = edge::resolve(&work.name, &work.decl.depends_on, &self.names, &agents, self.report);
            total += work.edges.len();
            if total > edge::MAX_TEAM_EDGES {
                let message = "the tasks of one team wait for each other at most 1,000,000 times";
                self.report.error("too_many", &work.decl.name.at, message, &[]);
                return;
            }
        }
        edge::report_loops(&self.works, self.report);
    }

    fn lead(&mut self, mut lead: LeadDecl) -> Option<LeadSpec> {
        agent::check_keys(&lead.own, self.report);
        self.splicer.set_each(None);
        let (base, is_known) = self.agent_of(lead.agent.as_ref());
        if let Some((_, base)) = base {
            lead.own = lead.own.over(&base);
        }
        let (splicer, report) = (&mut self.splicer, &mut *self.report);
        lead.texts(&mut |text, style| splicer.splice(text, style, report));
        if !is_known {
            return None;
        }
        super::lint::check_outputs("the lead", &lead.outputs, &self.context.workspace, self.report);
        let agent = agent::resolve(
            &lead.own,
            agent::Seat { name: "the lead", is_lead: true },
            &lead.key.at,
            &self.context,
            self.report,
        )?;
        let values = |list: Vec<Text>| list.into_iter().map(|text| text.value).collect();
        Some(LeadSpec {
            agent,
            prompt: lead.prompt.map(|text| Untrusted::from(text.value)),
            outputs: values(lead.outputs),
            checks: values(lead.checks),
        })
    }

    fn tasks(&mut self) -> Vec<std::sync::Arc<crate::domain::TaskSpec>> {
        let agents = self.agent_names();
        let tasks = self.works.iter().filter(|work| work.agent.is_none());
        tasks.map(|work| work.spec(&self.names, self.has_lead, &agents, self.report).into()).collect()
    }

    fn limits(&self, decl: &LimitDecl) -> Limits {
        let defaults = Limits::default();
        let headless = self.context.options.headless.then_some(HEADLESS_TIME_MS);
        let number =
            |said: &Option<super::report::Said<u32>>, other| said.as_ref().map_or(other, |said| said.value);
        let amount = |said: &Option<super::report::Said<u64>>| said.as_ref().map(|said| said.value);
        Limits {
            parallel: number(&decl.parallel, defaults.parallel),
            time_ms: amount(&decl.time).or(headless),
            money_micros: amount(&decl.money),
            hops: number(&decl.hops, defaults.hops),
            pair: number(&decl.pair, defaults.pair),
            grace_ms: amount(&decl.grace).unwrap_or(defaults.grace_ms),
        }
    }

    fn check_size(&mut self) {
        let path = self.report.source().path();
        if self.works.len() > MAX_TASKS {
            self.report.add(Finding::error("too_many", path, "a team has at most 100,000 tasks"));
        }
        if self.splicer.is_spent() {
            let most = size(u64::try_from(MAX_SPLICED_BYTES).unwrap_or(u64::MAX));
            let message = format!("its texts come to more than {most} with all values of `each` put in");
            self.report.add(Finding::error("too_large", path, &message));
        }
        if self.chairs.is_empty() && !self.has_lead && !self.report.has_error() {
            let finding = Finding::error("nobody", path, "the team has no members, so nothing could run");
            self.report.add(finding.with_help("add one: `[members.NAME]` with `run = \"...\"`"));
        }
    }

    fn agent_names(&self) -> Vec<Name> {
        self.agents.iter().map(|(name, _)| name.clone()).collect()
    }
}
