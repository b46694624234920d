//! `mdmem path`

use clap::Args;

/// Print the path of the store, or of a memory's file
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cd \"$(mdmem path)\"
  vim \"$(mdmem path use-npm-cache)\"
  grep -rl npm \"$(mdmem --global path)\"")]
pub(crate) struct PathArgs {
    /// Path, slug or start of the id
    #[arg(value_name = "MEMORY")]
    pub(crate) memory: Option<String>,
}
