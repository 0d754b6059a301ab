//! What the screen says.
use super::*;

#[test]
fn a_key_that_does_nothing_says_so() {
    let mut model = shipping(80, 24);
    for typed in ['R', 'b', 'r', '/', '7'] {
        assert_eq!(key(&mut model, typed), []);
        let said = model.notice.take().unwrap().text;
        assert_eq!(said, format!("{typed} does nothing here; ? shows the keys that do"));
    }
    key(&mut model, '?');
    assert_eq!(key(&mut model, 'q'), []);
    assert!(matches!(model.over, Over::Nothing));
}

#[test]
fn advice_of_the_shell_is_taken_as_it_is_pasted() {
    for pasted in ["teamtui do retry docs", "`teamtui do retry docs`", ":retry docs"] {
        let mut model = shipping(80, 24);
        key(&mut model, ':');
        update(&mut model, Msg::Paste(pasted.to_owned()));
        assert_eq!(line_in_palette(&model), "retry docs");
        assert_eq!(code(&mut model, KeyCode::Enter).len(), 1);
    }
    let mut model = shipping(80, 24);
    key(&mut model, ':');
    update(&mut model, Msg::Paste("teamtui why docs".to_owned()));
    let team = model.team_name();
    assert_eq!(code(&mut model, KeyCode::Enter), [AppEffect::Submit { line: "why docs".to_owned(), team }]);
}

#[test]
fn a_refused_line_stands_in_the_palette_again_with_its_reason() {
    let mut model = shipping(80, 24);
    let line = "retry engine".to_owned();
    update(&mut model, Msg::Reply { line, result: Err("wrong status: it runs\nhelp: wait".to_owned()) });
    assert_eq!(line_in_palette(&model), "retry engine");
    let Over::Palette(palette) = &model.over else { panic!() };
    assert_eq!(
        palette.checked.as_ref().unwrap().message,
        "wrong status: it runs; help: wait. Nothing was applied."
    );
    code(&mut model, KeyCode::Backspace);
    assert_eq!(line_in_palette(&model), "retry engin");
}

#[test]
fn quitting_counts_who_waits_and_keeps_its_last_line_in_any_room() {
    let model = beside();
    let lines = quit_lines(&model);
    assert!(lines[0].starts_with("2 teams keep running"), "{lines:?}");
    let mut teller = ship();
    for at in 2..22 {
        teller.team = Some(TeamId(at));
        teller.made(&format!("team-{at}"), &[("a", "a", &[])], str::to_owned);
        teller.start(1, "a", 1);
    }
    let lines = quit_lines(&told(&teller, 80, 24));
    assert_eq!(lines.len(), 20, "{lines:?}");
    assert!(lines[0].starts_with("21 teams keep running"), "{lines:?}");
    assert_eq!(lines[18], "  and 4 more");
    assert!(lines[19].starts_with("Come back with  teamtui "), "{lines:?}");
    let mut model = shipping(80, 24);
    model.owner.here = true;
    assert!(quit_lines(&model).last().unwrap().starts_with("Come back with  teamtui --here"));
}

#[test]
fn a_question_of_several_lines_has_several_rows_and_a_review_says_how_to_approve() {
    let mut teller = ship();
    let (of, text) = (Asker::Person, "which one?\n\n1. this\n2. that\u{202e}".into());
    teller.say(QuestionAsked { attempt: AttemptId(8), of, text, default: None });
    let model = told(&teller, 80, 24);
    let attempt = model.state.live.keys().next_back().copied().unwrap();
    assert_eq!(attempt, AttemptId(8));
    let shown = panes::asked(&model).unwrap();
    assert_eq!(shown.question, ["engine asks: which one?", "", "1. this", "2. that<U+202E>"]);
    let item = model.attention.iter().find(|item| item.text.contains("asks")).unwrap();
    assert_eq!(item.text, "engine asks: which one? 1. this 2. that<U+202E>");
    let mut teller = ship();
    teller.end(AttemptId(8), 1_000, 0, crate::domain::Status::InReview, "");
    let mut model = told(&teller, 80, 24);
    model.rail.selected = Some(TaskNo(4));
    assert_eq!(panes::asked(&model).unwrap().answer, ": approve engine, or : send_back engine TEXT");
}

#[test]
fn a_team_that_is_over_needs_nobody() {
    let mut teller = ship();
    let mut model = told(&teller, 80, 24);
    key(&mut model, ':');
    update(&mut model, Msg::Paste("dissolve".to_owned()));
    code(&mut model, KeyCode::Enter);
    assert!(!model.attention.is_empty());
    let before = teller.facts.len();
    teller.say(DissolveAsked {});
    teller.say(TeamDissolved { completed: false, cut_off: Vec::new() });
    update(&mut model, Msg::News(News::Facts(teller.facts[before..].to_vec())));
    assert!(model.team.is_some() && model.attention.is_empty());
}

#[test]
fn dissolving_counts_who_asks_apart() {
    let mut teller = ship();
    let (of, text) = (Asker::Person, "may I?".into());
    teller.say(QuestionAsked { attempt: AttemptId(8), of, text, default: None });
    let model = told(&teller, 80, 24);
    let facts = dissolve_facts(&model, &dialog::Dissolve { team: TeamId(1), asked: None });
    let counts: Vec<_> = facts.iter().filter_map(|fact| Some((fact.label, fact.count?))).collect();
    assert_eq!(counts[..2], [("running", 1), ("asking", 1)]);
    assert_eq!((model.tally.running, model.tally.asking), (1, 1));
}
