//! `mdmem track`

use clap::Args;
use serde_json::{Value, json};

use crate::host::cli::change_report::tell_rest;
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::Format;
use crate::host::json::with_commit;
use crate::service::{self, CommitOutcome, TrackedFile};

/// Commit files although git ignores them
///
/// A memory that a line of .gitignore or .git/info/exclude matches is rendered and has no history. This commits it; from
/// then on it is tracked like any other.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem track decision/local-paths.md")]
pub(crate) struct TrackArgs {
    /// Files of the store, or names of memories
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<String>,
}

pub(crate) fn run(args: &TrackArgs, cx: &mut Context) -> Result<(), CommandError> {
    let (files, changed) = service::track(&cx.store()?, &args.paths)?;
    if cx.ui.format == Format::Json {
        let file = |file: &TrackedFile| json!({ "path": file.path, "was_tracked": file.was_tracked });
        let form = json!({ "files": files.iter().map(file).collect::<Value>() });
        return Ok(cx.ui.json(&with_commit(form, Some(&changed)))?);
    }
    for file in &files {
        let path = &file.path;
        let is_committed = matches!(&changed.outcome, CommitOutcome::Committed { paths, .. }
            if paths.iter().any(|committed| committed.as_os_str() == file.path.as_str()));
        if file.was_tracked {
            cx.ui.notice(&format!("{path} is tracked already"))?;
        } else if is_committed {
            cx.ui.line(&format!("tracked {path}"))?;
        }
    }
    Ok(tell_rest(&changed, &mut cx.ui)?)
}
