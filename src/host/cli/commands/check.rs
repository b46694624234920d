//! `mdmem check`

use clap::Args;

/// Check every file, and say how to mend what is wrong
///
/// Each finding has its file, line and column. The exit code is 1 when a file is left out of the prompt, or is
/// read-only to tools, because of its form.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem check
  mdmem check decision/use-npm-cache.md
  mdmem check --json | jq -r '.[].path'")]
pub(crate) struct CheckArgs {
    /// Paths, slugs or starts of ids [default: everything]
    #[arg(value_name = "MEMORY")]
    pub(crate) memories: Vec<String>,
}
