//! `mdmem diag trace`

use clap::Args;
use serde::Serialize;

use super::event_json::{EventJson, events_json};
use super::event_line::event_line;
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Format, Tone, harmless_line};
use crate::service::diag::{self, TraceRequest};

/// What happened in a session, or lately, in order
///
/// Without arguments: the latest session.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem diag trace                 the latest session
  mdmem diag trace 3f2a91          the session whose hash begins so
  mdmem diag trace -n 50           the last 50 events of all")]
pub(crate) struct TraceArgs {
    /// The hash of a session or its start, or the host's own name for it
    #[arg(value_name = "SESSION")]
    pub(crate) session: Option<String>,

    /// Only the last N events; without SESSION of all sessions
    #[arg(short = 'n', long = "limit", value_name = "N")]
    pub(crate) limit: Option<usize>,
}

pub(crate) fn run(args: &TraceArgs, cx: &mut Context) -> Result<(), CommandError> {
    let request = TraceRequest {
        session: args.session.clone(),
        limit: args.limit,
    };
    let trace = diag::trace(&cx.store()?, &request)?;
    if cx.ui.format() == Format::Json {
        return Ok(cx.ui.json(&TraceJson {
            session: trace.session.as_deref(),
            left_out: trace.left_out,
            events: events_json(&trace.events),
        })?);
    }
    if trace.events.is_empty() {
        return Ok(cx.ui.notice("no events")?);
    }
    let color = cx.ui.color();
    if let Some(session) = &trace.session {
        let heading = color.paint(Tone::Heading, &format!("session {}", harmless_line(session)));
        cx.ui.line(&heading)?;
    }
    for view in &trace.events {
        cx.ui.line(&event_line(view, color))?;
    }
    if trace.left_out > 0 {
        cx.ui
            .notice(&format!("{} older with a greater --limit", trace.left_out))?;
    }
    Ok(())
}

#[derive(Serialize)]
struct TraceJson<'a> {
    session: Option<&'a str>,
    left_out: usize,
    events: Vec<EventJson<'a>>,
}
