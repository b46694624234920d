//! `mdmem sweep`

use clap::Args;

use crate::host::cli::change_report::{print_files, tell_deferred, tell_left_out, tell_unfinished};
use crate::host::cli::ui::counted;
use crate::host::cli::{CommandError, Context};
use crate::service::{self, CommitOutcome, MassDeletion};

/// Commit changes that were made while no watcher ran
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem sweep
  mdmem sweep --dry-run
  mdmem sweep --yes      even if most files were deleted")]
pub(crate) struct SweepArgs {
    /// Also commit the deletion of more than half of the store (and over 10 files)
    #[arg(short, long)]
    pub(crate) yes: bool,

    /// Only show what would be committed
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
    cx.answer(&swept, |ui| {
        print_files(&swept.files, ui)?;
        for notice in &swept.notices {
            ui.notice(notice)?;
        }
        tell_unfinished(swept.unfinished.as_ref(), ui)?;
        match &swept.sweep.commit {
            Some(CommitOutcome::Committed { oid, subject, .. }) => {
                ui.notice(&format!("committed {} {}", oid.short(), subject))?;
            }
            Some(outcome) => tell_deferred(outcome, ui)?,
            None if swept.files.is_empty() => ui.notice("nothing to commit")?,
            None => ui.notice(&format!("would commit {}", counted(swept.files.len(), "file")))?,
        }
        tell_left_out(&swept.sweep, ui)?;
        for path in &swept.sweep.staged {
            let path = path.display();
            ui.warning(&format!(
                "{path} is staged: mdmem commits it in ten minutes, unless you do before"
            ))?;
        }
        Ok(())
    })
}
