//! R30 as a property: random teams with random outcomes, driven to the end, always come to a state with a named reason.
use crate::domain::pulse::{can_all, can_still, end_reason};
use crate::domain::trial::{Trial, agent, chair, human, led, member, name, process, reviewer, with};
use crate::domain::*;
use proptest::prelude::*;

const NOBODY: Waits = Waits { person: false, script: false };

/// Random numbers from a seed: SplitMix64.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % sides
    }

    fn one_in(&mut self, sides: u64) -> bool {
        self.roll(sides) == 0
    }
}

fn random_team(dice: &mut Dice) -> TeamSpec {
    let mut members = Vec::new();
    for m in 0..2 + dice.roll(6) {
        let mut after = Vec::new();
        for on in 0..m {
            if dice.one_in(3) {
                after.push(format!("m{on}{}", if dice.one_in(4) { ":finished" } else { "" }));
            }
        }
        let after: Vec<&str> = after.iter().map(String::as_str).collect();
        let own = format!("m{m}");
        let spec = match dice.roll(8) {
            0 => human(&own, &after),
            1 | 2 => process(&own, &after),
            _ => member(&own, &after),
        };
        let spec = with(spec, |b| {
            b.optional = dice.one_in(4);
            b.default = dice.one_in(2).then(|| "yes".into());
            b.checks = if dice.one_in(4) { vec!["true".into()] } else { Vec::new() };
            b.review = match dice.roll(8) {
                0 => vec![Reviewer::Person],
                1 => vec![reviewer("r"), Reviewer::Lead],
                2 => vec![reviewer("r")],
                _ => Vec::new(),
            };
        });
        members.push(agent(spec, |a| {
            a.retries = dice.roll(3) as u32;
            a.cost_micros = dice.roll(2) * 100;
            a.unconfirmed = if dice.one_in(3) { Unconfirmed::Accept } else { Unconfirmed::Review };
        }));
    }
    members.push(chair("r", Driver::Scripted(Vec::new())));
    let mut spec = led(members);
    spec.lead = spec.lead.filter(|_| dice.one_in(2));
    spec.limits.parallel = 1 + dice.roll(4) as u32;
    spec.limits.money_micros = dice.one_in(4).then_some(500);
    spec.limits.time_ms = dice.one_in(3).then_some(10_000);
    if dice.one_in(3) {
        spec.tasks = vec![TaskSpec { name: Some(name("free")), ..TaskSpec::default() }.into()];
    }
    spec
}

/// What happens to a live attempt that waits for nobody.
fn happens(t: &mut Trial, dice: &mut Dice, attempt: &state::Attempt) {
    let actor = || Actor::Member { attempt: attempt.id, token: attempt.token };
    let text = || crate::text::Untrusted::from("because");
    if attempt.looking > 0 {
        let refused = if dice.one_in(3) { vec!["no".into()] } else { Vec::new() };
        let (team, attempt) = (attempt.team, Some(attempt.id));
        return t.system(Command::SettleChecks { attempt, team, refused, outputs: Vec::new() });
    }
    let member = attempt.member.clone();
    let is_process = matches!(t.the_team().members[&member].agent.driver, Driver::Process { .. });
    let command = match dice.roll(12) {
        0..=3 => Command::Complete { task: None, text: text() },
        4 => Command::Fail { task: None, text: text() },
        5 => Command::Approve { task: None, text: text() },
        6 => Command::SendBack { task: None, text: text() },
        7 => {
            let of = if dice.one_in(2) { Asker::Lead } else { Asker::Person };
            Command::Ask { of, text: text(), default: dice.one_in(2).then(text) }
        }
        8 => Command::Send { to: "r".into(), text: text() },
        9 => {
            t.person(Command::Interrupt { member }).map(drop).unwrap_or_default();
            return t.all_stop();
        }
        _ => {
            let cause = match dice.roll(5) {
                0 if is_process => EndCause::Signal(9),
                1 => EndCause::Broken(text()),
                2 => EndCause::Lost,
                _ if is_process => EndCause::Exit(dice.roll(3) as i32),
                _ => EndCause::Silent,
            };
            return t.end_attempt(attempt.id, cause);
        }
    };
    // Refused or not: what it may not do changes nothing, and it goes on.
    let _ = t.ask(actor(), command);
}

fn drive(t: &mut Trial, dice: &mut Dice) {
    for _ in 0..3_000 {
        let pulse = Pulse::of(&t.state, &NOBODY);
        if pulse.quiet {
            return;
        }
        let asks = |id: &AttemptId| {
            pulse.waiting_on.iter().any(|w| matches!(w, Waiting::Question { attempt, .. } if attempt == id))
        };
        let moving: Vec<_> = t.state.live.values().filter(|a| !asks(&a.id)).cloned().collect();
        assert!(!moving.is_empty(), "runnable, and nothing runs: {pulse:?} {:#?}", t.state);
        if dice.one_in(6) {
            t.tick(1_000);
        } else {
            let attempt = &moving[dice.roll(moving.len() as u64) as usize];
            happens(t, dice, attempt);
        }
        t.all_stop();
    }
    panic!("it does not come to an end: {:?} {:#?}", Pulse::of(&t.state, &NOBODY), t.state);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn r30_every_run_comes_to_an_end_with_a_named_reason(seed in any::<u64>()) {
        let mut dice = Dice(seed);
        let mut t = Trial::new(true);
        t.person(Command::Create(Box::new(random_team(&mut dice)))).unwrap();
        drive(&mut t, &mut dice);
        let end = end_reason(&t.state);
        let team = t.the_team();
        let complete = team.tasks.iter().all(|t| !t.is_required() || t.phase == state::Phase::Completed);
        prop_assert!(!end.why.is_empty());
        match end.reason {
            CloseReason::Completed => prop_assert!(complete),
            CloseReason::Cap => prop_assert!(team.capped.is_some() && !complete),
            CloseReason::Waiting => {
                let asked = t.state.live.values().any(|a| a.question.is_some());
                let in_review = team.tasks.iter().any(|t| t.phase == state::Phase::InReview);
                prop_assert!(!complete && (asked || in_review));
            }
            CloseReason::RequiredFailed => {
                prop_assert!(t.state.live.is_empty() || complete);
                prop_assert!(!complete || team.has_lead());
            }
            reason => prop_assert!(false, "{:?}", reason),
        }
        for task in &team.tasks {
            let goal = [Goal::Status(Status::Completed)];
            let hope = can_still(&t.state, &NOBODY, TeamId(1), task.number, &goal);
            prop_assert!(hope != Hope::Open, "a wait for {} would never end", task.label());
        }
        prop_assert!(can_all(&t.state, &NOBODY, TeamId(1)) != Hope::Open);
    }
}
