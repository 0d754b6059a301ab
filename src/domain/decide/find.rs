//! Who asks, of which team, about which task: found, or refused with the nearest name.
use crate::domain::state::{Attempt, Chair, Member, Phase, Stage, Task, Team};
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

/// An attempt that has ended or is fenced, or a token that is not of it.
pub(super) struct Stale {
    /// The attempt, where the token is its own.
    pub id: Option<AttemptId>,
    /// What its holder is told.
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
                let attempt = holder(state, *id, *token, &asked.command)?;
                let by = By::Member(attempt.member.clone());
                Ok(Self { attempt: Some(*id), home: Some(attempt.team), ..plain(by, false, false) })
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
        let of_the_run =
            matches!(command, Command::OpenRun(_) | Command::ResumeRun(_) | Command::CloseRun { .. });
        if self.system || (of_the_run && self.chair().is_none()) {
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
            return Err(Rejection::new(Code::NotYours, "only teamtui itself may report that")
                .help("see what you may do: `teamtui help`"));
        }
        let of_whoever_runs_it = of_the_run || matches!(command, Command::AssertEnd { .. });
        if let Some(name) = self.chair().filter(|_| of_whoever_runs_it) {
            return Err(Rejection::new(
                Code::NotYours,
                format!("{name} works in this run, and does not run it"),
            )
            .help("say what you need: `teamtui do send person \"...\"`"));
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
            Stage::Live => Ok(id),
            Stage::Dissolving { .. } => Err(Rejection::new(
                Code::TeamEnded,
                format!("{} is dissolving, and takes no more work", team.name),
            )
            .help("wait for its end: `teamtui status --watch`")),
            Stage::Ended { .. } => Err(Rejection::new(
                Code::TeamEnded,
                format!("{} has ended, and answers reads only", team.name),
            )
            .help("make it anew: `teamtui do create FILE`")),
        }
    }

    pub(super) fn any_team_for_reads(&self, state: &State) -> Result<TeamId, Rejection> {
        if let Some(home) = self.home {
            return self.at_home(state, home);
        }
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

    /// Who is in a team acts in that team alone, whatever `team=` says: names are unique in one team only.
    fn at_home(&self, state: &State, home: TeamId) -> Result<TeamId, Rejection> {
        let meant = self.named.as_ref().map(|name| state.find_team(name).map(|(id, _)| id));
        if meant.is_none_or(|found| found == Some(home)) {
            return Ok(home);
        }
        let name = state.team(home).map_or_else(String::new, |t| t.name.to_string());
        Err(Rejection::new(
            Code::NotYours,
            format!("this attempt is of the team {name}, and acts in no other"),
        )
        .help("leave out `team=`"))
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
            | Command::LoseOutput { .. }
            | Command::WithdrawQuestion { .. }
            | Command::Recover(_)
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
        Some(_) => {
            let open: Vec<&str> = team.open_members().map(|m| m.name.as_str()).collect();
            Err(Rejection::new(Code::NotFound, format!("the chair of {name} is closed"))
                .help(format!("these are open: {}", open.join(", "))))
        }
        None => {
            let names: Vec<&str> = team.open_members().map(|m| m.name.as_str()).collect();
            let what = format!("{} has no member `{name}`", team.name);
            Err(nearest(Rejection::new(Code::NotFound, what), name.as_str(), &names))
        }
    }
}

/// The live attempt that the token is of. Once asked to end it may still note and send, and nothing else.
fn holder<'a>(
    state: &'a State,
    id: AttemptId,
    token: Token,
    command: &Command,
) -> Result<&'a Attempt, Stale> {
    let Some(attempt) = state.live.get(&id) else {
        let former = former(state, id);
        let own = former.as_ref().is_some_and(|f| f.token == token);
        return Err(Stale { id: own.then_some(id), rejection: stale_token(state, id, former) });
    };
    if attempt.token != token {
        let rejection = Rejection::new(Code::StaleToken, "that is not the token of this attempt")
            .help("take it as it was given: `$TEAMTUI_TOKEN`");
        return Err(Stale { id: None, rejection });
    }
    let parting = matches!(command, Command::Comment { .. } | Command::Send { .. });
    if attempt.is_fenced() && !parting {
        return Err(Stale { id: Some(id), rejection: stale_token(state, id, former(state, id)) });
    }
    Ok(attempt)
}

/// What the holder of an old token is told (R12).
fn stale_token(state: &State, id: AttemptId, former: Option<Former<'_>>) -> Rejection {
    let help = "stop; nothing this attempt does counts. A finished result is kept as an orphan: `teamtui do complete -`";
    let Some(Former { task, nth, ended_ms, .. }) = former else {
        return Rejection::new(Code::StaleToken, "that attempt has ended, or never was")
            .help("stop; nothing this attempt does counts");
    };
    let label = task.label();
    let ended =
        ended_ms.map_or_else(|| "was asked to end".to_owned(), |ms| format!("ended at {}", duration(ms)));
    let what = match task.phase {
        Phase::Running(now) if now != id => {
            let holder = state.live.get(&now);
            let has = holder
                .map_or_else(String::new, |a| format!("; {} has it now, as attempt {}", a.member, a.nth));
            format!("attempt {nth} of {label} {ended}{has}")
        }
        _ => format!("attempt {nth} of {label} {ended}; the task is {}", task.status()),
    };
    Rejection::new(Code::StaleToken, what).help(help)
}

/// An attempt at a task that has ended or is fenced.
pub(super) struct Former<'a> {
    pub team: TeamId,
    pub task: &'a Task,
    pub nth: u32,
    pub member: &'a Name,
    pub token: Token,
    pub ended_ms: Option<u64>,
}

pub(super) fn former(state: &State, id: AttemptId) -> Option<Former<'_>> {
    if let Some(attempt) = state.live.get(&id) {
        let Purpose::Task(number) = attempt.purpose else { return None };
        let Attempt { team, nth, token, .. } = *attempt;
        let task = state.task(team, number)?;
        return Some(Former { team, task, nth, member: &attempt.member, token, ended_ms: None });
    }
    let tasks = state.teams.iter().flat_map(|(id, team)| team.tasks.iter().map(|task| (*id, task)));
    let mut records = tasks.flat_map(|(team, task)| task.attempts.iter().map(move |a| (team, task, a)));
    records.find(|(_, _, a)| a.id == id).map(|(team, task, a)| Former {
        team,
        task,
        nth: a.nth,
        member: &a.member,
        token: a.token,
        ended_ms: Some(a.started_ms.saturating_add(a.took_ms)),
    })
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
