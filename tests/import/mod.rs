//! `mdmem import` and `mdmem export`, through the real binary.

mod bad_input;
mod export;
mod forms;
mod kept;
mod peer;
mod report;
mod round_trip;
mod same_prompt;
mod scope;
