//! The views over runs that `decide` made.
use super::narration::lines_of;
use crate::domain::trial::{Trial, by_name, member, team};
use crate::domain::view::*;
use crate::domain::*;

/// Everything that is told of a run, fact by fact.
fn told(trial: &Trial) -> (Vec<String>, Vec<String>) {
    let mut state = State::default();
    let (mut narrator, mut stream) = (Narrator::default(), Stream::default());
    let (mut notes, mut lines) = (Vec::new(), Vec::new());
    for fact in &trial.facts {
        state.evolve(fact);
        notes.extend(narrator.tell(fact, &state).notes);
        lines.extend(stream.fact(fact, &state));
    }
    assert_eq!(state, trial.state);
    (lines_of(&state, &notes), lines)
}

#[test]
fn a_failure_is_told_with_who_said_it_and_what_it_holds() {
    let mut trial = Trial::with(team(vec![member("perf", &[]), member("summary", &["perf"])]));
    trial.now = 2_000;
    trial.fail("perf", "no access").unwrap();
    let (notes, lines) = told(&trial);
    let expected = "  0.0s  started    perf     1/1
  2.0s  failed     perf     1/1    2.0s  \"no access\"
  2.0s  held       summary               by perf (failed)";
    assert_eq!(notes.join("\n"), expected);
    assert!(
        lines.iter().any(|l| l.contains(r#""by":"perf","outcome":"failed","reason":"no access""#)),
        "{lines:?}"
    );
    let view = RunView::of(&trial.state, 3_000);
    assert_eq!(view.teams[0].headline(), "1 required task failed and 1 held");
    let why = Why::of(&trial.state, TeamId(1), TaskNo(2), "").unwrap();
    assert_eq!(why.links[0].text, "\"no access\", said by perf; no retry due");
}

#[test]
fn what_why_says_to_paste_is_accepted() {
    let mut trial = Trial::with(team(vec![member("perf", &[]), member("summary", &["perf"])]));
    trial.fail("perf", "no access").unwrap();
    let why = Why::of(&trial.state, TeamId(1), TaskNo(2), "").unwrap();
    assert_eq!(why.help[1], "go on without it: `teamtui do cancel perf release`");
    let tasks = vec![by_name("perf")];
    let text = "".into();
    trial.person(Command::Cancel { tasks, dependents: Some(Dependents::Release), text }).unwrap();
    trial.complete("summary", "done").unwrap();
    let (notes, _) = told(&trial);
    let expected = "  0.0s  cancelled  perf
  0.0s  started    summary  1/1
  0.0s  completed  summary  1/1    0.0s  \"done\"";
    assert_eq!(notes[3..].join("\n"), expected);
    assert_eq!(RunView::of(&trial.state, 0).rc(), 1);
}

#[test]
fn a_dissolved_team_keeps_what_it_had() {
    let mut trial = Trial::with(team(vec![member("a", &[]), member("b", &["a"])]));
    trial.person(Command::Dissolve).unwrap();
    trial.now = 1_000;
    trial.end("a", EndCause::Stopped);
    let view = RunView::of(&trial.state, 2_000);
    assert_eq!((view.reason, view.rc()), (CloseReason::Dissolved, 1));
    let (notes, _) = told(&trial);
    assert_eq!(notes[1], "  1.0s  stale      a  1/1    1.0s  cut off by dissolve");
    assert_eq!(view.teams[0].took_ms, 1_000);
}
