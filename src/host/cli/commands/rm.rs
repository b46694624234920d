//! `mdmem rm`

use clap::Args;

/// Remove memories
///
/// Git keeps them: `mdmem undo`, or the command that is named, brings them back.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem rm use-npm-cache
  mdmem rm --dry-run old-port mem_01K9ZQ")]
pub(crate) struct RmArgs {
    /// Paths, slugs or starts of ids
    #[arg(value_name = "MEMORY", required = true)]
    pub(crate) memories: Vec<String>,

    /// Say what would be removed, and remove nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}
