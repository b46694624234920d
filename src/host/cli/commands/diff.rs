//! `mdmem diff`

use std::io;

use clap::Args;
use serde_json::json;

use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Color, Format, Side, Ui, unified_diff};
use crate::service::{self, DiffSide, FileDifference};

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
    if cx.ui.format == Format::Json {
        return Ok(cx.ui.json(&json!({
            "from": differences.from,
            "to": differences.to,
            "files": differences.files.iter().map(file_json).collect::<Vec<_>>(),
        }))?);
    }
    cx.page(&store)?;
    Ok(print_differences(&differences.files, &mut cx.ui)?)
}

/// The changes of files, line by line.
pub(super) fn print_differences(files: &[FileDifference], ui: &mut Ui) -> io::Result<()> {
    for (old, new) in files.iter().map(both) {
        for line in unified_diff(old, new, ui.color) {
            ui.out.text(&format!("{line}\n"))?;
        }
    }
    Ok(())
}

fn both(file: &FileDifference) -> (Side<'_>, Side<'_>) {
    (side(&file.old), side(&file.new))
}

fn side(side: &DiffSide) -> Side<'_> {
    side.as_ref()
        .map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
}

fn file_json(file: &FileDifference) -> serde_json::Value {
    let (old, new) = both(file);
    let diff = unified_diff(old, new, Color::Off).join("\n");
    let from = old.map(|(path, _)| path).filter(|before| *before != file.path());
    json!({ "change": file.kind(), "path": file.path(), "from": from, "diff": format!("{diff}\n") })
}
