//! How names are compared (R1), and which name was probably meant.

use unicode_normalization::UnicodeNormalization;

/// The form in which names are compared: NFC, then lower case letter by letter. Names are stored as they are written.
pub fn fold(name: &str) -> String {
    name.nfc().flat_map(char::to_lowercase).nfc().collect()
}

/// Whether two spellings are one name.
pub fn same_name(a: &str, b: &str) -> bool {
    fold(a) == fold(b)
}

/// Names longer than this, in characters, are not looked at by [`nearest`]: comparing is quadratic, and R1 allows no
/// longer ones.
const MAX_COMPARED_CHARS: usize = 128;

/// The candidate that was probably meant by `name`, if one is near.
///
/// The same name in another spelling comes first, then the fewest edits (Damerau-Levenshtein on folded names, at
/// most a third of the characters; a candidate that `name` begins counts as one edit), then the order given.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = fold(name);
    candidates
        .into_iter()
        .filter_map(|candidate| Some((edits(&name, &fold(candidate))?, candidate)))
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// How far two folded names are apart; `None` when that is too far to suggest one for the other.
fn edits(name: &str, candidate: &str) -> Option<usize> {
    if name == candidate {
        return Some(0);
    }
    let (own, other) = (name.chars().count(), candidate.chars().count());
    let longest = own.max(other);
    if name.is_empty() || longest > MAX_COMPARED_CHARS {
        return None;
    }
    if candidate.starts_with(name) {
        return Some(1);
    }
    let allowed = (longest / 3).max(1);
    if own.abs_diff(other) > allowed {
        return None;
    }
    let edits = strsim::damerau_levenshtein(name, candidate);
    (edits <= allowed && edits < longest).then_some(edits)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn r1_names_are_compared_composed_and_without_case() {
        assert!(same_name("Café", "CAFE\u{301}"));
        assert!(same_name("ΟΔΟΣ", "οδοσ"));
        assert!(!same_name("perf", "perf2"));
    }

    #[test]
    fn the_nearest_name_is_the_one_meant() {
        let names = ["security", "perf", "perf2", "summary", "Style"];
        assert_eq!(nearest("securty", names), Some("security"));
        assert_eq!(nearest("style", names), Some("Style"));
        assert_eq!(nearest("pref", names), Some("perf"));
        assert_eq!(nearest("sum", names), Some("summary"));
        assert_eq!(nearest("docs", names), None);
        assert_eq!(nearest("", names), None);
        assert_eq!(nearest("x", ["y"]), None);
        assert_eq!(nearest("ab", ["cd", "ac"]), Some("ac"));
        assert_eq!(nearest(&"a".repeat(100_000), ["a"]), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn r1_folding_twice_is_folding_once(name in "\\PC{0,12}") {
            prop_assert_eq!(fold(&fold(&name)), fold(&name));
        }

        #[test]
        fn a_name_in_the_list_is_found(name in "[a-zé]{1,8}", others in proptest::collection::vec("[a-z]{1,8}", 0..5)) {
            let upper = name.to_uppercase();
            let list = others.iter().map(String::as_str).chain([name.as_str()]);
            prop_assert!(same_name(nearest(&upper, list).unwrap(), &name));
        }
    }
}
