//! `mdmem serve`

use std::path::Path;

use clap::Args;

use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::serve;
use crate::service;

/// Answer an agent's plugin: JSON lines on standard input and output
///
/// Started by the plugin that `mdmem init --with opencode` writes, once for each workspace; not meant for people.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  echo '{\"id\":1,\"method\":\"hello\",\"params\":{\"protocol\":1}}' | mdmem serve")]
pub(crate) struct ServeArgs {}

pub(crate) fn run(_: &ServeArgs, cx: &mut Context) -> Result<(), CommandError> {
    let context_in = |folder: Option<&Path>| {
        let env = match folder {
            Some(folder) => cx.service.env.clone().in_folder(folder),
            None => cx.service.env.clone(),
        };
        let context = service::Context::real(env, cx.service.scope, cx.service.flags.clone())?;
        cx.log.follow(&context);
        Ok(context)
    };
    serve::run(std::io::stdin().lock(), std::io::stdout().lock(), context_in).map_err(CommandError::failed)
}
