//! `mdmem diag suggestions`

use clap::Args;
use serde_json::{Value, json};

use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Format, minute};
use crate::service::{self, DiffLineKind, Suggestion, line_diff};

/// The changes of your memories that a model suggests
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem diag suggestions
  mdmem diag suggestions --dismiss 2")]
pub(crate) struct SuggestionsArgs {
    /// Dismiss this one: it is not made again
    #[arg(long, value_name = "N")]
    pub(crate) dismiss: Option<u32>,
}

pub(super) fn run(args: &SuggestionsArgs, cx: &mut Context) -> Result<(), CommandError> {
    let store = cx.store()?;
    if let Some(number) = args.dismiss {
        let dismissed = service::dismiss(&store, number)?;
        if cx.ui.format == Format::Json {
            return Ok(cx.ui.json(&suggestion_json(&dismissed))?);
        }
        return Ok(cx
            .ui
            .line(&format!("dismissed {number}, about {}", dismissed.path))?);
    }
    let waiting = service::suggestions(&store)?;
    if cx.ui.format == Format::Json {
        return Ok(cx
            .ui
            .json(&waiting.iter().map(suggestion_json).collect::<Value>())?);
    }
    cx.page(&store)?;
    for suggestion in &waiting {
        show(suggestion, cx)?;
    }
    if waiting.is_empty() {
        return Ok(cx.ui.notice("no model suggests anything")?);
    }
    Ok(cx
        .ui
        .hint("`mdmem accept N` makes a change, `--dismiss N` refuses it for good.")?)
}

/// A suggestion as a difference.
pub(crate) fn show(suggestion: &Suggestion, cx: &mut Context) -> Result<(), CommandError> {
    let at = minute(suggestion.at, cx.ui.zone);
    let Suggestion { number, path, .. } = suggestion;
    cx.ui
        .line(&format!("{number}  {path}  {at}  \"{}\"", suggestion.evidence))?;
    if suggestion.new.is_none() {
        cx.ui.line("would go to the archive")?;
    }
    let body = |body: &str| format!("{body}\n").into_bytes();
    let new = suggestion.new.as_deref().map(body).unwrap_or_default();
    for line in line_diff(&body(&suggestion.old), &new).unwrap_or_default() {
        let sign = match line.kind {
            DiffLineKind::Added => '+',
            DiffLineKind::Removed => '-',
            DiffLineKind::Kept => ' ',
            DiffLineKind::Hunk | DiffLineKind::Unended => continue,
        };
        cx.ui.line(&format!("{sign}{}", line.text))?;
    }
    Ok(())
}

pub(crate) fn suggestion_json(suggestion: &Suggestion) -> Value {
    json!({
        "number": suggestion.number,
        "at": suggestion.at.to_rfc3339(),
        "path": suggestion.path.as_str(),
        "old": suggestion.old,
        "new": suggestion.new,
        "evidence": suggestion.evidence,
    })
}
