//! What keys and facts do to the screen.
mod word;

use super::dialog::{dissolve_facts, quit_lines};
use super::story::{Teller, replanned, ship, shipping, told};
use super::*;
use crate::domain::event::{DissolveAsked, QuestionAsked, StopAsked, TeamDissolved};
use crate::domain::{Asker, AttemptId, Seq, State, StopCause, TaskNo, TeamId};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

fn key(model: &mut Model, c: char) -> Vec<AppEffect> {
    update(model, Msg::Key(KeyEvent::from(KeyCode::Char(c))))
}

fn code(model: &mut Model, code: KeyCode) -> Vec<AppEffect> {
    update(model, Msg::Key(KeyEvent::from(code)))
}

fn line_in_palette(model: &Model) -> String {
    match &model.over {
        Over::Palette(palette) => palette.line().to_owned(),
        other => panic!("{other:?} is no palette"),
    }
}

#[test]
fn the_log_follows_the_cursor() {
    let mut model = told(&Teller::default(), 80, 24);
    let effects = update(&mut model, Msg::News(News::Facts(ship().facts)));
    let engine = model.log.attempt;
    assert!(engine.is_some());
    assert_eq!(effects, [AppEffect::Watch(engine)]);
    assert_eq!(key(&mut model, 'k'), [AppEffect::Watch(Some(AttemptId(3)))]);
    assert_eq!(key(&mut model, 'G'), [AppEffect::Watch(None)]);
}

#[test]
fn a_key_that_changes_something_begins_its_line() {
    let cases = [
        ('x', "cancel engine"),
        ('t', "retry engine"),
        ('m', "send core "),
        ('i', "interrupt core"),
        ('a', "add "),
    ];
    for (typed, line) in cases {
        let mut model = shipping(80, 24);
        assert_eq!(key(&mut model, typed), []);
        assert_eq!(line_in_palette(&model), line);
    }
}

#[test]
fn enter_in_the_palette_runs_the_line_for_the_focused_team() {
    let mut model = shipping(80, 24);
    key(&mut model, 't');
    let team = model.team_name();
    let effects = code(&mut model, KeyCode::Enter);
    assert_eq!(effects, [AppEffect::Submit { line: "retry engine".to_owned(), team }]);
    assert!(matches!(model.over, Over::Nothing));
    assert_eq!(model.recent, ["retry engine"]);
}

#[test]
fn a_line_that_is_wrong_is_not_run_and_tab_mends_it() {
    let mut model = shipping(80, 24);
    key(&mut model, ':');
    update(&mut model, Msg::Paste("retry dosc".to_owned()));
    assert_eq!(code(&mut model, KeyCode::Enter), []);
    code(&mut model, KeyCode::Tab);
    assert_eq!(line_in_palette(&model), "retry docs ");
    assert_eq!(code(&mut model, KeyCode::Enter).len(), 1);
}

#[test]
fn lines_run_before_come_back_and_nothing_typed_is_lost() {
    let mut model = shipping(80, 24);
    model.recent = vec!["retry docs".to_owned(), "why review".to_owned()];
    key(&mut model, ':');
    code(&mut model, KeyCode::Up);
    assert_eq!(line_in_palette(&model), "retry docs");
    update(&mut model, Msg::Key(KeyEvent::new(KeyCode::Char('p'), KeyModifiers::CONTROL)));
    assert_eq!(line_in_palette(&model), "why review");
}

#[test]
fn quit_asks_only_while_something_runs() {
    let mut model = told(&Teller::default(), 80, 24);
    assert_eq!(key(&mut model, 'q'), [AppEffect::Quit]);
    let mut model = shipping(80, 24);
    assert_eq!(key(&mut model, 'q'), []);
    assert!(matches!(model.over, Over::Dialog(Dialog::Quit)));
    assert_eq!(code(&mut model, KeyCode::Enter), [AppEffect::Quit]);
}

#[test]
fn dissolve_takes_a_capital_letter_and_is_seen_to_its_end() {
    let mut teller = ship();
    let mut model = told(&teller, 80, 24);
    key(&mut model, ':');
    update(&mut model, Msg::Paste("dissolve".to_owned()));
    assert_eq!(code(&mut model, KeyCode::Enter), []);
    assert_eq!(code(&mut model, KeyCode::Enter), []);
    let team = model.team_name();
    assert_eq!(key(&mut model, 'D'), [AppEffect::Submit { line: "dissolve".to_owned(), team }]);
    assert_eq!(key(&mut model, 'D'), []);
    let before = teller.facts.len();
    teller.say(DissolveAsked {});
    teller.say(StopAsked { attempt: AttemptId(6), cause: StopCause::Dissolve });
    teller.say(TeamDissolved { completed: false, cut_off: Vec::new() });
    let news = teller.facts.get(before..).unwrap().to_vec();
    update(&mut model, Msg::News(News::Facts(news)));
    assert!(model.team.is_some());
    code(&mut model, KeyCode::Esc);
    assert!(model.is_start());
}

#[test]
fn rows_stay_while_statuses_change_and_ghosts_come_behind() {
    let mut teller = ship();
    let early = told(&Teller::default(), 80, 24);
    assert!(early.rail.rows().is_empty());
    let mut model = told(&teller, 80, 24);
    let before = model.rail.rows().to_vec();
    let selected = model.rail.selected;
    let known = teller.facts.len();
    replanned(&mut teller);
    update(&mut model, Msg::News(News::Facts(teller.facts.get(known..).unwrap().to_vec())));
    let kept: Vec<TaskNo> = model.rail.rows().iter().copied().filter(|n| before.contains(n)).collect();
    assert_eq!(kept.len(), 12);
    assert_eq!(model.rail.rows().len(), 13);
    assert_eq!(model.rail.selected, selected);
}

#[test]
fn what_holds_up_most_is_first_and_a_key_goes_there() {
    let mut model = shipping(80, 24);
    let first = model.attention.first().unwrap();
    assert_eq!((first.task, first.holds), (Some(TaskNo(10)), 2));
    assert!(first.text.starts_with("docs failed: check refused"), "{}", first.text);
    key(&mut model, ']');
    assert_eq!(model.rail.selected, Some(TaskNo(10)));
}

#[test]
fn keys_that_change_something_answer_why_not_while_the_owner_is_lost() {
    let mut model = shipping(80, 24);
    let loss = Loss { gone: false, pid: 4121, socket: "/s".to_owned(), retry_ms: 5_000 };
    update(&mut model, Msg::News(News::Lost(loss)));
    key(&mut model, 'w');
    assert_eq!(line_in_palette(&model), "why engine");
    code(&mut model, KeyCode::Esc);
    assert_eq!(key(&mut model, 'r'), [AppEffect::Reconnect]);
    assert_eq!(key(&mut model, 'y'), [AppEffect::Copy("4121 /s".to_owned())]);
    assert_eq!(key(&mut model, 'j'), [AppEffect::Watch(None)]);
    update(&mut model, Msg::News(News::Beat { elapsed_ms: 0, at_ms: 0 }));
    assert_eq!(model.notice.as_ref().unwrap().text, "owner back, nothing happened meanwhile");
}

#[test]
fn facts_come_once_and_a_gap_asks_for_everything_again() {
    let teller = ship();
    let mut model = told(&teller, 80, 24);
    let state = model.state.clone();
    assert_eq!(update(&mut model, Msg::News(News::Facts(teller.facts.clone()))), []);
    assert_eq!(model.state, state);
    let mut far = teller.facts.last().unwrap().clone();
    far.seq = Seq(far.seq.0 + 2);
    assert_eq!(update(&mut model, Msg::News(News::Facts(vec![far]))), [AppEffect::Reconnect]);
    assert_eq!(model.state, state);
}

#[test]
fn time_moves_only_while_something_runs() {
    let mut model = shipping(80, 24);
    update(&mut model, Msg::Tick(2_500));
    assert_eq!(model.run_ms(), 14 * 60_000 + 2_000 + 2_500);
    assert_eq!(model.next_change_ms(), Some(3_000));
    let idle = told(&Teller::default(), 80, 24);
    assert_eq!(idle.next_change_ms(), None);
}

#[test]
fn a_notice_goes_by_itself() {
    let mut model = told(&Teller::default(), 80, 24);
    model.tell("done", false);
    assert_eq!(model.next_change_ms(), Some(3_000));
    update(&mut model, Msg::Tick(3_000));
    assert_eq!(model.notice, None);
    assert_eq!(model.next_change_ms(), None);
}

#[test]
fn the_fold_of_the_screen_is_that_of_the_owner() {
    let teller = ship();
    let mut owner = State::default();
    teller.facts.iter().for_each(|fact| owner.evolve(fact));
    assert_eq!(told(&teller, 80, 24).state, owner);
}

#[test]
fn keys_move_along_edges_chain_and_what_runs() {
    let mut model = shipping(80, 24);
    let mut go = |c: char| {
        key(&mut model, c);
        model.rail.selected.unwrap().0
    };
    assert_eq!(go('h'), 2);
    assert_eq!(go('l'), 3);
    assert_eq!(go('f'), 4);
    assert_eq!(go('f'), 8);
    assert_eq!(go('p'), 9);
}

/// The story with a second team beside it, whose `security` asks; the first is in view.
pub fn beside() -> Model {
    let mut teller = ship();
    teller.beside("auth-review", &[("churn", "churn", &[]), ("security", "security", &["churn"])]);
    let churn = teller.start(1, "churn", 1);
    teller.end(churn, 1_000, 0, crate::domain::Status::Completed, "");
    let attempt = teller.start(2, "security", 1);
    teller.say(QuestionAsked { attempt, of: Asker::Person, text: "may I?".into(), default: None });
    let mut model = told(&teller, 80, 24);
    if model.team == Some(TeamId(2)) {
        key(&mut model, '0');
    }
    model
}

#[test]
fn a_key_goes_to_the_other_live_teams_and_back() {
    let mut model = beside();
    assert_eq!(model.team_name().unwrap().as_str(), "ship-0.4");
    key(&mut model, '0');
    assert_eq!(model.team_name().unwrap().as_str(), "auth-review");
    assert_eq!(model.rail.selected, Some(TaskNo(2)));
    assert_eq!((model.tally.completed, model.tally.asking, model.tally.total), (1, 1, 2));
    key(&mut model, '0');
    assert_eq!(model.team_name().unwrap().as_str(), "ship-0.4");
    let mut alone = shipping(80, 24);
    key(&mut alone, '0');
    assert_eq!(alone.team, Some(TeamId(1)));
    assert!(alone.notice.unwrap().text.starts_with("No other team is live."));
}

#[test]
fn what_waits_in_another_team_counts_too_and_says_where() {
    let mut model = beside();
    let texts: Vec<&str> = model.attention.iter().map(|item| item.text.as_str()).collect();
    assert!(texts[0].starts_with("docs failed"), "{texts:?}");
    assert_eq!(texts[1..], ["auth-review: security asks: may I?"]);
    // In the second team it is the first, and names no team.
    key(&mut model, '0');
    assert_eq!(model.attention[0].text, "security asks: may I?");
}

#[test]
fn the_next_decision_is_in_the_other_team_where_this_one_has_none() {
    let mut teller = Teller::default();
    teller.team("calm", &[("a", "a", &[])], str::to_owned);
    teller.start(1, "a", 1);
    teller.beside("other", &[("x", "x", &[]), ("y", "y", &[])]);
    let attempt = teller.start(2, "y", 1);
    teller.end(attempt, 10, 0, crate::domain::Status::Failed, "exit 1");
    let mut model = told(&teller, 80, 24);
    model.team = Some(TeamId(1));
    model.stale = true;
    update(&mut model, Msg::Tick(1));
    assert_eq!(model.team, Some(TeamId(1)));
    key(&mut model, ']');
    assert_eq!((model.team, model.rail.selected), (Some(TeamId(2)), Some(TaskNo(2))));
}

#[test]
fn a_silent_owner_stops_the_clock_where_it_was_last_heard_and_what_was_sent_waits() {
    let mut model = shipping(80, 24);
    update(&mut model, Msg::Tick(1_000));
    let heard = model.run_ms();
    update(&mut model, Msg::News(News::Beat { elapsed_ms: heard, at_ms: 1_796_049_101_000 }));
    update(&mut model, Msg::Tick(3_000));
    assert_eq!(model.run_ms(), heard + 2_000);
    key(&mut model, 't');
    assert_eq!(code(&mut model, KeyCode::Enter).len(), 1);
    let loss = Loss { gone: false, pid: 4121, socket: "/s".to_owned(), retry_ms: 2_000 };
    update(&mut model, Msg::News(News::Lost(loss.clone())));
    update(&mut model, Msg::Tick(8_000));
    update(&mut model, Msg::News(News::Lost(loss)));
    assert_eq!(model.run_ms(), heard);
    assert!(matches!(model.link, Link::Lost { since_ms: 1_000, .. }), "{:?}", model.link);
    assert_eq!(model.waiting, ["retry engine"]);
    // A further line stays where it was typed.
    key(&mut model, 'x');
    assert_eq!(code(&mut model, KeyCode::Enter), []);
    assert_eq!(line_in_palette(&model), "cancel engine");
    update(&mut model, Msg::News(News::Beat { elapsed_ms: heard + 100, at_ms: 0 }));
    assert!(model.is_up());
    assert_eq!(model.run_ms(), heard + 100);
    update(&mut model, Msg::Reply { line: "retry engine".to_owned(), result: Ok(Vec::new()) });
    assert!(model.waiting.is_empty());
}

#[test]
fn an_owner_that_comes_back_says_what_became_stale() {
    let mut teller = ship();
    let mut model = told(&teller, 80, 24);
    let loss = Loss { gone: true, pid: 4121, socket: "/s".to_owned(), retry_ms: 2_000 };
    update(&mut model, Msg::News(News::Lost(loss)));
    let live: Vec<AttemptId> = model.state.live.keys().copied().collect();
    let count = live.len();
    for attempt in live {
        teller.end(attempt, 1_000, 0, crate::domain::Status::Stale, "the owner ended");
    }
    let mut state = State::default();
    teller.facts.iter().for_each(|fact| state.evolve(fact));
    let (state, owner) = (Box::new(state), Owner { pid: 9, here: false });
    update(&mut model, Msg::News(News::Snapshot { state, elapsed_ms: 0, at_ms: 0, owner }));
    let said = format!(
        "owner back, {count} events caught up, none missed; {count} tasks became stale, ] goes there"
    );
    assert_eq!(model.notice.unwrap().text, said);
}

#[test]
fn the_critical_path_goes_over_what_still_runs_and_later_over_what_ended_last() {
    let mut teller = Teller::default();
    teller.team("t", &[("w1", "w1", &[]), ("w2", "w2", &[]), ("j", "j", &["w1", "w2"])], str::to_owned);
    let (first, second) = (teller.start(1, "w1", 1), teller.start(2, "w2", 1));
    teller.at(0, 1).end(first, 1_000, 0, crate::domain::Status::Completed, "");
    let path = |teller: &Teller| told(teller, 80, 24).rail.path().iter().map(|n| n.0).collect::<Vec<_>>();
    assert_eq!(path(&teller), [2, 3]);
    assert!(!told(&teller, 80, 24).rail.is_critical(TaskNo(1)));
    teller.at(0, 6).end(second, 6_000, 0, crate::domain::Status::Completed, "");
    assert_eq!(path(&teller), [2, 3]);
    let last = teller.start(3, "j", 1);
    teller.at(0, 7).end(last, 1_000, 0, crate::domain::Status::Completed, "");
    assert_eq!(path(&teller), [2, 3]);
}
