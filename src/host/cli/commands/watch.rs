//! `mdmem watch`

use std::io;

use clap::Args;
use serde::Serialize;

use crate::host::cli::change_report::{tell_creation, tell_held};
use crate::host::cli::context::Context;
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
    cx.warn_of_settings(&store)?;
    let mut ended = Ok(());
    service::watch(store, &mut |report| {
        ended = tell(&report, &mut cx.ui);
        if ended.is_ok() {
            Continue::Yes
        } else {
            Continue::No
        }
    })?;
    Ok(ended?)
}

fn tell(report: &WatchReport, ui: &mut Ui) -> io::Result<()> {
    if ui.format() == Format::Json {
        return ui.json_line(&ReportJson::from(report));
    }
    match report {
        WatchReport::Committed { oid, subject } => {
            let oid = ui.color().paint(Tone::Name, &oid.short());
            ui.line_now(&format!("{oid} {}", harmless_line(subject)))
        }
        WatchReport::Watching { root } => {
            ui.notice(&format!("watching {}", harmless_line(&root.to_string_lossy())))
        }
        WatchReport::Waiting { holder } => ui.notice(&format!(
            "{} watches already: waiting to take over",
            harmless_line(holder)
        )),
        WatchReport::Blocked(obstacle) => {
            ui.warning(&format!("commits wait: {}", harmless_line(&obstacle.to_string())))?;
            obstacle.hint().map_or(Ok(()), |hint| ui.hint(&hint))
        }
        WatchReport::Unblocked => ui.notice("commits are made again"),
        WatchReport::Withheld { files } => {
            ui.warning(&format!(
                "{files} files are missing, more than half of the store: not taken as deleted"
            ))?;
            ui.hint(
                "`mdmem sweep --yes` if they are meant to be gone; `mdmem restore HEAD` brings them back.",
            )
        }
        WatchReport::Held(held) => tell_held(std::slice::from_ref(held), ui),
        WatchReport::Notice(text) => ui.notice(&harmless_line(text)),
    }
}

#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum ReportJson<'a> {
    Watching { store: String },
    Waiting { holder: &'a str },
    Committed { commit: String, subject: &'a str },
    Blocked { obstacle: String },
    Unblocked,
    Withheld { files: usize },
    Held(HeldJson),
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
            WatchReport::Unblocked => Self::Unblocked,
            WatchReport::Withheld { files } => Self::Withheld { files: *files },
            WatchReport::Held(held) => Self::Held(HeldJson::from(held)),
            WatchReport::Notice(message) => Self::Notice { message },
        }
    }
}
