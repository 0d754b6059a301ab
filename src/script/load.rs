//! What is to be run: a team file or a script, read and checked whole before anything starts.
use crate::config::{self, Finding, Level, Options, Probe, Scripts, Source, SystemProbe, file, has_error};
use crate::domain::{Name, TeamSpec};
use crate::verbs::{self, Act, MemberAct, ParseError, ScriptLine};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// What a file is read with.
#[derive(Debug, Clone, Default)]
pub struct Choices {
    /// `--set K=V`.
    pub sets: Vec<(String, String)>,
    /// `--limit K=V`.
    pub limits: Vec<String>,
    /// `--only TASK`.
    pub only: Vec<String>,
    /// `--retries N`.
    pub retries: Option<u32>,
    /// Nobody can be asked.
    pub headless: bool,
    /// The workspace of a team that names none.
    pub workspace: PathBuf,
}

/// A file that can be run.
pub enum Plan {
    /// A team file.
    Team(Box<TeamSpec>),
    /// A script.
    Script(Script),
}

/// A script with the teams that it creates.
pub struct Script {
    /// Its text, for errors.
    pub source: Source,
    /// Its lines.
    pub lines: Vec<ScriptLine>,
    /// The team of each `create`, by the line's place in `lines`.
    pub teams: BTreeMap<usize, TeamSpec>,
}

/// A file that was read: what it is, and what is wrong with it. No plan where an error is among the findings.
pub struct Loaded {
    /// What can be run.
    pub plan: Option<Plan>,
    /// In the order of the file.
    pub findings: Vec<Finding>,
}

/// Reads a file: `.toml` is a team file, anything else a script.
pub fn load(path: &Path, choices: &Choices) -> Loaded {
    if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml")) {
        let (spec, findings) = team(path, &choices.sets, choices);
        return Loaded { plan: spec.map(Box::new).map(Plan::Team), findings };
    }
    match file::read(path) {
        Ok(source) => script(path, source, choices),
        Err(finding) => Loaded { plan: None, findings: vec![*finding] },
    }
}

/// Reads one team file, with what the command line says on top.
pub fn team(path: &Path, sets: &[(String, String)], choices: &Choices) -> (Option<TeamSpec>, Vec<Finding>) {
    let probe: &dyn Probe = &SystemProbe;
    let options =
        Options { sets, headless: choices.headless, workspace: &choices.workspace, probe, scripts: &Scripts };
    let loaded = config::load(path, &options);
    let mut findings = loaded.findings;
    let Some(mut spec) = loaded.spec else { return (None, findings) };
    let named = path.to_string_lossy().into_owned();
    let mut refuse = |code, why: String| findings.push(Finding::error(code, "", &why));
    for limit in &choices.limits {
        if let Err(error) = config::override_limit(&mut spec.limits, limit) {
            refuse("limit", format!("`--limit {limit}`: {error}"));
        }
    }
    if !choices.only.is_empty() {
        match config::restrict(&spec, &choices.only) {
            Ok(kept) => spec = kept,
            Err(error) => {
                let names: Vec<String> = choices.only.iter().map(|name| format!("--only {name}")).collect();
                refuse("only", format!("`{}`: {error}", names.join(" ")));
            }
        }
    }
    match choices.retries {
        Some(retries) if i64::from(retries) > config::MAX_RETRIES => {
            let most = config::MAX_RETRIES;
            refuse("retries", format!("`--retries` takes a whole number from 0 to {most}, not {retries}"));
        }
        Some(retries) => config::set_retries(&mut spec, retries),
        None => {}
    }
    spec.file = Some(named.as_str().into());
    let fits = !has_error(&findings);
    (fits.then_some(spec), findings)
}

fn script(path: &Path, source: Source, choices: &Choices) -> Loaded {
    let lines = match verbs::parse_script(source.text(), false) {
        Ok(lines) => lines,
        Err(_) if file::is_toml(source.text()) => {
            let name = path.to_string_lossy();
            let finding =
                Finding::error("no_script", &name, "it looks like a team file, and that ends in `.toml`");
            let finding = finding.with_help("name it NAME.toml");
            return Loaded { plan: None, findings: vec![finding] };
        }
        Err(errors) => {
            let findings = errors.iter().map(|e| parse_finding(&source, e)).collect();
            return Loaded { plan: None, findings };
        }
    };
    let mut findings = Vec::new();
    let mut teams = BTreeMap::new();
    let folder = path.parent().unwrap_or_else(|| Path::new(""));
    for (at, line) in lines.iter().enumerate() {
        let span = line.span.start..line.span.end;
        match &line.parsed.act {
            Act::Create { path, set, as_name } => {
                let all: Vec<(String, String)> = choices.sets.iter().chain(set).cloned().collect();
                let (spec, found) = team(&folder.join(path), &all, choices);
                let named = path_at(source.text(), &span, path);
                findings.extend(found.into_iter().map(|finding| from_script(&source, &named, finding)));
                if let Some(spec) = spec {
                    teams.insert(at, renamed(spec, as_name.as_ref()));
                }
            }
            Act::Member(act) if !matches!(act, MemberAct::Crash { .. }) => findings.push(source.finding(
                Level::Error,
                "members_only",
                span,
                &format!("`{}` is for scripted members alone", line.parsed.verb.id),
            )),
            Act::Inbox { .. } => {
                findings.push(source.finding(
                    Level::Error,
                    "members_only",
                    span,
                    "`inbox` is for members: a script has no mailbox",
                ));
            }
            _ => {}
        }
    }
    let fits = !has_error(&findings);
    Loaded { plan: fits.then_some(Plan::Script(Script { source, lines, teams })), findings }
}

/// Where the path of a `create` stands in its line; the whole line where it is written in another way.
fn path_at(text: &str, line: &Range<usize>, path: &str) -> Range<usize> {
    let at = text.get(line.clone()).and_then(|written| written.find(path)).map(|at| line.start + at);
    at.map_or(line.clone(), |at| at..at + path.len())
}

/// A file that is not there is found missing in the line that names it.
fn from_script(source: &Source, at: &Range<usize>, finding: Finding) -> Finding {
    if finding.code != config::file::NO_FILE {
        return finding;
    }
    let what = format!("{}: {}", finding.path, finding.message);
    finding
        .help
        .iter()
        .fold(source.finding(Level::Error, finding.code, at.clone(), &what), |finding, help| {
            finding.with_help(help)
        })
}

/// A team under the name that `as=` gives it.
pub fn renamed(mut spec: TeamSpec, as_name: Option<&Name>) -> TeamSpec {
    if let Some(name) = as_name {
        spec.name = name.clone();
    }
    spec
}

fn parse_finding(source: &Source, error: &ParseError) -> Finding {
    let finding = source.finding(Level::Error, "script", error.span.start..error.span.end, &error.what);
    error.help.iter().fold(finding, |finding, help| finding.with_help(help))
}

/// Under virtual time only scripted members and persons with a default can run.
pub fn check_virtual(spec: &TeamSpec) -> Result<(), String> {
    use crate::domain::Driver;
    let lead = spec.lead.as_ref().map(|l| ("lead", &l.agent));
    let members = spec.members.iter().map(|m| (m.name.as_str(), &m.agent));
    for (name, agent) in lead.into_iter().chain(members) {
        if matches!(agent.driver, Driver::Process { .. }) {
            return Err(format!("{name} is a process, and virtual time cannot wait for one"));
        }
    }
    Ok(())
}
