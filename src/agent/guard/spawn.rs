//! Starts one program for the guard.
//!
//! `std::process::Command` takes the fast road (`posix_spawn`) only without a hook before exec, with a program
//! that is a path when the environment is replaced: so the path is looked up here.
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::fs::{Access, access};
use rustix::io::Errno;

use super::protocol::{Cause, Program, Refusal};

/// Where programs are looked for if the environment has no `PATH`, as execvp(3) does.
const DEFAULT_PATH: &str = "/bin:/usr/bin";

/// The standard streams of a child, in order; each may be missing if the descriptor did not arrive.
pub struct Streams {
    /// Its input; `None` is `/dev/null`.
    pub stdin: Option<OwnedFd>,
    /// Its output.
    pub stdout: OwnedFd,
    /// Its error output.
    pub stderr: OwnedFd,
}

impl Streams {
    /// The streams of the descriptors that came with a request; `None` if they are not the right number.
    pub fn from_fds(has_stdin: bool, fds: Vec<OwnedFd>) -> Option<Self> {
        let mut fds = fds.into_iter();
        let stdin = if has_stdin { Some(fds.next()?) } else { None };
        let (stdout, stderr) = (fds.next()?, fds.next()?);
        fds.next().is_none().then_some(Self { stdin, stdout, stderr })
    }
}

/// Starts the program as leader of its own process group and gives its pid.
pub fn start(program: &Program, streams: Streams, null: &File) -> Result<u32, Refusal> {
    let name = program.argv.first().ok_or(Refusal { cause: Cause::NotFound, errno: 0 })?;
    let path = find(name, program)?;
    let stdin = match streams.stdin {
        Some(stdin) => stdin,
        None => null.try_clone().map_err(|error| refusal(&error, Cause::Other))?.into(),
    };
    let spawned = Command::new(path)
        .arg0(name)
        .args(program.argv.iter().skip(1))
        .env_clear()
        .envs(program.env.iter().map(|(name, value)| (name, value)))
        .current_dir(&program.cwd)
        .stdin(stdin)
        .stdout(streams.stdout)
        .stderr(streams.stderr)
        .process_group(0)
        .spawn();
    spawned.map(|child| child.id()).map_err(|error| explain(&error, &program.cwd))
}

/// The file to run: as written if it has a `/`, else the first of that name on `PATH` that may be run.
fn find(name: &OsStr, program: &Program) -> Result<PathBuf, Refusal> {
    let bytes = name.as_encoded_bytes();
    if bytes.contains(&b'/') {
        return Ok(PathBuf::from(name));
    }
    let path = program.env.iter().rev().find(|(key, _)| key == "PATH").map(|(_, value)| value.as_os_str());
    let mut denied = false;
    for folder in std::env::split_paths(path.unwrap_or(OsStr::new(DEFAULT_PATH))) {
        let file = program.cwd.join(folder).join(name);
        match access(&file, Access::EXEC_OK) {
            Ok(()) if file.is_file() && !bytes.is_empty() => return Ok(file),
            Err(Errno::ACCESS) => denied = true,
            Ok(()) | Err(_) => {}
        }
    }
    let (cause, errno) =
        if denied { (Cause::Denied, Errno::ACCESS) } else { (Cause::NotFound, Errno::NOENT) };
    Err(Refusal { cause, errno: errno.raw_os_error() })
}

/// The system gives one error number for folder and program: look which of them it is.
fn explain(error: &io::Error, cwd: &Path) -> Refusal {
    if let Err(folder) = std::fs::metadata(cwd.join(".")) {
        return refusal(&folder, Cause::Folder);
    }
    if access(cwd, Access::EXEC_OK).is_err() {
        return refusal(error, Cause::Folder);
    }
    let cause = match error.raw_os_error().map(Errno::from_raw_os_error) {
        Some(Errno::NOENT | Errno::NOTDIR) => Cause::NotFound,
        Some(Errno::ACCESS | Errno::PERM) => Cause::Denied,
        Some(Errno::TOOBIG) => Cause::TooLong,
        _ => Cause::Other,
    };
    refusal(error, cause)
}

fn refusal(error: &io::Error, cause: Cause) -> Refusal {
    Refusal { cause, errno: error.raw_os_error().unwrap_or_default() }
}
