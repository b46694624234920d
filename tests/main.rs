//! The one test binary: one link, and one place that knows every test.
//!
//! Each file or folder of tests has its `mod` line here; `tidy` fails when one is forgotten.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    reason = "a test is its own documentation, and may panic"
)]
#![allow(
    clippy::disallowed_methods,
    reason = "a test stands outside: it has a clock, an environment and files"
)]
#![allow(
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "a test may say what it skipped"
)]

mod agents;
mod bad_input;
mod beside_git;
mod claude_code;
mod cli;
mod crash;
mod crowd;
mod documents;
mod editors;
mod env;
mod eval;
mod examples;
mod file_systems;
mod fuzzed;
mod golden;
mod halfway;
mod held;
mod import;
mod init_with;
mod kept_conversations;
mod left_out;
mod mcp;
mod never_waits;
mod opencode;
mod own_folder;
mod packaging;
mod passes;
mod protected;
mod same_bytes;
mod serve;
mod service;
mod spoken;
mod sync;
mod tidy;
mod torture;
mod view;
mod watchers;
