//! `mdmem diag rejected`

use clap::Args;
use serde::Serialize;
use serde_json::{Map, Value};

use super::event_json::{EventJson, events_json};
use super::rows::{counted, counted_json};
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Format, Table, harmless_line, minute};
use crate::service::diag::{self, EventView, Rejected, RejectedRequest};

/// What was refused: requests, candidates and commands, newest first
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem diag rejected
  mdmem diag rejected --reason progress_snapshot -n 50
  mdmem diag rejected --json | jq .reasons")]
pub(crate) struct RejectedArgs {
    /// Only for this reason, such as `progress_snapshot`
    #[arg(short, long, value_name = "REASON")]
    pub(crate) reason: Option<String>,

    /// At most N, the newest
    #[arg(short = 'n', long = "limit", value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
}

pub(crate) fn run(args: &RejectedArgs, cx: &mut Context) -> Result<(), CommandError> {
    let request = RejectedRequest {
        reason: args.reason.clone(),
        limit: Some(args.limit),
    };
    let rejected = diag::rejected(&cx.store()?, &request)?;
    if cx.ui.format() == Format::Json {
        return Ok(cx.ui.json(&RejectedJson::from(&rejected))?);
    }
    if rejected.events.is_empty() {
        return none(&rejected, args, cx);
    }
    let mut table = Table::new(&["WHEN", "REASON", "SESSION", "TEXT"], cx.ui.width()).flexible(3);
    for view in &rejected.events {
        table.row(cells(view));
    }
    cx.ui.table(&mut table)?;
    if rejected.total > rejected.events.len() {
        cx.ui.notice(&format!(
            "{} older with a greater --limit",
            rejected.total - rejected.events.len()
        ))?;
    }
    Ok(())
}

fn none(rejected: &Rejected, args: &RejectedArgs, cx: &mut Context) -> Result<(), CommandError> {
    match &args.reason {
        Some(reason) if !rejected.reasons.is_empty() => {
            cx.ui
                .notice(&format!("nothing was refused as `{}`", harmless_line(reason)))?;
            cx.ui
                .hint(&format!("On record are {}.", counted(&rejected.reasons)))?;
        }
        _ => cx.ui.notice("nothing was refused")?,
    }
    Ok(())
}

fn cells(view: &EventView) -> Vec<String> {
    let event = &view.event;
    let reasons = if event.reasons.is_empty() {
        event.event_type.outcome().to_owned()
    } else {
        event.reasons.join(", ")
    };
    vec![
        minute(event.at),
        harmless_line(&reasons),
        harmless_line(event.session.as_deref().unwrap_or("-")),
        harmless_line(event.preview.as_deref().unwrap_or("-")),
    ]
}

#[derive(Serialize)]
struct RejectedJson<'a> {
    total: usize,
    reasons: Map<String, Value>,
    rejected: Vec<EventJson<'a>>,
}

impl<'a> From<&'a Rejected> for RejectedJson<'a> {
    fn from(rejected: &'a Rejected) -> Self {
        Self {
            total: rejected.total,
            reasons: counted_json(&rejected.reasons),
            rejected: events_json(&rejected.events),
        }
    }
}
