//! See `tests/fuzzed/redaction.rs`.

#![no_main]

#[path = "../../tests/fuzzed/redaction.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::run(data));
