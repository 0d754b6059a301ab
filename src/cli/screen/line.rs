//! One line of the palette, done against a live run as the person.
use crate::cli::export;
use crate::cli::history::History;
use crate::config::has_error;
use crate::domain::view::{Line, RunView};
use crate::domain::{Actor, Asked, Command, Name, State, TeamId};
use crate::runtime::{Gone, Handle, render};
use crate::script::load::{self, Choices};
use crate::script::report::text as report_text;
use crate::script::{Page, act};
use crate::text::sanitise;
use crate::verbs::{self, Act, MemberAct, Read};
use std::path::Path;
use std::sync::Arc;

/// What to say of a line that was done, or why it was refused.
pub async fn perform(
    handle: &Handle,
    root: &Path,
    line: &str,
    team: Option<Name>,
) -> Result<Vec<String>, String> {
    match answer(handle, root, line, team).await {
        Ok(lines) => Ok(lines.iter().map(|line| here(line)).collect()),
        Err(why) => Err(here(&why)),
    }
}

/// Advice as it is typed here: `:retry b` for `teamtui do retry b`.
fn here(text: &str) -> String {
    let lines = [("`teamtui do ", "`:"), ("`teamtui why ", "`:why "), ("`teamtui status`", "`:status`")];
    lines.iter().fold(text.to_owned(), |text, (shell, here)| text.replace(shell, here))
}

async fn answer(handle: &Handle, root: &Path, line: &str, team: Option<Name>) -> Result<Vec<String>, String> {
    let parsed = verbs::parse_line(line, false).map_err(|e| e.what)?;
    let Some(parsed) = parsed else { return Ok(Vec::new()) };
    let team = parsed.team.or(team);
    let command = match parsed.act {
        Act::Ask(command) => command,
        Act::Create { path, set, as_name } => create(root, &path, &set, as_name.as_ref())?,
        Act::Read(read) => return self::read(handle, team.as_ref(), &read).await,
        Act::Report { path } => return report(handle, root, path.as_deref()).await,
        Act::Export { path, script } => return export(handle, root, path.as_deref(), script).await,
        Act::Wait(_) => {
            return Err(format!(
                "`wait` is for scripts: here you see it come; elsewhere: teamtui do '{line}'"
            ));
        }
        Act::Expect(_) => return Err("`expect` is for scripts; `:status` says how it stands".to_owned()),
        Act::Sleep { .. } => return Err("`sleep` is for scripts; `:pause` lets nothing new start".to_owned()),
        Act::Member(MemberAct::Crash { .. }) => {
            return Err("`crash` is for scripts; to try a crash, end the owner: kill -9".to_owned());
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

async fn state(handle: &Handle) -> Result<(Arc<State>, u64), String> {
    let gone = |gone: Gone| gone.to_string();
    Ok((handle.snapshot().await.map_err(gone)?, handle.elapsed_ms().await.map_err(gone)?))
}

async fn read(handle: &Handle, team: Option<&Name>, read: &Read) -> Result<Vec<String>, String> {
    let (mut state, now_ms) = state(handle).await?;
    let named = team.and_then(|name| state.find_team(name)).map(|(id, _)| id);
    let id = named.or_else(|| act::last_team(&state)).ok_or("there is no team yet")?;
    if matches!(read, Read::Why(_) | Read::Get(_)) {
        from_its_beginning(Arc::make_mut(&mut state), id);
    }
    let lines = render::read_lines(&state, id, read, "", now_ms).ok_or("there is no such task")?;
    Ok(lines.iter().map(Line::plain).collect())
}

/// Moments of a team's tasks counted from its beginning, as the clock of the screen is.
fn from_its_beginning(state: &mut State, id: TeamId) {
    let Some(team) = state.teams.get_mut(&id) else { return };
    for task in &mut team.tasks {
        task.since_ms = task.since_ms.saturating_sub(team.created_ms);
        for comment in &mut task.comments {
            comment.elapsed_ms = comment.elapsed_ms.saturating_sub(team.created_ms);
        }
    }
}

/// The report in a box, or in a file of the project.
async fn report(handle: &Handle, root: &Path, path: Option<&str>) -> Result<Vec<String>, String> {
    let (state, now_ms) = state(handle).await?;
    if state.teams.is_empty() {
        return Err("there is no team yet; `:create` makes one from a file".to_owned());
    }
    let mut text = Vec::new();
    let made = report_text::report(&mut text, &Page::plain(), &RunView::of(&state, now_ms));
    made.map_err(|e| e.to_string())?;
    let lines: Vec<String> = String::from_utf8_lossy(&text).lines().map(str::to_owned).collect();
    told(root, path, lines)
}

/// The person's commands in a box, or in a file of the project.
async fn export(
    handle: &Handle,
    root: &Path,
    path: Option<&str>,
    script: bool,
) -> Result<Vec<String>, String> {
    if !script {
        return Err(
            "only the commands are exported here: `:export script=true`, with a path into a file; the run itself, when it has ended: `teamtui export RUN FILE`".to_owned()
        );
    }
    let (state, _) = state(handle).await?;
    let history = History::owned(handle, state.seq).await.map_err(|failed| failed.why)?;
    let lines = export::given(history).await.map_err(|failed| failed.why)?;
    if lines.is_empty() {
        return Err("nobody has given a command yet".to_owned());
    }
    told(root, path, lines)
}

/// The lines; with a path they are written there, and it is said where.
fn told(root: &Path, path: Option<&str>, lines: Vec<String>) -> Result<Vec<String>, String> {
    let Some(path) = path else { return Ok(lines) };
    let written = std::fs::write(root.join(path), lines.join("\n") + "\n");
    let shown = sanitise::line(path);
    match written {
        Ok(()) => Ok(vec![format!("wrote {shown}")]),
        Err(error) => Err(format!("cannot write {shown}: {error}")),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::RunHeader;
    use crate::runtime::Owned;
    use crate::store::StateDir;
    use std::time::Duration;

    const TEAM: &str =
        "name = \"t\"\n[members.a]\nscript = [\"hang\"]\n[members.b]\nscript = [\"complete done\"]\n";

    /// A run with a team, where one hangs and one is done.
    async fn running(folder: &Path) -> Owned {
        std::fs::write(folder.join("t.toml"), TEAM).unwrap();
        let project = StateDir::new(folder.join("state")).project(folder).unwrap();
        let run = project.new_run().unwrap();
        let header = RunHeader { run: uuid::Uuid::now_v7().to_string(), ..RunHeader::default() };
        let owned = crate::cli::headless::own(&run, Some(header)).await.unwrap();
        let made = perform(&owned.handle, folder, "create t.toml", None).await;
        assert_eq!(made.unwrap(), ["created t: 2 tasks, 2 members"]);
        owned
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn the_palette_reports_exports_and_says_what_it_is_not_for() {
        let folder = tempfile::tempdir().unwrap();
        let owned = running(folder.path()).await;
        let said = async |line: &str| perform(&owned.handle, folder.path(), line, None).await;
        let report = said("report").await.unwrap();
        assert!(
            report[0].contains(": t, ") && report.iter().any(|line| line.contains("  a  ")),
            "{report:?}"
        );
        assert_eq!(said("report how.txt").await.unwrap(), ["wrote how.txt"]);
        assert!(std::fs::read_to_string(folder.path().join("how.txt")).unwrap().contains(": t, "));
        assert_eq!(said("export script=true").await.unwrap(), ["create t.toml"]);
        assert_eq!(said("export s.team script=true").await.unwrap(), ["wrote s.team"]);
        assert!(said("export").await.unwrap_err().contains("`:export script=true`"));
        let refused = said("wait all").await.unwrap_err();
        assert_eq!(refused, "`wait` is for scripts: here you see it come; elsewhere: teamtui do 'wait all'");
        assert!(said("report no/such/folder.txt").await.unwrap_err().starts_with("cannot write"));
        owned.end().await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn the_status_is_of_now_and_not_of_the_last_fact() {
        let folder = tempfile::tempdir().unwrap();
        let owned = running(folder.path()).await;
        let last_ms = owned.handle.snapshot().await.unwrap().elapsed_ms;
        while owned.handle.elapsed_ms().await.unwrap() < last_ms + 200 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let status = perform(&owned.handle, folder.path(), "status", None).await.unwrap();
        let stale = format!(", {}, ", crate::text::quantity::duration(last_ms));
        assert!(status[0].contains("plan 1, ") && !status[0].contains(&stale), "{status:?}");
        owned.end().await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn advice_is_typed_here_and_moments_count_from_the_beginning_of_the_team() {
        let folder = tempfile::tempdir().unwrap();
        let owned = running(folder.path()).await;
        let said = async |line: &str, team: &str| {
            perform(&owned.handle, folder.path(), line, Some(Name::reference(team).unwrap())).await
        };
        while owned.handle.elapsed_ms().await.unwrap() < 3_000 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let team = "name = \"late\"\n[members.x]\nscript = [\"fail no\"]\n";
        std::fs::write(folder.path().join("late.toml"), team).unwrap();
        said("create late.toml", "late").await.unwrap();
        let why = loop {
            let why = said("why x", "late").await.unwrap();
            if why[0].contains(" failed at ") {
                break why;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        };
        assert!(why[0].starts_with("x (#1) failed at 0.") || why[0].contains(" at 1."), "{why:?}");
        assert!(why.iter().any(|line| line.contains("`:retry x team=late`")), "{why:?}");
        assert!(!why.iter().any(|line| line.contains("teamtui do")), "{why:?}");
        let refused = said("approve x", "late").await.unwrap_err();
        assert!(refused.contains("`:why x"), "{refused}");
        owned.end().await;
    }
}
