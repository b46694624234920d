//! `mdmem mv`

use clap::Args;

/// Move or rename a memory
///
/// The first folder decides how a memory is shown: system/ pins it, archive/ keeps it out of the prompt, a type's
/// folder changes its type. A TO that ends in `/` keeps the file's name.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem mv use-npm-cache system/            pin it
  mdmem mv old-port archive/                keep it out of the prompt
  mdmem mv use-npm-cache decision/npm.md")]
pub(crate) struct MvArgs {
    /// Path, slug or start of the id
    #[arg(value_name = "MEMORY")]
    pub(crate) memory: String,

    /// A path below the store, or a folder that ends in `/`
    #[arg(value_name = "TO")]
    pub(crate) to: String,

    /// Say what would be moved, and move nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}
