//! `mdmem sweep`

use clap::Args;

/// Commit what changed while nobody watched
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem sweep
  mdmem sweep --dry-run
  mdmem sweep --yes      also when most of the files are gone")]
pub(crate) struct SweepArgs {
    /// Commit also the deletion of more than 10 files that are more than half of the store
    #[arg(short, long)]
    pub(crate) yes: bool,

    /// Say what would be committed, and commit nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}
