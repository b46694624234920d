//! `mdmem watch`

use std::io;

use clap::Args;
use serde::Serialize;

use crate::host::cli::change_report::tell_creation;
use crate::host::cli::context::{Context, refuse_bad_flags};
use crate::host::cli::report::CommandError;
use crate::host::cli::ui::{Format, Tone, Ui, time_of_day};
use crate::service::{self, Beginning, Continue, LoginFile, Run, StoreReport, WatchReport};
use crate::sys::shown_path;

/// Commit changes as they are saved, and keep MEMORY.md up to date
///
/// First commits what changed while no watcher ran. Prints a line for each commit (time, hash, author,
/// subject) and for each sync (`sync.auto`). The store is created if there is none. Stop it with Ctrl-C.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem watch
  mdmem watch --all      every store of this machine, including new ones
  mdmem watch --json     one JSON object per line for each event
  mdmem watch --install --dry-run
  mdmem watch --install  run `watch --all` as a login service")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
pub(crate) struct WatchArgs {
    /// Watch every store of this machine; creates no store
    #[arg(short, long, conflicts_with = "global")]
    pub(super) all: bool,

    /// Start the watcher at login: a systemd unit, or a launchd agent on macOS
    #[arg(long, group = "at_login")]
    install: bool,

    /// Stop and remove the login service; the stores stay
    #[arg(long, group = "at_login")]
    uninstall: bool,

    /// Only show what --install or --uninstall would do
    #[arg(short = 'n', long, requires = "at_login")]
    dry_run: bool,
}

pub(crate) fn run(args: &WatchArgs, cx: &mut Context) -> Result<(), CommandError> {
    if args.install || args.uninstall {
        return at_login(args, cx);
    }
    let mut told = Ok(());
    if args.all {
        service::watch_all(&cx.service, &mut |StoreReport { store, report }| {
            told = tell(report, Some(store), &mut cx.ui);
            if told.is_ok() { Continue::Yes } else { Continue::No }
        })?;
        return Ok(told?);
    }
    let (store, creation) = service::create(&cx.service, Beginning::Asked)?;
    tell_creation(&store, &creation, &mut cx.ui)?;
    refuse_bad_flags(&store)?;
    drop(store);
    service::watch(&cx.service, &mut |report| {
        told = tell(report, None, &mut cx.ui);
        if told.is_ok() { Continue::Yes } else { Continue::No }
    })?;
    Ok(told?)
}

/// Starts the watcher at login, or ends that.
fn at_login(args: &WatchArgs, cx: &mut Context) -> Result<(), CommandError> {
    let wanted = Run::dry_if(args.dry_run);
    let before = if args.install {
        service::install_login_service(&cx.service, wanted)?
    } else {
        service::remove_login_service(&cx.service, wanted)?
    };
    cx.answer(&before, |ui| {
        let file = shown_path(&before.file);
        if args.install && args.dry_run {
            ui.notice(&format!("would write {file}:"))?;
            return ui.out.text(&before.text);
        }
        let done = match (args.install, before.state) {
            (true, LoginFile::Current) => "installed already:",
            (true, LoginFile::Outdated) => "updated",
            (true, LoginFile::Absent) => "installed",
            (false, LoginFile::Absent) => "not installed:",
            (false, _) => wanted.says("removed", "would stop the login service and remove"),
        };
        ui.line(&format!("{done} {file}"))?;
        if args.install {
            ui.notice("every store is watched, now and after each login")?;
        }
        Ok(())
    })
}

/// What happened, and the name of the store where many are watched.
#[derive(Serialize)]
struct Told<'a> {
    #[serde(flatten)]
    report: &'a WatchReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
}

/// The answer alone: the rest is on standard error, with the engine's log. With many stores each line names its own,
/// and the log's lines, which name none, are not shown.
fn tell(report: &WatchReport, store: Option<&str>, ui: &mut Ui) -> io::Result<()> {
    if ui.format == Format::Json {
        return ui.json_line(&Told { report, name: store });
    }
    let store = store.map_or_else(String::new, |name| format!("{name}  "));
    match report {
        WatchReport::Committed {
            oid,
            time,
            by,
            subject,
        } => {
            let time = ui.color.paint(Tone::Faint, &time_of_day(*time, ui.zone));
            let oid = ui.color.paint(Tone::Name, &oid.short());
            ui.line_now(&format!("{time}  {store}{oid}  {:<7}  {subject}", by.as_str()))
        }
        WatchReport::Exchanged { .. } => {
            ui.line_now(&format!("{store}{report}"))?;
            report.hint().map_or(Ok(()), |hint| ui.hint(&hint))
        }
        _ if store.is_empty() => Ok(()),
        _ => {
            ui.notice(&format!("{store}{report}"))?;
            report.hint().map_or(Ok(()), |hint| ui.hint(&hint))
        }
    }
}
