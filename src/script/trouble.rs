//! What is said while nothing can be stored: why, how much room there is, and that nothing is lost.
use crate::text::{quantity, sanitise};
use std::path::Path;

/// `disk full: 0 B free in /state/run; nothing new starts, nothing stored is lost`.
pub(super) fn paused(why: &str, folder: &Path) -> String {
    let what = why.strip_prefix("not stored: ").unwrap_or(why);
    let what = what.split("; ").next().unwrap_or_default();
    let what = match free(folder) {
        Some(free) if what.starts_with("the disk is full") => {
            format!("disk full: {free} free in {}", shown(folder))
        }
        _ => format!("cannot be stored: {}", sanitise::line(what)),
    };
    format!("{what}; nothing new starts, nothing stored is lost")
}

/// `48.2 MiB free in /state/run`.
pub(super) fn resumed(folder: &Path) -> String {
    let free = free(folder).map(|free| format!(", {free} free in {}", shown(folder)));
    format!("what happens is stored again{}", free.unwrap_or_default())
}

fn free(folder: &Path) -> Option<String> {
    let found = rustix::fs::statvfs(folder).ok()?;
    Some(quantity::size(found.f_bavail.saturating_mul(found.f_frsize)))
}

fn shown(folder: &Path) -> String {
    sanitise::line(&folder.to_string_lossy()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_with_its_room_and_another_fault_in_its_own_words() {
        let dir = tempfile::tempdir().unwrap();
        let full = paused(
            "not stored: the disk is full at /x/store.redb; free some space and the run goes on",
            dir.path(),
        );
        let (what, rest) = full.split_once(" free in ").unwrap();
        assert!(
            what.starts_with("disk full: ") && rest.ends_with("; nothing new starts, nothing stored is lost"),
            "{full}"
        );
        let other = paused("not stored: the device is gone; x", dir.path());
        assert_eq!(other, "cannot be stored: the device is gone; nothing new starts, nothing stored is lost");
        assert!(resumed(dir.path()).starts_with("what happens is stored again, "));
    }
}
