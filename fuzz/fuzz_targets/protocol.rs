//! See `tests/fuzzed/protocol.rs`.

#![no_main]

#[path = "../../tests/fuzzed/protocol.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::run(data));
