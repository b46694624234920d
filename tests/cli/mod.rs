//! The command line, through the real binary.

mod diag;
mod editing;
mod hostile;
mod linking;
mod links;
mod names;
mod reading;
mod search;
mod settling;
mod stores;
mod streams;
mod taking_back;
mod terminal;
mod vault;
mod watching;
mod writing;
