//! The command line, through the real binary.

mod completions;
mod diag;
mod editing;
mod examples;
mod hostile;
mod linking;
mod links;
mod names;
mod reading;
mod readme;
mod search;
mod session;
mod settling;
mod stores;
mod streams;
mod taking_back;
mod terminal;
mod vault;
mod watching;
mod writing;
