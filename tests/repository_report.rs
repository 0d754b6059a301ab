//! `examples/repository-report.toml` on repositories whose figures are known, each compared with git's own count.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]
mod support_examples;

use std::collections::BTreeMap;

use support_examples::{Place, Ran, example};

const ODD: &str = "docs/Grüße an `alle` | \"du\".md";

/// The report as a file, and the run that wrote it. Nothing but that file may be new.
fn report_of(place: &Place, more: &[&str]) -> (String, Ran) {
    let file = place.beside("report.md");
    let out = format!("out={}", file.display());
    let script = example("repository-report.toml");
    let mut args = vec!["--script", script.as_str(), "--set", out.as_str()];
    args.extend(more);
    let ran = place.run_with(&hostile_home(place), &args);
    assert!(!ran.err.contains("warning:"), "lint is clean: {}", ran.err);
    (std::fs::read_to_string(&file).unwrap_or_default(), ran)
}

/// A person who configured git to print everything in another way.
fn hostile_home(place: &Place) -> Vec<(&'static str, &'static str)> {
    let config = "[color]\n\tui = always\n[log]\n\tshowSignature = true\n\tshowRoot = false\n\tdate = relative\n\
                  [grep]\n\tlineNumber = true\n\tcolumn = true\n\tpatternType = fixed\n[core]\n\tquotePath = true\n";
    let home = place.beside("home");
    std::fs::create_dir_all(&home).unwrap();
    std::fs::write(home.join(".gitconfig"), config).unwrap();
    let home: &'static str = Box::leak(home.to_string_lossy().into_owned().into_boxed_str());
    vec![("HOME", home)]
}

/// Two years of work by three people, with odd names, a rename, a deletion, a merge and a binary file.
fn known_repository() -> Place {
    let place = Place::new();
    place.write("README.md", "# Known\n\nTODO: say more. TODOS are none. FIXME\n");
    place.write("src/main.rs", "fn main() {} // TODO\n");
    place.write("gone.txt", "soon\n");
    place.commit("Ann Lee", 800);
    for n in 0..5 {
        place.write("src/main.rs", format!("fn main() {{}} // TODO {n} XXX\n"));
        place.commit("Ann Lee", 700 - n);
    }
    place.git(&["rm", "--quiet", "gone.txt"]);
    place.write(ODD, "HACK\n");
    place.commit("Bo | Ek", 500);
    place.git(&["checkout", "--quiet", "-b", "side"]);
    place.write("tests/it_works.rs", "// a test\n");
    place.write("web/app.test.ts", "// a test\n");
    place.commit("Bo | Ek", 40);
    place.git(&["checkout", "--quiet", "main"]);
    for n in 0..3 {
        place.write("src/lib.rs", format!("// {n}\n#[cfg(test)]\nmod t {{}}\n"));
        place.write("src/main.rs", format!("fn main() {{}} // {n} XXX\n"));
        place.commit("Cy", 30 - n);
    }
    place.git(&["merge", "--quiet", "--no-ff", "--no-edit", "side"]);
    place.git(&["mv", "src/lib.rs", "src/library.rs"]);
    place.write("big.bin", [0_u8, 1, 2, 255].repeat(600_000));
    place.write("TODO.bin", b"\0TODO TODO\0");
    place.write(
        "Cargo.toml",
        "[package]\nname = \"k\"\n[dependencies]\na = \"1\" # [x]\nb = { version = \"1\", features = [\n  \"c = d\",\n] }\n\
         e.version = \"1\"\ne.optional = true\n[target.'cfg(unix)'.dependencies]\nf = \"1\"\n[dev-dependencies.g]\nversion = \"1\"\n[features]\nh = []\n",
    );
    place.write("web/package.json", "{\"name\":\"w\",\"dependencies\":{\"a\":\"1\",\"b\":\"{\\\"\"},\n\"devDependencies\":{\"c\":\"1\"},\"scripts\":{\"dependencies\":\"x\"}}");
    place.write(
        "py/pyproject.toml",
        "[project]\ndependencies = [\n  \"a[x]>=1; python_version < '3.9'\", # two \"words\"\n  'b',\n]\n[project.optional-dependencies]\ndev = [\"c\", \"d\"]\n[tool.x]\ny = [\"z\"]\n",
    );
    place.write("go.mod", "module m\n\ngo 1.22\n\nrequire (\n\ta v1\n\tb v1 // indirect\n)\nrequire c v1\n");
    place.write(
        "pom.xml",
        "<dependencies><dependency><x/></dependency><dependency></dependency></dependencies>\n",
    );
    place.write("Gemfile", "source 'x'\ngem 'a'\n  gem \"b\"\ngemspec\n");
    place.write("requirements-dev.txt", "# none\n-r base.txt\na==1\nb\n\n");
    place.commit("Ann Lee", 2);
    place
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.is_empty()).collect()
}

/// `git log --name-only`, counted: how often each path changed.
fn changes(place: &Place, more: &[&str]) -> BTreeMap<String, usize> {
    let mut args = vec!["log", "--no-merges", "--no-renames", "--format=", "--name-only"];
    args.extend(more);
    let mut counted = BTreeMap::new();
    for path in lines(&place.git(&args)) {
        *counted.entry(path.to_owned()).or_default() += 1;
    }
    counted
}

fn has(report: &str, line: &str) {
    assert!(report.lines().any(|found| found == line), "no line `{line}` in\n{report}");
}

fn within<'a>(report: &'a str, title: &str) -> &'a str {
    let (_, rest) = report.split_once(&format!("\n## {title}\n")).unwrap();
    rest.split_once("\n## ").map_or(rest, |(section, _)| section)
}

#[test]
fn the_figures_are_those_that_git_counts() {
    let place = known_repository();
    let (report, ran) = report_of(&place, &[]);
    ran.expect_rc(0);

    let commits = place.git(&["rev-list", "--count", "HEAD"]);
    let head = place.git(&["rev-parse", "--short", "HEAD"]);
    let day = place.git(&["log", "-1", "--format=%cs"]);
    let files = lines(&place.git(&["ls-files"])).len();
    has(
        &report,
        &format!(
            "Branch `main` at `{}` of {}: {} commits (1 merge), {files} files, 0 tags.",
            head.trim(),
            day.trim(),
            commits.trim()
        ),
    );

    let churn = within(&report, "Churn");
    let (recent, all) = churn.split_once("### Most changed of all").unwrap();
    let counted = changes(&place, &["--since=1 year ago"]);
    let last =
        |path: &str| place.git(&["log", "-1", "--no-merges", "--format=%cs", "--", path]).trim().to_owned();
    for path in ["src/main.rs", "src/lib.rs", "tests/it_works.rs"] {
        let gone = if place.root.join(path).exists() { "" } else { " (gone)" };
        has(recent, &format!("| {} | {} | `{path}`{gone} |", counted[path], last(path)));
    }
    let counted = changes(&place, &[]);
    assert_eq!(counted["src/main.rs"], 9, "the repository is as it was meant");
    has(all, &format!("| 9 | {} | `src/main.rs` |", last("src/main.rs")));
    has(all, &format!("| 2 | {} | `gone.txt` (gone) |", last("gone.txt")));
    let sum: usize = counted.values().sum();
    assert!(churn.contains(&format!("{sum} changes to {} files", counted.len())), "{churn}");

    let owners = within(&report, "Owners");
    let shortlog = place.git(&["shortlog", "-sn", "--no-merges", "HEAD"]);
    let plain = lines(&place.git(&["log", "--no-merges", "--format=%h"])).len();
    assert!(owners.contains(&format!("3 people wrote {plain} commits; 3 since 1 year ago.")), "{owners}");
    for line in lines(&shortlog) {
        let (count, who) = line.trim().split_once('\t').unwrap();
        let row = owners.lines().find(|row| row.ends_with(&format!(" {} |", who.replace('|', "\\|"))));
        assert!(row.unwrap().starts_with(&format!("| {count} | ")), "{row:?}");
    }
    let in_src =
        lines(&place.git(&["log", "--no-merges", "--no-renames", "--format=", "--name-only", "--", "src"]))
            .len();
    let by_ann = lines(&place.git(&[
        "log",
        "--no-merges",
        "--no-renames",
        "--author=Ann",
        "--format=",
        "--name-only",
        "--",
        "src",
    ]))
    .len();
    let share = (100 * by_ann + in_src / 2) / in_src;
    has(owners, &format!("| {in_src} | 2 | `src/` | Ann Lee, {share}% |"));

    let large = within(&report, "Large files");
    let bytes: u64 = place.git(&["cat-file", "-s", "HEAD:big.bin"]).trim().parse().unwrap();
    assert_eq!(bytes, 2_400_000);
    has(large, "| 2.2 MiB | `big.bin` |");
    has(
        large,
        &format!("| {} B | `src/main.rs` |", place.git(&["cat-file", "-s", "HEAD:src/main.rs"]).trim()),
    );
    has(large, "| 5 B | `` \"docs/Grüße an `alle` \\| \\\"du\\\".md\" `` |");
    assert!(large.contains(&format!("{files} files hold 2.2 MiB; 1 of them 1 MiB or more.")), "{large}");

    let marks = within(&report, "Unfinished marks");
    let found = place.git(&["grep", "-I", "-w", "-o", "-h", "-E", "TODO|FIXME|XXX|HACK", "HEAD"]);
    let of = |mark| lines(&found).iter().filter(|line| **line == mark).count();
    let all = lines(&found).len();
    assert!(
        marks.contains(&format!(
            "{all} marks in 3 files: {} TODO, {} FIXME, {} XXX, {} HACK. The most, 2, in `README.md`.",
            of("TODO"),
            of("FIXME"),
            of("XXX"),
            of("HACK")
        )),
        "{marks}"
    );
    has(marks, "| 2 | `./` | 1 | 1 | 0 | 0 |");
    has(marks, "| 1 | `\"docs/\"` | 0 | 0 | 0 | 1 |");

    let month = place.git(&["log", "-1", "--format=%cd", "--date=format:%Y-%m"]);
    let months = place.git(&["log", "--no-merges", "--format=%cd", "--date=format:%Y-%m"]);
    let of_month = lines(&months).iter().filter(|line| **line == month.trim()).count();
    let row =
        within(&report, "Activity").lines().find(|line| line.starts_with(&format!("| {} |", month.trim())));
    assert!(row.unwrap().starts_with(&format!("| {} | {of_month} | ", month.trim())), "{row:?}");
}

#[test]
fn dependencies_and_tests_are_counted_by_what_the_files_say() {
    let place = known_repository();
    let (report, ran) = report_of(&place, &[]);
    ran.expect_rc(0);
    let dependencies = within(&report, "Dependencies");
    for row in [
        "| 5 | `Cargo.toml` |",
        "| 4 | `py/pyproject.toml` |",
        "| 3 | `web/package.json` |",
        "| 2 | `go.mod` |",
        "| 2 | `pom.xml` |",
        "| 2 | `Gemfile` |",
        "| 2 | `requirements-dev.txt` |",
    ] {
        has(dependencies, row);
    }
    assert!(dependencies.contains("20 dependencies in 7 manifests."), "{dependencies}");
    let tests = within(&report, "Tests");
    assert!(tests.contains("2 test files beside 2 other source files (100%)"), "{tests}");
    assert!(tests.contains("1 Rust file has unit tests inside"), "{tests}");
    has(tests, "| 1 | 10 B | `tests/` |");
    has(tests, "| 1 | 10 B | elsewhere, by their names |");
}

#[test]
fn by_default_nothing_is_written_into_the_repository() {
    let place = known_repository();
    let ran = place.run(&["--script", &example("repository-report.toml")]).expect_rc(0);
    assert!(ran.out.contains("report | # Report on project"), "{}", ran.out);
    assert!(ran.out.contains("- **Owners**: 3 people wrote 12 commits"), "{}", ran.out);
    assert_eq!(place.git(&["status", "--porcelain", "--ignored"]), "");
    place.run(&["--script", &example("repository-report.toml"), "--set", "out=REPORT.md"]).expect_rc(0);
    assert_eq!(place.git(&["status", "--porcelain", "--ignored"]), "?? REPORT.md\n");
}

#[test]
fn an_empty_repository_has_a_report() {
    let (report, ran) = report_of(&Place::new(), &[]);
    ran.expect_rc(0);
    assert!(report.starts_with("# Report on project\n\nNo commits yet.\n"), "{report}");
    assert!(report.contains("\n## Owners\n\nNobody yet.\n"), "{report}");
}

#[test]
fn history_that_is_not_there_is_not_counted() {
    let place = known_repository();
    let url = format!("file://{}", place.root.display());
    let shallow = place.beside("shallow");
    place.git(&["clone", "--quiet", "--depth=2", "--branch=main", &url, &shallow.to_string_lossy()]);
    let place = place.at("shallow");
    let (report, ran) = report_of(&place, &[]);
    ran.expect_rc(0);
    assert!(report.contains("\nThe clone is shallow:"), "{report}");
    let counted =
        lines(&place.git(&["diff-tree", "-r", "--no-renames", "--name-only", "HEAD^", "HEAD"])).len();
    assert!(within(&report, "Churn").contains(&format!("{counted} changes to {counted} files")), "{report}");
}

#[test]
fn a_submodule_is_counted_as_one_and_not_entered() {
    let place = known_repository();
    let url = place.root.to_string_lossy().into_owned();
    let outer = place.beside("outer");
    place.git(&["init", "--quiet", "--initial-branch=main", &outer.to_string_lossy()]);
    let place = place.at("outer");
    place.git(&["submodule", "--quiet", "add", &url, "inner"]);
    place.commit("Ann Lee", 3);
    let (report, ran) = report_of(&place, &[]);
    ran.expect_rc(0);
    assert!(report.contains("1 commit (0 merges), 1 file, 0 tags, 1 submodule."), "{report}");
    assert!(report.contains("None: no committed text holds one."), "{report}");
}

#[test]
fn work_that_is_long_ago_is_not_recent() {
    let place = Place::new();
    place.write("a", "a\n");
    place.commit("Ann Lee", 900);
    let (report, ran) = report_of(&place, &[]);
    ran.expect_rc(0);
    assert!(report.contains("1 change to 1 file, of these 0 to 0 files since 1 year ago"), "{report}");
    assert!(report.contains("### Most changed since 1 year ago\n\nNo changes.\n"), "{report}");
    assert!(report.contains("1 person wrote 1 commit; 0 since 1 year ago."), "{report}");
}

#[test]
fn only_so_many_commits_are_looked_at_and_the_report_says_so() {
    let place = known_repository();
    let (report, ran) = report_of(&place, &["--set", "commits=4"]);
    ran.expect_rc(0);
    assert!(report.contains("The history sections look at the newest 4 of 12 commits."), "{report}");
    let sum: usize = changes(&place, &["-4"]).values().sum();
    assert!(within(&report, "Churn").contains(&format!("\n{sum} changes to ")), "{report}");
}

#[test]
fn a_section_that_fails_is_named_and_the_rest_is_there() {
    let place = known_repository();
    let (report, ran) = report_of(&place, &["--set", "marks=("]);
    ran.expect_rc(1);
    assert!(report.contains("- **marks**: missing, it failed\n"), "{report}");
    assert!(report.contains("\n## Dependencies\n"), "{report}");
}

/// Lint gives up on compound commands, so this looks at the lines themselves: outside quotes there is no pipe.
#[test]
fn no_pipe_hides_a_failure() {
    let text = std::fs::read_to_string(example("repository-report.toml")).unwrap();
    let file: toml::Table = text.parse().unwrap();
    for (name, member) in file["members"].as_table().unwrap() {
        let run = member["run"].as_str().unwrap().replace("||", "").replace("'\"'\"'", "");
        let mut quote = None;
        for c in run.chars() {
            match quote {
                None if c == '\'' || c == '"' => quote = Some(c),
                Some(open) if open == c => quote = None,
                None => assert_ne!(c, '|', "{name}"),
                Some(_) => {}
            }
        }
        assert!(run.contains("set -eu\n"), "{name} goes on after a failure");
    }
}
