//! `mdmem restore` and `mdmem undo`

use clap::Args;

use crate::host::cli::change_report::print_files;
use crate::host::cli::context::Context;
use crate::host::cli::report::CommandError;
use crate::host::cli::ui::{Format, counted, minute, shell_word};
use crate::service::{self, Restored, Run, UndoneChange};

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
            format!("everything{rest} is as it was at {point}")
        } else {
            let count = counted(files.len(), "file");
            format!("{} {count} to {point}", run.says("restored", "would restore"))
        })?;
        for path in forgotten {
            ui.warning(&format!("{path} was forgotten for good, and stays away"))?;
        }
        if let Some(path) = forgotten.first() {
            let path = shell_word(path);
            ui.hint(&format!(
                "`mdmem restore {from} {path}` brings it back all the same."
            ))?;
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
    if cx.ui.confirms(&format!("{what}: go on?"))? {
        return Ok(());
    }
    let hint = "Nothing was changed. `--yes` does it without a question, `--dry-run` shows the files.";
    Err(CommandError::misused(what).hint(hint))
}

/// Take back the last change, or an older one
///
/// A change is taken back line by line: what was changed again since stays, and is named. Without a revision, again goes
/// one further; where nothing of a change can be taken back, `--past` leaves it. An undo is itself a commit, so
/// that `mdmem undo REV` of it brings everything back. What was saved and not committed yet is committed first; it is
/// then the last change, but new files stay.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem undo
  mdmem undo --dry-run
  mdmem undo 3f2a91c            take back that change alone; of an undo, bring it back
  mdmem undo --past 3f2a91c     leave that change, and take back the one before it")]
pub(crate) struct UndoArgs {
    /// The revision of a change, as `mdmem log` shows it [default: the last change]
    #[arg(value_name = "REV", conflicts_with = "past")]
    pub(crate) revision: Option<String>,

    /// Step past a commit and all that came after it
    #[arg(long, value_name = "REV")]
    pub(crate) past: Option<String>,

    /// Say what would be taken back, and change nothing
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
            ui.notice(&format!("stepped past {}, which stays as it is", past.text))?;
        }
        let (word, subject) = (run.says("undid", "would undo"), &undone.subject);
        ui.notice(&match undone.commit {
            Some(commit) => format!("{word} {} {subject}", commit.short()),
            None => format!("{word} what is not committed yet, after committing it: {subject}"),
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
