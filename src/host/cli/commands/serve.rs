//! `mdmem serve`, `mdmem hook` and `mdmem mcp`: what agents start.

use std::path::PathBuf;

use clap::Args;

use crate::host::cli::context::Context;
use crate::host::cli::report::CommandError;
use crate::host::hook_event::HookEvent;
use crate::sys::survive;

/// Answer an agent's plugin: JSON lines on standard input and output
///
/// Started by the plugin that `mdmem init --with opencode` writes, once for each workspace; not meant for people.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  echo '{\"id\":1,\"method\":\"hello\",\"params\":{\"protocol\":1}}' | mdmem serve")]
pub(crate) struct ServeArgs {}

pub(crate) fn run(_: &ServeArgs, cx: &mut Context) -> Result<(), CommandError> {
    (cx.hosts.serve)(&cx.service, &cx.log).map_err(CommandError::failed)
}

/// Answer an agent's hook: the event as JSON on standard input
///
/// Started by the hooks that `mdmem init --with claude-code` writes, once for each event; not meant for people. Its
/// exit code is 0 whatever happens: trouble costs the memory of that turn, never the turn, and is in `.mdmem/log`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  echo '{\"session_id\":\"s\",\"source\":\"startup\"}' | mdmem hook session-start")]
pub(crate) struct HookArgs {
    /// The event
    #[arg(value_enum, value_name = "EVENT")]
    event: HookEvent,
}

pub(crate) fn hook(args: &HookArgs, cx: &mut Context) -> Result<(), CommandError> {
    let answered = survive(|| (cx.hosts.hook)(&cx.service, &cx.log, args.event));
    if let Ok(Some(answer)) = answered {
        cx.ui.out.text(&answer)?;
    }
    Ok(())
}

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

pub(crate) fn mcp(args: &McpArgs, cx: &mut Context) -> Result<(), CommandError> {
    (cx.hosts.mcp)(&cx.service, &cx.log, args.workspace.as_deref()).map_err(CommandError::failed)
}
