//! `mdmem watch`

use clap::Args;

/// Commit what is saved, as it is saved, and keep MEMORY.md up to date
///
/// Prints one line for each commit. First, what changed while nobody watched is committed. The store is created where
/// there is none. Ends with Ctrl-C.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem watch
  mdmem watch --json     one JSON object a line for each commit
  mdmem -C ~/src/app watch")]
pub(crate) struct WatchArgs {}
