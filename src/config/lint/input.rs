//! Inputs that nobody makes: a text reads `$TEAMTUI_INPUTS/x.md` of a task that is no upstream.

use std::collections::BTreeMap;

use crate::config::report::Report;
use crate::config::resolve::Work;
use crate::domain::Name;
use crate::text::nearest;

const VARIABLE: &str = "TEAMTUI_INPUTS";

/// Warns of each input file that no upstream of the task makes.
pub(super) fn check_inputs(works: &[Work], report: &mut Report<'_>) {
    let numbers: BTreeMap<&Name, usize> =
        works.iter().enumerate().map(|(at, work)| (&work.name, at + 1)).collect();
    for work in works {
        for text in super::work_texts(work) {
            for (range, file) in input_files(&text.value) {
                let made = work.edges.iter().any(|edge| is_file_of(file, &edge.on, &numbers));
                if made {
                    continue;
                }
                let message = format!(
                    "{} reads `{file}.md` of its inputs, and no upstream of it is `{file}`",
                    work.label
                );
                let upstream = work.edges.iter().map(|edge| edge.on.as_str());
                let help = match (
                    nearest(file, upstream),
                    works.iter().find(|other| is_file_of(file, &other.name, &numbers)),
                ) {
                    (Some(near), _) => vec![format!("did you mean `{near}`?")],
                    (None, Some(other)) => vec![format!("add it: `depends_on = [\"{}\"]`", other.name)],
                    (None, None) => Vec::new(),
                };
                report.warning("unknown_input", &text.range(range), &message, &help);
            }
        }
    }
}

fn is_file_of(file: &str, task: &Name, numbers: &BTreeMap<&Name, usize>) -> bool {
    let by_number = file.parse().is_ok_and(|number: usize| numbers.get(task) == Some(&number));
    by_number || Name::reference(file).is_ok_and(|name| name == *task)
}

/// The Markdown files of the inputs that a text names, where they stand, and each without `.md`.
fn input_files(text: &str) -> Vec<(std::ops::Range<usize>, &str)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices(VARIABLE) {
        let rest = text.get(at + VARIABLE.len()..).unwrap_or_default();
        let path = rest.trim_start_matches(['}', '"', '\'']);
        let Some(path) = path.strip_prefix('/') else { continue };
        let len =
            path.find(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_' | '.')).unwrap_or(path.len());
        let open = path.get(len..).and_then(|after| after.chars().next());
        let name = path.get(..len).map(|name| name.trim_end_matches('.')).unwrap_or_default();
        let Some(file) = name.strip_suffix(".md").filter(|file| !file.is_empty()) else { continue };
        if !matches!(open, Some('*' | '?' | '[' | '{' | '$')) {
            let start = text.len() - path.len();
            found.push((start..start + name.len(), file));
        }
    }
    found
}
