//! What agents and git start: `mdmem serve`, `mdmem hook`, `mdmem mcp` and `mdmem merge-driver`

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::host::cli::context::Context;
use crate::host::cli::report::CommandError;
use crate::host::hook_event::HookEvent;
use crate::service::{self, FileMerge, MERGE_CONFLICT, MergeFiles, MergeRule};
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

/// Merge one file for git
///
/// git runs this for a file that both sides changed (`merge=mdmem` in the attributes of the store). Each key is merged by
/// its own rule, the text line by line; the result takes the place of OURS. Where both sides changed the same lines, the
/// later text stays in a `git merge` or `git pull`, and the next command that writes keeps the other one beside it
/// (`mdmem conflicts`). In a rebase or a cherry-pick both stand between git's markers, and the exit code is 3. After any
/// other failure OURS is as it was.
#[derive(Debug, Args)]
pub(crate) struct MergeDriverArgs {
    /// Merge the list of what was forgotten (`merge=mdmem-forgotten`): a set of lines
    #[arg(long)]
    pub(crate) forgotten: bool,
    /// The version that both sides began with (%O)
    pub(crate) base: PathBuf,
    /// Our version, and the result (%A)
    pub(crate) ours: PathBuf,
    /// Their version (%B)
    pub(crate) theirs: PathBuf,
    /// The path of the file in the store (%P)
    pub(crate) path: PathBuf,
}

pub(crate) fn merge_driver(args: &MergeDriverArgs, cx: &mut Context) -> Result<(), CommandError> {
    let files = MergeFiles {
        base: args.base.clone(),
        ours: args.ours.clone(),
        theirs: args.theirs.clone(),
        path: args.path.clone(),
        rule: if args.forgotten {
            MergeRule::Forgotten
        } else {
            MergeRule::Memory
        },
    };
    if service::merge_file(&cx.service, &files)? == FileMerge::Conflict {
        cx.exit = ExitCode::from(MERGE_CONFLICT);
    }
    Ok(())
}
