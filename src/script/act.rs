//! One line of a script, done.
use super::alarm::Alarm;
use super::expect;
use super::follow::{Follow, Halt};
use super::load::Script;
use super::wait::{self, Stands};
use crate::config::{Finding, Level, Source};
use crate::domain::state::Member;
use crate::domain::view::RunView;
use crate::domain::{Actor, Asked, Command, Driver, Rejection, Seq, State, TaskNo, TeamId, TeamSpec};
use crate::runtime::render;
use crate::verbs::{Act, Check, MemberAct, Parsed, Read, ScriptLine, Wait, WaitOn};
use std::path::Path;

/// A line that was refused: the script ends, unless it is told to keep going.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// What, why and where.
    pub finding: Finding,
    /// What was expected, and what is.
    pub notes: Vec<String>,
}

impl Refused {
    /// The error, what was expected and what is, the help.
    pub fn text(&self, columns: Option<usize>) -> String {
        let bare = Finding { help: Vec::new(), ..self.finding.clone() };
        let notes: String = self.notes.iter().map(|note| format!("  {note}\n")).collect();
        let help: String = self.finding.help.iter().map(|help| format!("help: {help}\n")).collect();
        format!("{}{notes}{help}", bare.text(columns))
    }
}

/// What a line comes to.
pub type Done = Result<Result<(), Box<Refused>>, Halt>;

/// Does the line at that place.
pub async fn line(follow: &mut Follow<'_>, script: &Script, at: usize) -> Done {
    let Some(line) = script.lines.get(at) else { return Ok(Ok(())) };
    let place = Place { source: &script.source, line };
    match &line.parsed.act {
        Act::Create { .. } => match script.teams.get(&at) {
            Some(spec) => place.ask(follow, create(spec)).await,
            None => Ok(Ok(())),
        },
        Act::Ask(command) => place.ask(follow, command.clone()).await,
        Act::Sleep { ms } => place.ask(follow, Command::Sleep { ms: *ms }).await,
        Act::Read(read) => place.read(follow, read),
        Act::Report { path: None } => {
            let view = RunView::of(&follow.state, follow.state.elapsed_ms);
            follow.teller.report(&view)?;
            Ok(Ok(()))
        }
        Act::Report { path: Some(path) } => Ok(place.write_report(follow, path)),
        Act::Export { path, script } => Ok(place.export(follow, path.as_deref(), *script)),
        Act::Wait(wait) => place.wait(follow, wait).await,
        Act::Expect(check) => place.expect(follow, check).await,
        Act::Member(MemberAct::Crash { at }) => place.crash(follow, at.map(Seq)).await,
        Act::Member(_) | Act::Inbox { .. } => Ok(Err(place.refused("only a member does that", Vec::new()))),
    }
}

/// The command that makes a team.
pub fn create(spec: &TeamSpec) -> Command {
    Command::Create(Box::new(spec.clone()))
}

struct Place<'a> {
    source: &'a Source,
    line: &'a ScriptLine,
}

impl Place<'_> {
    fn parsed(&self) -> &Parsed {
        &self.line.parsed
    }

    fn refused(&self, what: &str, help: Vec<String>) -> Box<Refused> {
        let start = self.line.span.start;
        let verb = start..start.saturating_add(self.parsed().verb.id.len());
        let finding = self.source.finding(Level::Error, "refused", verb, what);
        let finding = help.iter().fold(finding, |finding, help| finding.with_help(help));
        Box::new(Refused { finding, notes: Vec::new() })
    }

    async fn ask(&self, follow: &mut Follow<'_>, command: Command) -> Done {
        let shows = matches!(&command, Command::Replan(replan) if replan.dry_run);
        let asked = Asked {
            actor: Actor::Script,
            team: self.parsed().team.clone(),
            line: Some(self.line.text.as_str().into()),
            command,
        };
        match follow.ask(asked).await? {
            Ok(reply) => {
                if shows {
                    follow.teller.answer(&reply.lines)?;
                }
                Ok(Ok(()))
            }
            Err(Rejection { code, what, help }) => {
                let headline = Rejection { code, what, help: Vec::new() }.headline();
                Ok(Err(self.refused(&headline, help)))
            }
        }
    }

    /// The owner dies, now or when the log has come to a seq. A command that runs would not die with it, as it would by
    /// kill -9, so nobody may be one.
    async fn crash(&self, follow: &mut Follow<'_>, at: Option<Seq>) -> Done {
        let now = follow.state.seq;
        let process = |m: &Member| matches!(m.agent.driver, Driver::Process { .. });
        let teams = || follow.state.live_teams();
        let command =
            teams().flat_map(|(_, t)| t.members.values()).find(|m| process(m)).map(|m| m.name.clone());
        if let Some(name) = command {
            let help = "to crash a team of commands, end its owner: `kill -9 PID`, then `teamtui resume RUN`";
            return Ok(Err(self.refused(
                &format!("`crash` is for teams of scripted members; {name} is a command"),
                vec![help.to_owned()],
            )));
        }
        if let Some(at) = at.filter(|at| *at <= now) {
            let help = format!("the next event is {}", now.next());
            return Ok(Err(self.refused(&format!("event {at} has come already"), vec![help])));
        }
        follow.crash(at.unwrap_or(now)).await.map(Ok)
    }

    fn team(&self, state: &State) -> Result<TeamId, Box<Refused>> {
        let found = match &self.parsed().team {
            Some(name) => state.find_team(name).map(|(id, _)| id),
            None => last_team(state),
        };
        found.ok_or_else(|| {
            self.refused("there is no team yet", vec!["make one first: `create FILE`".to_owned()])
        })
    }

    fn read(&self, follow: &mut Follow<'_>, read: &Read) -> Done {
        let id = match self.team(&follow.state) {
            Ok(id) => id,
            Err(refused) => return Ok(Err(refused)),
        };
        let flags = String::new();
        match render::lines(&follow.state, id, read, &flags) {
            Some(lines) => follow.teller.answer(&lines).map(Ok).map_err(Halt::from),
            None => Ok(Err(self.refused("there is no such task", Vec::new()))),
        }
    }

    fn write_report(&self, follow: &mut Follow<'_>, path: &str) -> Result<(), Box<Refused>> {
        let view = RunView::of(&follow.state, follow.state.elapsed_ms);
        let mut text = Vec::new();
        let written = super::report::text::report(&mut text, &super::Page::plain(), &view);
        written.and_then(|()| std::fs::write(Path::new(path), &text)).map_err(|e| {
            self.refused(
                &format!("cannot write {path}: {e}"),
                vec!["name a file that can be written".to_owned()],
            )
        })
    }

    fn export(&self, follow: &mut Follow<'_>, path: Option<&str>, script: bool) -> Result<(), Box<Refused>> {
        if !script {
            return Err(self.refused(
                "only `export script=true` is built here",
                vec!["print the commands: `export script=true`".to_owned()],
            ));
        }
        let lines = follow.exported();
        match path {
            None => follow.teller.answer(&lines).map_err(|e| self.refused(&e.to_string(), Vec::new())),
            Some(path) => std::fs::write(path, lines.join("\n") + "\n")
                .map_err(|e| self.refused(&format!("cannot write {path}: {e}"), Vec::new())),
        }
    }

    async fn wait(&self, follow: &mut Follow<'_>, wait: &Wait) -> Done {
        let id = match self.team(&follow.state) {
            Ok(id) => id,
            Err(refused) => return Ok(Err(refused)),
        };
        let numbers = match self.numbers(&follow.state, id, &wait.on) {
            Ok(numbers) => numbers,
            Err(refused) => return Ok(Err(refused)),
        };
        let alarm = match wait.within_ms {
            Some(ms) => Some(follow.alarm(ms).await),
            None => None,
        };
        self.stand(follow, id, &wait.on, &numbers, alarm).await
    }

    /// Stands at the wait: tests the fold at the cursor, then after each later event.
    async fn stand(
        &self,
        follow: &mut Follow<'_>,
        id: TeamId,
        on: &WaitOn,
        numbers: &[TaskNo],
        mut alarm: Option<Alarm>,
    ) -> Done {
        loop {
            match wait::stands(&follow.state, id, on, numbers) {
                Stands::So => return Ok(Ok(())),
                Stands::Never(why) if follow.is_abreast() => return Ok(Err(self.refused(&why, Vec::new()))),
                Stands::Never(_) | Stands::NotYet => {}
            }
            let Some(alarm) = &mut alarm else {
                follow.step().await?;
                continue;
            };
            if let Some(due) = follow.due_ms(alarm).filter(|due| follow.state.elapsed_ms >= *due) {
                let what = wait::over_its_time(&follow.state, id, numbers, due);
                return Ok(Err(self.refused(&what, Vec::new())));
            }
            if let Err(rejection) = follow.step_until(alarm).await? {
                return Ok(Err(self.refused(&rejection.headline(), rejection.help)));
            }
        }
    }

    fn numbers(&self, state: &State, id: TeamId, on: &WaitOn) -> Result<Vec<TaskNo>, Box<Refused>> {
        let Some(team) = state.team(id) else { return Ok(Vec::new()) };
        wait::numbers(team, on).map_err(|(what, help)| self.refused(&what, help))
    }

    async fn expect(&self, follow: &mut Follow<'_>, check: &Check) -> Done {
        let id = match self.team(&follow.state) {
            Ok(id) => id,
            Err(refused) => return Ok(Err(refused)),
        };
        match expect::check(&follow.state, id, check) {
            Ok(None) => Ok(Ok(())),
            Ok(Some(task)) => {
                let asked = Asked {
                    actor: Actor::Script,
                    team: follow.state.team(id).map(|t| t.name.clone()),
                    line: None,
                    command: Command::AssertEnd { task },
                };
                match follow.ask(asked).await? {
                    Ok(_) => Ok(Ok(())),
                    Err(rejection) => Ok(Err(self.refused(&rejection.headline(), rejection.help))),
                }
            }
            Err(unmet) => {
                let run = follow.state.run.header.number.map_or_else(String::new, |n| format!(" --run {n}"));
                let help = unmet.task.iter().map(|task| format!("`teamtui why {task}{run}`")).collect();
                let mut refused = self.refused(&format!("expect {}", unmet.what), help);
                if !unmet.wanted.is_empty() {
                    refused.notes = vec![format!("- {}", unmet.wanted), format!("+ {}", unmet.found)];
                }
                Ok(Err(refused))
            }
        }
    }
}

/// The team that was made last.
pub fn last_team(state: &State) -> Option<TeamId> {
    state.live_teams().next_back().map(|(id, _)| id).or_else(|| state.teams.keys().next_back().copied())
}
