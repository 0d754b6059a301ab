//! `teamtui` runs a team of agents over a graph of tasks.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::string_slice))]

pub mod agent;
pub mod app;
pub mod cli;
pub mod config;
pub mod domain;
pub mod graph;
pub mod runtime;
pub mod script;
pub mod server;
pub mod store;
pub mod term;
pub mod text;
pub mod ui;
pub mod verbs;
