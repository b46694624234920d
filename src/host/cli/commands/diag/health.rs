//! `mdmem diag health`

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::finding::{mend_line, severity_tone};
use crate::host::cli::ui::{Color, Format, Tone, counted, in_zone};
use crate::model::Severity;
use crate::service::{HealthCheck, diag};
use crate::sys::TimeZone;

/// Tells whether everything is in order, and what to do where it is not
///
/// The exit code is 1 when somebody has to do something; a note is nothing to act on.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem diag health
  mdmem diag health --quiet || mdmem diag health --json | jq '.checks[] | select(.severity)'")]
pub(crate) struct HealthArgs {}

pub(crate) fn run(_args: &HealthArgs, cx: &mut Context) -> Result<ExitCode, CommandError> {
    // The checks tell of a store that cannot be opened, and of wrong settings.
    drop(cx.open());
    let checks = diag::health(&cx.service)?;
    let trouble = checks.iter().filter(|check| check.is_trouble()).count();
    if cx.ui.format == Format::Json {
        let checks: Vec<Value> = checks.iter().map(json).collect();
        cx.ui.json(&json!({"healthy": trouble == 0, "checks": checks}))?;
    } else {
        cx.page_anywhere()?;
        let (color, zone) = (cx.ui.color, cx.ui.zone);
        for check in &checks {
            cx.ui.lines(&lines(check, color, zone))?;
        }
        if trouble > 0 {
            cx.ui
                .notice(&format!("{} to look after", counted(trouble, "thing")))?;
        }
    }
    Ok(ExitCode::from(u8::from(trouble > 0)))
}

fn lines(check: &HealthCheck, color: Color, zone: TimeZone) -> Vec<String> {
    let word = check.severity.map_or("ok", Severity::as_str);
    let word = color.paint(
        check.severity.map_or(Tone::Good, severity_tone),
        &format!("{word:<8}"),
    );
    let mut lines = vec![format!("{word} {:<9} {}", check.name, in_zone(&check.what, zone))];
    lines.extend(check.mend.as_deref().map(mend_line));
    lines
}

fn json(check: &HealthCheck) -> Value {
    json!({
        "name": check.name,
        "severity": check.severity,
        "what": check.what,
        "mend": check.mend,
    })
}
