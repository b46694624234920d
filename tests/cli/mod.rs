//! The command line, through the real binary.

mod completions;
mod dry_runs;
mod examples;
mod going_back;
mod health;
mod help;
mod hostile;
mod linking;
mod links;
#[cfg(feature = "semantic")]
mod meaning;
pub(crate) mod names;
mod promoting;
mod readme;
mod search;
mod session;
mod settling;
mod stale;
mod stores;
mod stories;
mod streams;
mod taking_back;
mod taking_back_one;
mod taking_back_saves;
mod terminal;
mod vault;
mod watching;
mod writing;
