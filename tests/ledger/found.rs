//! Finds the tests of the project in its sources: what has `#[test]` or `#[tokio::test]`, and is not ignored.
use std::collections::BTreeSet;
use std::path::Path;

/// Names of all tests of this project that run.
pub fn tests() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut names = BTreeSet::new();
    for folder in ["src", "tests"] {
        below(&root.join(folder), &mut names);
    }
    names
}

fn below(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            below(&path, names);
        } else if path.extension().is_some_and(|end| end == "rs") {
            names.extend(of(&std::fs::read_to_string(&path).unwrap()));
        }
    }
}

/// Names of the tests in a source that `rustfmt` has laid out: each attribute begins a line, and so does the function.
fn of(source: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut attributes: Vec<&str> = Vec::new();
    for line in source.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")) {
        if line.starts_with("#[") {
            attributes.push(line);
            continue;
        }
        names.extend(function(line).filter(|_| runs(&attributes)).map(str::to_owned));
        attributes.clear();
    }
    names
}

fn runs(attributes: &[&str]) -> bool {
    let is_test = |a: &&str| a.starts_with("#[test]") || a.starts_with("#[tokio::test");
    attributes.iter().any(is_test) && !attributes.iter().any(|a| a.contains("ignore"))
}

fn function(line: &str) -> Option<&str> {
    let line = line.strip_prefix("async ").unwrap_or(line);
    line.strip_prefix("fn ")?.split(['(', '<']).next()
}

#[test]
fn tests_are_found_in_every_form_and_nothing_else_is() {
    let source = [
        "#[test]",
        "fn plain() {",
        "    fn inner() {}",
        "}",
        "#[tokio::test(flavor = \"multi_thread\")]",
        "/// With a word.",
        "async fn waits() {}",
        "proptest! {",
        "    #[test]",
        "    fn of_anything(",
        "        seed in 0..9u8,",
        "    ) {}",
        "}",
        "#[test]",
        "#[ignore = \"a measurement\"]",
        "fn ignored() {}",
        "// #[test]",
        "fn commented() {}",
        "#[cfg(test)]",
        "fn no_test() {}",
    ];
    assert_eq!(of(&source.join("\n")), ["plain", "waits", "of_anything"]);
}
