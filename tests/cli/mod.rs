//! The command line, through the real binary.

mod diag;
mod hostile;
mod reading;
mod search;
mod streams;
mod taking_back;
mod watching;
mod writing;
