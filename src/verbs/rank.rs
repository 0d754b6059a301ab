//! The order of the palette: recent first, then how well it matches, then the order of the table.
use super::table::TABLE;
use super::verb::Verb;
use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use std::cmp::Reverse;

/// Most characters of a query that are looked at. Reason: matching costs their number times that of the title.
const MAX_QUERY_CHARS: usize = 64;

/// A verb that matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranked {
    /// Its row.
    pub verb: &'static Verb,
    /// Which characters of [`palette_text`] matched, ascending.
    pub matched: Vec<u32>,
}

/// What a query is matched against: the id, a blank, the title.
pub fn palette_text(verb: &Verb) -> String {
    format!("{} {}", verb.id, verb.title)
}

/// The verbs of the palette that match, best first. `recent`: ids, the most recent first. An empty query matches all, in
/// the order of the table.
pub fn rank(query: &str, recent: &[&str]) -> Vec<Ranked> {
    let query: String = query.trim().chars().take(MAX_QUERY_CHARS).collect();
    let all = TABLE.iter().filter(|verb| verb.is_in_palette());
    if query.is_empty() {
        return all.map(|verb| Ranked { verb, matched: Vec::new() }).collect();
    }
    let pattern = Pattern::new(&query, CaseMatching::Ignore, Normalization::Smart, AtomKind::Fuzzy);
    let mut matcher = Matcher::new(Config::DEFAULT);
    let mut found: Vec<(Reverse<Option<usize>>, Reverse<u32>, Ranked)> = Vec::new();
    for verb in all {
        let Some((score, matched)) = score(&pattern, &mut matcher, verb) else { continue };
        let recency = recent.iter().position(|id| *id == verb.id).map(|at| recent.len() - at);
        found.push((Reverse(recency), Reverse(score), Ranked { verb, matched }));
    }
    // Stable, so that the order of the table decides last.
    found.sort_by_key(|(recency, score, _)| (*recency, *score));
    found.into_iter().map(|(_, _, ranked)| ranked).collect()
}

/// How well it matches, and where: the id alone, if that matches, else id and title.
fn score(pattern: &Pattern, matcher: &mut Matcher, verb: &Verb) -> Option<(u32, Vec<u32>)> {
    let text = palette_text(verb);
    let mut buffer = Vec::new();
    let mut matched = Vec::new();
    let by_id = pattern.indices(Utf32Str::new(verb.id, &mut buffer), matcher, &mut matched);
    let score = match by_id {
        Some(score) => score.saturating_mul(2),
        None => {
            matched.clear();
            pattern.indices(Utf32Str::new(&text, &mut buffer), matcher, &mut matched)?
        }
    };
    matched.sort_unstable();
    matched.dedup();
    Some((score, matched))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(query: &str, recent: &[&str]) -> Vec<&'static str> {
        rank(query, recent).iter().map(|ranked| ranked.verb.id).collect()
    }

    #[test]
    fn an_empty_query_is_the_table_without_what_is_for_scripted_members() {
        let all = ids("  ", &["retry"]);
        let palette: Vec<&str> = TABLE.iter().filter(|v| v.is_in_palette()).map(|v| v.id).collect();
        assert_eq!(all, palette);
        assert!(!all.contains(&"crash"));
    }

    #[test]
    fn the_recent_come_first_then_the_score() {
        assert_eq!(ids("re", &[]).first(), Some(&"resume"));
        assert_eq!(ids("re", &["retry", "replan"]).get(..2), Some(["retry", "replan"].as_slice()));
        assert_eq!(ids("sb", &[]).first(), Some(&"send_back"));
    }

    #[test]
    fn titles_are_found_too_and_what_matched_is_told() {
        let found = rank("mailbox", &[]);
        let send = found.first().unwrap();
        assert_eq!(send.verb.id, "send");
        let text: Vec<char> = palette_text(send.verb).chars().collect();
        let letters: String = send.matched.iter().map(|at| text[*at as usize]).collect();
        assert_eq!(letters, "mailbox");
        assert!(rank("zzzz", &[]).is_empty());
    }
}
