//! `mdmem reconcile`

use clap::Args;
use serde::Serialize;

use crate::host::cli::change_report::tell_rest;
use crate::host::cli::context::Context;
use crate::host::cli::report::CommandError;
use crate::host::cli::ui::{Format, counted};
use crate::model::StorePath;
use crate::service::{
    self, Changed, Done, FileDifference, ReconcileFigures, Reconciled, ReconciledLine, Reconciliation, Run,
};
use crate::sys::shown_path;

/// Ask a model which memories are one, too long, or out of date
///
/// The program of `passes.command` gets the memories in force. It only proposes: nothing is deleted, what a person wrote
/// is at most suggested, no path, number, URL, code span or negation is lost, and a tenth of the store may change at
/// most, in one commit. You see the changes before they are made; without a terminal they are made with --yes alone.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem reconcile
  mdmem reconcile --dry-run
  mdmem reconcile --yes")]
pub(crate) struct ReconcileArgs {
    /// Make the changes that the rules allow
    #[arg(short, long, conflicts_with = "dry_run")]
    pub(crate) yes: bool,

    /// Ask, show the changes, and make none
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

pub(crate) fn run(args: &ReconcileArgs, cx: &mut Context) -> Result<(), CommandError> {
    let store = cx.store()?;
    let may_ask = !args.dry_run && !args.yes && cx.ui.is_answered();
    let run = if args.yes || may_ask { Run::Real } else { Run::Dry };
    let context = cx.service.clone();
    let asked = service::ask_to_reconcile(&context, &store, run)?;
    if args.yes {
        let (done, changed) = asked.carry_out()?;
        return tell(&asked, &done, Some(&changed), cx);
    }
    let preview = asked.preview()?;
    tell(&asked, &preview, None, cx)?;
    if may_ask && !(preview.changes.is_empty() && preview.suggestions.is_empty()) {
        if cx.ui.confirms("Make these changes?")? {
            let (_, changed) = asked.carry_out()?;
            return tell_commit(&changed, cx);
        }
        return Ok(cx.ui.notice("nothing was changed")?);
    }
    if !may_ask && !args.dry_run && !preview.changes.is_empty() && cx.ui.format == Format::Text {
        cx.ui
            .hint("`mdmem reconcile --yes` asks again, and makes the changes.")?;
    }
    Ok(())
}

#[derive(Serialize)]
struct Answer<'a> {
    #[serde(flatten)]
    figures: &'a ReconcileFigures,
    #[serde(flatten)]
    done: &'a Reconciled,
}

fn tell(
    asked: &Reconciliation<'_>,
    done: &Reconciled,
    changed: Option<&Changed>,
    cx: &mut Context,
) -> Result<(), CommandError> {
    if cx.ui.format == Format::Json {
        let answer = Answer {
            figures: &asked.figures,
            done,
        };
        let run = Run::dry_if(changed.is_none());
        let changed = changed.cloned().unwrap_or_default();
        return Ok(cx.ui.json(&Done { answer, changed, run })?);
    }
    if asked.figures.questions == 0 {
        return Ok(cx
            .ui
            .notice("fewer than two memories are in force: nobody was asked")?);
    }
    for line in &done.lines {
        cx.ui.line(&shown(line, changed.is_none()))?;
    }
    if changed.is_none() {
        for change in &done.changes {
            let side = |bytes: &Option<Vec<u8>>| Some((shown_path(&change.path), bytes.clone()?));
            let diff = FileDifference::of(side(&change.old), side(&change.new)).diff;
            cx.ui.diff(&diff, "")?;
        }
    }
    let ReconcileFigures {
        memories,
        questions,
        unanswered,
        unread,
        ..
    } = asked.figures;
    let (memories, questions) = (counted(memories, "memory"), counted(questions, "question"));
    cx.ui.notice(&format!(
        "{memories} read in {questions}: {} characters to the model, {} from it",
        asked.figures.chars_in, asked.figures.chars_out
    ))?;
    if unanswered > 0 {
        let failed = counted(unanswered, "question");
        cx.ui
            .warning(&format!("{failed} got no answer that can be used"))?;
    }
    if unread > 0 {
        let unread = counted(unread, "operation");
        cx.ui
            .notice(&format!("{unread} behind the first 200 of an answer not read"))?;
    }
    if let Some(changed) = changed {
        if !done.suggestions.is_empty() {
            cx.ui.hint("`mdmem suggestions` shows what is suggested.")?;
        }
        return tell_commit(changed, cx);
    }
    Ok(())
}

fn tell_commit(changed: &Changed, cx: &mut Context) -> Result<(), CommandError> {
    tell_rest(changed, &mut cx.ui)?;
    if changed.outcome.oid().is_some() {
        cx.ui.hint("`mdmem undo` takes it back.")?;
    }
    Ok(())
}

fn shown(line: &ReconciledLine, is_dry: bool) -> String {
    let would = if is_dry { "would be " } else { "" };
    let why = line
        .reason
        .map_or_else(String::new, |reason| format!(" ({reason})"));
    let paths: Vec<&str> = line.paths.iter().map(StorePath::as_str).collect();
    let paths = paths.join(", ");
    let text = if line.text.is_empty() {
        String::new()
    } else {
        format!(": {}", line.text)
    };
    format!("{would}{}{why} {paths}{text}", line.outcome)
}
