//! A file is one idea, and small enough to be read.
use crate::Breach;
use crate::source::Source;

/// Lines of a file without its tests.
const MAX_LINES: usize = 400;

pub fn breaches(sources: &[Source]) -> Vec<Breach> {
    let long = |source: &&Source| !source.is_test && source.lines_without_tests() > MAX_LINES;
    let said = |source: &Source| {
        let what = format!(
            "{} lines without its tests; {MAX_LINES} at most: split it by idea",
            source.lines_without_tests()
        );
        Breach::new(source, MAX_LINES, what)
    };
    sources.iter().filter(long).map(said).collect()
}

mod tests {
    use super::*;
    use crate::source::of;
    use crate::{holds, only};

    #[test]
    fn no_file_is_longer_than_400_lines_without_its_tests() {
        holds(breaches);
    }

    #[test]
    fn a_long_file_is_found_and_long_tests_are_free() {
        let long = "fn f() {}\n".repeat(401);
        assert!(only(breaches, "src/app/x.rs", &long).starts_with("src/app/x.rs:400: 401 lines"));
        let tested = format!("fn g() {{}}\n#[cfg(test)]\nmod tests {{\n{long}}}\n");
        assert_eq!(breaches(&of([("src/app/x.rs", tested.as_str())])), []);
        // Lines after an early test item count.
        let early = format!("#[cfg(test)]\nmod trial;\n{long}");
        assert!(only(breaches, "src/app/mod.rs", &early).contains("401 lines"));
    }
}
