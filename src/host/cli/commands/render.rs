//! `mdmem render`

use clap::Args;
use serde_json::json;

use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::Format;
use crate::service::{self, PromptFate, PromptRequest};

/// Print what an agent sees: the pinned memories, and the strongest of the others
///
/// With --at in the past, what it saw then: by the files, the history and the time of then. With --at in the future,
/// what it will see if nothing changes. With --rev, by the files of that commit, at that commit's time unless --at
/// says another.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem render
  mdmem render --at 2026-12-24            what will be left by then
  mdmem render --rev 3f2a91c              what did the agent know then
  mdmem render --json | jq .omitted")]
pub(crate) struct RenderArgs {
    /// The prompt as it was, or will be, at this time
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<String>,

    /// From this commit's files; its time is taken for now unless --at is given
    #[arg(long, value_name = "REV")]
    pub(crate) rev: Option<String>,
}

pub(crate) fn run(args: &RenderArgs, cx: &mut Context) -> Result<(), CommandError> {
    let request = PromptRequest {
        at: cx.time(args.at.as_deref())?,
        rev: args.rev.as_deref().map(|text| cx.point(text)),
    };
    let prompt = service::render_prompt(&cx.service, &request)?;
    if cx.ui.format == Format::Json {
        let (omitted, rendered): (Vec<_>, Vec<_>) =
            prompt.fates.iter().partition(|fate| fate.omitted.is_some());
        return Ok(cx.ui.json(&json!({
            "prompt": prompt.text,
            "hash": prompt.hash(),
            "at": prompt.now.to_rfc3339(),
            "chars": prompt.text.chars().count(),
            "rendered": rendered.into_iter().map(fate_json).collect::<Vec<_>>(),
            "omitted": omitted.into_iter().map(fate_json).collect::<Vec<_>>(),
        }))?);
    }
    if prompt.text.is_empty() {
        return Ok(());
    }
    Ok(cx.ui.text_of_file(format!("{}\n", prompt.text).as_bytes())?)
}

fn fate_json(fate: &PromptFate) -> serde_json::Value {
    let mut form =
        json!({ "id": fate.id.as_str(), "path": fate.path.as_str(), "scope": fate.scope.as_str() });
    if let Some(reason) = fate.omitted {
        form["reason"] = reason.into();
    }
    form
}
