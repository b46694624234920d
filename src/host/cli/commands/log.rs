//! `mdmem log`

use clap::Args;

/// Show the history of the store, or of one memory through its renames
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem log -n 5
  mdmem log use-npm-cache
  mdmem log --since \"2 weeks ago\" --json")]
pub(crate) struct LogArgs {
    /// Path, slug or start of the id, of a memory that is there or was; or a folder that ends in `/`
    #[arg(value_name = "MEMORY")]
    pub(crate) memory: Option<String>,

    /// At most N commits
    #[arg(short = 'n', long = "limit", value_name = "N")]
    pub(crate) limit: Option<usize>,

    /// Only commits since this time
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,

    /// Name the files that each commit changed
    #[arg(long)]
    pub(crate) stat: bool,
}
