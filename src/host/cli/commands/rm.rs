//! `mdmem rm`

use clap::Args;
use serde_json::json;

use crate::host::cli::ask::ask;
use crate::host::cli::change_report::tell_rest;
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Format, shell_word};
use crate::host::json::with_commit;
use crate::model::{Oid, StorePath};
use crate::service::{self, CommitOutcome, Folders, Run, ServiceError};

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
    pub(crate) memories: Vec<String>,

    /// Remove every memory below a folder that is named; on a terminal, mdmem asks without it
    #[arg(short, long)]
    pub(crate) recursive: bool,

    /// Say what would be removed, and remove nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

pub(crate) fn run(args: &RmArgs, cx: &mut Context) -> Result<(), CommandError> {
    let run = if args.dry_run { Run::Dry } else { Run::Real };
    let store = cx.store()?;
    let mut folders = if args.recursive {
        Folders::Taken
    } else {
        Folders::Refused
    };
    let (removed, changed) = loop {
        match service::remove(&store, &args.memories, folders, run) {
            Err(error @ ServiceError::IsFolder { .. }) if folders == Folders::Refused => {
                let answer = ask(&format!("{error}: remove them all? [y/N]"), &mut cx.ui)?;
                if !answer.is_some_and(|answer| ["y", "yes"].contains(&answer.to_lowercase().as_str())) {
                    return Err(error.into());
                }
                folders = Folders::Taken;
            }
            done => break done?,
        }
    };
    if cx.ui.format == Format::Json {
        let form = json!({
            "removed": removed.paths.iter().map(StorePath::as_str).collect::<Vec<_>>(),
            "kept": removed.kept.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>(),
            "last_in": removed.last_in.map(|oid| oid.to_string()),
        });
        return Ok(cx.ui.json(&with_commit(form, changed.as_ref()))?);
    }
    let word = if args.dry_run { "would remove" } else { "removed" };
    for path in cx.ui.first_of(&removed.paths) {
        cx.ui.line(&format!("{word} {}", path.as_str()))?;
    }
    cx.ui.tell_more(&removed.paths)?;
    for copy in &removed.kept {
        cx.ui
            .notice(&format!("both versions of the text are in {}", copy.display()))?;
    }
    if let Some(changed) = &changed {
        tell_rest(changed, &mut cx.ui)?;
        // A text that was never committed is in its copy alone.
        if let Some(oid) = removed
            .last_in
            .filter(|_| changed.outcome != CommitOutcome::Nothing)
        {
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
