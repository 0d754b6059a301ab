//! The file that `teamtui init` writes.

/// A small team that runs anywhere, with a comment for each thing it shows.
pub fn init_file() -> &'static str {
    INIT_FILE
}

const INIT_FILE: &str = r#"# A team: who works on what, and what waits for what.  teamtui --script team.toml
name = "hello"
goal = "Say what is in this folder."       # every member sees it
[limits]
time = "5m"                                # reached: exit code 3, and the command that goes on
[members.files]                            # a member and its work in one table
run = "ls -A"                              # a shell line; exit 0 completes the task
rerun = "safe"                             # after a crash it may start again by itself
[members.size]
run = "du -sk ."
optional = true                            # may fail without failing the run
[members.report]
run = 'cat "$TEAMTUI_INPUTS"/*.md > "$TEAMTUI_RESULT"'
depends_on = ["files", { task = "size", needs = "finished" }]    # files completed; size just ended
# A model in a chair: driver = "anthropic", model = "...", prompt = "...". All keys: teamtui help file
"#;
