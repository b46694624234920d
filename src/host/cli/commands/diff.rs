//! `mdmem diff`

use clap::Args;

/// Show what changed between two commits or times, or since the last commit
///
/// Without arguments: what is saved and not committed yet. With one revision or time: from then to the files as they
/// are. With two: from the first to the second.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem diff
  mdmem diff yesterday
  mdmem diff 3f2a91c 9b01d4e
  mdmem diff 3f2a91c -- use-npm-cache")]
pub(crate) struct DiffArgs {
    /// Revisions or times (at most two), then memories
    #[arg(value_name = "REV|TIME|MEMORY")]
    pub(crate) words: Vec<String>,

    /// Memories, or folders that end in `/`
    #[arg(value_name = "MEMORY", last = true)]
    pub(crate) memories: Vec<String>,
}
