//! The names of the files in an archive: each is one of these, and a path is made from its numbers alone.

use std::path::{Path, PathBuf};

use super::{LOG_BYTES, MANIFEST_BYTES, TEXT_BYTES, UNPACKED_BYTES};

/// A file of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Entry {
    Readme,
    Head,
    Events,
    Team(u32),
    ReportText,
    ReportLines,
    /// A file of an output log.
    Output {
        attempt: u64,
        part: Part,
    },
    Manifest,
}

/// A file of an output log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    Data(u64),
    Index(u64),
    Seam,
}

impl Entry {
    /// The file with this name, if it is written exactly as this program writes it.
    pub fn named(name: &str) -> Option<Self> {
        let entry = match name {
            "README.md" => Self::Readme,
            "run.json" => Self::Head,
            "events.ndjson" => Self::Events,
            "report.txt" => Self::ReportText,
            "report.ndjson" => Self::ReportLines,
            "manifest.json" => Self::Manifest,
            _ => match name.strip_prefix("attempts/") {
                Some(rest) => {
                    let (attempt, part) = rest.split_once('/')?;
                    Self::Output { attempt: attempt.parse().ok()?, part: Part::named(part)? }
                }
                None => Self::Team(name.strip_prefix("team-")?.strip_suffix(".json")?.parse().ok()?),
            },
        };
        (entry.name() == name).then_some(entry)
    }

    /// Its name.
    pub fn name(self) -> String {
        match self {
            Self::Readme => "README.md".to_owned(),
            Self::Head => "run.json".to_owned(),
            Self::Events => "events.ndjson".to_owned(),
            Self::Team(number) => format!("team-{number}.json"),
            Self::ReportText => "report.txt".to_owned(),
            Self::ReportLines => "report.ndjson".to_owned(),
            Self::Output { attempt, part } => format!("attempts/{attempt}/{}", part.name()),
            Self::Manifest => "manifest.json".to_owned(),
        }
    }

    /// The most bytes it may have.
    pub fn limit(self) -> u64 {
        match self {
            Self::Events => UNPACKED_BYTES,
            Self::Output { .. } => LOG_BYTES,
            Self::Manifest => MANIFEST_BYTES,
            _ => TEXT_BYTES,
        }
    }
}

impl Part {
    /// The part with this name, if it is one.
    pub fn named(name: &str) -> Option<Self> {
        let part = match name.split_once('.') {
            None if name == "out" => Self::Data(0),
            None if name == "index" => Self::Index(0),
            None if name == "seam" => Self::Seam,
            Some(("out", offset)) => Self::Data(offset.parse().ok()?),
            Some(("index", offset)) => Self::Index(offset.parse().ok()?),
            _ => return None,
        };
        (part.name() == name).then_some(part)
    }

    fn name(self) -> String {
        match self {
            Self::Data(0) => "out".to_owned(),
            Self::Data(offset) => format!("out.{offset}"),
            Self::Index(0) => "index".to_owned(),
            Self::Index(offset) => format!("index.{offset}"),
            Self::Seam => "seam".to_owned(),
        }
    }

    /// Where it is in the folder of its attempt.
    pub fn path(self, folder: &Path) -> PathBuf {
        folder.join(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_taken_only_as_it_is_written() {
        for name in [
            "README.md",
            "run.json",
            "events.ndjson",
            "team-3.json",
            "report.txt",
            "report.ndjson",
            "attempts/12/out",
            "attempts/12/out.4096",
            "attempts/1/index",
            "attempts/1/index.7",
            "attempts/1/seam",
            "manifest.json",
        ] {
            assert_eq!(Entry::named(name).map(Entry::name).as_deref(), Some(name));
        }
        for name in [
            "",
            "/run.json",
            "./run.json",
            "../run.json",
            "attempts/../out",
            "attempts/1/../../x",
            "attempts/01/out",
            "attempts/+1/out",
            "attempts/1/out.0",
            "attempts/1/out.-1",
            "attempts/1",
            "attempts/1/",
            "attempts/1/out/x",
            "attempts//out",
            "team-.json",
            "team-01.json",
            "team-1.json/",
            "owner.lock",
            "store.redb",
            "imported",
            "RUN.JSON",
            "run.json\0",
            "scratch/1-a/x",
            "attempts/1/result",
        ] {
            assert_eq!(Entry::named(name), None, "{name:?}");
        }
    }
}
