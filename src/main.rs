//! The `teamtui` binary.
use std::process::ExitCode;

fn main() -> ExitCode {
    // Before anything else: the guard must stay small and single-threaded.
    if std::env::args_os().nth(1).is_some_and(|word| word == "guard") {
        return teamtui::agent::guard::main();
    }
    ExitCode::SUCCESS
}
