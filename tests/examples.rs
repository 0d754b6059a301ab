//! Every example is run by the real binary, as the comment at its head says.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]
mod support_examples;

use std::path::Path;

use support_examples::{Place, example};

/// A small crate that is ready to be released.
fn crate_place() -> Place {
    let place = Place::new();
    let manifest = "[package]\nname = \"small\"\nversion = \"0.2.0\"\nedition = \"2021\"\nlicense = \"MIT\"\ndescription = \"A small crate\"\n\n[workspace]\n";
    place.write("Cargo.toml", manifest);
    place.write("src/lib.rs", "//! A small crate.\n\n/// One.\npub fn one() -> u8 {\n    1\n}\n\n#[test]\nfn one_is_one() {\n    assert_eq!(one(), 1);\n}\n");
    place.write("CHANGELOG.md", "# Changes\n\n## Unreleased\n\n## [0.2.0] - 2026-11-30\n\n## 0.1.0\n");
    place.write(".gitignore", "/target\n");
    let locked = std::process::Command::new("cargo")
        .args(["generate-lockfile", "--offline", "--quiet"])
        .current_dir(&place.root)
        .status();
    assert!(locked.unwrap().success());
    place.commit("A Tester", 1);
    place
}

fn examples() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let files = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn each_example_says_at_its_head_how_it_is_run() {
    for name in examples() {
        let text = std::fs::read_to_string(example(&name)).unwrap();
        let head: Vec<&str> = text.lines().take_while(|line| line.starts_with('#')).collect();
        assert!(head.len() >= 3, "{name}");
        let stem = name.split('.').next().unwrap();
        let is_command =
            |line: &&&str| line.contains("teamtui ") && line.contains(&format!("--script {stem}."));
        assert!(head.iter().any(|line| is_command(&line)), "{name}: {head:?}");
    }
}

#[test]
fn the_review_is_mended_by_a_replan_and_completes() {
    let place = crate_place();
    let ran = place.run(&["--script", &example("auth-review.team")]).expect_rc(0);
    for line in [
        "failed     perf ",
        "held       summary ",
        "cancelled  perf",
        "completed  perf2",
        "completed  summary",
    ] {
        assert!(ran.err.contains(line), "{line}\n{}", ran.err);
    }
    assert_eq!(std::fs::read_to_string(place.root.join("SECURITY.md")).unwrap(), "token refresh races");
}

#[test]
fn a_script_at_the_top_of_a_project_names_the_examples_folder() {
    let place = crate_place();
    let team = std::fs::read_to_string(example("auth-review.toml")).unwrap();
    let script = std::fs::read_to_string(example("auth-review.team")).unwrap();
    place.write("examples/auth-review.toml", team);
    place.write(
        "auth-review.team",
        script.replace("create auth-review.toml", "create examples/auth-review.toml"),
    );
    place.run(&["--script", "auth-review.team"]).expect_rc(0);
}

#[test]
fn the_review_alone_ends_as_its_head_says() {
    let place = crate_place();
    let ran = place.run(&["--script", &example("auth-review.toml"), "--set", "service=login"]).expect_rc(1);
    assert!(ran.out.contains("by perf (failed)"), "{}", ran.out);
}

#[test]
fn a_crate_that_is_ready_passes_the_release_check() {
    let place = crate_place();
    let ran = place.run(&["--script", &example("release-check.toml")]).expect_rc(0);
    assert!(ran.out.contains("ready: git tag v0.2.0 && cargo publish"), "{}", ran.out);
    assert_eq!(place.git(&["status", "--porcelain"]), "");
}

#[test]
fn the_release_check_says_what_is_not_ready() {
    let place = crate_place();
    place.write("CHANGELOG.md", "# Changes\n\n## 0.1.0\n");
    let ran = place.run(&["--script", &example("release-check.toml")]).expect_rc(1);
    assert!(ran.err.contains("CHANGELOG.md begins with 0.1.0, Cargo.toml is at 0.2.0"), "{}", ran.err);
    assert!(ran.err.contains("clean |  M CHANGELOG.md"), "{}", ran.err);
    place.write("CHANGELOG.md", "# Changes\n\n## v0.2.0\n");
    place.commit("A Tester", 0);
    place.git(&["tag", "v0.2.0"]);
    let ran = place.run(&["--script", &example("release-check.toml"), "--only", "tag"]).expect_rc(1);
    assert!(ran.err.contains("v0.2.0 is tagged already"), "{}", ran.err);
}

#[test]
fn a_fan_out_goes_on_when_its_failed_part_is_replaced() {
    let place = Place::new();
    let ran = place.run(&["--script", &example("fan-out.team")]).expect_rc(0);
    for line in ["failed     part-c ", "completed  part-c2", "completed  join"] {
        assert!(ran.err.contains(line), "{line}\n{}", ran.err);
    }
    let ran = place.run(&["--script", &example("fan-out.toml")]).expect_rc(1);
    assert!(ran.out.contains("by part-c (failed)"), "{}", ran.out);
}

#[test]
fn hours_of_a_plan_are_tested_in_moments() {
    let place = Place::new();
    // Whoever waited for these hours would never come to the next line.
    let ran = place.run(&["--virtual-time", "--script", &example("plan-test.team")]).expect_rc(0);
    assert!(ran.err.contains("; 6h40m, 9h50m of work;"), "{}", ran.err);
    assert!(ran.err.contains("critical path build, soak, sign"), "{}", ran.err);
    assert!(ran.out.contains("patch (#5) is held by fuzz"), "{}", ran.out);
}

#[test]
fn a_question_without_a_default_ends_a_headless_run_with_the_command_that_goes_on() {
    let place = Place::new();
    place.commit("A Tester", 0);
    let ran = place.run(&["--script", &example("sign-off.toml")]).expect_rc(4);
    assert!(ran.err.contains("person: \"Ship 0.2.0?\", no default"), "{}", ran.err);
    assert!(ran.err.contains("completed  channel   1/1    0.0s  \"beta\""), "{}", ran.err);
    let last = ran.err.lines().last().unwrap();
    assert!(last.starts_with("teamtui resume 1 --state "), "{last}");
    let ran = place.run(&["resume", "1", "--answer", "sign-off=yes"]).expect_rc(0);
    assert!(ran.out.contains("ship | beta\nship | yes"), "{}", ran.out);
}

#[test]
fn a_review_sends_back_once_and_then_approves() {
    let place = Place::new();
    let ran = place.run(&["--script", &example("review-loop.toml")]).expect_rc(0);
    for part in [
        "sent back by checker: \"name the file\"",
        "approved by checker",
        "approved by critic: \"reads well\"",
    ] {
        assert!(ran.err.contains(part), "{part}\n{}", ran.err);
    }
    assert!(ran.out.contains("writer  2/2"), "{}", ran.out);
    let note = std::fs::read_to_string(place.root.join("NOTE.md")).unwrap();
    assert_eq!(note, "The cache was made smaller, in src/cache.rs.");
}

/// The CLIs are not run here: programs of their names stand on PATH, so the file must be without a finding, and what
/// they are given must say how the team is told.
#[test]
fn two_coding_clis_are_handed_the_team_tools() {
    let place = Place::new();
    place.commit("A Tester", 0);
    let bin = place.beside("bin");
    std::fs::create_dir_all(&bin).unwrap();
    let stand_in = |name: &str, last: &str| {
        use std::os::unix::fs::PermissionsExt as _;
        let path = bin.join(name);
        let text = format!("#!/bin/sh\nset -eu\nin=$(cat)\nprintf '%s' \"$in\" > {name}.prompt\n{last}\n");
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    stand_in("claude", "echo done");
    stand_in("codex", "exit 1");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let ran = place.run_with(&[("PATH", &path)], &["--script", &example("claude-and-codex.toml")]);
    assert!(!ran.err.contains("warning:") && !ran.err.contains("error:"), "{}", ran.err);
    assert_ne!(ran.rc, 2, "{}", ran.err);
    let writer = std::fs::read_to_string(place.root.join("claude.prompt")).unwrap();
    assert!(writer.contains("teamtui do send NAME") && writer.contains("oldest unfinished mark"), "{writer}");
    let reviewer = std::fs::read_to_string(place.root.join("codex.prompt")).unwrap();
    assert!(reviewer.contains("teamtui do send_back") && reviewer.contains("done"), "{reviewer}");
}

#[test]
fn only_missing_programs_are_warned_of_where_the_coding_clis_are_not() {
    let place = Place::new();
    place.commit("A Tester", 0);
    let bin = place.beside("bin");
    std::fs::create_dir_all(&bin).unwrap();
    for name in ["git", "sh"] {
        let found = std::env::split_paths(&std::env::var_os("PATH").unwrap())
            .map(|folder| folder.join(name))
            .find(|path| path.is_file());
        std::os::unix::fs::symlink(found.unwrap(), bin.join(name)).unwrap();
    }
    let path = bin.to_string_lossy().into_owned();
    let ran =
        place.run_with(&[("PATH", &path)], &["--script", &example("claude-and-codex.toml")]).expect_rc(1);
    let findings: Vec<&str> =
        ran.err.lines().filter(|line| line.starts_with("warning:") || line.starts_with("error:")).collect();
    assert!(!findings.is_empty(), "{}", ran.err);
    assert!(findings.iter().all(|line| line.contains("is not on PATH here")), "{findings:?}");
}

/// The first fenced block of the README in that language, after that heading.
fn block_of_readme(heading: &str, language: &str) -> String {
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let (_, after) = readme.split_once(&format!("\n## {heading}\n")).unwrap();
    let (_, block) = after.split_once(&format!("\n```{language}\n")).unwrap();
    block.split_once("\n```\n").unwrap().0.to_owned() + "\n"
}

#[test]
fn the_readme_shows_a_team_file_and_a_script_that_lint_takes() {
    let place = crate_place();
    place.write("check.toml", block_of_readme("A team file", "toml"));
    let ran = place.run(&["lint", "check.toml"]).expect_rc(0);
    let findings = |line: &&str| line.starts_with("warning:") && !line.contains("is not on PATH here");
    assert_eq!(ran.out.lines().filter(findings).count(), 0, "{}", ran.out);
    place.write("auth-review.toml", std::fs::read_to_string(example("auth-review.toml")).unwrap());
    place.write("auth-review.team", block_of_readme("A script", ""));
    place.run(&["--script", "auth-review.team"]).expect_rc(0);
}

#[test]
fn the_readme_names_every_example() {
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    for name in examples().iter().filter(|name| name.ends_with(".toml")) {
        assert!(readme.contains(&format!("| `{name}`")), "{name}");
    }
}
