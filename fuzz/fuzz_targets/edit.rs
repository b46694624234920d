//! See `tests/fuzzed/edit.rs`.

#![no_main]

#[path = "../../tests/fuzzed/edit.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::run(data));
