//! Inputs that nobody makes: a text reads `$TEAMTUI_INPUTS/x.md` of a task that is no upstream.

use std::collections::BTreeMap;

use crate::config::report::Report;
use crate::config::resolve::Work;
use crate::domain::Name;

const VARIABLE: &str = "TEAMTUI_INPUTS";

/// Warns of each input file that no upstream of the task makes.
pub(super) fn check_inputs(works: &[Work], report: &mut Report<'_>) {
    let numbers: BTreeMap<&Name, usize> = works.iter().zip(1..).map(|(work, no)| (&work.name, no)).collect();
    for work in works {
        for text in super::work_texts(work) {
            for (range, file) in input_files(&text.value) {
                if !is_made(file, work, &numbers) {
                    let what = format!("{} reads `{file}.md` of its inputs", work.label);
                    let message = format!("{what}, and no upstream of it is `{file}`");
                    let help = hint(file, work, &numbers, report);
                    report.warning("unknown_input", &text.range(range), &message, &help);
                }
            }
        }
    }
}

/// A file has the name of its task, or its number.
fn is_made(file: &str, work: &Work, numbers: &BTreeMap<&Name, usize>) -> bool {
    let (name, number) = (Name::reference(file).ok(), file.parse::<usize>().ok());
    work.edges.iter().any(|edge| {
        Some(&edge.on) == name.as_ref() || (number.is_some() && number == numbers.get(&edge.on).copied())
    })
}

fn hint(file: &str, work: &Work, numbers: &BTreeMap<&Name, usize>, report: &mut Report<'_>) -> Vec<String> {
    if let Some(near) = report.nearest(file, work.edges.iter().map(|edge| edge.on.as_str())) {
        return vec![format!("did you mean `{near}`?")];
    }
    let other =
        Name::reference(file).ok().and_then(|name| numbers.get_key_value(&name).map(|(name, _)| *name));
    other.map(|other| format!("add it: `depends_on = [\"{other}\"]`")).into_iter().collect()
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
