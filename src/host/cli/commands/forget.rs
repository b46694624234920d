//! `mdmem forget`

use clap::Args;
use serde_json::json;

use super::rm::restoring;
use crate::host::cli::change_report::tell_rest;
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Format, counted};
use crate::host::json::with_commit;
use crate::service::{self, Because, ForgottenMemory, Run, Store, Tombstone};

/// Forget memories for good
///
/// The files go, and with them whatever says the same: other sides of a conflict, copies, files that they superseded. A
/// line in `forgotten` keeps each from coming back by an extraction, an import or another machine, until you say it or
/// write it again. No prompt, log or cache of this machine says the words any more; git's history does.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem forget use-npm-cache
  mdmem forget --dry-run old-port mem_01K9ZQ
  mdmem forget --list
  mdmem forget --lift mem_01K9ZQ4T0W8C2X3V5B7N9M1P3R")]
pub(crate) struct ForgetArgs {
    /// Paths, slugs or starts of ids; with --lift ids or tokens as --list shows them
    #[arg(value_name = "MEMORY", required_unless_present = "list")]
    pub(crate) memories: Vec<String>,

    /// List what was forgotten: when, the id, the token of the line
    #[arg(long, conflicts_with_all = ["memories", "lift", "dry_run"])]
    pub(crate) list: bool,

    /// Let what was forgotten be stored again; no memory comes back by that
    #[arg(long)]
    pub(crate) lift: bool,

    /// Say what would be done, and do nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

pub(crate) fn run(args: &ForgetArgs, cx: &mut Context) -> Result<(), CommandError> {
    let store = cx.store()?;
    let run = Run::dry_if(args.dry_run);
    if args.list {
        list(&store, cx)
    } else if args.lift {
        lift(&store, &args.memories, run, cx)
    } else {
        forget(&store, &args.memories, run, cx)
    }
}

fn forget(store: &Store, names: &[String], run: Run, cx: &mut Context) -> Result<(), CommandError> {
    let (forgetting, changed) = service::forget(&cx.service, store, names, run)?;
    let last_in = forgetting.last_in;
    if cx.ui.format == Format::Json {
        return Ok(cx.ui.json(&with_commit(&forgetting, changed.as_ref()))?);
    }
    let word = if run == Run::Dry { "would forget" } else { "forgot" };
    for ForgottenMemory { path, because, .. } in cx.ui.first_of(&forgetting.memories) {
        let why = match because {
            Because::Named => "",
            Because::Sibling => " (the other side of a conflict)",
            Because::Copy => " (it says the same)",
        };
        cx.ui.line(&format!("{word} {path}{why}"))?;
    }
    cx.ui.tell_more(&forgetting.memories)?;
    if let (Some(changed), Some(oid)) = (&changed, last_in) {
        tell_rest(changed, &mut cx.ui)?;
        let paths = forgetting.memories.iter().map(|gone| gone.path.as_str());
        let later =
            restoring(oid, paths).map_or_else(String::new, |command| format!(", or later {command},"));
        cx.ui.hint(&format!(
            "`mdmem undo`{later} takes it back: the history has the words."
        ))?;
    }
    Ok(())
}

fn lift(store: &Store, names: &[String], run: Run, cx: &mut Context) -> Result<(), CommandError> {
    let (lifted, changed) = service::lift(store, names, run)?;
    if cx.ui.format == Format::Json {
        return Ok(cx
            .ui
            .json(&with_commit(json!({ "lifted": lifted }), changed.as_ref()))?);
    }
    let word = if run == Run::Dry { "would lift" } else { "lifted" };
    for line in &lifted {
        cx.ui.line(&format!("{word} {}", shown(line)))?;
    }
    if let Some(changed) = &changed {
        tell_rest(changed, &mut cx.ui)?;
    }
    Ok(())
}

fn list(store: &Store, cx: &mut Context) -> Result<(), CommandError> {
    let lines = service::forgotten(store)?;
    if cx.ui.format == Format::Json {
        return Ok(cx.ui.json(&lines)?);
    }
    cx.page(store)?;
    for line in &lines {
        cx.ui.line(&shown(line))?;
    }
    let count = counted(lines.len(), "line");
    Ok(cx.ui.notice(&format!("{count} in force"))?)
}

fn shown(line: &Tombstone) -> String {
    let id = line
        .id
        .as_ref()
        .map_or_else(|| "-".to_owned(), ToString::to_string);
    format!("{}  {id}  {}", line.date, line.token)
}
