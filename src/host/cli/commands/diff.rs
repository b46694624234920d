//! `mdmem diff`

use clap::Args;

use crate::host::cli::context::Context;
use crate::host::cli::report::CommandError;
use crate::service;

/// Show what changed between two commits or times, or since the last commit
///
/// Without arguments: what is saved and not committed yet. With one revision or time: from then to the files as they
/// are. With two: from the first to the second.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem diff
  mdmem diff yesterday
  mdmem diff \"2 weeks ago\"
  mdmem diff 3f2a91c 9b01d4e
  mdmem diff 3f2a91c -- use-npm-cache")]
pub(crate) struct DiffArgs {
    /// Revisions or times (at most two), then memories
    #[arg(value_name = "REV|TIME|MEMORY")]
    pub(crate) words: Vec<String>,

    /// Memories, or folders that end in `/`
    #[arg(value_name = "MEMORY", last = true)]
    pub(crate) memories: Vec<String>,
}

pub(crate) fn run(args: &DiffArgs, cx: &mut Context) -> Result<(), CommandError> {
    let words: Vec<_> = args.words.iter().map(|word| cx.point(word)).collect();
    let store = cx.store()?;
    let differences = service::diff(&store, &words, &args.memories)?;
    cx.page(&store)?;
    cx.answer(&differences, |ui| {
        let mut files = differences.files.iter();
        files.try_for_each(|file| ui.diff(&file.diff, ""))
    })
}
