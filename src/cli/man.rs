//! `teamtui man`: the manual page.
use super::args::Cli;
use super::call::{Call, Done, Failed};
use clap::CommandFactory;

/// Prints it, for `man -l -`.
pub fn man(call: &mut Call<'_>) -> Done {
    let mut page = Vec::new();
    let made = clap_mangen::Man::new(Cli::command()).render(&mut page);
    made.map_err(|e| Failed::usage(format!("the manual page could not be made: {e}")))?;
    call.bytes(&page)?;
    Ok(0)
}
