//! `mdmem render`

use clap::Args;
use serde::Serialize;

use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::Format;
use crate::host::cli::when;
use crate::service::{self, PromptFate, PromptRequest, RenderedPrompt};

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
    /// What it saw, or will see, at this time
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<String>,

    /// From this commit's files; its time is taken for now unless --at is given
    #[arg(long, value_name = "REV")]
    pub(crate) rev: Option<String>,
}

pub(crate) fn run(args: &RenderArgs, cx: &mut Context) -> Result<(), CommandError> {
    let now = cx.now();
    let request = PromptRequest {
        at: args
            .at
            .as_deref()
            .map(|text| when::parse(text, now))
            .transpose()?,
        rev: args.rev.as_deref().map(|text| when::point(text, now)),
    };
    let prompt = service::render_prompt(&cx.service, &request)?;
    if cx.ui.format() == Format::Json {
        return Ok(cx.ui.json(&PromptJson::from(&prompt))?);
    }
    if prompt.text.is_empty() {
        return Ok(());
    }
    Ok(cx.ui.text_of_file(format!("{}\n", prompt.text).as_bytes())?)
}

#[derive(Serialize)]
struct PromptJson<'a> {
    prompt: &'a str,
    hash: &'a str,
    at: String,
    chars: usize,
    rendered: Vec<FateJson<'a>>,
    omitted: Vec<FateJson<'a>>,
}

#[derive(Serialize)]
struct FateJson<'a> {
    id: &'a str,
    path: &'a str,
    scope: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
}

impl<'a> From<&'a PromptFate> for FateJson<'a> {
    fn from(fate: &'a PromptFate) -> Self {
        Self {
            id: fate.id.as_str(),
            path: fate.path.as_str(),
            scope: fate.scope.as_str(),
            reason: fate.omitted,
        }
    }
}

impl<'a> From<&'a RenderedPrompt> for PromptJson<'a> {
    fn from(prompt: &'a RenderedPrompt) -> Self {
        let (rendered, omitted) = prompt
            .fates
            .iter()
            .map(FateJson::from)
            .partition(|fate| fate.reason.is_none());
        Self {
            prompt: &prompt.text,
            hash: &prompt.hash,
            at: prompt.now.to_rfc3339(),
            chars: prompt.text.chars().count(),
            rendered,
            omitted,
        }
    }
}
