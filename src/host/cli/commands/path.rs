//! `mdmem path`

use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use crate::host::cli::context::Context;
use crate::host::cli::report::CommandError;
use crate::service;
use crate::sys::lossy;

/// Print the path of the store, or of a memory's file
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cd \"$(mdmem path)\"
  vim \"$(mdmem path use-npm-cache)\"
  grep -rl npm \"$(mdmem --global path)\"")]
pub(crate) struct PathArgs {
    /// Path, slug or start of the id
    #[arg(value_name = "MEMORY")]
    pub(crate) memory: Option<String>,
}

#[derive(Serialize)]
struct Path {
    #[serde(serialize_with = "lossy")]
    path: PathBuf,
}

pub(crate) fn run(args: &PathArgs, cx: &mut Context) -> Result<(), CommandError> {
    let path = service::path(&cx.service, args.memory.as_deref())?;
    let answer = Path { path };
    cx.answer(&answer, |ui| {
        ui.out.bytes(answer.path.as_os_str().as_bytes())?;
        ui.line("")
    })
}
