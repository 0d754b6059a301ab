//! Power loss needs the inside of the crate: its tests look at as many images as they are told to.
use crate::torture::Counts;
use std::process::Command;

/// Runs the crate's own tests of it with `count` images each.
pub fn run(seed: u64, count: u64) -> Counts {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    command.args(["test", "--lib", "--quiet"]).current_dir(env!("CARGO_MANIFEST_DIR"));
    if !cfg!(debug_assertions) {
        command.arg("--release");
    }
    command.args(["power_loss", "--", "--nocapture"]);
    command.env("TEAMTUI_TORTURE_IMAGES", count.to_string()).env("TEAMTUI_TORTURE_SEED", seed.to_string());
    let output = command.output().unwrap();
    let said =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success() && said.contains("3 passed"), "{said}");
    let mut counts = Counts::default();
    for protocol in ["of a journal", "of output logs", "of written files"] {
        counts.add(&format!("images {protocol}"), count);
    }
    counts
}
