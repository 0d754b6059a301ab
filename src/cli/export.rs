//! `teamtui export --script`: the commands that were given, as a script.
use super::call::{Call, Done};
use super::history::History;
use super::look::{self, Look};
use super::restored;
use crate::cli::call::Failed;

/// Prints it.
pub async fn export(call: &mut Call<'_>) -> Done {
    let project = call.project()?;
    let look = look::look(&project, call.cli.at.run.as_deref()).await?;
    restored::of_look(call, &look);
    for line in lines(&look).await? {
        call.whole(&line)?;
    }
    Ok(0)
}

/// The line of each command that a person or a script gave, in order.
pub async fn lines(look: &Look) -> Result<Vec<String>, Failed> {
    given(History::of(look).await?).await
}

/// The same of facts that were there when it began.
pub async fn given(mut history: History) -> Result<Vec<String>, Failed> {
    let mut lines = Vec::new();
    while !history.is_caught_up() {
        let Some(fact) = history.next().await? else { break };
        lines.extend(fact.line.iter().map(|line| line.line().into_owned()));
    }
    Ok(lines)
}
