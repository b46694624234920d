//! `mdmem mv`

use clap::Args;
use serde_json::json;

use crate::host::cli::change_report::tell_rest;
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::Format;
use crate::host::errors::some_of;
use crate::host::json::with_commit;
use crate::model::{Kind, StorePath};
use crate::service::{self, Run};

/// Move or rename a memory
///
/// The first folder decides how a memory is shown: system/ (or what `hot_dir` names) pins it, archive/ keeps it out of
/// the prompt, a type's folder changes its type. A TO that is a folder, or ends in `/`, keeps the file's name; a TO without
/// a `/` is else a new name in the same folder. `[[links]]` that name it by its path or slug follow in the same commit;
/// other links mean it as before.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem mv use-npm-cache system/            pin it
  mdmem mv old-port archive/                keep it out of the prompt
  mdmem mv use-npm-cache npm                rename it where it is
  mdmem mv use-npm-cache decision/npm.md")]
pub(crate) struct MvArgs {
    /// Path, slug or start of the id
    #[arg(value_name = "MEMORY")]
    pub(crate) memory: String,

    /// A path below the store, a folder, or a new name
    #[arg(value_name = "TO")]
    pub(crate) to: String,

    /// Say what would be moved, and move nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

pub(crate) fn run(args: &MvArgs, cx: &mut Context) -> Result<(), CommandError> {
    let run = if args.dry_run { Run::Dry } else { Run::Real };
    let (renaming, changed) = service::rename(&cx.store()?, &args.memory, &args.to, run)?;
    let links = renaming.links.iter().filter(|mend| mend.may_change);
    let mended: Vec<&StorePath> = links.map(|mend| &mend.path).collect();
    if cx.ui.format == Format::Json {
        let form = json!({
            "from": renaming.from.as_str(),
            "to": renaming.to.as_str(),
            "type": renaming.kind.as_ref().map(Kind::as_str),
            "links": mended.iter().map(|path| path.as_str()).collect::<Vec<_>>(),
        });
        return Ok(cx.ui.json(&with_commit(form, changed.as_ref()))?);
    }
    let word = if args.dry_run { "would move" } else { "moved" };
    let (from, to) = (renaming.from.as_str(), renaming.to.as_str());
    cx.ui.line(&format!("{word} {from} -> {to}"))?;
    if let Some(kind) = &renaming.kind {
        cx.ui.notice(&format!("its type is {kind} now"))?;
    }
    if !mended.is_empty() {
        let paths = some_of(mended.iter().map(|path| path.as_str()));
        let word = if args.dry_run { "would mend" } else { "mended" };
        cx.ui.notice(&format!("{word} the links in {paths}"))?;
    }
    if let Some(changed) = &changed {
        tell_rest(changed, &mut cx.ui)?;
    }
    Ok(())
}
