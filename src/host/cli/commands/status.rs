//! `mdmem status`

use clap::Args;

/// Show the store: where it is, what is not committed, what needs attention
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem status
  mdmem status --json | jq .uncommitted")]
pub(crate) struct StatusArgs {}
