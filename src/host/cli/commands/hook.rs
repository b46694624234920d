//! `mdmem hook`

use clap::Args;

use crate::host::cli::context::Context;
use crate::host::cli::report::CommandError;
use crate::host::hook_event::HookEvent;
use crate::sys::survive;

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

pub(crate) fn run(args: &HookArgs, cx: &mut Context) -> Result<(), CommandError> {
    let answered = survive(|| (cx.hosts.hook)(&cx.service, &cx.log, args.event));
    if let Ok(Some(answer)) = answered {
        cx.ui.out.text(&answer)?;
    }
    Ok(())
}
