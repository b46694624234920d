//! The command line, through the real binary.

mod reading;
mod streams;
mod watching;
mod writing;
