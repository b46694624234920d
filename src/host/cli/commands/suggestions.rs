//! `mdmem suggestions`

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::host::cli::change_report::tell_rest;
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Format, minute};
use crate::host::json::with_commit;
use crate::service::{self, DiffLineKind, Run, Suggestion, line_diff};

/// List the changes that a model suggests, and accept or dismiss them
///
/// A model changes nothing that a person wrote: it suggests.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem suggestions
  mdmem suggestions accept 1 --dry-run
  mdmem suggestions dismiss 2")]
pub(crate) struct SuggestionsArgs {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make a change that was suggested, in one commit
    Accept {
        /// The number of the suggestion
        #[arg(value_name = "N")]
        number: u32,

        /// Show the change without making it
        #[arg(short = 'n', long)]
        dry_run: bool,
    },
    /// Dismiss a suggestion: it is not made again
    Dismiss {
        /// The number of the suggestion
        #[arg(value_name = "N")]
        number: u32,
    },
}

pub(crate) fn run(args: &SuggestionsArgs, cx: &mut Context) -> Result<(), CommandError> {
    let store = cx.store()?;
    match args.action {
        Some(Action::Accept { number, dry_run }) => {
            let run = if dry_run { Run::Dry } else { Run::Real };
            let (suggestion, changed) = service::accept(&store, number, run)?;
            if cx.ui.format == Format::Json {
                let form = with_commit(suggestion_json(&suggestion), changed.as_ref());
                return Ok(cx.ui.json(&form)?);
            }
            show(&suggestion, cx)?;
            if let Some(changed) = &changed {
                tell_rest(changed, &mut cx.ui)?;
            }
            return Ok(());
        }
        Some(Action::Dismiss { number }) => {
            let dismissed = service::dismiss(&store, number)?;
            if cx.ui.format == Format::Json {
                return Ok(cx.ui.json(&suggestion_json(&dismissed))?);
            }
            let line = format!("dismissed {number}, about {}", dismissed.path);
            return Ok(cx.ui.line(&line)?);
        }
        None => {}
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
        return Ok(cx.ui.notice("no suggestions")?);
    }
    Ok(cx.ui.hint(
        "`mdmem suggestions accept N` makes a change, `mdmem suggestions dismiss N` refuses it for good.",
    )?)
}

/// A suggestion as a difference.
fn show(suggestion: &Suggestion, cx: &mut Context) -> Result<(), CommandError> {
    let at = minute(suggestion.at, cx.ui.zone);
    let Suggestion { number, path, .. } = suggestion;
    cx.ui
        .line(&format!("{number}  {path}  {at}  \"{}\"", suggestion.evidence))?;
    if suggestion.new.is_none() {
        cx.ui.line("would be archived")?;
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

fn suggestion_json(suggestion: &Suggestion) -> Value {
    json!({
        "number": suggestion.number,
        "at": suggestion.at.to_rfc3339(),
        "path": suggestion.path.as_str(),
        "old": suggestion.old,
        "new": suggestion.new,
        "evidence": suggestion.evidence,
    })
}
