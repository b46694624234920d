//! Hosts only translate: the command line, the protocol of the OpenCode plugin, the hooks of agents, the Model Context
//! Protocol. No host imports another one. The modules that they share lie beside them: `lines` reads what a program says,
//! `http` lets in who asks over HTTP, `tools` has the tools for a model, `told` the words about a message.

mod cli;
mod hook_event;
mod hooks;
mod http;
mod lines;
mod mcp;
mod opencode;
mod told;
mod tools;
mod view;

use std::io::{BufRead, Write};
use std::process::ExitCode;

use crate::service::{Context, EngineLog};

/// Runs the program and returns its exit code: 0, 1 (failed) or 2 (usage).
pub fn main() -> ExitCode {
    cli::main(cli::Hosts {
        serve: opencode::serve_stdio,
        hook: hooks::answer_stdin,
        mcp: mcp::serve_stdio,
        mcp_http: mcp::serve_http,
        view: view::serve,
    })
}

/// Serves an agent's plugin as `mdmem serve` does, over streams of the caller's, until the plugin ends: each line of
/// `input` that says anything gets one line of `output`. The stores that it opened are watched as long as the process
/// lives.
pub fn serve(
    context: &Context,
    log: &EngineLog,
    input: impl BufRead,
    output: impl Write + Send + 'static,
) -> anyhow::Result<()> {
    opencode::serve_streams(context, log, input, output)
}
