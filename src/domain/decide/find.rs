//! Who asks, of which team, about which task: found, or refused with the nearest name.
use crate::domain::state::{Chair, Member, Task, Team};
use crate::domain::{
    Actor, Asked, AttemptId, By, Code, Command, Name, Purpose, Rejection, State, TaskNo, TaskRef, TeamId,
    Token,
};
use crate::text;
use crate::text::quantity::duration;

/// Whoever asks, looked up.
#[derive(Debug, Clone)]
pub struct Caller {
    /// Whose events these will be.
    pub by: By,
    /// The team that `team=` names, or the attempt's.
    pub named: Option<Name>,
    /// The live attempt it asks from.
    pub attempt: Option<AttemptId>,
    /// The team of its attempt.
    pub home: Option<TeamId>,
    /// The runtime itself.
    pub system: bool,
    script: bool,
}

/// An attempt that has ended, or has another owner now.
pub(super) struct Stale {
    pub id: AttemptId,
    pub rejection: Rejection,
}

impl Caller {
    pub(super) fn of(state: &State, asked: &Asked) -> Result<Self, Stale> {
        let plain = |by: By, system: bool, script: bool| Self {
            by,
            named: asked.team.clone(),
            attempt: None,
            home: None,
            system,
            script,
        };
        match &asked.actor {
            Actor::Person => Ok(plain(By::Person, false, false)),
            Actor::Script => Ok(plain(By::Script, false, true)),
            Actor::System => Ok(plain(By::System, true, false)),
            Actor::Member { attempt: id, token } => {
                let stale = || Stale { id: *id, rejection: stale_token(state, *id) };
                let attempt = state
                    .live
                    .get(id)
                    .filter(|a| a.token == *token)
                    .ok_or_else(|| Stale { id: AttemptId(0), rejection: stale_token(state, *id) });
                let attempt = match attempt {
                    Ok(attempt) => attempt,
                    Err(unknown) if state.live.contains_key(id) => return Err(unknown),
                    Err(_) => return Err(stale()),
                };
                let ends_work = !matches!(asked.command, Command::Comment { .. } | Command::Send { .. });
                if attempt.is_fenced() && ends_work {
                    return Err(stale());
                }
                Ok(Self {
                    by: By::Member(attempt.member.clone()),
                    named: asked.team.clone(),
                    attempt: Some(*id),
                    home: Some(attempt.team),
                    system: false,
                    script: false,
                })
            }
        }
    }

    /// The person, or a script.
    pub fn is_person(&self) -> bool {
        matches!(self.by, By::Person | By::Script)
    }

    /// The lead, inside a turn.
    pub fn is_lead(&self) -> bool {
        matches!(&self.by, By::Member(name) if name.is_lead())
    }

    /// A member that is not the lead.
    pub fn member(&self) -> Option<&Name> {
        match &self.by {
            By::Member(name) if !name.is_lead() => Some(name),
            _ => None,
        }
    }

    /// Any chair, the lead's too.
    pub fn chair(&self) -> Option<&Name> {
        match &self.by {
            By::Member(name) => Some(name),
            _ => None,
        }
    }

    /// The commands that members may not give are refused here, in words that a model can act on (R31).
    pub(super) fn may(&self, command: &Command, state: &State) -> Result<(), Rejection> {
        if matches!(command, Command::OpenRun(_) | Command::ResumeRun(_) | Command::CloseRun { .. })
            || self.system
        {
            return Ok(());
        }
        if let Some(closed) = &state.run.closed {
            return Err(Rejection::new(
                Code::RunClosed,
                format!("the run is closed ({})", closed.reason.word()),
            )
            .help("go on with it: `teamtui resume RUN`"));
        }
        if is_for_the_runtime(command) {
            return Err(Rejection::new(Code::NotYours, "only teamtui itself may report that"));
        }
        let Some(verb) = lead_only(command) else { return Ok(()) };
        match self.member() {
            None => Ok(()),
            Some(member) => Err(Rejection::new(
                Code::LeadOnly,
                format!("{member} is a member, and `{verb}` {}", reason(verb)),
            )
            .help("ask for it: `teamtui do send lead \"...\"`")),
        }
    }

    /// The team that is meant (DESIGN section 5, "Several teams"), and it must be live.
    pub(super) fn team(&self, state: &State) -> Result<TeamId, Rejection> {
        let id = self.any_team_for_reads(state)?;
        let Some(team) = state.team(id) else { return Err(no_team(state)) };
        match team.stage {
            crate::domain::state::Stage::Live => Ok(id),
            crate::domain::state::Stage::Dissolving { .. } => Err(Rejection::new(
                Code::TeamEnded,
                format!("{} is dissolving, and takes no more work", team.name),
            )),
            crate::domain::state::Stage::Ended { .. } => Err(Rejection::new(
                Code::TeamEnded,
                format!("{} has ended, and answers reads only", team.name),
            )
            .help("make it anew: `teamtui do create FILE`")),
        }
    }

    pub(super) fn any_team_for_reads(&self, state: &State) -> Result<TeamId, Rejection> {
        if let Some(name) = &self.named {
            let found = state.find_team(name).map(|(id, _)| id);
            return found.ok_or_else(|| {
                let names: Vec<&str> = state.live_teams().map(|(_, t)| t.name.as_str()).collect();
                nearest(
                    Rejection::new(Code::NotFound, format!("there is no team `{name}`")),
                    name.as_str(),
                    &names,
                )
            });
        }
        if let Some(home) = self.home {
            return Ok(home);
        }
        let live: Vec<(TeamId, &Team)> = state.live_teams().collect();
        match live.as_slice() {
            [] => state.teams.keys().next_back().copied().ok_or_else(|| no_team(state)),
            [(only, _)] => Ok(*only),
            [.., (last, _)] if self.script => Ok(*last),
            many => {
                let names: Vec<String> = many.iter().map(|(_, t)| t.name.to_string()).collect();
                Err(Rejection::new(
                    Code::WhichTeam,
                    format!("{} teams are live: {}", many.len(), names.join(", ")),
                )
                .help(format!("say which: `team={}`", names.first().map_or("NAME", String::as_str))))
            }
        }
    }

    /// The task of the attempt it asks from, and its number.
    pub(super) fn own_task(&self, state: &State) -> Option<(TaskNo, Purpose)> {
        let attempt = state.live.get(&self.attempt?)?;
        match attempt.purpose {
            Purpose::Task(number) | Purpose::Review(number) => Some((number, attempt.purpose)),
            Purpose::Turn => None,
        }
    }
}

fn is_for_the_runtime(command: &Command) -> bool {
    matches!(
        command,
        Command::EndAttempt { .. }
            | Command::SettleChecks { .. }
            | Command::MarkOutput { .. }
            | Command::Recover
            | Command::Tick
            | Command::InterruptAll { .. }
    )
}

/// The verb, where members may not give it.
fn lead_only(command: &Command) -> Option<&'static str> {
    Some(match command {
        Command::Create(_) => "create",
        Command::AddMember(_) => "add",
        Command::Replan(_) => "replan",
        Command::Remove { .. } => "remove",
        Command::Dissolve => "dissolve",
        Command::Cancel { .. } => "cancel",
        Command::Retry { .. } => "retry",
        Command::SetReviewers { .. } => "review",
        Command::Reject { .. } => "reject",
        Command::Adopt { .. } => "adopt",
        Command::Update { .. } => "update",
        Command::Pause { .. } => "pause",
        Command::Resume { .. } => "resume",
        Command::Interrupt { .. } => "interrupt",
        Command::Answer { .. } => "answer",
        Command::AssertEnd { .. } => "expect",
        _ => return None,
    })
}

fn reason(verb: &str) -> &'static str {
    match verb {
        "create" | "dissolve" => "makes or ends a team",
        "add" | "replan" | "remove" => "changes the plan",
        "pause" | "resume" | "interrupt" => "steers the team",
        _ => "decides for the team",
    }
}

fn no_team(state: &State) -> Rejection {
    let what = if state.teams.is_empty() { "there is no team yet" } else { "there is no such team" };
    Rejection::new(Code::NotFound, what).help("make one from a file: `teamtui do create FILE`")
}

/// With the nearest of the names, or all of them where they are few.
pub(super) fn nearest(rejection: Rejection, wanted: &str, names: &[&str]) -> Rejection {
    let others = |near: Option<&str>| {
        let rest: Vec<&str> = names.iter().copied().filter(|n| Some(*n) != near).take(12).collect();
        rest.join(", ")
    };
    match text::nearest(wanted, names.iter().copied()) {
        Some(near) if names.len() > 1 => {
            rejection.help(format!("did you mean `{near}`? the others: {}", others(Some(near))))
        }
        Some(near) => rejection.help(format!("did you mean `{near}`?")),
        None if names.is_empty() => rejection,
        None => rejection.help(format!("there are: {}", others(None))),
    }
}

/// The task that is meant.
pub(super) fn task<'a>(team: &'a Team, reference: &TaskRef) -> Result<&'a Task, Rejection> {
    team.find_task(reference).and_then(|number| team.task(number)).ok_or_else(|| {
        let names: Vec<&str> = team.names.keys().map(Name::as_str).collect();
        nearest(
            Rejection::new(Code::NotFound, format!("{} has no task `{reference}`", team.name)),
            &reference.to_string(),
            &names,
        )
    })
}

/// The member that is meant; its chair is open.
pub(super) fn member<'a>(team: &'a Team, name: &Name) -> Result<&'a Member, Rejection> {
    match team.members.get(name) {
        Some(member) if member.chair == Chair::Open => Ok(member),
        Some(_) => Err(Rejection::new(Code::NotFound, format!("the chair of {name} is closed"))),
        None => {
            let names: Vec<&str> = team.open_members().map(|m| m.name.as_str()).collect();
            let what = format!("{} has no member `{name}`", team.name);
            Err(nearest(Rejection::new(Code::NotFound, what), name.as_str(), &names))
        }
    }
}

/// What the holder of an old token is told (R12).
fn stale_token(state: &State, id: AttemptId) -> Rejection {
    let help = "stop; nothing this attempt does counts. A finished result is kept as an orphan: `teamtui do complete -`";
    if state.live.get(&id).is_some_and(|a| !a.is_fenced()) {
        return Rejection::new(Code::StaleToken, "that is not the token of this attempt");
    }
    let Some((task, nth, ended_ms)) = former(state, id) else {
        return Rejection::new(Code::StaleToken, "that attempt has ended, or never was").help(help);
    };
    let label = task.label();
    let ended =
        ended_ms.map_or_else(|| "was asked to end".to_owned(), |ms| format!("ended at {}", duration(ms)));
    let what = match task.phase {
        crate::domain::state::Phase::Running(now) if now != id => {
            let holder = state.live.get(&now);
            let has = holder
                .map_or_else(String::new, |a| format!("; {} has it now, as attempt {}", a.member, a.nth));
            format!("attempt {nth} of {label} {ended}{has}")
        }
        _ => format!("attempt {nth} of {label} {ended}; the task is {}", task.status()),
    };
    Rejection::new(Code::StaleToken, what).help(help)
}

/// The task of an attempt that has ended or is fenced, which attempt it was, and when it ended.
pub(super) fn former(state: &State, id: AttemptId) -> Option<(&Task, u32, Option<u64>)> {
    if let Some(attempt) = state.live.get(&id) {
        let Purpose::Task(number) = attempt.purpose else { return None };
        return state.task(attempt.team, number).map(|task| (task, attempt.nth, None));
    }
    let tasks = state.teams.values().flat_map(|team| team.tasks.iter());
    let mut records = tasks.flat_map(|task| task.attempts.iter().map(move |a| (task, a)));
    records
        .find(|(_, a)| a.id == id)
        .map(|(task, a)| (task, a.nth, Some(a.started_ms.saturating_add(a.took_ms))))
}

/// A token as it is handed to a process: `ATTEMPT.SECRET`.
pub fn token_text(attempt: AttemptId, token: Token) -> String {
    format!("{attempt}.{:016x}", token.0)
}

/// Reads what [`token_text`] wrote.
pub fn parse_token(text: &str) -> Option<(AttemptId, Token)> {
    let (attempt, secret) = text.trim().split_once('.')?;
    Some((AttemptId(attempt.parse().ok()?), Token(u64::from_str_radix(secret, 16).ok()?)))
}
