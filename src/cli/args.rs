//! The command line, as clap reads it. What a subcommand does is in the file of its name.
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Run a team of agents over a graph of tasks.
#[derive(Debug, Default, Parser)]
#[command(name = "teamtui", version, override_help = super::help::OVERVIEW, disable_help_subcommand = true)]
pub struct Cli {
    /// Run a team file or a script, headless.
    #[arg(long, value_name = "FILE")]
    pub script: Option<PathBuf>,
    /// The screen owns the run in this process.
    #[arg(long)]
    pub here: bool,
    /// How a run is run.
    #[command(flatten)]
    pub run: RunArgs,
    /// What is printed.
    #[command(flatten)]
    pub print: PrintArgs,
    /// Where runs are.
    #[command(flatten)]
    pub at: PlaceArgs,
    /// Anything but the screen.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// How a run is run.
#[derive(Debug, Clone, Default, Args)]
pub struct RunArgs {
    /// A variable of the team file.
    #[arg(long = "set", value_name = "K=V", global = true)]
    pub sets: Vec<String>,
    /// A cap: time, money, parallel, hops, pair, grace.
    #[arg(long = "limit", value_name = "K=V", global = true)]
    pub limits: Vec<String>,
    /// Only this task and what it needs.
    #[arg(long, value_name = "TASK", global = true)]
    pub only: Vec<String>,
    /// Retries of every task.
    #[arg(long, value_name = "N", global = true)]
    pub retries: Option<u32>,
    /// At the first failure of a required task nothing new starts.
    #[arg(long, global = true)]
    pub fail_fast: bool,
    /// A refused line of a script does not end it.
    #[arg(long, global = true)]
    pub keep_going: bool,
    /// Time jumps to the next timer when everyone waits.
    #[arg(long, global = true)]
    pub virtual_time: bool,
}

impl RunArgs {
    /// The options that were given.
    pub fn given(&self) -> Vec<&'static str> {
        let all = [
            ("--set", !self.sets.is_empty()),
            ("--limit", !self.limits.is_empty()),
            ("--only", !self.only.is_empty()),
            ("--retries", self.retries.is_some()),
            ("--fail-fast", self.fail_fast),
            ("--keep-going", self.keep_going),
            ("--virtual-time", self.virtual_time),
        ];
        all.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect()
    }
}

/// What is printed.
#[derive(Debug, Clone, Default, Args)]
pub struct PrintArgs {
    /// Of the results.
    #[arg(long, value_enum, value_name = "text|ndjson|json", global = true)]
    pub format: Option<Format>,
    /// Write a JUnit file.
    #[arg(long, value_name = "FILE", global = true)]
    pub junit: Option<PathBuf>,
    /// Colour.
    #[arg(long, value_enum, default_value = "auto", value_name = "auto|always|never", global = true)]
    pub color: Colour,
    /// Rows of output shown of each task that failed.
    #[arg(long, value_name = "N", global = true)]
    pub tail: Option<usize>,
    /// Messages and members' output too.
    #[arg(short, long, global = true)]
    pub verbose: bool,
}

impl PrintArgs {
    /// The options that were given, but for the colour.
    pub fn given(&self) -> Vec<&'static str> {
        let all = [
            ("--format", self.format.is_some()),
            ("--junit", self.junit.is_some()),
            ("--tail", self.tail.is_some()),
            ("--verbose", self.verbose),
        ];
        all.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect()
    }
}

/// Where runs are.
#[derive(Debug, Clone, Default, Args)]
pub struct PlaceArgs {
    /// `standing` or a number.
    #[arg(long, value_name = "RUN", global = true)]
    pub run: Option<String>,
    /// The state directory.
    #[arg(long, value_name = "DIR", global = true)]
    pub state: Option<PathBuf>,
}

impl PlaceArgs {
    /// The options that were given, but for the state directory.
    pub fn given(&self) -> Vec<&'static str> {
        self.run.iter().map(|_| "--run").collect()
    }
}

/// Of the results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Text,
    /// One JSON value a line.
    Ndjson,
    /// The same, for what has one kind of value.
    Json,
}

/// When colour is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Colour {
    /// Where the stream is a terminal, and not with NO_COLOR or TERM=dumb.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Anything but the screen.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Own the standing run; started by the first command that needs it.
    Serve,
    /// Go on with a run that was closed by a cap, a question or a signal.
    Resume {
        /// Its number.
        #[arg(id = "which", value_name = "RUN")]
        run: String,
        /// Try again what failed or is stale.
        #[arg(long)]
        failed: bool,
        /// Answer an open question.
        #[arg(long = "answer", value_name = "NAME=VALUE")]
        answers: Vec<String>,
        /// Accept a task in review, as the person.
        #[arg(long = "approve", value_name = "TASK")]
        approves: Vec<String>,
        /// Return a task in review with feedback, as the person.
        #[arg(long = "send-back", value_name = "TASK=FEEDBACK")]
        sends_back: Vec<String>,
    },
    /// Say all that can be said of a file without running it.
    Lint {
        /// Team files and scripts.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Give one command: a line, or a word an argument.
    Do {
        /// The line, or its words; `-` reads the text from stdin.
        #[arg(required = true, value_name = "WORD", trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<String>,
    },
    /// Show the team and its tasks.
    Status {
        /// Go on showing it until nothing is live.
        #[arg(long)]
        watch: bool,
        /// What the last recovery found and did.
        #[arg(long, conflicts_with = "watch")]
        recovery: bool,
    },
    /// Show what a member, or everyone, did.
    Log {
        /// Whose.
        member: Option<String>,
        /// Go on as it happens.
        #[arg(short, long)]
        follow: bool,
        /// One line a fact, without members' output.
        #[arg(long)]
        plain: bool,
    },
    /// Say why a task is not done.
    Why {
        /// Its name or number.
        task: String,
    },
    /// List the runs of this project, or drop old ones.
    Runs {
        /// Anything but the list.
        #[command(subcommand)]
        what: Option<RunsCommand>,
    },
    /// Print the report of a run.
    Report,
    /// Write a run to one file, or print the commands that were given as a script.
    Export {
        /// The run, unless `--run` says it; the file, `run-N.tar.zst` without it.
        #[arg(value_name = "RUN|FILE", num_args = 0..=2)]
        words: Vec<PathBuf>,
        /// Print the commands as a script.
        #[arg(id = "as_script", long = "script", conflicts_with_all = ["words", "force"])]
        script: bool,
        /// Over a file that is there.
        #[arg(long)]
        force: bool,
    },
    /// Make a read-only run of a file that `export` wrote.
    Import {
        /// The file.
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Prove that a run is what it says it is; nothing is changed.
    Verify {
        /// `standing` or a number.
        #[arg(id = "which", value_name = "RUN")]
        run: String,
    },
    /// Show a run as it stood after one fact.
    Replay {
        /// `standing` or a number.
        #[arg(id = "which", value_name = "RUN")]
        run: String,
        /// The place of the fact in the run.
        #[arg(long, value_name = "SEQ")]
        at: String,
    },
    /// Write a team file that runs.
    Init {
        /// Its name; `team.toml` without it.
        file: Option<PathBuf>,
    },
    /// Explain a command: `teamtui help replan`.
    Help {
        /// A command, or `statuses`, `script`, `exit`, `file`.
        topic: Option<String>,
    },
    /// Print completions for a shell.
    Completions {
        /// Which.
        shell: clap_complete::Shell,
    },
    /// Print the manual page.
    Man,
}

/// What is done with the runs of a project.
#[derive(Debug, Subcommand)]
pub enum RunsCommand {
    /// Drop runs that completed long ago; without `--yes` only say which.
    Prune {
        /// Drop them.
        #[arg(long)]
        yes: bool,
        /// Ended longer ago than this.
        #[arg(long, value_name = "DURATION", default_value = "30d")]
        older: String,
    },
}
