//! `mdmem rm`

use clap::Args;

use crate::host::cli::context::Context;
use crate::host::cli::report::CommandError;
use crate::host::cli::ui::shell_word;
use crate::model::Oid;
use crate::service::{self, Removed, Run};

/// Remove memories
///
/// Git keeps them: `mdmem undo`, or the command that is named, brings them back.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem rm use-npm-cache
  mdmem rm -r decision/                     every memory below a folder
  mdmem rm --dry-run old-port mem_01K9ZQ")]
pub(crate) struct RmArgs {
    /// Paths, slugs, titles, aliases or starts of ids; with -r folders too
    #[arg(value_name = "MEMORY", required = true)]
    memories: Vec<String>,

    /// Remove every memory below a folder that is named
    #[arg(short, long)]
    recursive: bool,

    /// Say what would be removed, and remove nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
}

pub(crate) fn run(args: &RmArgs, cx: &mut Context) -> Result<(), CommandError> {
    let store = cx.store()?;
    let run = Run::dry_if(args.dry_run);
    let done = service::remove(&store, &args.memories, args.recursive, run)?;
    let Removed { paths, last_in } = &done.answer;
    cx.done(&done, |ui| {
        for path in ui.first_of(paths) {
            ui.line(&format!("{} {path}", run.says("removed", "would remove")))?;
        }
        ui.tell_more(paths)?;
        let command = restoring(*last_in, paths);
        Ok(format!(
            "{} brings it back.",
            command.as_deref().unwrap_or("`mdmem undo`")
        ))
    })
}

/// The command that brings these paths back as they were in a commit; `None` where they are too many to be named.
pub(super) fn restoring<P: AsRef<std::path::Path>>(last_in: Option<Oid>, paths: &[P]) -> Option<String> {
    const MOST: usize = 10;
    let last_in = last_in.filter(|_| paths.len() <= MOST)?.short();
    let paths: Vec<String> = paths.iter().map(|path| shell_word(path.as_ref())).collect();
    Some(format!("`mdmem restore {last_in} {}`", paths.join(" ")))
}
