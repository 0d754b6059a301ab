//! Does a process belong to an attempt of a run?
#[cfg(target_os = "linux")]
use super::procfs;

/// Ancestors that are looked at: more than any chain of shells has.
#[cfg(target_os = "linux")]
const MAX_ANCESTORS: usize = 64;

/// Was a process, or one that it descends from, started with a marker that begins with `prefix` (`<run>.`)? Blocks as long
/// as reading `/proc` takes.
///
/// A process that cleaned its own environment is found by the shell it came from. One that cleaned it and also left its
/// parent behind is not found, nor one that has ended. Where there is no `/proc` (macOS) nobody is.
pub fn belongs(pid: u32, prefix: &str) -> bool {
    #[cfg(target_os = "linux")]
    {
        let is_marked = |pid: &u32| procfs::marker(*pid).is_some_and(|m| m.starts_with(prefix.as_bytes()));
        let parent = |pid: &u32| procfs::stat(*pid).map(|stat| stat.parent).filter(|parent| *parent > 1);
        !prefix.is_empty()
            && std::iter::successors(Some(pid), parent).take(MAX_ANCESTORS).any(|pid| is_marked(&pid))
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (pid, prefix);
        false
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::super::MARKER;
    use super::*;
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    #[test]
    fn a_process_belongs_to_the_run_that_marked_it_or_one_it_descends_from() {
        let mut shell = Command::new("sh");
        shell.args(["-c", "env -i sleep 60 & echo $!; wait"]).env(MARKER, "lineage-1.7");
        let mut shell = shell.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(shell.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let below: u32 = line.trim().parse().unwrap();
        // Between its fork and its exec it still has the marker itself.
        while procfs::marker(below).is_some() {
            std::thread::yield_now();
        }
        assert!(belongs(shell.id(), "lineage-1.") && belongs(below, "lineage-1."));
        assert!(!belongs(below, "lineage-11.") && !belongs(below, ""));
        assert!(!belongs(std::process::id(), "lineage-1."));
        super::super::sweep_marked("lineage-1.");
        shell.wait().unwrap();
        assert!(!belongs(below, "lineage-1."), "it has ended");
    }
}
