//! `mdmem undo`

use clap::Args;

/// Take back the last change
///
/// Again goes one further; --redo takes the last undo back. An undo is itself a commit, so that nothing is lost.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem undo
  mdmem undo --dry-run
  mdmem undo --redo")]
pub(crate) struct UndoArgs {
    /// Take back the last undo
    #[arg(long)]
    pub(crate) redo: bool,

    /// Say what would be taken back, and change nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}
