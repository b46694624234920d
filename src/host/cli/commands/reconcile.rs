//! `mdmem reconcile`

use clap::Args;
use serde::Serialize;

use super::learn::tell_pass;
use crate::host::cli::change_report::tell_rest;
use crate::host::cli::ui::{Format, counted};
use crate::host::cli::{CommandError, Context};
use crate::service::{self, Done, FileDifference, ReconcileFigures, Reconciled, Run};
use crate::sys::shown_path;

/// How a pass is taken back.
const TAKE_BACK: &str = "`mdmem undo` takes it back.";

/// Ask a model to find duplicate, long and outdated memories
///
/// The program in `passes.command` gets the active memories. It only proposes: nothing is deleted, memories
/// that a person wrote get suggestions only, no path, number, URL, code span or negation is lost, and at most
/// a tenth of the store changes, in one commit. You are shown the changes and asked first; without a
/// terminal, --yes is needed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem reconcile
  mdmem reconcile --dry-run
  mdmem reconcile --yes")]
pub(crate) struct ReconcileArgs {
    /// Do not ask
    #[arg(short, long, conflicts_with = "dry_run")]
    pub(crate) yes: bool,

    /// Ask the model, but only show the changes
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

pub(crate) fn run(args: &ReconcileArgs, cx: &mut Context) -> Result<(), CommandError> {
    let store = cx.store()?;
    let may_ask = !args.dry_run && !args.yes && cx.ui.is_answered();
    let context = cx.service.clone();
    let asked = service::ask_to_reconcile(&context, &store, Run::dry_if(!args.yes && !may_ask))?;
    if args.yes {
        let done = asked.carry_out(Run::Real)?;
        return tell(&asked.figures, done, cx);
    }
    let preview = asked.carry_out(Run::Dry)?;
    let would_change = !preview.answer.changes.is_empty();
    let is_asked = may_ask && (would_change || !preview.answer.suggestions.is_empty());
    tell(&asked.figures, preview, cx)?;
    if is_asked {
        if !cx.ui.confirms("Make these changes?")? {
            return Ok(cx.ui.notice("nothing was changed")?);
        }
        let changed = asked.carry_out(Run::Real)?.changed;
        tell_rest(&changed, &mut cx.ui)?;
        if changed.outcome.oid().is_some() {
            cx.ui.hint(TAKE_BACK)?;
        }
    } else if !args.dry_run && would_change && cx.ui.format == Format::Text {
        cx.ui
            .hint("`mdmem reconcile --yes` asks the model again and makes the changes.")?;
    }
    Ok(())
}

#[derive(Serialize)]
struct Answer<'a> {
    #[serde(flatten)]
    figures: &'a ReconcileFigures,
    #[serde(flatten)]
    done: Reconciled,
}

fn tell(figures: &ReconcileFigures, done: Done<Reconciled>, cx: &mut Context) -> Result<(), CommandError> {
    let Done { answer, changed, run } = done;
    let answer = Answer {
        figures,
        done: answer,
    };
    let done = Done { answer, changed, run };
    cx.done(&done, |ui| {
        if figures.questions == 0 {
            ui.notice("fewer than two active memories: the model was not asked")?;
            return Ok(String::new());
        }
        let Reconciled { lines, changes, .. } = &done.answer.done;
        if run == Run::Dry {
            for change in changes {
                let side = |bytes: &Option<Vec<u8>>| Some((shown_path(&change.path), bytes.clone()?));
                let diff = FileDifference::of(side(&change.old), side(&change.new)).diff;
                ui.diff(&diff, "")?;
            }
        }
        let memories = counted(figures.memories, "memory");
        let read = format!("read {memories} ({})", counted(figures.questions, "question"));
        tell_pass(lines, run, &read, &figures.asked, ui)?;
        if figures.unanswered > 0 {
            let failed = counted(figures.unanswered, "question");
            ui.warning(&format!("no usable answer to {failed}"))?;
        }
        Ok(TAKE_BACK.to_owned())
    })
}
