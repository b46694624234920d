//! `mdmem link`

use clap::Args;
use serde_json::json;

use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::Format;
use crate::host::words::shell_word;
use crate::service::{self, Linked, Run, Scope};

/// Say which store this workspace has, or give it another
///
/// A repository that was moved finds its store by itself. A folder without one cannot be known again, and a copy
/// begins with an empty store: for these, name the store that they shall have. So does a repository that takes the
/// place of another. The store that the workspace had until then keeps its memories and its name. An agent that is
/// served just now has the new one from its next request on; `mdmem watch` goes on with the old one.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem link                 say which it is
  mdmem link notes           this workspace has the store `notes` from now on
  mdmem link --new           this workspace, or this very folder, begins an empty one")]
pub(crate) struct LinkArgs {
    /// The name of a store, as `mdmem stores` shows it, its key, or the workspace that it had
    #[arg(value_name = "STORE")]
    pub(crate) name: Option<String>,

    /// Begin an empty store; in a folder of no repository, for this very folder
    #[arg(long, conflicts_with = "name")]
    pub(crate) new: bool,

    /// Say what would be done, and change nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

pub(crate) fn run(args: &LinkArgs, cx: &mut Context) -> Result<(), CommandError> {
    if cx.service.store.is_some() || cx.service.scope == Scope::Global {
        return Err(CommandError::misused(
            "a link is between the present workspace and a store, so neither --store nor --global can be given",
        ));
    }
    let run = if args.dry_run { Run::Dry } else { Run::Real };
    let (linked, is_changed) = match (&args.name, args.new) {
        (Some(name), _) => (service::link(&cx.service, name, run)?, true),
        (None, true) => (service::link_new(&cx.service, run)?, true),
        (None, false) => (service::linked(&cx.service)?, false),
    };
    let Linked {
        workspace,
        name,
        root,
        before,
    } = &linked;
    if cx.ui.format == Format::Json {
        return Ok(cx.ui.json(&json!({
            "workspace": workspace.to_string_lossy(),
            "name": name,
            "store": root.to_string_lossy(),
            "before": before,
            "done": is_changed && run == Run::Real,
        }))?);
    }
    let would = match (is_changed, run) {
        (true, Run::Dry) => "would have",
        _ => "has",
    };
    cx.ui.line(&format!(
        "{} {would} the store `{name}` in {}",
        workspace.display(),
        root.display()
    ))?;
    if let Some(before) = before {
        cx.ui.notice(&format!(
            "the store `{before}`, which it had, has no workspace then"
        ))?;
        let before = shell_word(before);
        cx.ui.hint(&format!(
            "`mdmem link {before}` gives it back; `mdmem --store {before} list` shows what is in it."
        ))?;
    }
    Ok(())
}
