//! The `teamtui` binary: parse, pick a mode, map an error to an exit code.
use std::process::ExitCode;

fn main() -> ExitCode {
    // Before anything else: the guard must stay small and single-threaded.
    if std::env::args_os().nth(1).is_some_and(|word| word == "guard") {
        return teamtui::agent::guard::main();
    }
    teamtui::cli::main()
}
