//! `mdmem restore` and `mdmem undo`

use clap::Args;

use crate::host::cli::change_report::print_files;
use crate::host::cli::ui::{Format, counted, minute, shell_word};
use crate::host::cli::{CommandError, Context};
use crate::service::{self, Restored, Run, UndoneChange};

/// Restore memories, or the whole store, as they were
///
/// A memory that was renamed since keeps its present name. A removed memory, without a revision or time,
/// comes back as it last was. A restore is a commit: `mdmem undo` takes it back. Uncommitted changes are
/// committed first. A forgotten memory (`mdmem forget`) is restored only if you name it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem restore use-npm-cache             one memory, as it last was
  mdmem restore 3f2a91c use-npm-cache     one memory, as it was then
  mdmem restore 2026-11-01 decision/      a folder
  mdmem restore yesterday                 the whole store
  mdmem restore --dry-run yesterday       only show what would change")]
pub(crate) struct RestoreArgs {
    /// A revision or time, then memories or folders ending in `/` [default: everything]; or just one memory
    #[arg(value_name = "REV|TIME|MEMORY", required = true)]
    pub(crate) words: Vec<String>,

    /// Do not ask before restoring the whole store
    #[arg(short, long)]
    pub(crate) yes: bool,

    /// Only show what would change
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

pub(crate) fn run(args: &RestoreArgs, cx: &mut Context) -> Result<(), CommandError> {
    let words: Vec<_> = args.words.iter().map(|word| cx.point(word)).collect();
    let store = cx.store()?;
    let what = service::what_to_restore(&store, &words)?;
    let run = Run::dry_if(args.dry_run);
    if what.memories.is_empty() && run == Run::Real {
        confirm(&service::restore(&store, &what, Run::Dry)?.answer, args.yes, cx)?;
    }
    let done = service::restore(&store, &what, run)?;
    let Restored {
        from,
        time,
        files,
        forgotten,
    } = &done.answer;
    cx.done(&done, |ui| {
        print_files(files, ui)?;
        let from = from.short();
        let point = format!("{from} ({})", minute(*time, ui.zone));
        ui.notice(&if files.is_empty() {
            let rest = if forgotten.is_empty() { "" } else { " else" };
            format!("nothing to restore: everything{rest} is as it was at {point}")
        } else {
            let count = counted(files.len(), "file");
            format!("{} {count} to {point}", run.says("restored", "would restore"))
        })?;
        for path in forgotten {
            ui.warning(&format!("not restored: {path} was forgotten for good"))?;
        }
        if let Some(path) = forgotten.first() {
            let path = shell_word(path);
            ui.hint(&format!("`mdmem restore {from} {path}` restores it anyway."))?;
        }
        Ok("`mdmem undo` takes it back.".to_owned())
    })
}

/// Says how many memories change when the whole store goes back, and asks.
fn confirm(plan: &Restored, is_sure: bool, cx: &mut Context) -> Result<(), CommandError> {
    if plan.files.is_empty() {
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
    if cx.ui.confirms(&format!("{what}. Continue?"))? {
        return Ok(());
    }
    let hint = "Nothing was changed. `--yes` restores without asking, `--dry-run` shows the files.";
    Err(CommandError::misused(what).hint(hint))
}

/// Undo the last change, or an older one
///
/// A change is undone line by line: lines that were changed again since stay, and are named. Without REV, a
/// second undo goes one change further back; `--past` skips a change that cannot be undone. An undo is a
/// commit: `mdmem undo REV` of it brings the change back. Uncommitted changes are committed first, and count
/// as the last change; new files stay.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem undo
  mdmem undo --dry-run
  mdmem undo 3f2a91c            undo only that change; if it is an undo, redo it
  mdmem undo --past 3f2a91c     skip that change, and undo the one before it")]
pub(crate) struct UndoArgs {
    /// The change to undo, as `mdmem log` shows it [default: the last one]
    #[arg(value_name = "REV", conflicts_with = "past")]
    pub(crate) revision: Option<String>,

    /// Skip this commit and all that came after it
    #[arg(long, value_name = "REV")]
    pub(crate) past: Option<String>,

    /// Only show what would be undone
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

pub(crate) fn undo(args: &UndoArgs, cx: &mut Context) -> Result<(), CommandError> {
    let run = Run::dry_if(args.dry_run);
    let past = args.past.as_ref().map(|past| cx.point(past));
    let change = match (&args.revision, &past) {
        (Some(revision), _) => UndoneChange::Named(revision),
        (None, Some(past)) => UndoneChange::Before(past),
        (None, None) => UndoneChange::Last,
    };
    let store = cx.store()?;
    let done = service::undo(&cx.service, &store, change, run)?;
    let undone = &done.answer;
    cx.done(&done, |ui| {
        print_files(&undone.files, ui)?;
        if let Some(past) = &past {
            ui.notice(&format!("skipped {}", past.text))?;
        }
        let (word, subject) = (run.says("undid", "would undo"), &undone.subject);
        ui.notice(&match undone.commit {
            Some(commit) => format!("{word} {} {subject}", commit.short()),
            None => format!("{word} uncommitted changes, after committing them: {subject}"),
        })?;
        for left in &undone.left {
            ui.warning(&format!("{}: left as it is", left.why))?;
        }
        let commit = done.changed.outcome.oid();
        Ok(commit.map_or_else(String::new, |commit| {
            format!("`mdmem undo {}` brings it back.", commit.short())
        }))
    })
}
