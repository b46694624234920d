//! `mdmem diag`: the questions about what was decided, one file each.

mod commands;
mod event_json;
mod event_line;
mod explain;
mod health;
mod missing;
mod quality;
mod rejected;
mod revert;
mod rows;
mod status;
mod trace;

use clap::{Args, Subcommand};

use super::Outcome;
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;

/// Ask what was decided about memories, and why
///
/// Every decision is recorded on this machine, in the store's .mdmem/evidence.jsonl, for 90 days; texts in it are
/// redacted and cut short. What is not recorded may have happened all the same.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem diag status
  mdmem diag rejected --reason progress_snapshot
  mdmem diag explain use-npm-cache
  mdmem diag health --json")]
pub(crate) struct DiagArgs {
    #[command(subcommand)]
    pub(crate) question: DiagQuestion,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DiagQuestion {
    Status(status::StatusArgs),
    Rejected(rejected::RejectedArgs),
    Missing(missing::MissingArgs),
    Explain(explain::ExplainArgs),
    Health(health::HealthArgs),
    Commands(commands::CommandsArgs),
    Quality(quality::QualityArgs),
    Trace(trace::TraceArgs),
    Revert(revert::RevertArgs),
}

pub(crate) fn run(args: &DiagArgs, cx: &mut Context) -> Result<Outcome, CommandError> {
    match &args.question {
        DiagQuestion::Status(args) => status::run(args, cx)?,
        DiagQuestion::Rejected(args) => rejected::run(args, cx)?,
        DiagQuestion::Missing(args) => missing::run(args, cx)?,
        DiagQuestion::Explain(args) => explain::run(args, cx)?,
        DiagQuestion::Health(args) => return health::run(args, cx),
        DiagQuestion::Commands(args) => commands::run(args, cx)?,
        DiagQuestion::Quality(args) => quality::run(args, cx)?,
        DiagQuestion::Trace(args) => trace::run(args, cx)?,
        DiagQuestion::Revert(args) => revert::run(args, cx)?,
    }
    Ok(Outcome::Done)
}
