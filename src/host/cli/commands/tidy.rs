//! `mdmem tidy`

use clap::Args;
use serde_json::json;

use crate::host::cli::change_report::tell_rest;
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::Format;
use crate::host::errors::some_of;
use crate::host::json::with_commit;
use crate::service::{self, FileFate, Run, TidyStep, Tidying};

/// Settle the duplicates that people wrote
///
/// Two memories that say the same become one, by the rules by which `add` does it; links to the file that goes mean the
/// other one. Without --yes, only says what it
/// would do.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem tidy             what would be done
  mdmem tidy --yes       do it")]
pub(crate) struct TidyArgs {
    /// Do it
    #[arg(short, long, conflicts_with = "dry_run")]
    pub(crate) yes: bool,

    /// Only say what would be done (the default)
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

pub(crate) fn run(args: &TidyArgs, cx: &mut Context) -> Result<(), CommandError> {
    let run = if args.yes { Run::Real } else { Run::Dry };
    let (Tidying { steps, links }, changed) = service::tidy(&cx.store()?, run)?;
    let mended = links.iter().filter(|mend| mend.may_change);
    let mended: Vec<&str> = mended.map(|mend| mend.path.as_str()).collect();
    if cx.ui.format == Format::Json {
        let step = |step: &TidyStep| json!({ "path": step.path.as_str(), "kept": step.kept.as_str(), "fate": fate_word(step.fate) });
        let form = json!({ "steps": steps.iter().map(step).collect::<Vec<_>>(), "links": mended });
        return Ok(cx.ui.json(&with_commit(form, changed.as_ref()))?);
    }
    for step in cx.ui.first_of(&steps) {
        let (path, kept) = (step.path.as_str(), step.kept.as_str());
        let word = match (step.fate, args.yes) {
            (FileFate::Removed, true) => "removed",
            (FileFate::Removed, false) => "would remove",
            (FileFate::Superseded, true) => "superseded",
            (FileFate::Superseded, false) => "would supersede",
            (FileFate::Hidden, _) => "left",
        };
        cx.ui.line(&format!("{word} {path}: {kept} says it"))?;
    }
    cx.ui.tell_more(&steps)?;
    if !mended.is_empty() {
        let word = if args.yes { "mended" } else { "would mend" };
        cx.ui.notice(&format!(
            "{word} the links in {}",
            some_of(mended.iter().copied())
        ))?;
    }
    match &changed {
        _ if steps.is_empty() => cx.ui.notice("nothing to tidy")?,
        None => cx.ui.hint("`mdmem tidy --yes` does it.")?,
        Some(changed) => {
            tell_rest(changed, &mut cx.ui)?;
            cx.ui.hint("`mdmem undo` takes it back.")?;
        }
    }
    Ok(())
}

const fn fate_word(fate: FileFate) -> &'static str {
    match fate {
        FileFate::Removed => "removed",
        FileFate::Superseded => "superseded",
        FileFate::Hidden => "hidden",
    }
}
