//! What lint asks of the machine and of the script language: traits, so that tests answer for them.

use std::ops::Range;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// The machine, as far as lint looks at it.
pub trait Probe {
    /// Is there such a program: by name on PATH, by path from `folder`?
    fn has_program(&self, program: &str, folder: &Path) -> bool;
    /// Is there such a folder?
    fn is_folder(&self, path: &Path) -> bool;
    /// The folder that relative paths are taken from, absolute.
    fn current(&self) -> PathBuf;
}

/// The script language, as far as lint looks at it.
pub trait ScriptCheck {
    /// Does the line parse as one of a scripted member, and may that ever give it? `is_lead`: in the lead's chair.
    ///
    /// The error has the range of bytes in the line, what is wrong, and things to do.
    fn check(&self, line: &str, is_lead: bool) -> Result<(), (Range<usize>, String, Vec<String>)>;
}

/// The machine this runs on.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemProbe;

impl Probe for SystemProbe {
    fn has_program(&self, program: &str, folder: &Path) -> bool {
        if program.contains('/') {
            return is_executable(&folder.join(program));
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).any(|folder| is_executable(&folder.join(program)))
    }

    fn is_folder(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn current(&self) -> PathBuf {
        std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"))
    }
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_by_name_and_by_path() {
        let folder = Path::new("/");
        assert!(SystemProbe.has_program("sh", folder));
        assert!(SystemProbe.has_program("bin/sh", folder));
        assert!(SystemProbe.has_program("/bin/sh", Path::new("/nowhere")));
        assert!(!SystemProbe.has_program("no-such-program-here", folder));
        assert!(!SystemProbe.has_program("/bin", folder));
        assert!(SystemProbe.is_folder(folder));
        assert!(SystemProbe.current().is_absolute());
    }
}
