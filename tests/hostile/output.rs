//! What children write reaches nobody raw, and fills no memory.
use crate::house::{House, Ran};

/// Bytes of the one line that has no end.
const LINE_BYTES: usize = 100 << 20;
/// What the owner may hold meanwhile.
const MAX_KIB: u64 = 150 << 10;

fn harmless(ran: &Ran) -> String {
    let out = String::from_utf8(ran.out.clone()).expect("what is printed is text");
    for (stream, text) in [("stdout", &out), ("stderr", &ran.err)] {
        let raw = text.chars().find(|c| c.is_control() && *c != '\n');
        assert!(raw.is_none(), "{stream} has {raw:?}:\n{text:?}");
    }
    format!("{out}{}", ran.err)
}

fn run(members: &[(&str, &str)]) -> (House, Ran) {
    let house = House::new();
    let tables = members.iter().map(|(name, run)| format!("[members.{name}]\nrun = '''{run}'''\n"));
    house.write("a.toml", format!("name = \"t\"\n{}", tables.collect::<String>()));
    let ran = house.run(&["--script", "a.toml", "-v"]);
    (house, ran)
}

#[test]
fn c024_a_line_of_100_mb_is_counted_and_what_follows_is_read() {
    let endless = format!("head -c {LINE_BYTES} /dev/zero | tr '\\0' x; echo; echo the end of it");
    let (_house, ran) = run(&[("a", &endless)]);
    let said = harmless(&ran);
    assert_eq!(ran.rc, 0, "{}", ran.err);
    assert!(said.contains("the end of it"), "{said}");
    assert!(said.len() < 4 << 20, "{} bytes were printed", said.len());
    assert!(0 < ran.peak_kib && ran.peak_kib < MAX_KIB, "it held {} KiB", ran.peak_kib);
}

#[test]
fn c025_split_characters_are_whole_and_binary_is_never_fatal() {
    let (_house, ran) = run(&[
        ("split", "printf '\\342'; sleep 0.1; printf '\\211\\244 whole\\n'"),
        ("binary", "printf '\\037\\213\\000\\377\\376\\n'; head -c 4096 /dev/urandom"),
    ]);
    let said = harmless(&ran);
    assert_eq!(ran.rc, 0, "{}", ran.err);
    assert!(said.contains("≤ whole"), "{said}");
}

#[test]
fn c027_progress_by_carriage_returns_is_its_last_state() {
    let (_house, ran) = run(&[("a", "printf '10%%\\r20%%\\r100%%\\na\\r\\nb\\n'; exit 3")]);
    let said = harmless(&ran);
    assert_eq!(ran.rc, 1, "{}", ran.err);
    assert!(said.contains("100%") && !said.contains("20%"), "{said}");
}

#[test]
fn c029_c039_no_escape_of_a_child_is_printed_and_brackets_are_text() {
    let hostile = [
        r"printf '\033[2J\033]52;c;QQ==\007\033]0;T\007\302\23552;c;QQ==\302\234\033[6n\n'",
        r"printf 'a\tb [x] [red]y[-] [with spaces]\010\013\177\n'",
        r"printf '\033Pq\nafter one\n\033]\nafter two\n'",
        "exit 1",
    ]
    .join("; ");
    let title = "[members.b]\ntitle = \"\\u001b[2Jtitle\"\nprompt = \"\\u001b]0;T\\u0007\"\nscript = [\"say \\u001b[2J hello\", \"send a \\\"\\u001b]52;c;QQ==\\u0007 mail\\\"\", \"fail \\u009b2J reason\"]\n";
    let house = House::new();
    house.write(
        "a.toml",
        format!("name = \"t\"\ngoal = \"\\u001b[2Jgoal\"\n[members.a]\nrun = '''{hostile}'''\n{title}"),
    );
    for format in ["text", "ndjson"] {
        let junit = format!("{format}.xml");
        let ran = house.run(&["--script", "a.toml", "-v", "--format", format, "--junit", &junit]);
        let said = harmless(&ran);
        assert_eq!(ran.rc, 1, "{}", ran.err);
        for text in ["[x] [red]y[-] [with spaces]", "after one", "after two"] {
            assert!(said.contains(text), "{said}");
        }
        assert!(!said.contains("QQ=="), "{said}");
        let junit = std::fs::read_to_string(house.path().join(junit)).unwrap();
        assert!(!junit.chars().any(|c| c.is_control() && c != '\n'), "{junit:?}");
    }
}
