//! `mdmem sweep`

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use crate::host::cli::change_report::{print_files, tell_deferred, tell_left_out, tell_unfinished};
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Format, counted};
use crate::host::json::with_outcome;
use crate::service::{self, ChangedFile, CommitOutcome, MassDeletion};

/// Commit what changed while nobody watched
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem sweep
  mdmem sweep --dry-run
  mdmem sweep --yes      also when most of the files are gone")]
pub(crate) struct SweepArgs {
    /// Commit also the deletion of more than 10 files that are more than half of the store
    #[arg(short, long)]
    pub(crate) yes: bool,

    /// Say what would be committed, and commit nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

pub(crate) fn run(args: &SweepArgs, cx: &mut Context) -> Result<(), CommandError> {
    let deletion = if args.yes {
        MassDeletion::Confirmed
    } else {
        MassDeletion::Ask
    };
    let store = cx.store()?;
    let swept = if args.dry_run {
        service::plan_sweep(&store, deletion)?
    } else {
        let swept = service::sweep(&store, deletion)?;
        cx.settle_waiting()?;
        swept
    };
    let sweep = &swept.sweep;
    let files: Vec<ChangedFile> = sweep.changes.iter().map(ChangedFile::from).collect();
    if cx.ui.format == Format::Json {
        let shown = |paths: &[PathBuf]| paths.iter().map(|path| path.to_string_lossy()).collect::<Value>();
        let form = json!({
            "files": files,
            "withheld": shown(&sweep.withheld),
            "staged": shown(&sweep.staged),
        });
        let mut form = with_outcome(form, sweep.commit.as_ref());
        if !sweep.held.is_empty() {
            form["held"] = json!(sweep.held);
        }
        return Ok(cx.ui.json(&form)?);
    }
    print_files(&files, &mut cx.ui)?;
    for notice in &swept.notices {
        cx.ui.notice(notice)?;
    }
    tell_unfinished(swept.unfinished.as_ref(), &mut cx.ui)?;
    match &sweep.commit {
        Some(CommitOutcome::Committed { oid, subject, .. }) => {
            cx.ui.notice(&format!("committed {} {}", oid.short(), subject))?;
        }
        Some(outcome) => tell_deferred(outcome, &mut cx.ui)?,
        None if files.is_empty() => cx.ui.notice("nothing to commit")?,
        None => cx
            .ui
            .notice(&format!("would commit {}", counted(files.len(), "file")))?,
    }
    tell_left_out(sweep, &mut cx.ui)?;
    for path in &sweep.staged {
        let path = path.display();
        cx.ui
            .warning(&format!("{path} is staged by hand: left alone for ten minutes"))?;
    }
    Ok(())
}
