//! What is warned of: it can run, and will probably not do what was meant.
use super::*;

fn warned(member: &str) -> String {
    said(&format!("[members]\nup = {{ run = \"ls\" }}\n{member}\n"))
}

#[test]
fn pipes_that_hide_a_failure_are_told() {
    let run = |line: &str| warned(&format!("a = {{ run = {} }}", toml::Value::String(line.to_owned())));
    assert_eq!(
        run("git diff | tee d"),
        r"warning: t.toml:4:14: a pipe hides a failure: the exit of a is that of `tee`
help: let `git` write to a file first, so that its exit counts: `git diff > f && tee d < f`
"
    );
    assert_eq!(
        run("cargo build 2>&1 | grep -v 'a very long pattern that is not repeated' && ls"),
        r"warning: t.toml:4:14: a pipe hides a failure: whether a goes on is decided by `grep` alone
help: let `cargo` write to a file first, so that its exit counts: `cargo build > f && grep ... f`
"
    );
    for fine in [
        "echo hi | tee d",
        "set -o pipefail; git diff | tee d",
        "git diff | tee d || true",
        "git diff | tee d; ls",
        "echo 'a | b'",
        "(git diff | tee d)",
        "ls # a | b",
    ] {
        assert_eq!(run(fine), "", "{fine}");
    }
}

#[test]
fn programs_that_are_missing_are_told() {
    assert_eq!(
        warned("a = { run = \"A=1 nope x && ls | nope2\", optional = true }"),
        r"warning: t.toml:4:18: `nope` is not on PATH here; a (optional) would fail
warning: t.toml:4:28: a pipe hides a failure: the exit of a is that of `nope2`
help: let `ls` write to a file first, so that its exit counts: `ls > f && nope2 < f`
warning: t.toml:4:33: `nope2` is not on PATH here; a (optional) would fail
"
    );
    assert_eq!(
        warned("a = { argv = [\"no\\u0070e\", \"x\"] }"),
        r"warning: t.toml:4:16: `nope` is not on PATH here; a would fail
"
    );
    assert_eq!(
        warned("a = { run = \"./x.sh\" }\nb = { run = \"./x.sh\", depends_on = [\"up\"] }"),
        r"warning: t.toml:4:14: `./x.sh` is no program here; a would fail
"
    );
    assert_eq!(
        warned("a = { run = \"ls\", checks = [\"nope3 x\", \"test -s a\"] }"),
        r"warning: t.toml:4:30: `nope3` is not on PATH here; a would fail
"
    );
    assert_eq!(
        warned("a = { run = \"nope\", each = [\"1\", \"2\"] }"),
        r"warning: t.toml:4:14: `nope` is not on PATH here; a would fail
"
    );
    for fine in ["a = { run = \"nope\", env = [\"PATH=/x\"] }", "a = { run = \"$X y; cd z; 'nope' a\" }"] {
        assert_eq!(warned(fine), "", "{fine}");
    }
    assert_eq!(
        warned("a = { run = \"ls\", cwd = \"nowhere\" }"),
        r"warning: t.toml:4:25: `/desk/nowhere` is no folder here; a would fail
"
    );
}

#[test]
fn inputs_that_nobody_makes_are_told() {
    let reads =
        |text: &str| warned(&format!("other = {{ run = \"ls\" }}\na = {{ depends_on = [\"up\"], {text} }}"));
    assert_eq!(
        reads("run = 'cat \"$TEAMTUI_INPUTS\"/upp.md'"),
        r"warning: t.toml:5:57: a reads `upp.md` of its inputs, and no upstream of it is `upp`
help: did you mean `up`?
"
    );
    assert_eq!(
        reads("run = 'cat ${TEAMTUI_INPUTS}/other.md'"),
        r#"warning: t.toml:5:57: a reads `other.md` of its inputs, and no upstream of it is `other`
help: add it: `depends_on = ["other"]`
"#
    );
    assert_eq!(
        reads("run = 'ls', prompt = 'Read $TEAMTUI_INPUTS/zzz.md.'"),
        r"warning: t.toml:5:71: a reads `zzz.md` of its inputs, and no upstream of it is `zzz`
"
    );
    for fine in [
        "run = 'cat \"$TEAMTUI_INPUTS\"/*.md $TEAMTUI_INPUTS/index.json'",
        "run = 'cat $TEAMTUI_INPUTS/UP.md $TEAMTUI_INPUTS/1.md'",
        "run = 'ls', prompt = 'Read $TEAMTUI_INPUTS/up.md.'",
        "run = 'cat $TEAMTUI_INPUTS/up$X.md $TEAMTUI_INPUTS/ub*.md'",
    ] {
        assert_eq!(reads(fine), "", "{fine}");
    }
}

#[test]
fn an_attempt_longer_than_the_team_is_told() {
    assert_eq!(
        said("[limits]\ntime = \"20m\"\n[members.a]\nrun = \"ls\"\ntime = \"2h\"\n"),
        r"warning: t.toml:6:8: an attempt of a may take 2h00m, and the team has 20m00s in all
help: the team's `time` is at 3:8
"
    );
}

#[test]
fn filters_that_take_no_file_are_given_one_on_their_standard_input() {
    let advice = |line: &str| {
        let told = warned(&format!("a = {{ run = {} }}", toml::Value::String(line.to_owned())));
        told.lines().find_map(|l| l.split("counts: ").nth(1).map(str::to_owned)).unwrap_or_default()
    };
    assert_eq!(advice("ls | tr a b"), "`ls > f && tr a b < f`");
    assert_eq!(advice("ls | xargs rm | cat"), "`ls > f && xargs rm < f | ...`");
    assert_eq!(advice("ls | sort -u"), "`ls > f && sort -u f`");
    assert_eq!(advice("ls | cat - x"), "`ls > f && cat - x < f`");
}

#[test]
fn programs_of_members_that_only_review_are_told_too() {
    assert_eq!(
        said(
            "[agents.critic]\nrun = \"nope --strict\"\n[members]\ncritic = { agent = \"critic\" }\n\
             a = { run = \"ls\", review = [\"critic\"] }\n"
        ),
        "warning: t.toml:3:8: `nope` is not on PATH here; critic would fail\n"
    );
}

#[test]
fn only_the_first_misspelt_names_are_looked_up() {
    let known: String = (0..50).map(|n| format!("known-{n} = {{ run = \"ls\" }}\n")).collect();
    let wrong: String =
        (0..150).map(|n| format!("w{n} = {{ run = \"ls\", depends_on = [\"konwn-{n}\"] }}\n")).collect();
    let told = said(&format!("[members]\n{known}{wrong}"));
    assert_eq!(told.matches("error: ").count(), 150);
    assert_eq!(told.matches("did you mean").count(), 20);
    let reads: String = (0..150)
        .map(|n| format!("w{n} = {{ run = \"cat $TEAMTUI_INPUTS/upp.md\", depends_on = [\"up\"] }}\n"))
        .collect();
    let told = said(&format!("[members]\nup = {{ run = \"ls\" }}\n{reads}"));
    assert_eq!((told.matches("warning: ").count(), told.matches("did you mean").count()), (150, 20));
    let vars: String = (0..50).map(|n| format!("known-{n} = \"x\"\n")).collect();
    let texts: String =
        (0..150).map(|n| format!("w{n} = {{ run = \"ls {{{{ vars.konwn-{n} }}}}\" }}\n")).collect();
    let told = said(&format!("[vars]\n{vars}[members]\n{texts}"));
    assert_eq!((told.matches("error: ").count(), told.matches("did you mean").count()), (150, 20));
}

#[test]
fn a_line_that_only_a_lead_may_give_is_an_error_of_a_member_alone() {
    let lead = "[lead]\nscript = [\"wait\"]\n[members.a]\nrun = \"ls\"\n";
    assert_eq!(said(lead), "");
    assert!(said("[members.a]\nscript = [\"wait\"]\n").starts_with("error: t.toml:3:12: members do not\n"));
}
