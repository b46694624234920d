//! See `tests/fuzzed/summary.rs`.

#![no_main]

#[path = "../../tests/fuzzed/summary.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::run(data));
