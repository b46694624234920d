//! See `tests/fuzzed/requests.rs`.

#![no_main]

#[path = "../../tests/fuzzed/requests.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::run(data));
