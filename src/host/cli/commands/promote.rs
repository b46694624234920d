//! `mdmem promote`

use clap::Args;

use crate::host::cli::args::one_of;
use crate::host::cli::ui::{Format, Ui};
use crate::host::cli::{CommandError, Context};
use crate::service::{self, ChangeKind, PROMOTION_FILES, Promote, Promotion, Run};

/// Copy a memory into AGENTS.md or CLAUDE.md, and archive it
///
/// The text is added to that file of the workspace, between two marks; the rest of the file is not touched.
/// --undo removes the text again and restores the memory, unless the text was edited. You are shown the
/// change and asked first; without a terminal, --yes is needed.
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

    /// The file in the workspace [default with --undo: the one with the text]
    #[arg(long, value_parser = one_of(FILES), value_name = "FILE", required_unless_present = "undo")]
    pub(crate) to: Option<&'static str>,

    /// Remove the text from the file, and restore the memory
    #[arg(long)]
    pub(crate) undo: bool,

    /// Do not ask
    #[arg(short, long, conflicts_with = "dry_run")]
    pub(crate) yes: bool,

    /// Only show the change
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
    if !args.yes {
        let preview = promote(Run::Dry, cx)?;
        cx.done(&preview, |ui| show(&preview.answer, "would go", ui))?;
        if preview.answer.is_done() || args.dry_run || cx.ui.format == Format::Json {
            return Ok(());
        }
        if !cx.ui.is_answered() {
            return Ok(cx.ui.hint("Run it with --yes to make the change.")?);
        }
        if !cx.ui.confirms("Make this change?")? {
            return Ok(cx.ui.notice("nothing was changed")?);
        }
    }
    let done = promote(Run::Real, cx)?;
    cx.done(&done, |ui| {
        if args.yes {
            show(&done.answer, "went", ui)?;
        }
        let id = &done.answer.id;
        Ok(if args.undo {
            String::new()
        } else {
            format!("`mdmem promote --undo {id}` takes both back.")
        })
    })
}

fn show(done: &Promotion, went: &str, ui: &mut Ui) -> std::io::Result<String> {
    if done.is_done() {
        ui.notice(&format!("already in {}", done.name))?;
        return Ok(String::new());
    }
    ui.diff(&done.diff, "")?;
    let words = match done.change {
        None => "is unchanged",
        Some(ChangeKind::Added) => "is new",
        Some(ChangeKind::Removed) => "goes",
        Some(_) => "changes",
    };
    let (place, Promotion { from, to, .. }) = (done.place.display(), done);
    ui.line(&if from == to {
        format!("{place} {words}; {from} is already there")
    } else {
        format!("{place} {words}; {from} {went} to {to}")
    })?;
    Ok(String::new())
}
