//! `mdmem clone`

use clap::Args;
use serde_json::json;

use super::sync::with_network;
use crate::host::cli::change_report::creation_line;
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::Format;
use crate::service::{self, Creation};

/// Bring the store of another machine here, as the memory of this workspace
///
/// A store that is there already is never replaced: `mdmem remote set URL` and `mdmem sync` join the two.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem clone git@host.example:me/memory.git
  mdmem clone git@host.example:me/all.git --branch notes
  mdmem --global clone git@host.example:me/global-memory.git")]
pub(crate) struct CloneArgs {
    /// The address of the store, as git takes it
    #[arg(value_name = "URL")]
    pub(crate) url: String,

    /// The branch of the remote that holds the store, and is exchanged from then on [default: main]
    #[arg(long, value_name = "NAME")]
    pub(crate) branch: Option<String>,
}

pub(crate) fn run(args: &CloneArgs, cx: &mut Context) -> Result<(), CommandError> {
    let Context {
        ui, service: context, ..
    } = cx;
    let cloned = with_network(ui, &context.env, |network| {
        Ok(service::clone(
            context,
            &args.url,
            args.branch.as_deref(),
            network,
        )?)
    })?;
    let root = cloned.store.root().to_string_lossy().into_owned();
    if ui.format == Format::Json {
        return Ok(ui.json(&json!({ "store": root, "remote": cloned.url, "memories": cloned.memories }))?);
    }
    ui.line(&creation_line(&cloned.store, &Creation::Created))?;
    let memories = match cloned.memories {
        1 => "1 memory".to_owned(),
        count => format!("{count} memories"),
    };
    ui.line(&format!("{memories} from {}", cloned.url))?;
    Ok(())
}
