//! Completion at every kind of place.
use super::*;
use proptest::prelude::*;

fn names() -> Names {
    let named = |names: &[&str]| names.iter().map(|name| Named::new(*name, "note")).collect();
    Names {
        tasks: named(&["churn", "perf", "all", "#6"]),
        members: named(&["churn", "perf", "lead"]),
        teams: named(&["auth-review"]),
        agents: named(&["reviewer"]),
    }
}

fn at_end(line: &str) -> Vec<String> {
    complete(line, line.len(), &names()).into_iter().map(|candidate| candidate.insert).collect()
}

/// Without keys.
fn words_at_end(line: &str) -> Vec<String> {
    at_end(line)
        .into_iter()
        .filter(|word| !word.ends_with('=') || word.starts_with(['<', '=', '>']))
        .collect()
}

#[test]
fn verbs_come_first() {
    assert_eq!(at_end("rep"), ["report", "replan"]);
    assert_eq!(at_end("plan"), ["replan"]);
    assert!(at_end("").contains(&"send".to_owned()));
    assert!(!at_end("cr").contains(&"crash".to_owned()));
}

#[test]
fn each_argument_is_completed_from_what_fits_there() {
    assert_eq!(words_at_end("send "), ["churn", "perf", "lead", "person"]);
    assert_eq!(words_at_end("send p"), ["perf", "person"]);
    assert_eq!(words_at_end("why pe"), ["perf"]);
    assert_eq!(words_at_end("retry churn,pe"), ["perf"]);
    assert_eq!(words_at_end("cancel perf r"), ["release"]);
    assert_eq!(words_at_end("cancel perf hold "), Vec::<String>::new());
    assert_eq!(words_at_end("wait "), ["churn", "perf", "\"all\"", "#6", "all"]);
    assert_eq!(words_at_end("wait perf "), ["until", "within"]);
    assert_eq!(words_at_end("wait perf until fa"), ["failed"]);
    assert_eq!(words_at_end("wait perf until failed,st"), ["stale"]);
    assert_eq!(words_at_end("wait perf until failed "), ["within"]);
    assert_eq!(words_at_end("ask p"), ["person"]);
    assert_eq!(words_at_end("send churn "), Vec::<String>::new());
}

#[test]
fn keys_and_their_values_are_completed() {
    assert_eq!(at_end("assign perf t"), ["to=", "team="]);
    assert_eq!(at_end("assign perf to=ch"), ["churn"]);
    assert_eq!(at_end("list status=failed,he"), ["held"]);
    assert_eq!(at_end("add x agent=rev"), ["reviewer"]);
    assert_eq!(at_end("add x after=perf:f"), ["finished"]);
    assert_eq!(at_end("status team=a"), ["auth-review"]);
    assert!(!at_end("assign perf to=churn ").contains(&"to=".to_owned()));
}

#[test]
fn steps_of_a_replan_are_completed() {
    assert_eq!(words_at_end("replan re"), ["rewire", "replace"]);
    assert_eq!(words_at_end("replan cancel "), ["churn", "perf", "all", "#6"]);
    assert_eq!(words_at_end("replan cancel perf h"), ["hold"]);
    assert_eq!(at_end("replan add x ru"), ["run="]);
    assert_eq!(at_end("replan rewire perf a"), ["after="]);
    assert_eq!(at_end("replan cancel perf dr"), ["dry_run="]);
}

#[test]
fn checks_are_completed() {
    assert_eq!(words_at_end("expect p"), ["perf"]);
    assert_eq!(words_at_end("expect perf he"), ["held", "held by"]);
    assert_eq!(words_at_end("expect perf held by ch"), ["churn"]);
    assert_eq!(words_at_end("expect messages perf -> le"), ["lead"]);
    assert_eq!(words_at_end("expect cost "), ["<", "<=", "=", ">=", ">"]);
}

#[test]
fn spans_are_those_of_the_piece_that_is_replaced() {
    let found = complete("retry churn,pe x", 14, &names());
    assert_eq!(found.first().map(|c| (c.span, c.insert.as_str())), Some((Span::new(12, 14), "perf")));
    let found = complete("send ", 5, &names());
    assert_eq!(found.first().map(|c| (c.span, c.note.as_str())), Some((Span::new(5, 5), "note")));
}

#[test]
fn nothing_is_offered_inside_texts_and_comments() {
    assert_eq!(at_end("send perf \"ch"), Vec::<String>::new());
    assert_eq!(at_end("why # pe"), Vec::<String>::new());
    assert_eq!(complete("é", 1, &names()), Vec::new());
}

#[test]
fn what_is_missing_is_named() {
    let cases = [
        ("", Some("a command")),
        ("send", Some("TO")),
        ("send perf", Some("TEXT")),
        ("send perf hello", None),
        ("status", None),
        ("assign perf", Some("to=")),
        ("assign perf to=churn", None),
        ("wait", Some("all or TASK,..")),
        ("wait perf", None),
        ("wait perf until", Some("STATUS,..")),
        ("wait perf within", Some("TIME")),
        ("crash at", Some("event N")),
        ("complete", Some("TASK")),
        ("complete task=perf", None),
        ("send_back task=perf", Some("TEXT")),
        ("replan", Some("a step")),
        ("replan cancel", Some("TASK,..")),
        ("replan rewire perf", Some("after=")),
        ("replan cancel perf replace perf=x", None),
        ("expect perf", Some("STATUS")),
        ("expect perf held by", Some("TASK,..")),
        ("nonsense", None),
    ];
    for (line, missing) in cases {
        assert_eq!(needs(line).as_deref(), missing, "{line}");
    }
}

proptest! {
    #[test]
    fn no_line_makes_it_panic(line in ".{0,40}", verb in 0..TABLE.len(), cursor in 0usize..60) {
        let line = format!("{} {line}", TABLE[verb].id);
        for candidate in complete(&line, cursor, &names()) {
            prop_assert!(candidate.span.end <= line.len());
        }
        let _ = needs(&line);
    }
}
