//! `mdmem view`

use std::path::PathBuf;

use clap::Args;

use crate::host::cli::context::Context;
use crate::host::cli::report::CommandError;
use crate::host::cli::ui::counted;
use crate::service;

/// Write the memories as pages for a browser
///
/// Memories with their strengths and histories, and the prompt: pages for reading, without anything from the
/// network. Files with a suspected secret stay behind, and so does the global store unless --global is given.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem view --export site                 write the pages into the folder site
  mdmem view --export site --global        with those of the global store")]
pub(crate) struct ViewArgs {
    /// Write pages for reading into this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) export: PathBuf,

    /// Write into a folder that has other files
    #[arg(long, requires = "export")]
    pub(crate) force: bool,
}

pub(crate) fn run(args: &ViewArgs, cx: &mut Context) -> Result<(), CommandError> {
    let done = service::export_view(&cx.service, &args.export, args.force)?;
    cx.answer(&done, |ui| {
        let behind = match done.left_behind {
            0 => String::new(),
            left => format!("; held back: {} with a suspected secret", counted(left, "memory")),
        };
        let (memories, files) = (counted(done.memories, "memory"), counted(done.files, "file"));
        ui.notice(&format!("exported {memories} into {files}{behind}"))?;
        ui.hint(&format!("Open {} in a browser.", done.first.display()))
    })
}
