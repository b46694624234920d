//! See `tests/fuzzed/document.rs`.

#![no_main]

#[path = "../../tests/fuzzed/document.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::run(data));
