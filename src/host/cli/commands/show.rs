//! `mdmem show`

use clap::Args;

/// Show a memory, now or as it was
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem show use-npm-cache
  mdmem show decision/use-npm-cache.md --body
  mdmem show use-npm-cache@3f2a91c        as it was in that commit
  mdmem show use-npm-cache@yesterday")]
pub(crate) struct ShowArgs {
    /// Path, slug or start of the id; with @REV or @TIME, as it was then
    #[arg(value_name = "MEMORY[@REV]")]
    pub(crate) memory: String,

    /// The body alone, without frontmatter
    #[arg(short, long)]
    pub(crate) body: bool,
}
