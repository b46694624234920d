//! `mdmem diag revert`

use clap::Args;
use serde::Serialize;

use super::event_json::EventJson;
use super::event_line::event_line;
use crate::host::cli::change_report::tell_rest;
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Format, harmless_line, shell_word};
use crate::host::json::CommitJson;
use crate::model::StorePath;
use crate::service::ServiceError;
use crate::service::diag::{self, Reverted};

/// Take back a numbered replacement: the old memory is in force again
///
/// The memory that a summary replaced (REPLACE [M3] …) becomes active, and the one that was made to replace it is
/// superseded by it, in one commit; only while both are as the replacement left them. Without --yes, only says what it would do; without
/// WHICH, lists the replacements on record.
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
    let Some(which) = &args.which else {
        return list(&diag::replacements(&store)?, cx);
    };
    let reverted = if args.yes {
        diag::revert(&store, "cli", which)?
    } else {
        diag::plan_revert(&store, which)?
    };
    if cx.ui.format() == Format::Json {
        return Ok(cx.ui.json(&RevertedJson::from(&reverted))?);
    }
    let color = cx.ui.color();
    let Some((old, new)) = ready(&reverted) else {
        return Err(ServiceError::NotAsReplaced {
            event: reverted.event.event.id,
            changed: reverted.differs,
        }
        .into());
    };
    cx.ui.line(&event_line(&reverted.event, color))?;
    let will = if args.yes { "is" } else { "would be" };
    cx.ui.line(&format!("{old} {will} in force again"))?;
    if reverted.new_stays {
        cx.ui.line(&format!("{new} stays: it was there before"))?;
    } else {
        cx.ui.line(&format!("{new} {will} superseded by it"))?;
    }
    if let Some(changed) = &reverted.changed {
        tell_rest(changed, &mut cx.ui)?;
        cx.ui.hint("`mdmem undo` takes it back.")?;
    } else {
        let which = shell_word(which);
        cx.ui
            .hint(&format!("`mdmem diag revert {which} --yes` does it."))?;
    }
    Ok(())
}

/// The two memories, while nothing is in the way.
fn ready(reverted: &Reverted) -> Option<(String, String)> {
    let (old, new) = (reverted.old.as_ref()?, reverted.new.as_ref()?);
    let shown = |path: &StorePath| harmless_line(path.as_str());
    reverted.differs.is_empty().then(|| (shown(old), shown(new)))
}

fn list(replacements: &[Reverted], cx: &mut Context) -> Result<(), CommandError> {
    if cx.ui.format() == Format::Json {
        let replacements: Vec<RevertedJson<'_>> = replacements.iter().map(RevertedJson::from).collect();
        return Ok(cx.ui.json(&replacements)?);
    }
    let color = cx.ui.color();
    for reverted in replacements {
        cx.ui.line(&event_line(&reverted.event, color))?;
        let id = harmless_line(&reverted.event.event.id);
        let line = if reverted.differs.is_empty() {
            format!("  {id}: can be taken back")
        } else {
            format!(
                "  {id}: cannot be taken back: {}",
                harmless_line(&reverted.differs.join("; "))
            )
        };
        cx.ui.line(&line)?;
    }
    if replacements.is_empty() {
        cx.ui.notice("no replacements are on record")?;
    }
    Ok(())
}

#[derive(Serialize)]
struct RevertedJson<'a> {
    event: EventJson<'a>,
    replaced: Option<&'a str>,
    replacement: Option<&'a str>,
    replacement_stays: bool,
    can_revert: bool,
    differs: &'a [String],
    #[serde(flatten)]
    commit: CommitJson,
}

impl<'a> From<&'a Reverted> for RevertedJson<'a> {
    fn from(reverted: &'a Reverted) -> Self {
        Self {
            event: EventJson::from(&reverted.event),
            replaced: reverted.old.as_ref().map(StorePath::as_str),
            replacement: reverted.new.as_ref().map(StorePath::as_str),
            replacement_stays: reverted.new_stays,
            can_revert: reverted.differs.is_empty(),
            differs: &reverted.differs,
            commit: CommitJson::of(reverted.changed.as_ref()),
        }
    }
}
