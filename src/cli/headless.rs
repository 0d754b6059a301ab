//! `teamtui --script FILE`: a team file or a script, in a run of its own.
use super::args::{Cli, Format, PrintArgs, RunArgs};
use super::look;
use super::place::{self, Project, Terminal};
use super::signal;
use crate::config::{Finding, has_error};
use crate::domain::RunHeader;
use crate::runtime::{Begin, Owned, OwnerError};
use crate::script::load::{self, Choices, Loaded, Plan};
use crate::script::run::{self, Prints, Steps};
use crate::script::teller;
use crate::server;
use crate::store::{RunDir, RunName};
use std::io::Write;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// Runs the file to its exit code.
pub async fn headless(cli: &Cli, file: &Path, err: &mut dyn Write) -> u8 {
    let terminal = place::terminal(&cli.print);
    let project = match place::project(&cli.at) {
        Ok(project) => project,
        Err(why) => return refuse(err, &why, &[]),
    };
    let choices = match choices(&cli.run, &project.root, true) {
        Ok(choices) => choices,
        Err(why) => return refuse(err, &why, &[]),
    };
    let Loaded { plan, findings } = load::load(file, &choices);
    show(err, &findings, &terminal);
    let Some(plan) = plan.filter(|_| !has_error(&findings)) else { return 2 };
    if let Err(why) = fits(&plan, &cli.run) {
        return refuse(err, &why, &[]);
    }
    if let Err(why) = can_write_junit(&cli.print) {
        return refuse(err, &why, &["name a file that can be written: `--junit FILE`"]);
    }
    let run = match project.dir.new_run() {
        Ok(run) => run,
        Err(error) => return refuse(err, &place::said(error), &[]),
    };
    // A signal that comes while the run is opened ends it as one that comes later.
    let Ok(signals) = signal::signals() else { return refuse(err, "signals cannot be handled here", &[]) };
    let streams = match place::streams() {
        Ok(streams) => streams,
        Err(why) => return refuse(err, &format!("the standard streams cannot be shared: {why}"), &[]),
    };
    let header = header(&run, file, &cli.run);
    let owned = match own(&run, Some(header)).await {
        Ok(owned) => owned,
        Err(error) => return refuse(err, &owner_said(error), &[]),
    };
    let listening = match listening(&owned, &run) {
        Ok(listening) => listening,
        Err(why) => {
            owned.end().await;
            return refuse(err, &format!("the socket of the run cannot be opened: {why}"), &[]);
        }
    };
    let prints = prints(&cli.print, &terminal, &project);
    let rc =
        run::run(owned, &plan, Steps { keep_going: cli.run.keep_going }, &prints, streams, signals).await;
    drop(listening);
    rc
}

/// The JUnit file is written at the end of a run; that it can be is known before anything starts.
pub fn can_write_junit(print: &PrintArgs) -> Result<(), String> {
    let Some(path) = &print.junit else { return Ok(()) };
    let shown = crate::text::sanitise::line(&path.to_string_lossy()).into_owned();
    if path.metadata().is_ok_and(|about| about.file_type().is_fifo()) {
        return Err(format!("cannot write {shown}: it is a pipe, which may wait for ever; give a file"));
    }
    let is_new = std::fs::symlink_metadata(path).is_err();
    let mut options = std::fs::OpenOptions::new();
    let opened = options.append(true).create(true).create_new(is_new).open(path);
    opened.map_err(|error| format!("cannot write {shown}: {error}"))?;
    if is_new {
        // What is left of the trial does no harm.
        let _ = std::fs::remove_file(path);
    }
    Ok(())
}

/// What the command line says of how files are read.
pub fn choices(run: &RunArgs, workspace: &Path, headless: bool) -> Result<Choices, String> {
    let pair = |text: &String| {
        let split = text.split_once('=').map(|(key, value)| (key.trim().to_owned(), value.to_owned()));
        split.ok_or_else(|| format!("`--set {text}` is not K=V"))
    };
    Ok(Choices {
        sets: run.sets.iter().map(pair).collect::<Result<_, _>>()?,
        limits: run.limits.clone(),
        only: run.only.clone(),
        retries: run.retries,
        headless,
        workspace: workspace.to_owned(),
    })
}

fn fits(plan: &Plan, run: &RunArgs) -> Result<(), String> {
    if !run.virtual_time {
        return Ok(());
    }
    match plan {
        Plan::Team(spec) => load::check_virtual(spec),
        Plan::Script(script) => script.teams.values().try_for_each(load::check_virtual),
    }
}

fn header(run: &RunDir, file: &Path, args: &RunArgs) -> RunHeader {
    let number = match run.name() {
        crate::store::RunName::Numbered(number) => Some(number),
        crate::store::RunName::Standing => None,
    };
    RunHeader {
        run: uuid::Uuid::now_v7().to_string(),
        number,
        file: Some(file.to_string_lossy().into_owned().into()),
        headless: true,
        virtual_time: args.virtual_time,
        retries: args.retries,
        fail_fast: args.fail_fast,
    }
}

/// Becomes the owner of a run.
pub async fn own(run: &RunDir, header: Option<RunHeader>) -> Result<Owned, OwnerError> {
    let sockets = server::sockets(run).ok();
    let begin = Begin {
        run: run.clone(),
        header,
        command: place::command_line(),
        socket: sockets.as_ref().map(|s| s.owner.clone()),
        member_socket: sockets.map(|s| s.member),
        exe: place::exe(),
    };
    Owned::begin(begin).await
}

/// Opens the sockets of a run that this process owns.
pub fn listening(owned: &Owned, run: &RunDir) -> std::io::Result<server::Listening> {
    server::listen(&owned.local, &server::sockets(run)?)
}

/// What is printed of a run.
pub fn prints(print: &PrintArgs, terminal: &Terminal, project: &Project) -> Prints {
    let ascii = terminal.ascii;
    let live = terminal.shape.map(|(columns, rows)| crate::script::progress::Shape { columns, rows, ascii });
    let github = std::env::var_os("GITHUB_ACTIONS").is_some_and(|v| v == "true").then(|| {
        let token = uuid::Uuid::new_v4().simple().to_string();
        let summary = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|v| !v.is_empty()).map(Into::into);
        (token.chars().take(16).collect(), summary)
    });
    Prints {
        format: teller::Format {
            ndjson: matches!(print.format, Some(Format::Ndjson | Format::Json)),
            verbose: print.verbose,
            err: terminal.err,
            out: terminal.out,
            live,
            flags: project.flags.clone(),
        },
        junit: print.junit.clone(),
        tail: print.tail.unwrap_or(crate::script::output::TAIL_ROWS),
        flags: project.flags.clone(),
        github,
    }
}

/// Findings on stderr.
pub fn show(err: &mut dyn Write, findings: &[Finding], terminal: &Terminal) {
    for finding in findings {
        // What stderr does not take is not said.
        let _ = write!(err, "{}", finding.text(terminal.err.width));
    }
}

/// `error: ...`, its help, and rc 2: nothing was started.
pub fn refuse(err: &mut dyn Write, why: &str, help: &[&str]) -> u8 {
    // What stderr does not take is not said.
    let _ = writeln!(err, "error: {why}");
    for step in help {
        let _ = writeln!(err, "help: {step}");
    }
    2
}

/// Why the standing run, or a fresh one, cannot be owned, as the text after `error: `.
pub fn owner_said(error: OwnerError) -> String {
    look::unowned(RunName::Standing, error).why
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{OwnerNote, StoreError};

    #[test]
    fn a_run_that_is_owned_is_told_by_its_title_and_a_clock_time() {
        let owner = OwnerNote {
            pid: 4242,
            since_ms: 0,
            socket: None,
            version: "0.1.0".to_owned(),
            command: "teamtui serve".to_owned(),
        };
        let error = StoreError::Owned { path: "/state/standing".into(), owner: Box::new(owner) };
        let said = owner_said(OwnerError::Store(error));
        assert!(said.starts_with("owned: the standing run is owned by process 4242 since "), "{said}");
        assert!(said.ends_with(" (`teamtui serve`)") && !said.contains("/state"), "{said}");
    }
}
