//! `mdmem new`

use clap::Args;

use super::edit::{Draft, make};
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::service;

/// Write a memory in your editor
///
/// The editor, as for `mdmem edit`, begins with a template. What is closed unchanged is not made.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem new Use pnpm in this repository -t decision
  mdmem new system/human.md")]
pub(crate) struct NewArgs {
    /// The title, of which the file's name is made; or a path
    #[arg(value_name = "TITLE", required = true)]
    pub(crate) title: Vec<String>,

    /// Its type: feedback, decision, project, reference, user, or one from mdmem.toml [default: project]
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub(crate) kind: Option<String>,

    /// Go on with the text that an earlier `mdmem new` of this title kept
    #[arg(short, long)]
    pub(crate) resume: bool,
}

pub(crate) fn run(args: &NewArgs, cx: &mut Context) -> Result<(), CommandError> {
    let store = cx.store_or_new()?;
    let blank = service::blank(&store, &args.title.join(" "), args.kind.as_deref())?;
    make(&store, &blank, Draft::from(args.resume), cx)
}
