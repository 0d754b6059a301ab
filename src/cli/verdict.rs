//! `teamtui resume RUN --approve TASK --send-back TASK=FEEDBACK`: the person reviews a task of a run that is not live.
use super::call::{Call, Failed};
use super::resume::How;
use crate::domain::state::{Phase, Task, Team};
use crate::domain::{Actor, Asked, Command, Name, Seq, State, TaskRef};
use crate::runtime::Owned;
use crate::verbs::{self, Act};

/// A verdict, and the team of its task.
pub struct Verdict {
    team: Name,
    command: Command,
}

/// The verdicts of the command line, each on a task that is in review.
pub fn read(how: &How<'_>, state: &State) -> Result<Vec<Verdict>, Failed> {
    let approves = how.approves.iter().map(|task| read_one(state, "approve", task, None));
    let sends_back = how.sends_back.iter().map(|written| {
        let (task, feedback) =
            written.split_once('=').filter(|(_, said)| !said.trim().is_empty()).ok_or_else(|| {
                let written = crate::text::sanitise::line(written);
                Failed::usage(format!("`--send-back {written}` is not TASK=FEEDBACK"))
            })?;
        read_one(state, "send_back", task, Some(feedback))
    });
    approves.chain(sends_back).collect()
}

fn read_one(state: &State, verb: &str, task: &str, feedback: Option<&str>) -> Result<Verdict, Failed> {
    let words: Vec<String> =
        [Some(verb), Some(task), feedback].into_iter().flatten().map(str::to_owned).collect();
    let parsed = verbs::parse_words(&words, false).map_err(|error| {
        error.help.iter().fold(Failed::usage(&error.what), |failed, help| failed.help(help))
    })?;
    let command = match parsed.map(|parsed| parsed.act) {
        Some(Act::Ask(command)) => command,
        _ => return Err(Failed::usage(format!("`{}` is no task", crate::text::sanitise::line(task)))),
    };
    let (Command::Approve { task: Some(of), .. } | Command::SendBack { task: Some(of), .. }) = &command
    else {
        return Err(Failed::usage(format!("`{}` is no task", crate::text::sanitise::line(task))));
    };
    let (team, found) = find(state, of).ok_or_else(|| {
        Failed::usage(format!("there is no task `{of}` to review"))
            .help("see what is in review: `teamtui status`")
    })?;
    if found.phase != Phase::InReview {
        return Err(Failed::usage(format!("{} is {}, and not in review", found.label(), found.status())));
    }
    Ok(Verdict { team: team.name.clone(), command })
}

fn find<'a>(state: &'a State, of: &TaskRef) -> Option<(&'a Team, &'a Task)> {
    let teams: Vec<&Team> = state.live_teams().map(|(_, team)| team).collect();
    teams.into_iter().rev().find_map(|team| Some((team, team.task(team.find_task(of)?)?)))
}

/// Gives them to the run, which goes on; the last fact of it. One that is refused is said, and the run goes on all the same.
pub async fn give(call: &mut Call<'_>, owned: &Owned, verdicts: Vec<Verdict>) -> Option<Seq> {
    let mut upto = None;
    for Verdict { team, command } in verdicts {
        let asked = Asked { actor: Actor::Person, team: Some(team), line: None, command };
        match owned.local.submit(asked).await {
            Ok(reply) => upto = Some(reply.seq),
            Err(rejection) => call.say(&format!("warning: {}", rejection.headline())),
        }
    }
    upto
}
