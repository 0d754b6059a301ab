//! Files that scripted members write: intent, effect, outcome (R32), guarded by a hash (C021).
use super::find::Caller;
use super::{Draft, Reply};
use crate::domain::event::{EffectAsked, EffectSettled};
use crate::domain::{Code, Data, Rejection, Seq};
use crate::text::Untrusted;

pub(super) fn ask(
    draft: &mut Draft<'_>,
    caller: &Caller,
    path: &str,
    before: Option<&str>,
    after: &str,
) -> Result<Reply, Rejection> {
    let attempt = caller.attempt.ok_or_else(|| {
        Rejection::new(Code::NotYours, "only a member inside an attempt writes files")
            .help("write it yourself")
    })?;
    let team = caller.team(draft.state)?;
    draft.emit(
        Some(team),
        EffectAsked {
            attempt,
            path: path.to_owned(),
            before: before.map(str::to_owned),
            after: after.to_owned(),
        },
    );
    let asked = draft.state.seq;
    Ok(Reply::default().with(Data::Write(asked)))
}

pub(super) fn settle(
    draft: &mut Draft<'_>,
    caller: &Caller,
    asked: Seq,
    refused: Option<&Untrusted>,
) -> Result<Reply, Rejection> {
    let whose = draft.state.writes.get(&asked).copied();
    if whose.is_none() || whose != caller.attempt {
        return Err(Rejection::new(
            Code::NotYours,
            "that write is not of this attempt, or is settled already",
        )
        .help("ask for it first"));
    }
    let team = caller.any_team_for_reads(draft.state)?;
    draft.emit(Some(team), EffectSettled { asked, refused: refused.cloned() });
    Ok(Reply::default())
}
