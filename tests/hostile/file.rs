//! Team files and scripts that do not fit.
use crate::house::House;

fn team(rest: &str) -> String {
    format!("name = \"t\"\n{rest}")
}

#[test]
fn c037_a_bad_file_is_refused_with_its_place_and_what_was_meant() {
    let house = House::new();
    let big = "# x\n".repeat(10 << 18);
    let crowd: String = (0..10_000).map(|n| format!("[members.m{n}]\nrun = \"x\"\n")).collect();
    let files: &[(&str, Vec<u8>, &[&str])] = &[
        ("unknown key", team("[members.a]\nrum = \"ls\"\n").into(), &["unknown key `rum`", "`run`"]),
        ("repeated key", team("[members.a]\nrun = \"a\"\nrun = \"b\"\n").into(), &["`run` is repeated"]),
        (
            "repeated member",
            team("[members.a]\nrun = \"a\"\n[members.A]\nrun = \"b\"\n").into(),
            &["a.toml:4:", "A"],
        ),
        ("wrong type", team("[members.a]\nrun = 3\n").into(), &["a.toml:3:", "`run`"]),
        ("members is a number", team("members = 3\n").into(), &["a.toml:2:"]),
        ("not UTF-8", b"name = \"t\"\n[members.a]\nrun = \"\xff\xfe\"\n".to_vec(), &["UTF-8"]),
        ("empty", Vec::new(), &["empty"]),
        ("10 MB", big.into(), &["more than 1.0 MiB"]),
        ("10,000 members", team(&crowd).into(), &["1,000"]),
        (
            "unknown dependency",
            team("[members.churn]\nrun = \"a\"\n[members.b]\nrun = \"b\"\ndepends_on = [\"chrun\"]\n").into(),
            &["chrun", "churn"],
        ),
        (
            "self dependency",
            team("[members.a]\nrun = \"a\"\ndepends_on = [\"a\"]\n").into(),
            &["a depends on itself"],
        ),
        ("a lone bracket", b"[".to_vec(), &["a.toml:1:"]),
        ("zeros", vec![0; 64], &["a.toml"]),
    ];
    for (what, bytes, says) in files {
        house.write("a.toml", bytes);
        let ran = house.refused("a.toml");
        for part in *says {
            assert!(ran.err.contains(part), "{what}: `{part}` is not in:\n{}", ran.err);
        }
        assert!(ran.out.is_empty() && ran.err.len() < 20_000, "{what}: {} bytes", ran.err.len());
    }
}

#[test]
fn bom_and_crlf_are_accepted() {
    let house = House::new();
    house.write("a.toml", "\u{feff}name = \"t\"\r\n[members.a]\r\nrun = \"true\"\r\n");
    let ran = house.run(&["--script", "a.toml"]);
    assert_eq!(ran.rc, 0, "{}", ran.err);
    house.write("a.team", "\u{feff}create a.toml\r\nwait all\r\nexpect a completed\r\ndissolve\r\n");
    let ran = house.run(&["--script", "a.team"]);
    assert_eq!(ran.rc, 0, "{}", ran.err);
}

#[test]
fn c001_a_cycle_prints_exactly_its_loop_and_stores_nothing() {
    let house = House::new();
    let member =
        |name: &str, on: &str| format!("[members.{name}]\nrun = \"touch ran\"\ndepends_on = [\"{on}\"]\n");
    let text =
        team(&[member("dd", "aa"), member("aa", "bb"), member("bb", "cc"), member("cc", "aa")].concat());
    house.write("a.toml", text);
    let ran = house.refused("a.toml");
    let said = ran.err.lines().next().unwrap();
    let names: Vec<&str> = said.rsplit(": ").next().unwrap().split(" -> ").collect();
    assert_eq!(names.len(), 4, "{said}");
    assert_eq!(names[0], names[3], "{said}");
    let mut names = names[..3].to_vec();
    names.sort_unstable();
    assert_eq!(names, ["aa", "bb", "cc"], "dd only leads into it");
    assert!(!house.path().join("ran").exists());
}

#[test]
fn a_script_with_an_unknown_command_or_file_starts_nothing() {
    let house = House::new();
    house.write("a.toml", team("[members.a]\nrun = \"touch ran\"\n"));
    for (script, says) in [
        ("create a.toml\ndisolve\n", "dissolve"),
        ("create a.toml\nwait a until compleated\n", "completed"),
        ("create b.toml\nwait all\n", "b.toml"),
        ("create a.toml\nsend \"unclosed\n", "a.team:2:"),
    ] {
        house.write("a.team", script);
        let ran = house.refused("a.team");
        assert!(ran.err.contains(says), "{script}: {}", ran.err);
    }
    assert!(!house.path().join("ran").exists());
    assert_eq!(house.run(&["--script", "none.toml"]).rc, 2);
}

#[test]
fn c040_no_name_makes_a_path() {
    let long = "é".repeat(300);
    let bad = [
        "../../x",
        "/etc/x",
        "a/b",
        "..",
        "",
        "x\\u0000y",
        long.as_str(),
        "-rf",
        "a b",
        "\\u001b[2J",
        "lead",
    ];
    for name in bad {
        for text in [
            format!("name = \"{name}\"\n[members.a]\nrun = \"true\"\n"),
            team(&format!("[members.\"{name}\"]\nrun = \"true\"\n")),
            team(&format!(
                "[members.a]\nrun = \"true\"\n[tasks.\"{name}\"]\nassignee = \"a\"\nprompt = \"x\"\n"
            )),
        ] {
            // A team may be called `lead`.
            if name == "lead" && text.starts_with("name = \"lead\"") {
                continue;
            }
            let house = House::new();
            house.write("a.toml", &text);
            let ran = house.refused("a.toml");
            assert!(!ran.err.contains('\u{1b}') && !ran.err.contains('\0'), "{:?}", ran.err);
            let stray: Vec<_> = house
                .files()
                .into_iter()
                .filter(|p| !p.starts_with("state") && p.as_os_str() != "a.toml")
                .collect();
            assert!(stray.is_empty(), "{name}: {stray:?}");
        }
    }
}

#[test]
fn c040_names_that_are_special_elsewhere_are_only_names() {
    let house = House::new();
    house.write("a.toml", "name = \"NUL\"\n[members.CON]\nrun = \"true\"\n[members.\"1.0\"]\nrun = \"true\"\n[members.no]\nrun = \"true\"\n");
    let ran = house.run(&["--script", "a.toml"]);
    assert_eq!(ran.rc, 0, "{}", ran.err);
    let stray: Vec<_> =
        house.files().into_iter().filter(|p| !p.starts_with("state") && p.as_os_str() != "a.toml").collect();
    assert!(stray.is_empty(), "{stray:?}");
    let named: Vec<_> = house.files().into_iter().filter(|p| p.to_string_lossy().contains("CON")).collect();
    assert!(named.is_empty(), "{named:?}");
}
