//! `mdmem diag health`

use clap::Args;
use serde::Serialize;

use super::Outcome;
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Color, Format, Tone, counted, harmless_line};
use crate::host::json::severity_word;
use crate::model::Severity;
use crate::service::diag::{self, HealthCheck};

/// Whether everything is in order, and what to do where it is not
///
/// The exit code is 1 when somebody has to do something; a note is nothing to act on.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem diag health
  mdmem diag health --quiet || mdmem diag health --json | jq '.checks[] | select(.severity)'")]
pub(crate) struct HealthArgs {}

pub(crate) fn run(_args: &HealthArgs, cx: &mut Context) -> Result<Outcome, CommandError> {
    // What is wrong in the settings is among the checks.
    let checks = diag::health(&cx.service.open()?)?;
    let trouble = checks.iter().filter(|check| check.is_trouble()).count();
    if cx.ui.format() == Format::Json {
        cx.ui.json(&HealthJson::new(&checks, trouble == 0))?;
    } else {
        let color = cx.ui.color();
        for check in &checks {
            for line in lines(check, color) {
                cx.ui.line(&line)?;
            }
        }
        if trouble > 0 {
            cx.ui
                .notice(&format!("{} to look after", counted(trouble, "thing")))?;
        }
    }
    Ok(if trouble > 0 {
        Outcome::Found
    } else {
        Outcome::Done
    })
}

fn lines(check: &HealthCheck, color: Color) -> Vec<String> {
    let (word, tone) = match check.severity {
        None => ("ok", Tone::Good),
        Some(Severity::Note) => ("note", Tone::Hint),
        Some(Severity::Warning) => ("warning", Tone::Warning),
        Some(Severity::Error) => ("error", Tone::Bad),
    };
    let word = color.paint(tone, &format!("{word:<8}"));
    let mut lines = vec![format!("{word} {:<9} {}", check.name, harmless_line(&check.what))];
    lines.extend(
        check
            .mend
            .as_ref()
            .map(|mend| format!("  mend: {}", harmless_line(mend))),
    );
    lines
}

#[derive(Serialize)]
struct HealthJson<'a> {
    healthy: bool,
    checks: Vec<CheckJson<'a>>,
}

#[derive(Serialize)]
struct CheckJson<'a> {
    name: &'static str,
    severity: Option<&'static str>,
    what: &'a str,
    mend: Option<&'a str>,
}

impl<'a> HealthJson<'a> {
    fn new(checks: &'a [HealthCheck], healthy: bool) -> Self {
        let check = |check: &'a HealthCheck| CheckJson {
            name: check.name,
            severity: check.severity.map(severity_word),
            what: &check.what,
            mend: check.mend.as_deref(),
        };
        Self {
            healthy,
            checks: checks.iter().map(check).collect(),
        }
    }
}
