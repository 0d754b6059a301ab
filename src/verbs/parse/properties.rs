//! What holds for every line.
use super::*;
use crate::verbs::print;
use proptest::prelude::*;

/// Lines that look like commands: a verb and words that mean something somewhere.
fn line() -> impl Strategy<Value = String> {
    let verb = prop::sample::select(TABLE.iter().map(|verb| verb.id).collect::<Vec<_>>());
    let word = prop_oneof![
        3 => prop::sample::select(vec![
            "all", "until", "within", "hold", "release", "held", "by", "result", "contains", "assigned", "messages", "->",
            ">=", "cost", "add", "cancel", "rewire", "prompt", "replace", "a=b", "completed", "failed,held", "5m", "1500ms",
            "#12", "12", "\"all\"", "lead", "person", "true", "2.5", "at", "event", "perf", "a,b", "a:finished,#3",
        ]).prop_map(str::to_owned),
        1 => text(),
        2 => pair(),
    ];
    (verb, prop::collection::vec(word, 0..6)).prop_map(|(verb, words)| format!("{verb} {}", words.join(" ")))
}

fn pair() -> impl Strategy<Value = String> {
    let keys: Vec<&str> =
        TABLE.iter().flat_map(|verb| verb.keys().map(|key| key.name)).chain(["team"]).collect();
    let value = prop_oneof![
        prop::sample::select(vec![
            "a",
            "a,b",
            "true",
            "3",
            "5m",
            "safe",
            "1.25",
            "finished",
            "lead",
            "\"say x\"",
            "",
            "none"
        ])
        .prop_map(str::to_owned),
        text(),
    ];
    (prop::sample::select(keys), value).prop_map(|(key, value)| format!("{key}={value}"))
}

/// A string with anything in it, escaped by hand.
fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(any::<char>(), 0..8).prop_map(|chars| {
        let inner: String = chars.into_iter().map(|c| format!("\\u{{{:x}}}", u32::from(c))).collect();
        format!("\"{inner}\"")
    })
}

/// Lines that are commands.
fn command() -> impl Strategy<Value = String> {
    let name =
        || prop::sample::select(vec!["a", "12", "perf", "all", "held", "add", "Böb", "x.y-z_1", "lead"]);
    let task = || {
        prop_oneof![name().prop_map(|name| format!("\"{name}\"")), (1u32..99).prop_map(|n| format!("#{n}"))]
    };
    let tasks = || prop::collection::vec(task(), 1..4).prop_map(|tasks| tasks.join(","));
    let edges = || {
        prop::collection::vec((task(), prop::sample::select(vec!["", ":finished", ":completed"])), 1..3)
            .prop_map(|edges| {
                edges.iter().map(|(task, needs)| format!("{task}{needs}")).collect::<Vec<_>>().join(",")
            })
    };
    let goals =
        || prop::sample::subsequence(crate::verbs::act::Goal::WORDS.to_vec(), 1..4).prop_map(|g| g.join(","));
    let ms = || any::<u64>().prop_map(|ms| format!("{}ms", ms / 2));
    let member = || {
        let way = prop::sample::select(vec![
            "agent=r",
            "run=\"a b\"",
            "argv=a,\"b c\"",
            "script=\"say x\",\"complete \\\"y\\\"\"",
            "driver=human",
            "agent=r script=hang",
        ]);
        let keys = prop::sample::subsequence(
            vec![
                "prompt=\"x\\ny\"",
                "title=\"\"",
                "after=\"\"",
                "priority=0",
                "optional=false",
                "outputs=a,\"b c\"",
                "checks=\"test -s a,b\"",
                "review=person,x,lead",
                "default=yes",
                "time=none",
                "stall=0s",
                "stall_action=tell",
                "stop=QUIT",
                "steps=200",
                "rerun=safe",
                "retries=0",
                "cost=0.000001",
                "exit=-1,2",
                "unconfirmed=accept",
                "env=A=1,B_*",
                "cwd=x/y",
                "instructions=\"a\"",
            ],
            0..8,
        );
        (way, keys).prop_map(|(way, keys)| format!("{way} {}", keys.join(" ")))
    };
    prop_oneof![
        (tasks(), goals(), ms()).prop_map(|(t, g, ms)| format!("wait {t} until {g} within {ms}")),
        tasks().prop_map(|t| format!("wait {t}")),
        (tasks(), prop::sample::select(vec!["", "hold", "release"]), text()).prop_map(|(t, d, x)| format!("cancel {t} {d} {x}")),
        (task(), text()).prop_map(|(t, x)| format!("complete task={t} {x}")),
        (text(), edges()).prop_map(|(x, e)| format!("add \"s\"{x} to=lead after={e}").replacen("\"s\"", "", 1)),
        member().prop_map(|m| format!("add new {m}")),
        (member(), edges(), task(), text(), any::<u32>()).prop_map(|(m, e, t, x, at)| format!(
            "replan cancel {t} hold add new {m} rewire {t} after={e} prompt {t} {x} replace {t}=new add other agent=q at={at}"
        )),
        (task(), tasks()).prop_map(|(t, by)| format!("expect {t} held by {by}")),
        (task(), text()).prop_map(|(t, x)| format!("expect {t} result contains {x}")),
        (name(), name(), any::<u64>()).prop_map(|(a, b, n)| format!("expect messages {a}->{b} >= {n}")),
        any::<u32>().prop_map(|n| format!("expect cost < {}.{:06}", n / 1_000_000, n % 1_000_000)),
        (text(), text()).prop_map(|(a, b)| format!("send {a} {b}")),
        (text(), text()).prop_map(|(a, b)| format!("create {a} set=x={b} as=blue team=red")),
        (text(), text()).prop_map(|(a, b)| format!("ask lead {a} default={b}")),
        (goals(), name()).prop_map(|(g, n)| format!("list status={g} assignee={n}")),
        (text(), text()).prop_map(|(a, b)| format!("write {a} {b}")),
        text().prop_map(|x| format!("emit {x}")),
    ]
}

fn reads_the_same(line: &str, inside: bool) -> Result<bool, TestCaseError> {
    let Ok(Some(read)) = parse_line(line, inside) else { return Ok(false) };
    let printed = print(&read);
    prop_assert_eq!(parse_line(&printed, inside), Ok(Some(read)), "{} as {}", line, printed);
    let harmless = !printed.contains(char::is_control);
    prop_assert!(harmless);
    Ok(true)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn no_text_makes_the_parser_panic(text in "[\\PC\n\r\t\"\\\\#=,]{0,80}") {
        let _ = parse_line(&text, false);
        if let Err(errors) = parse_script(&text, true) {
            prop_assert!(errors.iter().all(|e| e.span.start <= e.span.end && e.span.end <= text.len() + 2));
        }
    }

    #[test]
    fn no_arguments_make_the_parser_panic(words in prop::collection::vec(".{0,12}", 0..5), verb in 0..TABLE.len()) {
        let words: Vec<String> = [TABLE[verb].id.to_owned()].into_iter().chain(words).collect();
        let _ = parse_words(&words, false);
    }

    #[test]
    fn what_looks_like_a_command_never_makes_it_panic_and_is_printed_back(line in line()) {
        reads_the_same(&line, false)?;
        reads_the_same(&line, true)?;
    }

    #[test]
    fn every_command_is_printed_so_that_it_reads_the_same(line in command()) {
        if !reads_the_same(&line, false)? {
            let e = parse_line(&line, false).unwrap_err();
            let may_be_empty = e.what.ends_with("is empty") || e.what.contains("missing") || e.what.contains("subject");
            prop_assert!(may_be_empty || e.what.contains("out of range") || e.what.contains("too large"), "{}: {}", line, e);
        }
    }

    #[test]
    fn every_other_unit_of_time_and_money_is_exact(n in any::<u64>()) {
        reads_the_same(&format!("sleep {}ms", n / 4), false)?;
    }
}
