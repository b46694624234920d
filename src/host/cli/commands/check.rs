//! `mdmem check`

use std::process::ExitCode;

use clap::Args;

use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::finding;
use crate::host::cli::ui::{Format, counted};
use crate::model::{Diagnostic, Severity};
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

/// The findings that a person counts at a glance.
const MOST_SEEN: usize = 10;

pub(crate) fn run(args: &CheckArgs, cx: &mut Context) -> Result<ExitCode, CommandError> {
    let store = cx.open()?;
    let findings = service::check(&store, &args.memories)?;
    if cx.ui.format == Format::Json {
        cx.ui.json(&findings)?;
    } else {
        cx.page(&store)?;
        let color = cx.ui.color;
        for finding in &findings {
            cx.ui.lines(&finding::lines(finding, color))?;
        }
        if findings.is_empty() {
            cx.ui.notice("nothing to mend")?;
        } else if findings.len() > MOST_SEEN {
            cx.ui.notice(&summary(&findings))?;
        }
    }
    let is_bad = findings.iter().any(|finding| finding.severity == Severity::Error);
    Ok(ExitCode::from(u8::from(is_bad)))
}

/// `3 errors, 1 warning`: the findings of each severity, the gravest first.
fn summary(findings: &[Diagnostic]) -> String {
    let count = |(severity, word): (Severity, &str)| {
        let of_it = findings.iter().filter(|finding| finding.severity == severity);
        let count = of_it.count();
        (count > 0).then(|| counted(count, word))
    };
    let words = [
        (Severity::Error, "error"),
        (Severity::Warning, "warning"),
        (Severity::Note, "note"),
    ];
    words.into_iter().filter_map(count).collect::<Vec<_>>().join(", ")
}
