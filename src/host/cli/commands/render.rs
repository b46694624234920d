//! `mdmem render`

use clap::Args;

/// Print what an agent sees: the pinned memories, and the strongest of the others
///
/// With --at, what it will see or saw at that time, by the files as they are; with --rev, by the files of that
/// commit, at that commit's time.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem render
  mdmem render --at 2026-12-24            what will be left by then
  mdmem render --rev 3f2a91c              what did the agent know then
  mdmem render --json | jq .omitted")]
pub(crate) struct RenderArgs {
    /// At this time instead of now
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<String>,

    /// From this commit's files; its time is taken for now unless --at is given
    #[arg(long, value_name = "REV")]
    pub(crate) rev: Option<String>,
}
