//! What a stream that is no terminal gets: no escape, no carriage return; and what GitHub Actions reads of it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod support;

use support::{Ran, Sandbox, ended};

/// Members that print whatever a terminal would obey, and what a CI would.
const LOUD: &str = r#"
name = "ci"
[members.loud]
run = '''printf '\033[31mred\033[0m \033]0;title\007\r\n'; echo '::error::forged'; echo 'a ##[error]x'; echo '::set-output name=a::b'; exit 3'''
[members.held]
run = "true"
depends_on = ["loud"]
[members.docs]
run = "exit 1"
optional = true
[members.said]
script = ['emit "::error::x\n"', 'complete "\u{1b}[31mresult\u{1b}[0m"']
"#;

fn has_no_escapes(ran: &Ran) {
    for stream in [&ran.out, &ran.err] {
        assert!(!stream.contains(['\x1b', '\r', '\u{9b}', '\x07']), "{stream:?}");
    }
}

#[test]
fn an_option_that_would_be_ignored_is_refused() {
    let sandbox = Sandbox::with(&[]);
    for (arguments, option) in [
        (&["status", "--fail-fast"][..], "--fail-fast"),
        (&["resume", "1", "--only", "a"], "--only"),
        (&["runs", "--limit", "time=1m"], "--limit"),
    ] {
        let ran = sandbox.run(arguments);
        assert_eq!(ran.rc, 2, "{ran:?}");
        assert!(ran.err.starts_with(&format!("error: `{option}` says how a file is run")), "{ran:?}");
    }
}

#[test]
fn nothing_is_started_to_learn_the_size_of_a_terminal_that_is_not_there() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::with(&[("bin/tput", "#!/bin/sh\necho asked >> \"$HOME/asked\"\necho 80\n")]);
    let fake = sandbox.root().join("bin/tput");
    std::fs::set_permissions(&fake, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = sandbox.command(&["runs"]);
    let path = format!("{}:{}", sandbox.root().join("bin").display(), std::env::var("PATH").unwrap());
    command.env("PATH", path).env("HOME", sandbox.root());
    assert_eq!(ended(command.spawn().unwrap()).rc, 0);
    assert_eq!(sandbox.read("asked"), "");
}

#[test]
fn c034_no_escape_reaches_a_stream_that_is_no_terminal() {
    let sandbox = Sandbox::with(&[("ci.toml", LOUD)]);
    for env in [&[("NO_COLOR", "1")][..], &[("TERM", "dumb")], &[("TERM", "")], &[]] {
        for args in [
            &["--script", "ci.toml"][..],
            &["--script", "ci.toml", "-v"],
            &["log"],
            &["log", "--plain"],
            &["status"],
        ] {
            let mut command = sandbox.command(args);
            command.envs(env.iter().copied());
            if env.is_empty() {
                command.env_remove("TERM");
            }
            let ran = ended(command.spawn().unwrap());
            assert!(ran.rc <= 1, "{ran:?}");
            has_no_escapes(&ran);
        }
    }
    // Colour where it is asked for, and only ours.
    let ran = sandbox.run(&["status", "--color", "always"]);
    assert!(ran.out.contains("\x1b[31mfailed\x1b[0m"), "{ran:?}");
    let ran = sandbox.run(&["log", "loud", "--color", "always"]);
    assert!(ran.out.contains("\x1b[31mred\x1b[0m") && !ran.out.contains("title"), "{ran:?}");
}

#[test]
fn section_3_x19_github_reads_our_commands_and_no_others() {
    let sandbox = Sandbox::with(&[("ci.toml", LOUD)]);
    let mut command = sandbox.command(&["--script", "ci.toml"]);
    let summary = sandbox.root().join("summary.md");
    command.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", &summary);
    let ran = ended(command.spawn().unwrap());
    assert_eq!(ran.rc, 1, "{ran:?}");
    has_no_escapes(&ran);
    let commands: Vec<&str> = ran.err.lines().filter(|line| line.trim_start().starts_with("::")).collect();
    let token = commands.iter().find_map(|line| line.strip_prefix("::stop-commands::")).unwrap();
    assert!(token.len() >= 16 && token.chars().all(|c| c.is_ascii_hexdigit()), "{token}");
    let end = format!("::{token}::");
    let stop = format!("::stop-commands::{token}");
    let said: Vec<String> = commands.iter().map(|line| sandbox.same(line).trim().to_owned()).collect();
    assert_eq!(
        said,
        [
            "::group::output of loud, attempt 1, exit 3",
            &stop,
            &end,
            "::endgroup::",
            "::group::output of docs (optional), attempt 1, exit 1",
            &stop,
            &end,
            "::endgroup::",
            "::error title=loud failed::ci: attempt 1/1, exit 3 after T",
            "::error title=held held::ci: by loud (failed)",
            "::warning title=docs failed (optional)::ci: attempt 1/1, exit 1 after T",
        ]
    );
    assert!(!ran.err.contains("##[") && !ran.out.contains("##["), "{ran:?}");
    let summary = sandbox.read("summary.md");
    assert!(summary.starts_with("### ci: 1 required task failed and 1 held\n"), "{summary}");
    assert!(summary.contains("Run 1. Try the failed tasks again: `teamtui resume 1 --failed`"), "{summary}");
    // What `log` prints there is no command either.
    let mut command = sandbox.command(&["log", "loud"]);
    command.env("GITHUB_ACTIONS", "true");
    let ran = ended(command.spawn().unwrap());
    assert!(ran.out.contains(": :error::forged\na # #[error]x\n: :set-output name=a::b\n"), "{ran:?}");
}
