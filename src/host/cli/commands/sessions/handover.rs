//! `mdmem sessions handover`

use clap::Args;
use serde_json::json;

use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::Format;
use crate::service;

/// Have the next new session begin with the work of this one
///
/// In the place of the last session's, however long ago that was: todos, goal, open errors, decisions and files, in at
/// most 300 characters. Prints them.
#[derive(Debug, Args)]
pub(crate) struct HandoverArgs {
    /// The host's id of the session, or the beginning of the hash that `mdmem context` shows
    #[arg(value_name = "ID")]
    session: String,
}

pub(crate) fn run(args: &HandoverArgs, cx: &mut Context) -> Result<(), CommandError> {
    let store = cx.store()?;
    let handed = service::hand_over(&cx.service, &store, &args.session)?;
    if cx.ui.format == Format::Json {
        return Ok(cx
            .ui
            .json(&json!({ "session": handed.session, "text": handed.text }))?);
    }
    cx.ui
        .notice("the next new session of this workspace begins with:")?;
    handed.text.lines().try_for_each(|line| cx.ui.line(line))?;
    Ok(())
}
