//! `mdmem rm`

use clap::Args;
use serde_json::json;

use crate::host::cli::ask::ask;
use crate::host::cli::change_report::tell_rest;
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Format, shell_word};
use crate::host::json::with_commit;
use crate::model::StorePath;
use crate::service::{self, Folders, Run, ServiceError};

/// The number of paths that a hint repeats.
const MOST_NAMED: usize = 10;

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
            "last_in": removed.last_in.map(|oid| oid.to_string()),
        });
        return Ok(cx.ui.json(&with_commit(form, changed.as_ref()))?);
    }
    let word = if args.dry_run { "would remove" } else { "removed" };
    for path in &removed.paths {
        cx.ui.line(&format!("{word} {}", path.as_str()))?;
    }
    if let Some(changed) = &changed {
        tell_rest(changed, &mut cx.ui)?;
        if let Some(oid) = removed.last_in {
            let paths: Vec<String> = removed
                .paths
                .iter()
                .map(|path| shell_word(path.as_str()))
                .collect();
            let hint = if paths.len() > MOST_NAMED {
                "`mdmem undo` brings them back.".to_owned()
            } else {
                format!(
                    "`mdmem restore {} {}` brings it back.",
                    oid.short(),
                    paths.join(" ")
                )
            };
            cx.ui.hint(&hint)?;
        }
    }
    Ok(())
}
