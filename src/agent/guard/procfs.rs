//! Reads processes from `/proc` and signals them without ever hitting a stranger that took over a pid.
//!
//! Formats: proc_pid_stat(5), proc_tid_children(5), proc_pid_environ(5).
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;

use rustix::fs::{CWD, Mode, OFlags};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use super::MARKER;
use super::limit::{ENVIRON_MAX, EXEC_LOOKS, EXEC_PAUSE};

/// A process by name for ever: pids are used again, but not with the same start time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Process {
    /// Process id.
    pub pid: u32,
    /// Clock ticks since boot.
    pub start_time: u64,
}

/// What `/proc/PID/stat` says about a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// Its identity.
    pub process: Process,
    /// Pid of its parent.
    pub parent: u32,
    /// Its process group.
    pub group: u32,
    /// Its session.
    pub session: u32,
    /// It has ended and only waits to be collected.
    pub dead: bool,
    /// It is about to become another program: its new environment cannot be read yet.
    pub in_exec: bool,
}

/// Clock ticks since boot, as start times count.
pub fn now() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let per_second = rustix::param::clock_ticks_per_second();
    let nanos = now.tv_sec.cast_unsigned() * 1_000_000_000 + now.tv_nsec.cast_unsigned();
    nanos / (1_000_000_000 / per_second.max(1))
}

/// The state of a process; `None` if there is none.
pub fn stat(pid: u32) -> Option<Stat> {
    let path = format!("/proc/{pid}/stat");
    let file = rustix::fs::openat(CWD, path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let mut bytes = [0; 1024];
    let length = rustix::io::read(&file, &mut bytes).ok()?;
    parse_stat(pid, bytes.get(..length)?)
}

/// The command name may hold any byte, so fields are counted from the last `)`.
fn parse_stat(pid: u32, bytes: &[u8]) -> Option<Stat> {
    let after = bytes.iter().rposition(|byte| *byte == b')')? + 2;
    let fields: Vec<&str> = str::from_utf8(bytes.get(after..)?).ok()?.split_ascii_whitespace().collect();
    let number = |at: usize| fields.get(at)?.parse::<u32>().ok();
    let threads = number(17)?;
    // A main thread may end before its process: the state says zombie, but other threads run on.
    let dead = matches!(*fields.first()?, "Z" | "X" | "x") && threads <= 1;
    let has_memory = fields.get(20).is_some_and(|bytes| *bytes != "0");
    let environment_end = fields.get(48).copied();
    let start_time = fields.get(19)?.parse().ok()?;
    Some(Stat {
        process: Process { pid, start_time },
        parent: number(1)?,
        group: number(2)?,
        session: number(3)?,
        dead,
        in_exec: has_memory && environment_end == Some("0"),
    })
}

/// All processes of the system that this process may see.
pub fn all() -> Vec<u32> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries.flatten().filter_map(|entry| pid_named(entry.file_name().as_bytes())).collect()
}

/// The children of all threads of a process.
pub fn children(pid: u32) -> Vec<u32> {
    let tasks = format!("/proc/{pid}/task");
    let Ok(entries) = fs::read_dir(tasks) else { return Vec::new() };
    let mut found = Vec::new();
    for entry in entries.flatten() {
        match fs::read(entry.path().join("children")) {
            Ok(bytes) => found.extend(pids(&bytes)),
            Err(_) if !has_children_files() => return children_by_scan(pid),
            Err(_) => {}
        }
    }
    found
}

/// The pids of a `children` file.
pub fn pids(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes.split(u8::is_ascii_whitespace).filter_map(pid_named)
}

fn pid_named(digits: &[u8]) -> Option<u32> {
    str::from_utf8(digits).ok()?.parse().ok()
}

/// Some kernels are built without the `children` files (CONFIG_PROC_CHILDREN).
fn has_children_files() -> bool {
    let me = std::process::id();
    fs::exists(format!("/proc/{me}/task/{me}/children")).unwrap_or(false)
}

/// The children of a process, from the parent of every process of the system.
pub fn children_by_scan(pid: u32) -> Vec<u32> {
    all().into_iter().filter(|child| stat(*child).is_some_and(|stat| stat.parent == pid)).collect()
}

/// The value of the marker in the environment a process was started with, if it can be read and has one.
pub fn marker(pid: u32) -> Option<Vec<u8>> {
    for _ in 0..EXEC_LOOKS {
        let mut bytes = Vec::new();
        File::open(format!("/proc/{pid}/environ")).ok()?.take(ENVIRON_MAX).read_to_end(&mut bytes).ok()?;
        if bytes.is_empty() && stat(pid)?.in_exec {
            std::thread::sleep(EXEC_PAUSE);
            continue;
        }
        let value = |entry: &[u8]| Some(entry.strip_prefix(MARKER.as_bytes())?.strip_prefix(b"=")?.to_vec());
        return bytes.split(|byte| *byte == 0).find_map(value);
    }
    None
}

/// Signals exactly this process: the pid is pinned first, then its start time compared. False if it is gone
/// or may not be signalled.
pub fn signal(process: Process, signal: Signal) -> bool {
    let Some(pid) = Pid::from_raw(process.pid.cast_signed()) else { return false };
    let Ok(pinned) = pidfd_open(pid, PidfdFlags::empty()) else { return false };
    let same = stat(process.pid).is_some_and(|now| now.process == process && !now.dead);
    same && pidfd_send_signal(pinned, signal).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_name_with_spaces_and_brackets_does_not_shift_the_fields() {
        let line = b"42 (a) Z 9 (b) S 7 40 39 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 3 0 987654 0 0\n";
        let stat = parse_stat(42, line).unwrap();
        assert_eq!(stat.process, Process { pid: 42, start_time: 987_654 });
        assert_eq!((stat.parent, stat.group, stat.session, stat.dead), (7, 40, 39, false));
    }

    #[test]
    fn a_zombie_is_dead_unless_other_threads_of_it_run() {
        let line = |threads: u32| format!("42 (x) Z 7 40 39 0 -1 0 0 0 0 0 0 0 0 0 20 0 {threads} 0 5 0 0\n");
        assert!(parse_stat(42, line(1).as_bytes()).unwrap().dead);
        assert!(!parse_stat(42, line(2).as_bytes()).unwrap().dead);
        assert_eq!(parse_stat(42, b"42 (x) Z 7"), None);
    }

    #[test]
    fn a_child_is_found_by_its_file_and_by_the_scan() {
        let mut child = std::process::Command::new("sleep").arg("60").env(MARKER, "here.1").spawn().unwrap();
        let me = std::process::id();
        let sleeper = child.id();
        assert!(children(me).contains(&sleeper));
        assert!(children_by_scan(me).contains(&sleeper));
        assert_eq!(marker(sleeper).as_deref(), Some(b"here.1".as_slice()));
        let process = stat(sleeper).unwrap().process;
        assert!(!signal(Process { start_time: process.start_time + 1, ..process }, Signal::KILL));
        assert!(signal(process, Signal::KILL));
        child.wait().unwrap();
        assert!(!signal(process, Signal::KILL));
    }
}
