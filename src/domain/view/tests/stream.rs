use crate::domain::view::fixture::*;
use crate::domain::view::{RunView, Stream};
use crate::domain::*;

#[test]
fn run_43_is_the_stream_of_the_page() {
    let story = run_43();
    let mut lines = vec![Stream::first("0.1.0", Some(43), Seq(0))];
    lines.extend(story.lines.clone());
    lines.push(Stream::last(&story.view(), ""));
    let expected = include_str!("run_43.ndjson");
    for (line, expected) in lines.iter().zip(expected.lines()) {
        assert_eq!(line, expected);
    }
    assert_eq!(lines.len(), expected.lines().count());
}

#[test]
fn tokens_are_never_printed_and_output_marks_only_when_asked() {
    let mut story = Story::new(Some(1), "x.toml");
    story.team(spec("x", vec![member("a", "")])).start("a");
    let attempt = story.attempt("a");
    story.tell(event::OutputMarked { attempt, bytes: 12 });
    assert!(story.lines.iter().all(|l| !l.contains("token") && !l.contains("output_marked")));
    let mut verbose = Stream::new(&story.state, true);
    let (fact, after) = story.facts.last().unwrap();
    let line = verbose.fact(fact, after).unwrap();
    assert!(line.ends_with(r#""task":"a","number":1,"attempt":1,"output_bytes":12}"#), "{line}");
}

#[test]
fn what_others_wrote_is_harmless_in_json_too() {
    let mut story = Story::new(Some(1), "x.toml");
    story.team(spec("x", vec![member("a", "")])).start("a");
    story.said("a", 10, "one\u{1b}[2J\u{9b}31m\u{202e}\ntwo");
    let line = story.lines.last().unwrap();
    assert!(line.contains(r#""result":"one\ntwo""#), "{line}");
}

#[test]
fn a_held_task_is_blocked_in_json_with_what_holds_it() {
    let view = run_42().view();
    let last = Stream::last(&view, " --state /s");
    assert!(
        last.contains(r#"{"number":7,"task":"report","status":"blocked","held_by":["test-2"]}"#),
        "{last}"
    );
    assert!(last.ends_with(r#""next":"teamtui resume 42 --failed --state /s"}"#), "{last}");
    assert!(last.contains(r#""counts":{"completed":4,"failed":1,"failed_optional":1,"held":1}"#), "{last}");
}

#[test]
fn every_line_is_json_and_nothing_is_null() {
    for story in [run_41(), run_42(), run_43(), auth_review(None)] {
        for line in story.lines.iter().chain([&Stream::last(&RunView::of(&story.state, story.now), "")]) {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            assert!(value.is_object() && !line.contains("null"), "{line}");
        }
    }
}
