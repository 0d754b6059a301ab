//! The `teamtui` binary.
fn main() {}
