//! The script language of this build, as lint asks it.

use std::ops::Range;

use super::probe::ScriptCheck;
use crate::domain::Command;
use crate::verbs::{Act, May, Parsed, parse_line};

/// Lines are those that the command table reads.
#[derive(Debug, Clone, Copy, Default)]
pub struct Scripts;

impl ScriptCheck for Scripts {
    fn check(&self, line: &str, is_lead: bool) -> Result<(), (Range<usize>, String, Vec<String>)> {
        let parsed = match parse_line(line, true) {
            Ok(parsed) => parsed,
            Err(error) => return Err((error.span.start..error.span.end, error.what, error.help)),
        };
        let Some((id, (what, help))) = parsed.and_then(|p| Some((p.verb.id, refusal(&p, is_lead)?))) else {
            return Ok(());
        };
        let start = line.find(id).unwrap_or_default();
        Err((start..(start + id.len()).min(line.len()), what, vec![help]))
    }
}

/// Why a scripted member can never give that line, and what it can do; none if it may, at least for some task.
fn refusal(parsed: &Parsed, is_lead: bool) -> Option<(String, String)> {
    let (id, who) = (parsed.verb.id, parsed.verb.who);
    let seats_a_member = matches!(parsed.act, Act::Ask(Command::AddMember(_)));
    let as_member = [who.member, who.reviewer].into_iter().any(|may| may != May::No) && !seats_a_member;
    let as_lead = who.lead != May::No;
    if as_member || (is_lead && as_lead) {
        return None;
    }
    Some(if as_lead {
        let what = format!("`{id}` is for the lead, and a member is refused");
        (what, "ask the lead for it: `send lead \"...\"`".to_owned())
    } else {
        let what = format!("`{id}` is for whoever runs the team, and a member is refused");
        (what, "put it into a script beside the file: `teamtui help script`".to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(line: &str, is_lead: bool) -> Option<String> {
        Scripts.check(line, is_lead).err().map(|(at, what, _)| format!("{at:?} {what}"))
    }

    #[test]
    fn lines_that_a_member_may_never_give_are_refused() {
        for line in [
            "say hi",
            "send lead x",
            "complete done",
            "approve",
            "send_back \"x\"",
            "sleep 2s",
            "# a",
            "get a",
        ] {
            assert_eq!(refused(line, false), None, "{line}");
            assert_eq!(refused(line, true), None, "{line}");
        }
        for line in ["replan cancel a", "dissolve", "retry a", "add x run=ls", "answer a b", "pause"] {
            assert!(refused(line, false).unwrap().contains("is for the lead"), "{line}");
            assert_eq!(refused(line, true), None, "{line}");
        }
        for line in ["wait all", "expect a completed", "export", "create t.toml"] {
            assert!(refused(line, true).unwrap().contains("is for whoever runs the team"), "{line}");
        }
        assert_eq!(refused("add \"look\" to=b", false), None, "a task for another, where the team allows it");
        assert_eq!(
            refused("  wait all", false).unwrap(),
            "2..6 `wait` is for whoever runs the team, and a member is refused"
        );
        assert!(refused("sned lead x", false).unwrap().starts_with("0..4 "));
    }
}
