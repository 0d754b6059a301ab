use super::*;
use crate::app::Chunk;
use crate::domain::event::{ProgressNoted, QuestionAsked, TaskCancelled};
use crate::domain::{Asker, Status, TaskNo};
use crate::text::Untrusted;
use insta::assert_snapshot;

#[test]
fn main_80x24() {
    assert_snapshot!(styled(&drawn(&shipping(80, 24))));
}

#[test]
fn main_120x40() {
    assert_snapshot!(text(&drawn(&shipping(120, 40))));
}

#[test]
fn main_200x60() {
    let mut model = shipping(200, 60);
    press(&mut model, "]");
    let attempt = model.log.attempt.unwrap();
    let bytes =
        b"$ claude -p --permission-mode acceptEdits\nWrote docs/verbs.md from the table of verbs.\n".to_vec();
    update(&mut model, Msg::Output(Chunk { attempt, at: 0, bytes }));
    assert_snapshot!(text(&drawn(&model)));
}

#[test]
fn small_60x15() {
    assert_snapshot!(text(&drawn(&shipping(60, 15))));
}

#[test]
fn small_40x12() {
    assert_snapshot!(text(&drawn(&shipping(40, 12))));
}

#[test]
fn small_19x5_and_down_to_nothing() {
    let sizes = [(19, 5), (12, 5), (8, 2), (3, 1), (1, 1)];
    let lines: Vec<String> = sizes
        .iter()
        .map(|(w, h)| format!("{w}x{h}: {}", text(&drawn(&shipping(*w, *h))).trim_end()))
        .collect();
    assert_snapshot!(lines.join("\n"));
}

#[test]
fn ascii_monochrome_80x24() {
    let buffer = drawn_with(&shipping(80, 24), &Theme::monochrome(), Glyphs::Ascii);
    let shown = styled(&buffer);
    assert!(shown.is_ascii(), "{shown}");
    assert_snapshot!(shown);
}

#[test]
fn the_log_has_the_focus_and_is_scrolled_up() {
    let mut model = shipping(80, 16);
    press(&mut model, "2 k k k");
    assert_snapshot!(text(&drawn(&model)));
}

#[test]
fn the_palette_lists_commands() {
    let mut model = shipping(80, 24);
    model.recent = vec!["retry docs".to_owned(), "send core \"is Batch public?\"".to_owned()];
    press(&mut model, ":");
    type_text(&mut model, "re");
    assert_snapshot!(styled(&drawn(&model)));
}

#[test]
fn the_palette_completes_arguments() {
    let mut model = shipping(80, 24);
    press(&mut model, ":");
    type_text(&mut model, "send c");
    assert_snapshot!(text(&drawn(&model)));
}

#[test]
fn the_palette_marks_what_is_wrong() {
    let mut model = shipping(80, 24);
    press(&mut model, ":");
    type_text(&mut model, "retry dosc attempt=3");
    press(&mut model, "enter");
    assert_snapshot!(styled(&drawn(&model)));
}

#[test]
fn the_first_start() {
    let mut model = blank(80, 24);
    let owner = Owner { pid: 1, here: false };
    let state = Box::new(State::default());
    update(&mut model, Msg::News(News::Snapshot { state, elapsed_ms: 0, at_ms: 0, owner }));
    assert_snapshot!(styled(&drawn(&model)));
}

#[test]
fn the_owner_is_silent() {
    let mut model = shipping(80, 24);
    update(&mut model, Msg::Tick(1_000));
    update(&mut model, Msg::News(News::Beat { elapsed_ms: 0, at_ms: 1_796_049_100_000 }));
    let loss = Loss { gone: false, pid: 4121, socket: "/run/teamtui.sock".to_owned(), retry_ms: 5_000 };
    update(&mut model, Msg::News(News::Lost(loss)));
    update(&mut model, Msg::Tick(8_000));
    assert_snapshot!(styled(&drawn(&model)));
}

#[test]
fn dissolve_asks_and_then_counts_down() {
    let mut model = shipping(80, 24);
    press(&mut model, ":");
    type_text(&mut model, "dissolve");
    press(&mut model, "enter");
    assert_snapshot!("dissolve_asks", text(&drawn(&model)));
    press(&mut model, "D");
    assert_snapshot!("dissolve_counts_down", text(&drawn(&model)));
}

#[test]
fn quit_says_what_keeps_running() {
    let mut model = shipping(80, 24);
    press(&mut model, "q");
    assert_snapshot!(text(&drawn(&model)));
}

#[test]
fn help_is_made_from_the_keys() {
    let mut model = shipping(80, 24);
    press(&mut model, "?");
    assert_snapshot!(text(&drawn(&model)));
}

#[test]
fn detail_of_a_held_task() {
    let mut model = shipping(80, 24);
    press(&mut model, "G k enter");
    assert_snapshot!(styled(&drawn(&model)));
}

#[test]
fn a_refusal_is_shown_whole() {
    let mut model = shipping(80, 24);
    let line = "retry engine".to_owned();
    let result = Err("wrong status: `engine` is in_progress, and only failed or stale tasks are retried\nhelp: interrupt core".to_owned());
    update(&mut model, Msg::Reply { line, result });
    assert_snapshot!(text(&drawn(&model)));
}

#[test]
fn a_long_plan_has_a_ruler_and_folds() {
    let mut teller = Teller::default();
    let names: Vec<String> = (1..=40).map(|n| format!("parse-{n}")).collect();
    let root: &[&str] = &["parse-1"];
    let tasks: Vec<(&str, &str, &[&str])> = names
        .iter()
        .enumerate()
        .map(|(at, n)| (n.as_str(), "core", if at == 0 { &[][..] } else { root }))
        .collect();
    teller.team("long", &tasks, str::to_owned);
    for task in 1..=12 {
        let attempt = teller.start(task, "core", 1);
        teller.end(attempt, 1_000, 0, crate::domain::Status::Completed, "");
    }
    teller.start(13, "core", 1);
    let mut model = told(&teller, 59, 14);
    assert_snapshot!("long_plan", text(&drawn(&model)));
    press(&mut model, "z");
    assert_snapshot!("long_plan_folded", text(&drawn(&model)));
}

#[test]
fn ship_told_fact_by_fact_is_the_same_screen() {
    let teller = ship();
    let mut model = told(&Teller::default(), 80, 24);
    for fact in &teller.facts {
        update(&mut model, Msg::News(News::Facts(vec![fact.clone()])));
    }
    press(&mut model, "g j j j");
    let mut at_once = told(&teller, 80, 24);
    press(&mut at_once, "g j j j");
    assert_eq!(text(&drawn(&model)), text(&drawn(&at_once)));
}

#[test]
fn every_status_has_its_glyph_and_says_why_it_waits() {
    let mut teller = Teller::default();
    let tasks: [(&str, &str, &[&str]); 9] = [
        ("parse", "core", &[]),
        ("asks", "ui", &["parse"]),
        ("fails", "ops", &["parse"]),
        ("join", "critic", &["fails", "asks"]),
        ("index", "writer", &["parse"]),
        ("reviewed", "arch", &[]),
        ("lost", "mira", &[]),
        ("dropped", "otto", &[]),
        ("ready", "core", &[]),
    ];
    teller.team("states", &tasks, str::to_owned);
    let done = teller.start(1, "core", 1);
    teller.end(done, 124_000, 0, Status::Completed, "");
    let asks = teller.start(2, "ui", 1);
    let fails = teller.start(3, "ops", 2);
    teller.end(fails, 280_000, 120_000, Status::Failed, "exit 101");
    let index = teller.start(5, "writer", 1);
    let reviewed = teller.start(6, "arch", 1);
    teller.end(reviewed, 61_000, 0, Status::InReview, "");
    let lost = teller.start(7, "mira", 1);
    teller.end(lost, 3_000, 0, Status::Stale, "the owner ended");
    teller.at(3, 10).say(QuestionAsked {
        attempt: asks,
        of: Asker::Person,
        text: Untrusted::from("may I run cargo test --test refresh?"),
        default: None,
    });
    teller.say(TaskCancelled { number: TaskNo(8), reason: Untrusted::from("not needed") });
    teller.say(ProgressNoted { attempt: index, percent: 40, text: Untrusted::from("indexing src/") });
    let mut model = told(&teller, 100, 20);
    press(&mut model, "+");
    assert_snapshot!("every_status_zoomed", styled(&drawn(&model)));
    update(&mut model, Msg::Resize(120, 40));
    press(&mut model, "+");
    assert_snapshot!("every_status", text(&drawn(&model)));
}

#[test]
fn a_team_without_tasks_says_what_would_be_here() {
    let mut teller = Teller::default();
    teller.team("empty", &[], str::to_owned);
    assert_snapshot!(text(&drawn(&told(&teller, 80, 16))));
}

#[test]
fn the_owner_is_gone() {
    let mut model = shipping(120, 16);
    let loss = Loss { gone: true, pid: 4121, socket: "/run/teamtui.sock".to_owned(), retry_ms: 1_000 };
    update(&mut model, Msg::News(News::Lost(loss)));
    assert_snapshot!(text(&drawn(&model)).lines().next().unwrap().to_owned());
}

#[test]
fn two_teams_are_counted_and_what_asks_says_how_it_is_answered() {
    let mut model = crate::app::tests::beside();
    let top = |model: &Model| text(&drawn(model)).lines().next().unwrap().to_owned();
    assert_eq!(top(&model), " ship-0.4   1 plan  2 logs  0 teams 2   needs you 2");
    press(&mut model, "0");
    assert_snapshot!(text(&drawn(&model)));
}

#[test]
fn a_retry_is_hinted_where_it_works() {
    let mut model = shipping(120, 24);
    let hints = |model: &Model| text(&drawn(model)).lines().last().unwrap().to_owned();
    assert!(!hints(&model).contains("retry"), "{}", hints(&model));
    press(&mut model, "]");
    assert!(hints(&model).contains("t retry"), "{}", hints(&model));
    press(&mut model, "enter");
    assert!(hints(&model).contains("t retry"), "{}", hints(&model));
}

#[test]
fn after_the_last_team_the_first_screen_does_not_say_that_nothing_was_written() {
    let mut teller = ship();
    teller.say(crate::domain::event::DissolveAsked {});
    teller.say(crate::domain::event::TeamDissolved { completed: false, cut_off: Vec::new() });
    let shown = text(&drawn(&told(&teller, 80, 24)));
    assert!(!shown.contains("Nothing has been written yet") && !shown.contains("no team yet"), "{shown}");
    assert!(shown.contains("No team is live. What the last one did is kept: `:report`"), "{shown}");
    assert!(shown.contains(" no team is live     runs: none"), "{shown}");
    let mut model = told(&Teller::default(), 80, 24);
    model.start.runs = 3;
    let shown = text(&drawn(&model));
    assert!(shown.contains("`teamtui runs` lists them.") && shown.contains("runs: 3"), "{shown}");
}

#[test]
fn what_was_sent_to_a_silent_owner_is_said_to_wait() {
    let mut model = shipping(80, 24);
    press(&mut model, "t enter");
    let loss = Loss { gone: false, pid: 4121, socket: "/s".to_owned(), retry_ms: 2_000 };
    update(&mut model, Msg::News(News::Lost(loss)));
    let shown = text(&drawn(&model));
    assert!(shown.contains("OWNER SILENT 0m00   pid 4121 lives and does not answer"), "{shown}");
    assert!(shown.contains("`retry engine` was sent and waits for the owner"), "{shown}");
}

#[test]
fn the_title_of_a_member_stands_beside_the_name_of_its_task() {
    let mut teller = Teller::default();
    teller.team("t", &[("audit", "audit", &[])], str::to_owned);
    let fact = teller.facts.last_mut().unwrap();
    let crate::domain::Event::TeamCreated(made) = &mut fact.event else { panic!() };
    made.spec.members[0].title = Some(Untrusted::from("Keys"));
    let mut model = told(&teller, 80, 24);
    let shown = text(&drawn(&model));
    assert!(shown.contains("audit  Keys"), "{shown}");
    press(&mut model, "enter");
    let shown = text(&drawn(&model));
    assert!(shown.contains("title   Keys"), "{shown}");
    let (id, team) = model.state.live_teams().next().unwrap();
    let why = crate::domain::view::Why::of(&model.state, id, TaskNo(1), "").unwrap();
    assert!(why.sentence.starts_with("audit (#1, Keys) "), "{}", why.sentence);
    assert_eq!(team.title_of(team.task(TaskNo(1)).unwrap()).as_deref(), Some("Keys"));
}

#[test]
fn short_names_of_members_leave_their_heading_whole() {
    let mut teller = Teller::default();
    teller.team("t", &[("a", "a", &[]), ("b", "b", &["a"])], str::to_owned);
    let shown = text(&drawn(&told(&teller, 160, 24)));
    assert!(shown.lines().nth(2).unwrap().contains(" who "), "{shown}");
}

#[test]
fn the_report_of_a_recovery() {
    assert_snapshot!(text(&drawn(&crate::app::story::recovered(80, 24))));
}

#[test]
fn the_report_of_a_recovery_has_what_needs_someone_in_view_where_room_is_short() {
    let shown = text(&drawn(&crate::app::story::recovered(60, 12)));
    assert!(shown.contains("t retry it as attempt"), "{shown}");
}
