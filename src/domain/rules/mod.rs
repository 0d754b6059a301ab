//! The rules of the domain (R1 to R35), a file per chapter, each told as: these facts, this command, these events.
//!
//! Every command given to a `Trial` is audited besides: see `audit`.
mod attempt;
pub(super) mod audit;
mod budget;
mod dissolve;
mod drive;
mod graph;
mod limit;
mod mailbox;
mod model;
mod name;
mod pace;
mod property;
mod question;
mod recovery;
mod replan;
mod review;
mod several_team;
mod status;
mod turn;
mod wait;
