//! See `tests/fuzzed/shell.rs`.

#![no_main]

#[path = "../../tests/fuzzed/shell.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::run(data));
