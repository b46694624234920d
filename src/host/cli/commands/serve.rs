//! `mdmem serve`

use clap::Args;

use crate::host::cli::context::Context;
use crate::host::cli::report::CommandError;

/// Answer an agent's plugin: JSON lines on standard input and output
///
/// Started by the plugin that `mdmem init --with opencode` writes, once for each workspace; not meant for people.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  echo '{\"id\":1,\"method\":\"hello\",\"params\":{\"protocol\":1}}' | mdmem serve")]
pub(crate) struct ServeArgs {}

pub(crate) fn run(_: &ServeArgs, cx: &mut Context) -> Result<(), CommandError> {
    (cx.hosts.serve)(&cx.service, &cx.log).map_err(CommandError::failed)
}
