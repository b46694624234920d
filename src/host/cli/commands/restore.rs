//! `mdmem restore`

use clap::Args;

/// Bring memories, or the whole store, back as they were
///
/// Restoring is itself a commit: `mdmem undo` takes it back. What was not committed yet is committed first.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem restore 3f2a91c use-npm-cache     one memory
  mdmem restore yesterday                 the whole store
  mdmem restore 2026-11-01 decision/      a folder
  mdmem restore --dry-run yesterday       only show it")]
pub(crate) struct RestoreArgs {
    /// A commit, or a time
    #[arg(value_name = "REV|TIME")]
    pub(crate) point: String,

    /// Memories, or folders that end in `/` [default: everything]
    #[arg(value_name = "MEMORY")]
    pub(crate) memories: Vec<String>,

    /// Say what would change, and change nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}
