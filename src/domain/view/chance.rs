//! Runs for tests, made at random.
use super::fixture::*;
use crate::domain::event::*;
use crate::domain::*;
use proptest::prelude::*;

const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// A team whose edges go from an earlier to a later member.
fn team() -> impl Strategy<Value = TeamSpec> {
    let row = (any::<bool>(), 0u32..3, proptest::collection::vec((any::<bool>(), any::<bool>()), 5));
    proptest::collection::vec(row, 1..6).prop_map(|rows| {
        let members = rows.iter().enumerate().map(|(at, (is_optional, n, edges))| {
            let needs: Vec<String> = edges
                .iter()
                .take(at)
                .enumerate()
                .filter(|(_, (there, _))| *there)
                .map(|(on, (_, ends))| format!("{}{}", NAMES[on], if *ends { ":finished" } else { "" }))
                .collect();
            let member = retries(member(NAMES[at], &needs.join(",")), *n);
            if *is_optional { optional(member) } else { member }
        });
        spec("t", members.collect())
    })
}

fn step(story: &mut Story, what: u8, task: usize, x: u8) {
    let tasks = story.state.teams[&story.id()].tasks.len();
    let label = NAMES[task % tasks];
    let number = story.number(label);
    let of = story.state.task(story.id(), number).unwrap().clone();
    story.now += u64::from(x) * 700;
    let live = matches!(of.phase, state::Phase::Running(_));
    let attempt = if live { Some(story.attempt(label)) } else { None };
    let text = || ["", "exit 1", "no\u{1b}[31m access", "two\nlines"][usize::from(x) % 4];
    let status = Status::ALL[usize::from(x) % 8];
    let _: &mut Story = match (what % 16, attempt) {
        (0..=4, None) if of.assignee.is_some() => story.start(label),
        (0..=4, Some(attempt)) => story.tell(AttemptEnded {
            attempt,
            outcome: [
                Outcome::Completed,
                Outcome::Failed,
                Outcome::Unconfirmed,
                Outcome::Interrupted,
                Outcome::Unknown,
            ][usize::from(x) % 5],
            reason: text().into(),
            exit: Some(i32::from(x)),
            took_ms: u64::from(x),
            output_bytes: u64::from(x),
            result: Some(text().into()),
            status: if x > 200 {
                None
            } else {
                Some([Status::Completed, Status::Failed, Status::InReview, Status::Stale][usize::from(x) % 4])
            },
            again: x > 220,
            spent_micros: u64::from(x),
        }),
        (5, _) => story.tell(TaskCancelled { number, reason: text().into() }),
        (6, _) => story.tell(RetryAsked { number, text: text().into() }),
        (7, _) => story.tell(ResultAdopted { number, attempt: 1 }),
        (8, Some(attempt)) => {
            story.tell(QuestionAsked { attempt, of: Asker::Person, text: text().into(), default: None })
        }
        (9, Some(attempt)) => story.tell(StopAsked { attempt, cause: StopCause::Signal }),
        (10, _) => story.tell(ReviewSettled {
            number,
            reviewer: Reviewer::Person,
            verdict: Verdict::Approved,
            text: text().into(),
            status,
        }),
        (11, _) => story.cap([Cap::Time, Cap::Money, Cap::FailFast][usize::from(x) % 3]),
        (12, _) => story.tell(EndAsserted { number }),
        (13, _) => story.tell(PlanChanged {
            revision: Revision(u32::from(x)),
            rewired: vec![(number, Vec::new())],
            prompts: Vec::new(),
            replaced: vec![(TaskNo(1), number)],
        }),
        (14, _) => story.tell(Paused { member: None }),
        _ => story.tell(TeamDissolved { completed: false, cut_off: Vec::new() }),
    };
}

/// Any run at all.
pub fn any_story() -> impl Strategy<Value = Story> {
    let steps = proptest::collection::vec((any::<u8>(), 0usize..6, any::<u8>()), 0..40);
    (team(), steps).prop_map(|(team, steps)| {
        let mut story = Story::new(Some(1), "t.toml");
        story.team(team);
        for (what, task, x) in steps {
            step(&mut story, what, task, x);
        }
        story
    })
}
