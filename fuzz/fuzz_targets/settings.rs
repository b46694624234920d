//! See `tests/fuzzed/settings.rs`.

#![no_main]

#[path = "../../tests/fuzzed/settings.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::run(data));
