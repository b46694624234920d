//! `mdmem path`

use std::os::unix::ffi::OsStrExt as _;

use clap::Args;
use serde_json::json;

use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::Format;
use crate::service;

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

pub(crate) fn run(args: &PathArgs, cx: &mut Context) -> Result<(), CommandError> {
    let path = service::path(&cx.service, args.memory.as_deref())?;
    if cx.ui.format == Format::Json {
        return Ok(cx.ui.json(&json!({ "path": path.to_string_lossy() }))?);
    }
    cx.ui.out.bytes(path.as_os_str().as_bytes())?;
    Ok(cx.ui.line("")?)
}
