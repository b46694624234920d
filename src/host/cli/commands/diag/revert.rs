//! `mdmem diag revert`

use clap::Args;
use serde_json::{Value, json};

use super::event_view::{event_json, event_line};
use crate::host::cli::change_report::tell_rest;
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Format, shell_word};
use crate::host::json::with_commit;
use crate::model::StorePath;
use crate::service::diag::{self, Places, Reverted};
use crate::service::{Changed, Run};

/// Take back a numbered replacement: the old memory is in force again
///
/// The memory that a summary replaced (REPLACE [M3] …) becomes active, and the one that was made to replace it is
/// superseded by it, in one commit; only while both are as the replacement left them. Without --yes, only says what it
/// would do; without WHICH, lists the replacements on record.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem diag revert                    the replacements on record
  mdmem diag revert M3                 what would be done
  mdmem diag revert use-npm-cache --yes")]
pub(crate) struct RevertArgs {
    /// The start of the event's id, the number of the last such one (M3), or one of the two memories
    #[arg(value_name = "WHICH")]
    pub(crate) which: Option<String>,

    /// Do it
    #[arg(short, long, conflicts_with = "dry_run", requires = "which")]
    pub(crate) yes: bool,

    /// Only say what would be done (the default)
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

pub(crate) fn run(args: &RevertArgs, cx: &mut Context) -> Result<(), CommandError> {
    let store = cx.store()?;
    let places = Places::read(&store)?;
    let Some(which) = &args.which else {
        return list(&diag::replacements(&store)?, &places, cx);
    };
    let run = if args.yes { Run::Real } else { Run::Dry };
    let (reverted, changed) = diag::revert(&store, "cli", which, run)?;
    let (old, new) = reverted.ready()?;
    if cx.ui.format == Format::Json {
        return Ok(cx.ui.json(&json(&reverted, &places, changed.as_ref()))?);
    }
    let (old, new) = (old.as_str(), new.as_str());
    let color = cx.ui.color;
    cx.ui
        .line(&event_line(&reverted.event, &places, color, cx.ui.zone))?;
    let will = if args.yes { "is" } else { "would be" };
    cx.ui.line(&format!("{old} {will} in force again"))?;
    if reverted.new_stays {
        cx.ui.line(&format!("{new} stays: it was there before"))?;
    } else {
        cx.ui.line(&format!("{new} {will} superseded by it"))?;
    }
    if let Some(changed) = &changed {
        tell_rest(changed, &mut cx.ui)?;
        return Ok(cx.ui.hint("`mdmem undo` takes it back.")?);
    }
    let which = shell_word(which);
    Ok(cx
        .ui
        .hint(&format!("`mdmem diag revert {which} --yes` does it."))?)
}

fn list(replacements: &[Reverted], places: &Places, cx: &mut Context) -> Result<(), CommandError> {
    if cx.ui.format == Format::Json {
        let replacements: Vec<Value> = replacements
            .iter()
            .map(|reverted| json(reverted, places, None))
            .collect();
        return Ok(cx.ui.json(&replacements)?);
    }
    if replacements.is_empty() {
        return Ok(cx.ui.notice("no replacements are on record")?);
    }
    let color = cx.ui.color;
    for reverted in replacements {
        cx.ui
            .line(&event_line(&reverted.event, places, color, cx.ui.zone))?;
        let id = &reverted.event.id;
        let why = reverted.differs.join("; ");
        cx.ui.line(&if why.is_empty() {
            format!("  {id}: can be taken back")
        } else {
            format!("  {id}: cannot be taken back: {why}")
        })?;
    }
    Ok(())
}

fn json(reverted: &Reverted, places: &Places, changed: Option<&Changed>) -> Value {
    let form = json!({
        "event": event_json(&reverted.event, places),
        "replaced": reverted.old.as_ref().map(StorePath::as_str),
        "replacement": reverted.new.as_ref().map(StorePath::as_str),
        "replacement_stays": reverted.new_stays,
        "can_revert": reverted.differs.is_empty(),
        "differs": reverted.differs,
        "held": [],
    });
    with_commit(form, changed)
}
