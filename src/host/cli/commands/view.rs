//! `mdmem view`

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::anyhow;
use clap::Args;

use crate::host::cli::ui::counted;
use crate::host::cli::{CommandError, Context};
use crate::service;

/// Look at the memories in a browser, and change them there
///
/// Opens a page of this machine: memories with their strengths and histories, the prompt, conflicts and
/// suggestions, conversations, every store. Each change is a commit, with an undo beside it. The address works
/// once, in one browser; Ctrl-C ends it. With --export it writes pages for reading into a folder instead: files
/// with a suspected secret stay behind, and so does the global store unless --global is given.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem view
  mdmem view --port 7311 --no-open
  mdmem view --export site                 write the pages into the folder site
  mdmem view --export site --global        with those of the global store")]
pub(crate) struct ViewArgs {
    /// Write pages for reading into this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) export: Option<PathBuf>,

    /// Write into a folder that has other files
    #[arg(long, requires = "export")]
    pub(crate) force: bool,

    /// The port at 127.0.0.1 [default: any that is free]
    #[arg(long, value_name = "N", conflicts_with = "export")]
    port: Option<u16>,

    /// Only print the address
    #[arg(long, conflicts_with = "export")]
    no_open: bool,
}

pub(crate) fn run(args: &ViewArgs, cx: &mut Context) -> Result<(), CommandError> {
    let Some(folder) = &args.export else {
        return serve(args, cx);
    };
    let done = service::export_view(&cx.service, folder, args.force)?;
    cx.answer(&done, |ui| {
        let behind = match done.left_behind {
            0 => String::new(),
            left => format!("; held back: {} with a suspected secret", counted(left, "memory")),
        };
        let (memories, files) = (counted(done.memories, "memory"), counted(done.files, "file"));
        ui.notice(&format!("exported {memories} into {files}{behind}"))?;
        ui.hint(&format!("Open {} in a browser.", done.first.display()))
    })
}

fn serve(args: &ViewArgs, cx: &mut Context) -> Result<(), CommandError> {
    if let Some(variable) = cx.service.env.agents_shell() {
        let error = CommandError::failed(anyhow!(
            "not started: this is an agent's shell ({variable} is set)"
        ));
        return Err(error.hint(
            "`mdmem list`, `show` and `why` say the same; the user runs `mdmem view` in their own terminal.",
        ));
    }
    let Context {
        ui, service, hosts, ..
    } = cx;
    let mut told = |address: &str| {
        ui.line(address)?;
        ui.notice("Ctrl-C ends it")?;
        ui.flush()?;
        if !args.no_open {
            open(address);
        }
        Ok(())
    };
    (hosts.view)(service, args.port.unwrap_or(0), &mut told).map_err(CommandError::failed)
}

/// Opens an address in the person's browser, where there is a program for that; else they follow the printed one.
fn open(address: &str) {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    let mut browser = Command::new(program);
    browser
        .arg(address)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if let Err(error) = browser.spawn() {
        tracing::debug!(%error, program, "no browser was opened");
    }
}
