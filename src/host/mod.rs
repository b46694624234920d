//! Hosts only translate: the command line, and the protocol of the OpenCode plugin. No host imports another one. The
//! modules that they share lie beside them: `json` has the forms that any of them shows, `tools` the tools for a model,
//! `errors` the kinds of errors and their hints.

mod cli;
mod errors;
mod json;
mod opencode;
mod tools;
mod words;

use std::process::ExitCode;

/// Runs the program and returns its exit code: 0, 1 (failed) or 2 (usage).
pub fn main() -> ExitCode {
    cli::main(opencode::serve_stdio)
}
