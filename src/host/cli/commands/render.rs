//! `mdmem render`

use clap::Args;
use serde::Serialize;

use crate::host::cli::{CommandError, Context};
use crate::model::Timestamp;
use crate::service::{self, PromptFate, PromptRequest};

/// Print what an agent sees: pinned memories, then the strongest
///
/// With --at in the past: what an agent saw then. With --at in the future: what it will see if nothing
/// changes. With --rev: from the files of that commit, at its time unless --at is given.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem render
  mdmem render --at 2026-12-24            what will an agent see then
  mdmem render --rev 3f2a91c              what did an agent see then
  mdmem render --json | jq .omitted")]
pub(crate) struct RenderArgs {
    /// At this time, past or future, instead of now
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<String>,

    /// From the files of this commit, at its time unless --at is given
    #[arg(long, value_name = "REV")]
    pub(crate) rev: Option<String>,
}

#[derive(Serialize)]
struct Rendered<'a> {
    prompt: &'a str,
    hash: String,
    at: Timestamp,
    chars: usize,
    #[serde(rename = "rendered")]
    shown: Vec<&'a PromptFate>,
    omitted: Vec<&'a PromptFate>,
}

pub(crate) fn run(args: &RenderArgs, cx: &mut Context) -> Result<(), CommandError> {
    let request = PromptRequest {
        at: cx.time(args.at.as_deref())?,
        rev: args.rev.as_deref().map(|text| cx.point(text)),
        for_readers: false,
    };
    let prompt = service::render_prompt(&cx.service, &request)?;
    let (omitted, shown) = prompt.fates.iter().partition(|fate| fate.omitted.is_some());
    let answer = Rendered {
        prompt: &prompt.text,
        hash: prompt.hash(),
        at: prompt.now,
        chars: prompt.text.chars().count(),
        shown,
        omitted,
    };
    cx.answer(&answer, |ui| match prompt.text.as_str() {
        "" => Ok(()),
        text => ui.text_of_file(format!("{text}\n").as_bytes()),
    })
}
