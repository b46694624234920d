//! `mdmem undo`

use clap::Args;

use crate::host::cli::change_report::print_files;
use crate::host::cli::context::Context;
use crate::host::cli::report::CommandError;
use crate::service::{self, Run, UndoneChange};

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

pub(crate) fn run(args: &UndoArgs, cx: &mut Context) -> Result<(), CommandError> {
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
