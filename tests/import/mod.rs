//! `mdmem import`, through the real binary.

mod bad_input;
mod peer;
mod report;
mod same_prompt;
mod session_files;
