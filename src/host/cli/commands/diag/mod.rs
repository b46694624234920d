//! `mdmem diag`: the questions about what was decided, one file each.

mod event_view;
mod events;
mod explain;
mod health;
mod revert;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use self::events::EventsArgs;
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::service::diag::{COMMAND, LAST};

/// Ask what was decided about memories, and why
///
/// Every decision is recorded on this machine, in the store's .mdmem/evidence.jsonl, for 90 days; texts in it are
/// redacted and cut short. Things that are not recorded may have happened all the same.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem diag explain use-npm-cache
  mdmem diag events --type rejected --reason progress_snapshot
  mdmem diag health --json")]
pub(crate) struct DiagArgs {
    #[command(subcommand)]
    pub(crate) question: DiagQuestion,
}

/// The questions. Those that are hidden are older names: `events` with a filter set.
#[derive(Debug, Subcommand)]
pub(crate) enum DiagQuestion {
    #[command(alias = "missing")]
    Explain(explain::ExplainArgs),
    Events(EventsArgs),
    #[command(alias = "status")]
    Health(health::HealthArgs),
    Revert(revert::RevertArgs),
    #[command(hide = true, mut_arg("kinds", |arg| arg.default_value("rejected")))]
    Rejected(EventsArgs),
    #[command(hide = true, mut_arg("kinds", |arg| arg.default_value(COMMAND)))]
    Commands(EventsArgs),
    #[command(hide = true, mut_arg("count", |arg| arg.default_value("true")))]
    Quality(EventsArgs),
    #[command(hide = true, mut_arg("session", |arg| arg.short(None).long(None).default_value(LAST)))]
    Trace(EventsArgs),
}

pub(crate) fn run(args: &DiagArgs, cx: &mut Context) -> Result<ExitCode, CommandError> {
    match &args.question {
        DiagQuestion::Explain(args) => explain::run(args, cx)?,
        DiagQuestion::Health(args) => return health::run(args, cx),
        DiagQuestion::Revert(args) => revert::run(args, cx)?,
        DiagQuestion::Events(args)
        | DiagQuestion::Rejected(args)
        | DiagQuestion::Commands(args)
        | DiagQuestion::Quality(args)
        | DiagQuestion::Trace(args) => events::run(args, cx)?,
    }
    Ok(ExitCode::SUCCESS)
}
