//! `mdmem check`

use std::process::ExitCode;

use clap::Args;
use serde_json::Value;

use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::finding;
use crate::host::cli::ui::Format;
use crate::host::json::finding_json;
use crate::model::Severity;
use crate::service;

/// Check every file, and say how to mend what is wrong
///
/// Each finding has its file, line and column. The exit code is 1 when a file is left out of the prompt, or is
/// read-only to tools, because of its form.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem check
  mdmem check decision/use-npm-cache.md
  mdmem check --json | jq -r '.[].path'")]
pub(crate) struct CheckArgs {
    /// Paths, slugs or starts of ids [default: everything]
    #[arg(value_name = "MEMORY")]
    pub(crate) memories: Vec<String>,
}

pub(crate) fn run(args: &CheckArgs, cx: &mut Context) -> Result<ExitCode, CommandError> {
    let findings = service::check(&cx.open()?, &args.memories)?;
    if cx.ui.format == Format::Json {
        cx.ui
            .json(&findings.iter().map(finding_json).collect::<Value>())?;
    } else {
        let color = cx.ui.color;
        for finding in &findings {
            cx.ui.lines(&finding::lines(finding, color))?;
        }
        if findings.is_empty() {
            cx.ui.notice("nothing to mend")?;
        }
    }
    let is_bad = findings.iter().any(|finding| finding.severity == Severity::Error);
    Ok(ExitCode::from(u8::from(is_bad)))
}
