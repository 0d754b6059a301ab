//! What lint says, word for word, and what a good file becomes.
use super::*;
use crate::domain::Limits;
use std::ops::Range;
use std::path::PathBuf;

mod exact;
mod good;
mod refused;
mod stranger;
mod unfit;
mod warned;

/// Nothing but these is on this machine.
struct FakeProbe {
    programs: &'static [&'static str],
}

impl Probe for FakeProbe {
    fn has_program(&self, program: &str, folder: &Path) -> bool {
        assert!(folder.is_absolute());
        self.programs.contains(&program)
    }

    fn is_folder(&self, path: &Path) -> bool {
        ["/desk", "/desk/sub", "/repo"].iter().any(|known| Path::new(known) == path)
    }

    fn current(&self) -> PathBuf {
        PathBuf::from("/desk")
    }
}

/// Lines with `bad` in them do not parse.
struct FakeScripts;

impl ScriptCheck for FakeScripts {
    fn check(&self, line: &str, is_lead: bool) -> Result<(), (Range<usize>, String, Vec<String>)> {
        if line == "wait" && !is_lead {
            return Err((0..4, "members do not".to_owned(), Vec::new()));
        }
        match line.find("bad") {
            Some(at) => {
                Err((at..at + 3, "there is no verb `bad`".to_owned(), vec!["did you mean `say`?".to_owned()]))
            }
            None => Ok(()),
        }
    }
}

const PROGRAMS: FakeProbe = FakeProbe {
    programs: &[
        "git", "sort", "uniq", "head", "cargo", "ls", "du", "cat", "make", "sh", "mdbook", "tee", "grep",
    ],
};

fn load_with(path: &str, text: &str, sets: &[(&str, &str)], headless: bool) -> Loaded {
    let sets: Vec<(String, String)> = sets.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    let options = Options {
        sets: &sets,
        headless,
        workspace: Path::new("/repo"),
        probe: &PROGRAMS,
        scripts: &FakeScripts,
    };
    load_text(path, text, &options)
}

fn loaded(text: &str) -> Loaded {
    load_with("t.toml", text, &[], false)
}

/// The team of a file without a finding.
fn team(text: &str) -> TeamSpec {
    let loaded = loaded(text);
    assert_eq!(printed(&loaded.findings), "");
    loaded.spec.unwrap()
}

fn printed(findings: &[Finding]) -> String {
    findings.iter().map(|finding| finding.text(None)).collect()
}

/// All that lint prints of a file whose first line is `name = "t"`, without the source blocks.
fn said(rest: &str) -> String {
    let loaded = loaded(&format!("name = \"t\"\n{rest}"));
    assert_eq!(loaded.spec.is_none(), has_error(&loaded.findings));
    let text = printed(&loaded.findings);
    let is_source = |line: &&str| line.trim_start().starts_with(|c: char| c.is_ascii_digit() || c == '|');
    text.lines().filter(|line| !is_source(line)).map(|line| format!("{line}\n")).collect()
}

/// Pairs of what follows the name of a team, and what lint says of it.
fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(said(text), *expected, "{text}");
    }
}

const AUTH_REVIEW: &str = r#"# examples/auth-review.toml
name = "auth-review"
goal = "Find what would break in production."      # shown, and given to every member
[vars]                                             # --set service=login
service = "auth"
[limits]                                           # every one optional, every one has a default
parallel = 4
time = "20m"
money = "2.00 USD"

[agents.reviewer]                                  # or a Markdown file in agents/; see the word list for drivers
driver = "scripted"                                # with a model: driver = "anthropic", model = "...", tools = ["read", "search"]
script = ['write SECURITY.md "token refresh races"', 'complete "1 finding"']

[members.churn]                                    # a member and its brief in one table; the key is its name
run = "git log --since=1.year --name-only --format= | sort | uniq -c | sort -rn | head -20"
rerun = "safe"
[members.style]
run = "cargo fmt --check"
optional = true
[members.security]
agent = "reviewer"
prompt = "Review how {{ vars.service }} refreshes tokens."
depends_on = ["churn", { task = "style", needs = "finished" }]
outputs = ["SECURITY.md"]
checks = ["test -s SECURITY.md"]
[members.perf]                                     # a scripted member speaks the language of scripts
script = ["say looking at caches", "sleep 2s", 'send security "need the trace"', "fail no access"]
[tasks.summary]                                    # more work for someone who has a chair
assignee = "security"
prompt = "Join what the others found."
depends_on = ["security", "perf"]
"#;

const CI: &str = r#"name = "ci"
env = ["CARGO_*", "RUSTUP_*", "GITHUB_*"]
limits = { parallel = 4, time = "30m" }
[members]
lint = { run = "cargo clippy --workspace --target-dir target/lint -- -D warnings", rerun = "safe" }
build = { run = "cargo nextest run --workspace --no-run", rerun = "safe" }
test = { each = ["1", "2", "3"], run = "cargo nextest run --workspace --partition count:{{ each }}/3", depends_on = ["build"], retries = 1, rerun = "safe" }
docs = { run = "mdbook build book && sh ci/upload.sh target/book", depends_on = ["lint"], optional = true }   # uploads: never run again by itself
report = { run = "sh ci/report.sh > report.md", depends_on = ["lint", "test", { task = "docs", needs = "finished" }], outputs = ["report.md"] }
"#;
