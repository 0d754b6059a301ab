//! `teamtui log [-f] [MEMBER] [--plain]`: what a member, a task or everyone did.
mod output;

use super::call::{Call, Done, Failed, NOT_FOUND};
use super::history::History;
use super::look::{self, Look};
use super::status;
use crate::domain::view::{Entry, Narrator};
use crate::domain::{Name, State, TaskNo, TaskRef, TeamId};
use crate::text;
use output::Outputs;
use std::time::Duration;

/// Between two looks at outputs that grow.
const LOOK_TIME: Duration = Duration::from_millis(100);

/// Prints it.
pub async fn log(call: &mut Call<'_>, member: Option<&str>, follow: bool, plain: bool) -> Done {
    let project = call.project()?;
    let look = look::seen(call, &project).await?;
    look.team(None)?;
    if plain && call.cli.print.tail.is_some() {
        return Err(Failed::usage("`--plain` shows no output, and `--tail` is of output")
            .help("leave out one of the two"));
    }
    let whose = member.map_or(Ok(Whose::Everyone), |word| Whose::of(&look.state, word))?;
    if let Some(first) = look.first_line() {
        call.whole(&first)?;
    }
    let mut history = History::of(&look).await?;
    let mut told = Told {
        narrator: Narrator::default(),
        outputs: (!plain).then(|| Outputs::new(&look, whose != Whose::Everyone, call.cli.print.tail)),
        whose,
    };
    while !history.is_caught_up() {
        let Some(fact) = history.next().await? else { break };
        told.fact(call, &fact, &history.state)?;
    }
    if let Some(outputs) = &mut told.outputs {
        outputs.live(call)?;
    }
    if follow && look.handle.is_some() {
        self::follow(call, &look, &mut history, &mut told).await?;
    }
    Ok(0)
}

/// Goes on as it happens, until nothing is live or the owner is gone.
async fn follow(
    call: &mut Call<'_>,
    look: &Look,
    history: &mut History,
    told: &mut Told,
) -> Result<(), Failed> {
    call.flush()?;
    let before = look.state.seq;
    while !status::is_over(history, history.state.seq > before) {
        let next = tokio::select! {
            next = history.next() => next?,
            () = tokio::time::sleep(LOOK_TIME) => {
                if let Some(outputs) = &mut told.outputs {
                    outputs.read_on(call)?;
                }
                call.flush()?;
                continue;
            }
        };
        let Some(fact) = next else { break };
        told.fact(call, &fact, &history.state)?;
        call.flush()?;
    }
    Ok(())
}

/// Whose log it is.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Whose {
    Everyone,
    Member(Name),
    Task(TeamId, TaskNo),
}

impl Whose {
    /// A member of that name, else a task.
    fn of(state: &State, word: &str) -> Result<Self, Failed> {
        let bare = word.strip_prefix('#').unwrap_or(word);
        let name = Name::reference(bare).ok();
        if let Some(name) =
            name.as_ref().filter(|name| state.teams.values().any(|t| t.members.contains_key(name)))
        {
            return Ok(Self::Member(name.clone()));
        }
        let by_name = name.map(TaskRef::Name);
        let by_number = bare.parse().ok().map(|number| TaskRef::Number(TaskNo(number)));
        for task in by_name.into_iter().chain(by_number) {
            let found =
                state.teams.iter().rev().find_map(|(id, team)| team.find_task(&task).map(|n| (*id, n)));
            if let Some((id, number)) = found {
                return Ok(Self::Task(id, number));
            }
        }
        Err(nobody(state, word))
    }

    fn has(&self, entry: &Entry) -> bool {
        match self {
            Self::Everyone => true,
            Self::Member(name) => entry.member == *name,
            Self::Task(team, number) => entry.team == *team && entry.number == Some(*number),
        }
    }
}

fn nobody(state: &State, word: &str) -> Failed {
    let shown = text::Untrusted::from(word);
    let failed =
        Failed::new(NOT_FOUND, format!("not found: no member or task is called `{}`", shown.shown()));
    let names =
        || state.teams.values().flat_map(|t| t.members.keys().chain(t.names.keys())).map(Name::as_str);
    match text::nearest(word, names()) {
        Some(near) => failed.help(format!("did you mean `{near}`?")),
        None => failed.help("see who there is: `teamtui status`"),
    }
}

/// What is told of each fact.
struct Told {
    narrator: Narrator,
    whose: Whose,
    /// None: entries only.
    outputs: Option<Outputs>,
}

impl Told {
    fn fact(&mut self, call: &mut Call<'_>, fact: &crate::domain::Fact, after: &State) -> Result<(), Failed> {
        let told = self.narrator.tell(fact, after);
        for entry in told.entries.iter().filter(|entry| self.whose.has(entry)) {
            match &mut self.outputs {
                Some(outputs) => outputs.entry(call, entry, after)?,
                None => call.line(&entry.line())?,
            }
        }
        Ok(())
    }
}
