//! `teamtui` runs a team of agents over a graph of tasks, from a terminal or headless.
//!
//! # The one idea
//!
//! A team is a log of facts. Everything that happened is an event ([`domain::Event`]), committed before anyone sees it.
//! The team's state is a fold over its events. Everything anyone may ask (a key, a script line, an agent's call) is a
//! command ([`domain::Command`]). Between the two stands one pure function.
//!
//! ```text
//!             command                        event                     effect
//!  key ────┐            ┌─────────────┐                ┌────────────┐            ┌──────────────┐
//!  script ─┼──────────► │   decide    │ ─────────────► │   commit   │ ─────────► │    react     │──► start or stop a
//!  member ─┤            │ (pure, may  │                │ (one redb  │   publish  │ (pure, asks  │    member, deliver
//!  socket ─┘            │   refuse)   │                │transaction)│ ──┐        │ for effects) │    mail, set a timer
//!                       └─────────────┘                └────────────┘   │        └──────────────┘
//!                              ▲                                        ▼                │
//!                              │                                  screen, report,        │
//!                              └───────── new commands ◄────────  event stream ◄─────────┘
//! ```
//!
//! To follow one command through the house: a line is parsed by [`verbs`], asked of the owner through a
//! [`runtime::Handle`], decided by [`domain::decide()`], committed by [`store`], folded into
//! [`domain::State`], published to whoever subscribed, and [`domain::react()`] says what must now be done
//! to the world; [`agent`] does it, and what comes of it is the next command.
//!
//! - **Architecture invariant:** nothing is answered or published before it is committed. kill -9 at any instant loses
//!   nothing that was acknowledged: the state is the fold of the log.
//! - **Architecture invariant:** the screen, the headless report, the event stream and a replay are folds of the same
//!   events. There is no second copy of the truth.
//! - **Architecture invariant:** an event carries what was decided, so replaying it decides nothing again.
//! - **Architecture invariant:** one process owns a store and is its single writer. The standing run of a project is owned
//!   by `teamtui serve`; the screen is a client, and closing it ends no work. `--script` and `--here` own theirs.
//! - **Architecture invariant:** live bytes (a member's output) are never facts. They decide nothing and are kept beside
//!   the log; a fact only marks how many of them are safe.
//! - **Architecture invariant:** a subscriber gets every fact once, in order, without gaps, and never holds up the owner.
//! - **Architecture invariant:** a write of an attempt shows the attempt's token; a token of an attempt that has ended, or
//!   that was fenced, is refused.
//!
//! # The house
//!
//! One crate, one room a folder. A room names only rooms that are drawn beneath it.
//!
//! ```text
//!                 main, cli            parse, pick a mode, exit code; one file a subcommand
//!          ┌──────────┼──────────┐
//!       server     script      term    the owner's sockets; headless runs; the only code that touches the terminal
//!          │          │       ┌──┴──┐
//!          │          │       │     ui     render only: a model in, cells out
//!          │          │       │     │
//!          │          │       │    app     PURE: the screen's model, keys, focus, layout
//!          └──────┬───┴───────┘     │
//!              runtime              │  the engine (single writer), handles, feeds, clock, recovery
//!          ┌──────┴──────┐          │
//!        store         agent        │  redb, one file a run; whoever sits in a member's chair
//!          │             │          │
//!          │           config       │  files to typed teams, errors as path:line:col
//!          │             └─────┬────┘
//!          │                 verbs     PURE: the one table of commands, its parser, help, completion
//!          └─────────┬─────────┘
//!                 domain               PURE: names, tasks, commands, events, decide, evolve, react, views
//!              ┌─────┴─────┐
//!            text        graph         PURE: untrusted text made harmless, width, wrap; DAG, cycle, rail
//! ```
//!
//! Rooms beneath [`runtime`] reach the world through the traits of [`domain::port`], which `runtime` implements and hands
//! in. `tests/architecture` reads the sources as text and fails where this picture is not true.
//!
//! - **Architecture invariant:** [`text`], [`graph`], [`domain`], [`verbs`] and [`app`] know no tokio, file, clock, thread,
//!   randomness or environment, no map without an order, no float: time, ids and randomness are arguments, so a seed
//!   replays on every build. `app` may know the types of keys and rectangles.
//! - **Architecture invariant:** only [`store`] opens redb. Only [`term`] writes to the terminal. Only the reports of
//!   [`script`] and [`cli`] write to standard output and error, through a writer handed in.
//! - **Architecture invariant:** whatever a model, a command, a file name or a task says is [`text::Untrusted`]; only
//!   [`text::sanitise`] turns it into cells, lines or prompts. Never a byte of it reaches a terminal raw.
//! - **Architecture invariant:** every process of an attempt descends from a guard ([`agent::guard`]) that ends them all
//!   when the owner is gone, however it went.
//! - **Architecture invariant:** no path is made from a name. Files are named by number or by hash.
//! - **Architecture invariant:** everything has a limit, named with its reason ([`domain::limits`] and the `limit` of a
//!   room), and says what happens at it.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::string_slice))]

/// A place at which the proofs can end the process; nothing at all without the feature `failpoints`.
macro_rules! failpoint {
    ($name:literal) => {
        #[cfg(feature = "failpoints")]
        $crate::failpoint::reach($name);
    };
}

/// A step on the disk that the tests want to know of; nothing at all without them.
macro_rules! disk_step {
    ($($step:tt)*) => {
        #[cfg(test)]
        $crate::power::note(|| {
            #[allow(unused_imports, reason = "a step names only what it needs")]
            use $crate::power::{Step::*, number};
            $($step)*
        });
    };
}

pub mod agent;
pub mod app;
pub mod cli;
pub mod config;
pub mod domain;
#[cfg(feature = "failpoints")]
mod failpoint;
pub mod graph;
#[cfg(test)]
mod power;
pub mod runtime;
pub mod script;
pub mod server;
pub mod store;
pub mod term;
pub mod text;
pub mod ui;
pub mod verbs;
