//! `mdmem repair`

use clap::Args;
use serde_json::{Value, json};

use crate::host::cli::change_report::tell_aftermath;
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::Format;
use crate::service::{self, Mend, Repair, Run};
use crate::sys::shown_path;

/// Bring a damaged history back
///
/// If the present commit, or something in it, cannot be read, the branch goes back to the newest commit that can be,
/// and the contents of the files beyond it are committed. No file is changed, and everything that is replaced is kept
/// in .git/mdmem-repair. Without --yes, the command only says what it would do.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem repair             what is damaged, and what would be done
  mdmem repair --yes       do it")]
pub(crate) struct RepairArgs {
    /// Do it
    #[arg(short, long, conflicts_with = "dry_run")]
    pub(crate) yes: bool,

    /// Only say what would be done (the default)
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

pub(crate) fn run(args: &RepairArgs, cx: &mut Context) -> Result<(), CommandError> {
    let run = if args.yes { Run::Real } else { Run::Dry };
    let (repair, aftermath) = service::repair(&cx.open()?, run)?;
    if cx.ui.format == Format::Json {
        return Ok(cx.ui.json(&json(&repair))?);
    }
    for damage in &repair.damage {
        cx.ui.warning(damage)?;
    }
    for (path, _) in &repair.rewritten {
        let word = if args.yes {
            "written again"
        } else {
            "would be written again"
        };
        cx.ui
            .line(&format!("{word} into the history: {}", shown_path(path)))?;
    }
    let (did, branch) = (if args.yes { "" } else { "would be: " }, &repair.branch);
    match repair.mend {
        Mend::Nothing => {
            return Ok(cx
                .ui
                .notice("the history can be read: there is nothing to repair")?);
        }
        Mend::Rewrite => {}
        Mend::Back(tip) => cx.ui.line(&format!(
            "{did}{branch} at {}, the newest commit that can be read (it was `{}`)",
            tip.short(),
            repair.before
        ))?,
        Mend::Anew => cx.ui.line(&format!(
            "{did}{branch} begun anew with the files: no commit can be read with all that came before it"
        ))?,
    }
    if let Some(folder) = &repair.kept_in {
        cx.ui
            .notice(&format!("what was replaced is kept in {}", shown_path(folder)))?;
    }
    match &aftermath {
        Some(aftermath) => tell_aftermath(aftermath, &mut cx.ui)?,
        None => cx.ui.hint("`mdmem repair --yes` does it; no file is changed.")?,
    }
    Ok(())
}

fn json(repair: &Repair) -> Value {
    let (way, commit) = match repair.mend {
        Mend::Nothing => ("nothing", None),
        Mend::Rewrite => ("rewrite", None),
        Mend::Back(tip) => ("back", Some(tip)),
        Mend::Anew => ("anew", None),
    };
    json!({
        "damage": repair.damage,
        "mend": way,
        "commit": commit.map(|oid| oid.to_string()),
        "branch": repair.branch,
        "before": repair.before,
        "rewritten": repair.rewritten.iter().map(|(path, _)| path.to_string_lossy()).collect::<Value>(),
        "kept_in": repair.kept_in.as_ref().map(|folder| folder.to_string_lossy()),
    })
}
