//! `mdmem service`

use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};

use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::Format;
use crate::service::{self, LoginFile, LoginManager, LoginService, Run};
use crate::sys::shown_path;

/// Let the system watch every store, from login on
///
/// A unit of systemd's for this user, or an agent of launchd's on macOS, runs `mdmem watch --all` and starts it again
/// whenever it ends.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem service install --dry-run     what would be written, and where
  mdmem service install
  mdmem service status
  mdmem service remove")]
pub(crate) struct ServiceArgs {
    #[command(subcommand)]
    action: ServiceAction,
}

#[derive(Debug, Subcommand)]
enum ServiceAction {
    /// Write the unit and start it; a second time changes nothing
    Install(ChangeArgs),
    /// Stop it and remove the unit; the stores stay
    Remove(ChangeArgs),
    /// Say whether it is installed, and whether it runs
    Status(ManagerArgs),
}

#[derive(Debug, Args)]
struct ChangeArgs {
    /// Say what would be done, and change nothing
    #[arg(short = 'n', long)]
    dry_run: bool,

    #[command(flatten)]
    manager: ManagerArgs,
}

#[derive(Debug, Args)]
struct ManagerArgs {
    /// The program that starts it [default: the one of this machine]
    #[arg(long = "for", value_enum, value_name = "SYSTEM")]
    manager: Option<Manager>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Manager {
    Systemd,
    Launchd,
}

impl ManagerArgs {
    fn get(&self) -> LoginManager {
        match self.manager {
            Some(Manager::Systemd) => LoginManager::Systemd,
            Some(Manager::Launchd) => LoginManager::Launchd,
            None => LoginManager::of_this_machine(),
        }
    }
}

impl ChangeArgs {
    const fn run(&self) -> Run {
        if self.dry_run { Run::Dry } else { Run::Real }
    }
}

pub(crate) fn run(args: &ServiceArgs, cx: &mut Context) -> Result<(), CommandError> {
    match &args.action {
        ServiceAction::Install(args) => install(args, cx),
        ServiceAction::Remove(args) => remove(args, cx),
        ServiceAction::Status(args) => status(args, cx),
    }
}

fn install(args: &ChangeArgs, cx: &mut Context) -> Result<(), CommandError> {
    let before = service::install_login_service(&cx.service, args.manager.get(), args.run())?;
    if cx.ui.format == Format::Json {
        return Ok(cx.ui.json(&form(&before))?);
    }
    let file = shown_path(&before.file);
    if args.dry_run {
        cx.ui.notice(&format!("would write {file}:"))?;
        return Ok(cx.ui.out.text(&before.text)?);
    }
    match before.state {
        LoginFile::Current => cx.ui.line(&format!("installed already: {file}"))?,
        LoginFile::Outdated => cx.ui.line(&format!("written anew: {file}"))?,
        LoginFile::Absent | LoginFile::Foreign => cx.ui.line(&format!("installed {file}"))?,
    }
    Ok(cx
        .ui
        .notice("every store is watched, now and from each login on")?)
}

fn remove(args: &ChangeArgs, cx: &mut Context) -> Result<(), CommandError> {
    let before = service::remove_login_service(&cx.service, args.manager.get(), args.run())?;
    if cx.ui.format == Format::Json {
        return Ok(cx.ui.json(&form(&before))?);
    }
    let file = shown_path(&before.file);
    match (before.state, args.run()) {
        (LoginFile::Absent, _) => cx.ui.notice(&format!("not installed: {file}"))?,
        (_, Run::Dry) => cx.ui.line(&format!("would stop the service and remove {file}"))?,
        (_, Run::Real) => cx.ui.line(&format!("removed {file}"))?,
    }
    Ok(())
}

fn status(args: &ManagerArgs, cx: &mut Context) -> Result<(), CommandError> {
    let now = service::login_service(&cx.service, args.get())?;
    if cx.ui.format == Format::Json {
        return Ok(cx.ui.json(&form(&now))?);
    }
    cx.ui.line(&format!(
        "file     {} ({})",
        shown_path(&now.file),
        now.state.as_str()
    ))?;
    let running = now
        .stopped
        .as_ref()
        .map_or_else(|| "yes".to_owned(), |why| format!("no: {why}"));
    cx.ui.line(&format!("running  {running}"))?;
    match now.state {
        LoginFile::Absent | LoginFile::Outdated => Ok(cx.ui.hint("`mdmem service install` installs it.")?),
        LoginFile::Current | LoginFile::Foreign => Ok(()),
    }
}

fn form(service: &LoginService) -> Value {
    json!({
        "manager": match service.manager {
            LoginManager::Systemd => "systemd",
            LoginManager::Launchd => "launchd",
        },
        "file": service.file.to_string_lossy(),
        "state": service.state.as_str(),
        "running": service.stopped.is_none(),
        "cause": service.stopped,
        "text": service.text,
    })
}
