//! See `tests/fuzzed/paths.rs`.

#![no_main]

#[path = "../../tests/fuzzed/paths.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::run(data));
