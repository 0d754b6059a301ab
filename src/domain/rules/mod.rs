//! The rules of the domain (R1 to R35), a file per chapter, each told as: these facts, this command, these events.
//!
//! Every command given to a `Trial` is audited besides: see `audit`.
mod attempt;
pub(super) mod audit;
mod dissolve;
mod graph;
mod mailbox;
mod name;
mod replan;
mod review;
mod status;
