//! State directories that cannot be had.
use crate::house::{House, finish};
use std::io::{BufRead, BufReader};
use std::time::{Duration, Instant};

#[test]
fn a_state_directory_that_cannot_be_made_is_refused_by_its_path() {
    let house = House::new();
    house.write("a.toml", "name = \"t\"\n[members.a]\nrun = \"touch ran\"\n");
    for state in ["a.toml/state", "/proc/nowhere/state"] {
        let ran = finish(house.command(&["--script", "a.toml", "--state", state]).spawn().unwrap());
        assert_eq!(ran.rc, 2, "{state}: {}", ran.err);
        assert!(ran.err.contains(state.rsplit_once('/').unwrap().0), "{}", ran.err);
        assert!(!ran.err.contains("panicked"), "{}", ran.err);
    }
    assert!(!house.path().join("ran").exists());
}

#[test]
fn a_state_directory_that_is_read_only_is_refused_by_its_path() {
    use std::os::unix::fs::PermissionsExt;
    // Nothing is read-only to root.
    if rustix::process::geteuid().is_root() {
        return;
    }
    let house = House::new();
    house.write("a.toml", "name = \"t\"\n[members.a]\nrun = \"true\"\n");
    let state = house.path().join("state");
    std::fs::create_dir(&state).unwrap();
    std::fs::set_permissions(&state, std::fs::Permissions::from_mode(0o500)).unwrap();
    let ran = house.run(&["--script", "a.toml"]);
    assert_eq!(ran.rc, 2, "{}", ran.err);
    assert!(ran.err.contains("state") && !ran.err.contains("panicked"), "{}", ran.err);
}

#[test]
fn c036_a_state_owned_by_another_process_is_named_with_its_pid_and_free_after_kill_9() {
    let house = House::new();
    house.write("a.toml", "name = \"t\"\n[members.a]\nrun = \"true\"\n");
    let mut first = house.command(&["serve", "--state", "state"]).spawn().unwrap();
    let owned = wait_for_socket(&house);
    assert!(owned, "the first owner did not start");
    let began = Instant::now();
    let second = house.run(&["serve"]);
    assert!(began.elapsed() < Duration::from_secs(10));
    assert_eq!(second.rc, 2, "{}", second.err);
    assert!(second.err.contains(&first.id().to_string()), "{}: {}", first.id(), second.err);
    assert!(second.err.contains("help: "), "{}", second.err);
    // A headless run is its own.
    let ran = house.run(&["--script", "a.toml"]);
    assert_eq!(ran.rc, 0, "{}", ran.err);
    first.kill().unwrap();
    first.wait().unwrap();
    let mut third = house.command(&["serve", "--state", "state"]).spawn().unwrap();
    let pid = third.id();
    let ended = third.wait().unwrap();
    let said: Vec<String> =
        BufReader::new(third.stderr.take().unwrap()).lines().map(Result::unwrap).collect();
    assert!(ended.success(), "{pid}: {said:?}: it goes by itself when nothing is left to do");
}

fn wait_for_socket(house: &House) -> bool {
    let until = Instant::now() + Duration::from_secs(20);
    while Instant::now() < until {
        if sockets(house.path()) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    false
}

fn sockets(folder: &std::path::Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    std::fs::read_dir(folder).unwrap().flatten().any(|entry| {
        let kind = entry.file_type().unwrap();
        (kind.is_dir() && sockets(&entry.path())) || (kind.is_socket() && entry.file_name() == "member.sock")
    })
}
