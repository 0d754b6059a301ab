//! `teamtui report`: how a run stands, or how it ended.
use super::args::Format;
use super::call::{Call, Done};
use super::look;
use crate::domain::view::{RunView, Stream};
use crate::script::report::text;
use crate::script::teller::Silenced;

/// Prints it.
pub async fn report(call: &mut Call<'_>) -> Done {
    let project = call.project()?;
    let look = look::seen(call, &project).await?;
    look.team(None)?;
    let view = RunView::of(&look.state, look.now_ms);
    if matches!(call.cli.print.format, Some(Format::Ndjson | Format::Json)) {
        call.whole(&Stream::last(&view, &project.flags))?;
        return Ok(0);
    }
    let page = call.terminal.out;
    text::report(call.out, &page, &view).map_err(Silenced::from)?;
    Ok(0)
}
