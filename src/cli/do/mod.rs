//! `teamtui do ..`: one command, for a member inside its attempt or for the person.
mod answer;

use super::call::{Call, Done, Failed, NOT_FOUND, USAGE};
use super::place::Project;
use super::{look, restored, start};
use crate::domain::decide::parse_token;
use crate::domain::limits::MAX_PROMPT_BYTES;
use crate::domain::{Actor, Command, Name};
use crate::runtime::{Handle, Remote};
use crate::store::{RunDir, RunName};
use crate::verbs::{self, Act, ParseError, Parsed};
use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};

/// Does it: 0 done, 1 refused, 2 not understood.
pub async fn run(call: &mut Call<'_>, words: &[String]) -> Done {
    let caller = Caller::of(call)?;
    let Some((parsed, line)) = parse(words, caller.is_member())? else { return Ok(0) };
    let giver = Giver::of(call, caller, &parsed).await?;
    answer::perform(call, &giver, parsed, line).await
}

/// Who gives the command, and to which run.
enum Caller {
    /// A member, behind the socket it was handed.
    Member { socket: PathBuf, actor: Actor },
    /// The person, at a run of this project.
    Person { project: Box<Project>, run: RunDir },
}

impl Caller {
    fn of(call: &Call<'_>) -> Result<Self, Failed> {
        let named = call.cli.at.run.as_deref();
        let socket = std::env::var_os("TEAMTUI_SOCKET").filter(|socket| !socket.is_empty());
        if let Some(socket) = socket {
            let actor = member()?;
            own_run(named)?;
            return Ok(Self::Member { socket: socket.into(), actor });
        }
        let project = call.project()?;
        let run = look::named(&project, named.unwrap_or("standing"))?;
        Ok(Self::Person { project: Box::new(project), run })
    }

    fn is_member(&self) -> bool {
        matches!(self, Self::Member { .. })
    }
}

/// An attempt acts in its own run and in no other, whatever it names.
fn own_run(named: Option<&str>) -> Result<(), Failed> {
    let own = std::env::var("TEAMTUI_RUN").unwrap_or_default();
    match named {
        Some(named) if named != own => {
            Err(Failed::new(1, "not yours: an attempt acts in its own run").help("say it without `--run`"))
        }
        _ => Ok(()),
    }
}

fn member() -> Result<Actor, Failed> {
    let token = std::env::var("TEAMTUI_TOKEN").ok();
    let known = token.as_deref().and_then(parse_token);
    let (attempt, token) = known.ok_or_else(|| {
        Failed::usage("`$TEAMTUI_SOCKET` is set and `$TEAMTUI_TOKEN` is no token of an attempt")
            .help("inside an attempt keep both; outside of one: `unset TEAMTUI_SOCKET`")
    })?;
    Ok(Actor::Member { attempt, token })
}

/// Who gives the command, at its owner where it needs one.
pub(super) struct Giver {
    /// Who.
    pub actor: Actor,
    /// The owner; none: nobody owns the run, and the command only reads it.
    pub handle: Option<Handle>,
    /// The run.
    pub run: RunDir,
    /// The project, for the person.
    pub project: Option<Box<Project>>,
}

impl Giver {
    async fn of(call: &mut Call<'_>, caller: Caller, parsed: &Parsed) -> Result<Self, Failed> {
        match caller {
            Caller::Member { socket, actor } => {
                let folder = socket.parent().map(Path::to_owned).unwrap_or_default();
                let run = RunDir::new(folder, RunName::Standing);
                let remote = Remote::connect(&socket, &run).await.map_err(|error| {
                    Failed::usage(error.to_string())
                        .help("the run of this attempt may have ended; then nothing it does counts")
                })?;
                Ok(Self { actor, handle: Some(Handle::Remote(remote)), run, project: None })
            }
            Caller::Person { project, run } => {
                let handle = Self::owner(call, &project, &run, parsed).await?;
                Ok(Self { actor: Actor::Person, handle, run, project: Some(project) })
            }
        }
    }

    /// The owner of the person's run. The standing run gets one for whatever is more than reading.
    async fn owner(
        call: &mut Call<'_>,
        project: &Project,
        run: &RunDir,
        parsed: &Parsed,
    ) -> Result<Option<Handle>, Failed> {
        let reads = matches!(
            parsed.act,
            Act::Read(_) | Act::Report { .. } | Act::Export { .. } | Act::Expect(_) | Act::Wait(_)
        );
        if !reads && run.name() == RunName::Standing {
            restored::mend(run, call.err).await?;
            return start::attach(run, &project.root, call.cli.at.state.as_deref()).await.map(Some);
        }
        let look = look::open(run).await?;
        restored::of_look(call, &look);
        // What its owner left behind goes on with the next one.
        if look.is_crashed() && run.name() == RunName::Standing {
            return start::attach(run, &project.root, call.cli.at.state.as_deref()).await.map(Some);
        }
        if !reads && run.is_imported() {
            return Err(Failed { rc: NOT_FOUND, ..look::imported(run.name()) });
        }
        match (look.handle, run.name()) {
            (None, RunName::Numbered(number)) if !reads => Err(Failed::new(
                NOT_FOUND,
                format!("{} is not live: nobody owns it", look::title(run.name())),
            )
            .help(format!(
                "go on with it: `teamtui resume {number}{}{}`",
                given(&parsed.act),
                project.flags
            ))),
            (handle, _) => Ok(handle),
        }
    }

    /// The next owner of the standing run, after one has gone by itself; none of another run.
    pub async fn again(&self, call: &Call<'_>) -> Result<Option<Handle>, Failed> {
        let Some(project) = self.project.as_ref().filter(|_| self.run.name() == RunName::Standing) else {
            return Ok(None);
        };
        start::attach(&self.run, &project.root, call.cli.at.state.as_deref()).await.map(Some)
    }

    /// The run as it stands.
    pub async fn look(&self) -> Result<look::Look, Failed> {
        match &self.handle {
            Some(handle) => {
                let gone = |gone: crate::runtime::Gone| {
                    Failed::new(1, gone.to_string()).help("look: `teamtui status`")
                };
                let state = handle.snapshot().await.map_err(gone)?;
                let now_ms = handle.elapsed_ms().await.map_err(gone)?;
                let handle = Some(handle.clone());
                Ok(look::Look {
                    run: self.run.clone(),
                    state,
                    now_ms,
                    handle,
                    expected: true,
                    restored: None,
                })
            }
            None => look::open(&self.run).await,
        }
    }

    /// Flags that were given before, as they are pasted.
    pub fn flags(&self) -> &str {
        self.project.as_ref().map_or("", |project| project.flags.as_str())
    }

    /// The team that the caller's own attempt is in.
    pub fn home(&self, state: &crate::domain::State) -> Option<Name> {
        let Actor::Member { attempt, .. } = &self.actor else { return None };
        let team = state.live.get(attempt)?.team;
        state.team(team).map(|team| team.name.clone())
    }
}

/// How `resume` is told what was to be done, where it takes that.
fn given(act: &Act) -> String {
    match act {
        Act::Ask(Command::Approve { task: Some(task), .. }) => format!(" --approve {task}"),
        Act::Ask(Command::SendBack { task: Some(task), .. }) => format!(" --send-back {task}=FEEDBACK"),
        Act::Ask(Command::Answer { of, .. }) => format!(" --answer {of}=TEXT"),
        _ => String::new(),
    }
}

/// One argument is a line; with more, each is one word. `-` as the text is what stdin has. With the line that says it.
fn parse(words: &[String], inside: bool) -> Result<Option<(Parsed, String)>, Failed> {
    if let [line] = words {
        let parsed = verbs::parse_line(line, inside).map_err(not_understood)?;
        return Ok(parsed.map(|parsed| (parsed, line.trim().to_owned())));
    }
    let mut words = words.to_vec();
    if let Some(text) = words.iter_mut().skip(1).find(|word| *word == "-") {
        *text = standard_input()?;
    }
    let parsed = verbs::parse_words(&words, inside).map_err(not_understood)?;
    Ok(parsed.map(|parsed| {
        let line = verbs::print(&parsed);
        (parsed, line)
    }))
}

fn not_understood(error: ParseError) -> Failed {
    error.help.iter().fold(Failed::new(USAGE, error.what), |failed, help| failed.help(help))
}

/// All of standard input as text, without the line end at its end.
fn standard_input() -> Result<String, Failed> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return Err(Failed::usage("`-` reads the text from standard input, and that is the terminal")
            .help("`teamtui do complete - < FILE`"));
    }
    let most = u64::try_from(MAX_PROMPT_BYTES).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    let read = stdin.lock().take(most.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|e| Failed::usage(format!("standard input cannot be read: {e}")))?;
    if bytes.len() > MAX_PROMPT_BYTES {
        let most = crate::text::quantity::size(most);
        return Err(Failed::usage(format!("the text on standard input has more than {most}"))
            .help("write it to a file, and name the file"));
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.strip_suffix('\n').unwrap_or(&text).to_owned())
}
