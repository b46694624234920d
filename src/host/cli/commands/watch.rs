//! `mdmem watch`

use std::io;

use clap::Args;
use serde::Serialize;

use crate::host::cli::change_report::tell_creation;
use crate::host::cli::context::{Context, refuse_bad_flags};
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Format, Tone, Ui, harmless_line};
use crate::host::json::HeldJson;
use crate::service::{self, Continue, Created, WatchReport};

/// Commit what is saved, as it is saved, and keep MEMORY.md up to date
///
/// Prints one line for each commit. First, what changed while nobody watched is committed. The store is created where
/// there is none. Ends with Ctrl-C.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem watch
  mdmem watch --json     one JSON object a line for each commit
  mdmem -C ~/src/app watch")]
pub(crate) struct WatchArgs {}

pub(crate) fn run(_args: &WatchArgs, cx: &mut Context) -> Result<(), CommandError> {
    let Created { store, creation } = service::create(&cx.service)?;
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
        report if ui.format() == Format::Json => ui.json_line(&ReportJson::from(report)),
        WatchReport::Committed { oid, subject } => {
            let oid = ui.color().paint(Tone::Name, &oid.short());
            ui.line_now(&format!("{oid} {}", harmless_line(subject)))
        }
        _ => Ok(()),
    }
}

#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum ReportJson<'a> {
    Watching { store: String },
    Waiting { holder: &'a str },
    Committed { commit: String, subject: &'a str },
    Blocked { obstacle: String },
    Failing { cause: &'a str },
    Unblocked,
    Gone { store: String },
    Withheld { files: usize },
    Held(HeldJson),
    Warning { message: &'a str },
    Notice { message: &'a str },
}

impl<'a> From<&'a WatchReport> for ReportJson<'a> {
    fn from(report: &'a WatchReport) -> Self {
        match report {
            WatchReport::Watching { root } => Self::Watching {
                store: root.to_string_lossy().into_owned(),
            },
            WatchReport::Waiting { holder } => Self::Waiting { holder },
            WatchReport::Committed { oid, subject } => Self::Committed {
                commit: oid.to_string(),
                subject,
            },
            WatchReport::Blocked(obstacle) => Self::Blocked {
                obstacle: obstacle.to_string(),
            },
            WatchReport::Failing { cause } => Self::Failing { cause },
            WatchReport::Unblocked => Self::Unblocked,
            WatchReport::Gone { root } => Self::Gone {
                store: root.to_string_lossy().into_owned(),
            },
            WatchReport::Withheld { files } => Self::Withheld { files: *files },
            WatchReport::Held(held) => Self::Held(HeldJson::from(held)),
            WatchReport::Warning(message) => Self::Warning { message },
            WatchReport::Notice(message) => Self::Notice { message },
        }
    }
}
