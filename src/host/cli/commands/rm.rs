//! `mdmem rm`

use clap::Args;

use crate::host::cli::change_report::tell_rest;
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Format, shell_word};
use crate::host::json::with_commit;
use crate::model::{Oid, StorePath};
use crate::service::{self, Run};

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
    let (removed, changed) =
        service::remove(&store, &args.memories, args.recursive, Run::dry_if(args.dry_run))?;
    if cx.ui.format == Format::Json {
        return Ok(cx.ui.json(&with_commit(&removed, changed.as_ref()))?);
    }
    let word = if args.dry_run { "would remove" } else { "removed" };
    for path in cx.ui.first_of(&removed.paths) {
        cx.ui.line(&format!("{word} {path}"))?;
    }
    cx.ui.tell_more(&removed.paths)?;
    if let Some(changed) = &changed {
        tell_rest(changed, &mut cx.ui)?;
        if let Some(oid) = removed.last_in {
            let paths = removed.paths.iter().map(StorePath::as_str);
            let command = restoring(oid, paths).unwrap_or_else(|| "`mdmem undo`".to_owned());
            cx.ui.hint(&format!("{command} brings it back."))?;
        }
    }
    Ok(())
}

/// The command that brings these paths back as they were in a commit; `None` where they are too many to be named.
pub(super) fn restoring<'p>(oid: Oid, paths: impl Iterator<Item = &'p str>) -> Option<String> {
    const MOST: usize = 10;
    let paths: Vec<String> = paths.take(MOST + 1).map(shell_word).collect();
    (paths.len() <= MOST).then(|| format!("`mdmem restore {} {}`", oid.short(), paths.join(" ")))
}
