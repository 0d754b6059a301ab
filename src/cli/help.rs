//! `teamtui help [TOPIC]`: a command of the table, or one of the topics.
use super::args::Cli;
use super::call::{Call, Done, Failed, NOT_FOUND};
use super::option;
use crate::config;
use crate::verbs;
use clap::CommandFactory;

/// `teamtui --help`, word for word.
pub const OVERVIEW: &str = "\
Run a team of agents over a graph of tasks.
  teamtui                     the screen (--here: own the run in this process)
  teamtui --script FILE       run a team file or a script, headless
Look      status  log  why  runs  report  export
Act       do  resume  serve
Files     init  lint  help VERB  completions  man
Store     verify  replay  import  runs prune
Run       --set K=V  --limit K=V  --only TASK  --retries N  --fail-fast  --keep-going  --virtual-time
Print     --format text|ndjson  --junit FILE  --color auto|always|never  --tail N  -v  -V  --run RUN  --state DIR
Exit: 0 all required completed, 1 not, 2 usage or file, 3 cap, 4 waits on a person, 128+n signal";

/// Prints it.
pub fn help(call: &mut Call<'_>, topic: Option<&str>) -> Done {
    let text = match topic {
        Some("file") => config::help_file().to_owned(),
        Some(word) if verbs::find(word).is_none() && subcommand(word).is_some() => {
            subcommand(word).unwrap_or_default()
        }
        topic => verbs::help::topic(topic)
            .map_err(|none| Failed::new(NOT_FOUND, none.to_string()).help(none.help))?,
    };
    call.text(&text)?;
    if !text.ends_with('\n') {
        call.text("\n")?;
    }
    Ok(0)
}

/// The help of a subcommand, with the options that it takes.
pub fn subcommand(word: &str) -> Option<String> {
    let mut cli = Cli::command();
    cli.build();
    let command = cli.find_subcommand(word)?.clone();
    let is_taken = |arg: &clap::Arg| match arg.get_long() {
        Some(long) if arg.is_global_set() => option::takes(word, &format!("--{long}")),
        _ => true,
    };
    Some(
        command
            .mut_args(|arg| {
                let taken = is_taken(&arg);
                arg.hide(!taken)
            })
            .render_help()
            .to_string(),
    )
}
