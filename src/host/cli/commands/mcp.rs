//! `mdmem mcp`

use std::path::PathBuf;

use clap::Args;

use crate::host::cli::context::Context;
use crate::host::cli::report::CommandError;

/// Serve an agent that speaks the Model Context Protocol, on standard input and output
///
/// Started by the agent: its settings name this command. The workspace is the agent's (its roots), else DIR, else the
/// present folder.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  claude mcp add mdmem -- mdmem mcp
  mdmem mcp --workspace ~/projects/site")]
pub(crate) struct McpArgs {
    /// Work for the workspace of DIR, whatever the agent says
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
}

pub(crate) fn run(args: &McpArgs, cx: &mut Context) -> Result<(), CommandError> {
    (cx.hosts.mcp)(&cx.service, &cx.log, args.workspace.as_deref()).map_err(CommandError::failed)
}
