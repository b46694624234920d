//! The command line, through the real binary.

mod diag;
mod reading;
mod streams;
mod watching;
mod writing;
