//! `mdmem tidy`

use clap::Args;

/// Settle the duplicates that people wrote
///
/// Two memories that say the same become one, by the rules by which `add` does it. Without --yes, only says what it
/// would do.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem tidy             what would be done
  mdmem tidy --yes       do it")]
pub(crate) struct TidyArgs {
    /// Do it
    #[arg(short, long, conflicts_with = "dry_run")]
    pub(crate) yes: bool,

    /// Only say what would be done (the default)
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}
