//! `mdmem watch`

use std::io;

use clap::Args;
use serde_json::{Value, json};

use crate::host::cli::change_report::tell_creation;
use crate::host::cli::context::{Context, refuse_bad_flags};
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Format, Tone, Ui};
use crate::host::json::{held_json, merged, unfinished_json};
use crate::service::{self, Beginning, Continue, WatchReport};

/// Commit what is saved, as it is saved, and keep MEMORY.md up to date
///
/// Prints one line for each commit, and for each exchange with other machines (`sync.auto`). First, what changed while nobody watched is committed. The store is created where
/// there is none. Ends with Ctrl-C.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem watch
  mdmem watch --json     one JSON object a line for each commit
  mdmem -C ~/src/app watch")]
pub(crate) struct WatchArgs {}

pub(crate) fn run(_args: &WatchArgs, cx: &mut Context) -> Result<(), CommandError> {
    let (store, creation) = service::create(&cx.service, Beginning::Asked)?;
    tell_creation(&store, &creation, &mut cx.ui)?;
    refuse_bad_flags(&store)?;
    drop(store);
    let mut told = Ok(());
    service::watch(&cx.service, &mut |report| {
        told = tell(report, &mut cx.ui);
        if told.is_ok() { Continue::Yes } else { Continue::No }
    })?;
    Ok(told?)
}

/// The answer alone: the rest is on standard error, with the engine's log.
fn tell(report: &WatchReport, ui: &mut Ui) -> io::Result<()> {
    match report {
        report if ui.format == Format::Json => ui.json_line(&json(report)),
        WatchReport::Committed { oid, subject } => {
            let oid = ui.color.paint(Tone::Name, &oid.short());
            ui.line_now(&format!("{oid} {subject}"))
        }
        WatchReport::Exchanged { .. } => ui.line_now(&report.to_string()),
        _ => Ok(()),
    }
}

fn json(report: &WatchReport) -> Value {
    match report {
        WatchReport::Watching { root } => json!({ "event": "watching", "store": root.to_string_lossy() }),
        WatchReport::Waiting { holder } => json!({ "event": "waiting", "holder": holder }),
        WatchReport::Committed { oid, subject } => {
            json!({ "event": "committed", "commit": oid.to_string(), "subject": subject })
        }
        WatchReport::Exchanged {
            received,
            sent,
            conflicts,
        } => json!({ "event": "exchanged", "received": received, "sent": sent, "conflicts": conflicts }),
        WatchReport::NotExchanged(failing) => {
            json!({ "event": "not_exchanged", "since": failing.since.to_rfc3339(), "cause": failing.cause })
        }
        WatchReport::Blocked(obstacle) => json!({ "event": "blocked", "obstacle": obstacle.to_string() }),
        WatchReport::Failing { cause } => json!({ "event": "failing", "cause": cause }),
        WatchReport::Unblocked => json!({ "event": "unblocked" }),
        WatchReport::Gone { root } => json!({ "event": "gone", "store": root.to_string_lossy() }),
        WatchReport::Withheld { files } => json!({ "event": "withheld", "files": files }),
        WatchReport::Held(held) => merged(json!({ "event": "held" }), held_json(held)),
        WatchReport::Unfinished(unfinished) => merged(
            json!({ "event": "unfinished" }),
            unfinished_json(Some(unfinished)),
        ),
        WatchReport::Warning(message) => json!({ "event": "warning", "message": message }),
        WatchReport::Notice(message) => json!({ "event": "notice", "message": message }),
    }
}
