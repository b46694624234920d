//! `mdmem accept`

use clap::Args;

use crate::host::cli::change_report::tell_rest;
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::Format;
use crate::host::json::with_commit;
use crate::service::{self, Run};

use super::diag::suggestions::{show, suggestion_json};

/// Make a change that a model suggested
///
/// A model changes nothing that a person wrote: it suggests. `mdmem diag suggestions` lists what waits, with numbers.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem accept 1
  mdmem accept 1 --dry-run")]
pub(crate) struct AcceptArgs {
    /// The number of the suggestion
    #[arg(value_name = "N")]
    pub(crate) number: u32,

    /// Say what would be changed, and change nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

pub(crate) fn run(args: &AcceptArgs, cx: &mut Context) -> Result<(), CommandError> {
    let store = cx.store()?;
    let run = if args.dry_run { Run::Dry } else { Run::Real };
    let (suggestion, changed) = service::accept(&store, args.number, run)?;
    if cx.ui.format == Format::Json {
        return Ok(cx
            .ui
            .json(&with_commit(suggestion_json(&suggestion), changed.as_ref()))?);
    }
    show(&suggestion, cx)?;
    if let Some(changed) = &changed {
        tell_rest(changed, &mut cx.ui)?;
    }
    Ok(())
}
