//! The command line, through the real binary.

mod diag;
mod hostile;
mod reading;
mod streams;
mod watching;
mod writing;
