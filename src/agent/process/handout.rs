//! The files of one attempt: prompt and inputs for its process, result and usage from it.
//!
//! They are made anew for every attempt and read once, so nothing here is synced, and all of it goes with the attempt:
//! what counts is in the log. On a disk each new file costs as much as starting a small program, so they are in
//! memory where that is possible, and there is one folder, that of the inputs, with the other files beside it.
use std::collections::BTreeSet;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use serde::Serialize;

use super::tail::text_of;
use super::usage::cost_micros;
use crate::agent::hash::sha256;
use crate::agent::seat::Place;
use crate::domain::{Input, Job, Name};
use crate::text::Untrusted;

/// Bytes read of a result file; what lies behind is not read. Reason: what is kept is far less, the core cuts it.
const RESULT_FILE_MAX_BYTES: u64 = 8 << 20;

/// Bytes read of a usage file; a longer one is no JSON then.
const USAGE_FILE_MAX_BYTES: u64 = 64 << 10;

/// Where the files of an attempt are.
#[derive(Debug)]
pub struct Handout {
    in_memory: bool,
    /// Names of the files in `inputs`.
    files: Vec<String>,
    /// `$TEAMTUI_PROMPT_FILE`.
    pub prompt: PathBuf,
    /// `$TEAMTUI_INPUTS`.
    pub inputs: PathBuf,
    /// `$TEAMTUI_RESULT`.
    pub result: PathBuf,
    /// `$TEAMTUI_USAGE`.
    pub usage: PathBuf,
}

/// An entry of `index.json`.
#[derive(Serialize)]
struct Entry<'a> {
    task: &'a str,
    number: u32,
    status: &'a str,
    attempt: u32,
    /// Beside the index; null: the result is missing.
    path: Option<String>,
    sha256: Option<String>,
}

impl Handout {
    /// Writes what a process may read, in memory if it can be, and makes its scratch folder.
    pub fn write(place: &Place, job: &Job) -> io::Result<Self> {
        if !place.scratch.as_os_str().is_empty() {
            make(&place.scratch)?;
        }
        if !place.memory.as_os_str().is_empty()
            && let Ok(handout) = Self::write_in(&place.memory, job)
        {
            return Ok(Self { in_memory: true, ..handout });
        }
        Self::write_in(&place.folder, job)
    }

    /// Leaves nothing behind where it fails.
    fn write_in(folder: &Path, job: &Job) -> io::Result<Self> {
        let mut handout = Self::at(folder);
        match handout.fill(job) {
            Ok(()) => Ok(handout),
            Err(error) => {
                handout.remove();
                Err(error)
            }
        }
    }

    fn at(folder: &Path) -> Self {
        let beside = |kind: &str| {
            let mut path = folder.as_os_str().to_owned();
            path.push(kind);
            PathBuf::from(path)
        };
        let (prompt, result, usage) = (beside(".prompt.md"), beside(".result"), beside(".usage.json"));
        Self { in_memory: false, files: Vec::new(), prompt, inputs: folder.to_owned(), result, usage }
    }

    fn fill(&mut self, job: &Job) -> io::Result<()> {
        make(&self.inputs)?;
        put(&self.prompt, job.prompt.as_bytes())?;
        let mut entries = Vec::with_capacity(job.inputs.len());
        for (input, name) in job.inputs.iter().zip(file_names(&job.inputs)) {
            let file = input.text.as_ref().map(|text| (format!("{name}.md"), content(text)));
            if let Some((name, text)) = &file {
                self.put_input(name, text.as_bytes())?;
            }
            let sha256 = file.as_ref().map(|(_, text)| sha256(text.as_bytes()));
            entries.push(Entry {
                task: &input.label,
                number: input.number.0,
                status: &input.status,
                attempt: input.attempt,
                path: file.map(|(name, _)| name),
                sha256,
            });
        }
        self.put_input("index.json", &serde_json::to_vec(&entries)?)
    }

    fn put_input(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.files.push(name.to_owned());
        put(&self.inputs.join(name), bytes)
    }

    /// No disk is touched to remove it.
    pub fn is_in_memory(&self) -> bool {
        self.in_memory
    }

    /// Removes what was handed out and taken back, and nothing else. Whatever cannot be removed stays.
    pub fn remove(self) {
        let inputs = self.files.iter().map(|name| self.inputs.join(name));
        for file in inputs.chain([self.prompt, self.result, self.usage]) {
            let _ = std::fs::remove_file(file);
        }
        let _ = std::fs::remove_dir(&self.inputs);
    }

    /// What the process wrote as its result; `None`: it wrote no such file.
    pub fn result(&self) -> Option<Untrusted> {
        take(&self.result, RESULT_FILE_MAX_BYTES).map(|bytes| text_of(&bytes))
    }

    /// Micro-dollars that the process says it has cost; `None`: it says nothing. Errors: what is wrong with the file.
    pub fn cost_micros(&self) -> Result<Option<u64>, String> {
        match take(&self.usage, USAGE_FILE_MAX_BYTES) {
            Some(json) => cost_micros(&json),
            None => Ok(None),
        }
    }
}

/// The word by which a task is found again in a name of a file or in a variable: its label where that is a name (R1),
/// else its number.
pub fn task_word(label: &str, number: u32) -> String {
    match Name::reference(label) {
        Ok(name) => name.as_str().to_owned(),
        Err(_) => number.to_string(),
    }
}

/// A name for each input that no other has, also where case is ignored; no path is made from anything but a name.
fn file_names(inputs: &[Input]) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let mut free = |name: String| taken.insert(crate::text::fold(&name)).then_some(name);
    let name = |input: &Input| {
        let number = input.number.0;
        free(task_word(&input.label, number))
            .or_else(|| free(number.to_string()))
            // No name has that sign.
            .unwrap_or_else(|| format!("#{number}"))
    };
    inputs.iter().map(name).collect()
}

/// A result as a file: whole lines, so that files put together do not run into each other.
fn content(text: &Untrusted) -> String {
    let raw = text.raw();
    if raw.is_empty() || raw.ends_with('\n') { raw.to_owned() } else { format!("{raw}\n") }
}

/// Makes a folder, and those above it only if they are missing.
fn make(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    match builder.create(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => builder.recursive(true).create(folder),
        made => made,
    }
}

fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    options.open(path)?.write_all(bytes)
}

/// Reads a plain file that a process may have written; a link or a pipe in its place counts as none.
fn take(path: &Path, limit: u64) -> Option<Vec<u8>> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file: File =
        OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Driver, TaskNo};

    fn input(number: u32, label: &str, text: Option<&str>) -> Input {
        Input {
            number: TaskNo(number),
            label: label.to_owned(),
            status: if text.is_some() { "completed" } else { "failed" }.to_owned(),
            attempt: 1,
            text: text.map(Untrusted::from),
            confirmed: true,
        }
    }

    fn job(inputs: &[Input]) -> Job {
        Job { inputs: inputs.to_vec(), ..crate::agent::seat::trial::job(Driver::Human) }
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn inputs_of(inputs: &[Input]) -> (tempfile::TempDir, Vec<String>, serde_json::Value) {
        let folder = tempfile::tempdir().unwrap();
        let handout = Handout::write_in(&folder.path().join("7"), &job(inputs)).unwrap();
        let index = std::fs::read(handout.inputs.join("index.json")).unwrap();
        (folder, names(&handout.inputs), serde_json::from_slice(&index).unwrap())
    }

    #[test]
    fn r9_inputs_are_files_with_an_index() {
        let inputs = [input(3, "churn", Some("a\nb")), input(4, "style", None)];
        let (folder, names, index) = inputs_of(&inputs);
        assert_eq!(names, ["churn.md", "index.json"]);
        let file = std::fs::read(folder.path().join("7/churn.md")).unwrap();
        assert_eq!(file, b"a\nb\n");
        assert_eq!(
            index,
            serde_json::json!([
                {"task": "churn", "number": 3, "status": "completed", "attempt": 1, "path": "churn.md",
                 "sha256": sha256(b"a\nb\n")},
                {"task": "style", "number": 4, "status": "failed", "attempt": 1, "path": null, "sha256": null},
            ])
        );
    }

    #[test]
    fn c040_no_path_is_made_from_a_label_that_is_no_name() {
        let bad = ["../../x", "/etc/x", "a/b", "..", "", "x\0y", "-rf", "a b"];
        let long = "é".repeat(300);
        let labels = bad.iter().copied().chain([long.as_str()]);
        let inputs: Vec<Input> = (1..).zip(labels).map(|(no, label)| input(no, label, Some("x"))).collect();
        let (folder, names, _) = inputs_of(&inputs);
        let expected: Vec<String> =
            (1..=9).map(|no| format!("{no}.md")).chain(["index.json".into()]).collect();
        assert_eq!(names, expected);
        assert_eq!(self::names(folder.path()), ["7", "7.prompt.md"], "nothing outside");
    }

    #[test]
    fn inputs_that_would_have_one_name_have_two_files() {
        let inputs = [
            input(7, "Plan", Some("a")),
            input(8, "plan", Some("b")),
            input(9, "8", Some("c")),
            input(12, "8", Some("d")),
            input(8, "a b", Some("e")),
        ];
        let (_folder, names, index) = inputs_of(&inputs);
        assert_eq!(names, ["#8.md", "12.md", "8.md", "9.md", "Plan.md", "index.json"]);
        assert_eq!(index[1]["path"], "8.md");
    }

    #[test]
    fn a_result_is_a_plain_file_or_none() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place { folder: folder.path().join("deep/7"), ..Place::default() };
        let job = job(&[]);
        let files = Handout::write(&place, &job).unwrap();
        assert_eq!(std::fs::read_to_string(&files.prompt).unwrap(), job.prompt);
        assert_eq!(files.result(), None);
        assert_eq!(files.cost_micros(), Ok(None));
        std::os::unix::fs::symlink("/etc/passwd", &files.result).unwrap();
        assert_eq!(files.result(), None);
        std::fs::remove_file(&files.result).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, &files.result, rustix::fs::Mode::RWXU).unwrap();
        assert_eq!(files.result(), None);
        std::fs::remove_file(&files.result).unwrap();
        std::fs::write(&files.result, "").unwrap();
        assert_eq!(files.result(), Some(Untrusted::default()), "written, and empty");
    }

    #[test]
    fn files_are_in_memory_where_that_works_and_go_with_the_attempt() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let place = Place { folder: at("disk/7"), memory: at("memory/7"), ..Place::default() };
        let inputs = [input(3, "churn", Some("a"))];
        let handout = Handout::write(&place, &job(&inputs)).unwrap();
        assert!(handout.prompt.starts_with(at("memory")));
        std::fs::write(&handout.result, "r").unwrap();
        std::fs::write(place.memory.join("strange"), "s").unwrap();
        handout.remove();
        assert_eq!(names(&place.memory), ["strange"], "what it did not make stays");
        assert_eq!(names(&at("memory")), ["7"]);

        std::fs::remove_dir_all(at("memory")).unwrap();
        std::fs::write(at("memory"), "a file").unwrap();
        let handout = Handout::write(&place, &job(&inputs)).unwrap();
        assert!(handout.prompt.starts_with(at("disk")));
        handout.remove();
        assert!(names(&at("disk")).is_empty());
    }
}
