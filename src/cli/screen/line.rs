//! One line of the palette, done against a live run as the person.
use crate::config::has_error;
use crate::domain::view::Line;
use crate::domain::{Actor, Asked, Command, Name};
use crate::runtime::{Handle, render};
use crate::script::act;
use crate::script::load::{self, Choices};
use crate::verbs::{self, Act};
use std::path::Path;

/// What to say of a line that was done, or why it was refused.
pub async fn perform(
    handle: &Handle,
    root: &Path,
    line: &str,
    team: Option<Name>,
) -> Result<Vec<String>, String> {
    let parsed = verbs::parse_line(line, false).map_err(|e| e.what)?;
    let Some(parsed) = parsed else { return Ok(Vec::new()) };
    let team = parsed.team.or(team);
    let command = match parsed.act {
        Act::Ask(command) => command,
        Act::Create { path, set, as_name } => create(root, &path, &set, as_name.as_ref())?,
        Act::Read(read) => {
            let state = handle.snapshot().await.map_err(|e| e.to_string())?;
            let id = team
                .as_ref()
                .and_then(|name| state.find_team(name))
                .map(|(id, _)| id)
                .or_else(|| act::last_team(&state));
            let id = id.ok_or("there is no team yet")?;
            let lines =
                render::read_lines(&state, id, &read, "", state.elapsed_ms).ok_or("there is no such task")?;
            return Ok(lines.iter().map(Line::plain).collect());
        }
        Act::Wait(_) | Act::Expect(_) | Act::Sleep { .. } => {
            return Err(format!("`{}` is for scripts", parsed.verb.id));
        }
        Act::Report { .. } | Act::Export { .. } => {
            return Err(format!("`teamtui {}` prints it", parsed.verb.id));
        }
        Act::Member(_) | Act::Inbox { .. } => return Err(format!("`{}` is for members", parsed.verb.id)),
    };
    let own = matches!(command, Command::Create(_));
    let asked = Asked { actor: Actor::Person, team: team.filter(|_| !own), line: Some(line.into()), command };
    match handle.submit(asked).await {
        Ok(reply) => Ok(reply.lines),
        Err(rejection) => {
            let next = rejection.help.first().map_or_else(String::new, |help| format!("; {help}"));
            Err(format!("{}{next}", rejection.headline()))
        }
    }
}

fn create(
    root: &Path,
    path: &str,
    set: &[(String, String)],
    as_name: Option<&Name>,
) -> Result<Command, String> {
    let choices = Choices { workspace: root.to_owned(), ..Choices::default() };
    let (spec, findings) = load::team(&root.join(path), set, &choices);
    match spec.filter(|_| !has_error(&findings)) {
        Some(spec) => Ok(act::create(&load::renamed(spec, as_name))),
        None => Err(findings
            .first()
            .map_or_else(|| format!("{path} cannot be read"), |f| first_line(&f.text(None)))),
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
}
