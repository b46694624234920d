//! `mdmem promote`

use clap::Args;
use serde_json::json;

use crate::host::cli::args::one_of;
use crate::host::cli::ask::{ask, is_answered};
use crate::host::cli::change_report::tell_rest;
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Format, unified_diff};
use crate::host::json::with_commit;
use crate::service::{self, PROMOTION_FILES, Promote, Promotion, Run};

/// Have AGENTS.md or CLAUDE.md say what a memory says
///
/// The memory's words go into that file of the workspace, between two marks, beside which every byte stays; the memory goes
/// to the archive, and its file notes where it went. --undo takes the words out of the file and brings the memory back;
/// where you edited them, nothing is changed. You see the change before it is made; without a terminal it is made with
/// --yes alone.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem promote use-npm-cache --to AGENTS.md
  mdmem promote use-npm-cache --to CLAUDE.md --dry-run
  mdmem promote use-npm-cache --undo")]
pub(crate) struct PromoteArgs {
    /// Path, slug or start of an id
    #[arg(value_name = "MEMORY")]
    pub(crate) memory: String,

    /// The file in the workspace [default of --undo: the one that says it]
    #[arg(long, value_parser = one_of(FILES), value_name = "FILE", required_unless_present = "undo")]
    pub(crate) to: Option<&'static str>,

    /// Take the words out of the file, and bring the memory back
    #[arg(long)]
    pub(crate) undo: bool,

    /// Make the change without a question
    #[arg(short, long, conflicts_with = "dry_run")]
    pub(crate) yes: bool,

    /// Show the change, and make none
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

const FILES: &[(&str, &str, &str)] = &[
    (PROMOTION_FILES[0], "Most agents read it", PROMOTION_FILES[0]),
    (PROMOTION_FILES[1], "Claude Code reads it", PROMOTION_FILES[1]),
];

pub(crate) fn run(args: &PromoteArgs, cx: &mut Context) -> Result<(), CommandError> {
    let store = cx.store()?;
    let direction = match args.to {
        to if args.undo => Promote::Undo(to),
        to => Promote::To(to.expect("because clap asks for it")),
    };
    let promote = |run, cx: &Context| service::promote(&cx.service, &store, &args.memory, direction, run);
    if cx.ui.format == Format::Json {
        let run = Run::dry_if(!args.yes);
        let (done, changed) = promote(run, cx)?;
        return Ok(cx.ui.json(&with_commit(form(&done, cx), changed.as_ref()))?);
    }
    if !args.yes {
        let (preview, _) = promote(Run::Dry, cx)?;
        show(&preview, "would go", cx)?;
        if preview.is_done() || args.dry_run {
            return Ok(());
        }
        if !is_answered(&cx.ui) {
            return Ok(cx.ui.hint("With --yes the change is made.")?);
        }
        let answer = ask("Make this change? [y/N]", &mut cx.ui)?;
        if !answer.is_some_and(|answer| matches!(answer.as_str(), "y" | "Y" | "yes")) {
            return Ok(cx.ui.notice("nothing was changed")?);
        }
    }
    let (done, changed) = promote(Run::Real, cx)?;
    if args.yes {
        show(&done, "went", cx)?;
    }
    if let Some(changed) = &changed {
        tell_rest(changed, &mut cx.ui)?;
    }
    if args.undo {
        return Ok(());
    }
    let id = &done.id;
    Ok(cx
        .ui
        .hint(&format!("`mdmem promote --undo {id}` takes both back."))?)
}

fn show(done: &Promotion, went: &str, cx: &mut Context) -> Result<(), CommandError> {
    if done.is_done() {
        return Ok(cx.ui.notice(&format!("{} says it already", done.file))?);
    }
    for line in diff(done, cx) {
        cx.ui.out.text(&format!("{line}\n"))?;
    }
    Ok(cx.ui.line(&told(done, went))?)
}

/// The sentence about the file and the memory.
fn told(done: &Promotion, went: &str) -> String {
    let place = done.place.display();
    let words = match (&done.before, &done.after) {
        (before, after) if before == after => format!("{place} stays as it is"),
        (None, _) => format!("{place} is new"),
        (_, None) => format!("{place} goes"),
        _ => format!("{place} changes"),
    };
    if done.from == done.to {
        return format!("{words}; {} stays where it is", done.from);
    }
    format!("{words}; {} {went} to {}", done.from, done.to)
}

/// The change of the file as a difference.
fn diff(done: &Promotion, cx: &Context) -> Vec<String> {
    let side = |text: &Option<String>| text.as_ref().map(|text| (done.file, text.clone().into_bytes()));
    let (before, after) = (side(&done.before), side(&done.after));
    let before = before.as_ref().map(|(name, bytes)| (*name, bytes.as_slice()));
    let after = after.as_ref().map(|(name, bytes)| (*name, bytes.as_slice()));
    unified_diff(before, after, cx.ui.color)
}

fn form(done: &Promotion, cx: &Context) -> serde_json::Value {
    let change = match (&done.before, &done.after) {
        (before, after) if before == after => "same",
        (None, _) => "added",
        (_, None) => "removed",
        _ => "edited",
    };
    json!({
        "id": done.id,
        "from": done.from,
        "to": done.to,
        "file": done.place.to_string_lossy(),
        "change": change,
        "diff": diff(done, cx),
    })
}
