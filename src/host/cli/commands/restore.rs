//! `mdmem restore`

use clap::Args;
use serde_json::json;

use crate::host::cli::ask::ask;
use crate::host::cli::change_report::{print_files, tell_rest, tell_unchanged};
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Format, counted, minute, shell_word};
use crate::host::json::{with_commit, with_left_out};
use crate::service::{self, ChangedFile, Restored, Run};

/// Bring memories, or the whole store, back as they were
///
/// A memory that was renamed since gets its old text under its present name. One memory without a revision or a time comes
/// back as it last was. Restoring is itself a commit: `mdmem undo` takes it back. Uncommitted changes are committed
/// first. What was forgotten for good (`mdmem forget`) comes back by its own name alone.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem restore use-npm-cache             one memory, as it last was
  mdmem restore 3f2a91c use-npm-cache     one memory, as it was then
  mdmem restore 2026-11-01 decision/      a folder
  mdmem restore yesterday                 the whole store
  mdmem restore --dry-run yesterday       only show it")]
pub(crate) struct RestoreArgs {
    /// A revision or a time, then memories, or folders that end in `/` [default: everything]; or one memory alone
    #[arg(value_name = "REV|TIME|MEMORY", required = true)]
    pub(crate) words: Vec<String>,

    /// Restore the whole store without a question
    #[arg(short, long)]
    pub(crate) yes: bool,

    /// Say what would change, and change nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

pub(crate) fn run(args: &RestoreArgs, cx: &mut Context) -> Result<(), CommandError> {
    let words: Vec<_> = args.words.iter().map(|word| cx.point(word)).collect();
    let store = cx.store()?;
    let what = service::what_to_restore(&store, &words)?;
    if what.memories.is_empty() && !args.dry_run {
        let (plan, _) = service::restore(&store, &what, Run::Dry)?;
        confirm(&plan, args.yes, cx)?;
    }
    let run = if args.dry_run { Run::Dry } else { Run::Real };
    let (restored, changed) = service::restore(&store, &what, run)?;
    let files: Vec<ChangedFile> = restored.changes.iter().map(ChangedFile::from).collect();
    if cx.ui.format == Format::Json {
        let forgotten = restored.forgotten.iter().map(|path| path.to_string_lossy());
        let form = json!({
            "from": restored.from.to_string(),
            "from_time": restored.time.to_rfc3339(),
            "files": files,
            "forgotten": forgotten.collect::<Vec<_>>(),
        });
        let form = with_left_out(form, &restored.left_out);
        return Ok(cx.ui.json(&with_commit(form, changed.as_ref()))?);
    }
    print_files(&files, &mut cx.ui)?;
    let when = minute(restored.time, cx.ui.zone);
    let from = format!("{} ({when})", restored.from.short());
    let count = counted(files.len(), "file");
    let summary = match (files.is_empty(), args.dry_run) {
        (true, _) if !restored.forgotten.is_empty() => format!("everything else is as it was at {from}"),
        (true, _) => format!("everything is as it was at {from}"),
        (false, true) => format!("would restore {count} to {from}"),
        (false, false) => format!("restored {count} to {from}"),
    };
    cx.ui.notice(&summary)?;
    for path in &restored.forgotten {
        cx.ui.warning(&format!(
            "{} was forgotten for good, and stays away",
            path.display()
        ))?;
    }
    if let Some(path) = restored.forgotten.first() {
        let (from, path) = (restored.from.short(), shell_word(&path.to_string_lossy()));
        cx.ui.hint(&format!(
            "`mdmem restore {from} {path}` brings it back all the same."
        ))?;
    }
    tell_unchanged(&restored.left_out, &mut cx.ui)?;
    if let Some(changed) = &changed {
        tell_rest(changed, &mut cx.ui)?;
        if changed.outcome.oid().is_some() {
            cx.ui.hint("`mdmem undo` takes it back.")?;
        }
    }
    Ok(())
}

/// Says how many memories change when the whole store goes back, and asks.
fn confirm(plan: &Restored, is_sure: bool, cx: &mut Context) -> Result<(), CommandError> {
    if plan.changes.is_empty() {
        return Ok(());
    }
    let (from, when) = (plan.from.short(), minute(plan.time, cx.ui.zone));
    let count = counted(plan.memories(), "memory");
    let what = format!("restoring the whole store to {from} ({when}) changes {count}");
    if is_sure {
        return match cx.ui.format {
            Format::Text => Ok(cx.ui.notice(&what)?),
            Format::Json => Ok(()),
        };
    }
    let answer = ask(&format!("{what}: go on? [y/N]"), &mut cx.ui)?;
    if answer.is_some_and(|answer| ["y", "yes"].contains(&answer.to_lowercase().as_str())) {
        return Ok(());
    }
    let hint = "Nothing was changed. `--yes` does it without a question, `--dry-run` shows the files.";
    Err(CommandError::misused(what).hint(hint))
}
