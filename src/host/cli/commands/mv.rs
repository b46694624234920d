//! `mdmem mv`, what moves a memory to one place (`pin`, `unpin`, `archive`), and `verify`.

use std::io;

use clap::Args;

use crate::host::cli::ui::Ui;
use crate::host::cli::{CommandError, Context};
use crate::service::{self, Destination, Renaming, Run, Store, some_of};

/// Move or rename a memory
///
/// The first folder decides how a memory is shown: system/ (or `hot_dir`) pins it, archive/ keeps it out of
/// the prompt, a type's folder changes its type. If TO is a folder or ends in `/`, each file keeps its name;
/// a TO without `/` is a new name in the same folder. `[[links]]` by path or slug are updated in the same
/// commit.
#[derive(Debug, Args)]
#[command(
    allow_missing_positional = true,
    after_help = "\
Examples:
  mdmem mv use-npm-cache npm                rename it where it is
  mdmem mv use-npm-cache decision/npm.md
  mdmem mv old-port use-npm-cache ideas/    several into a folder"
)]
pub(crate) struct MvArgs {
    /// The memories, by path, whole slug or start of the id
    #[arg(value_name = "MEMORY")]
    memories: Vec<String>,

    /// A path in the store, a folder, or a new name
    to: String,

    /// Only show what would be moved
    #[arg(short = 'n', long)]
    dry_run: bool,
}

/// Pin a memory: its whole text is in every prompt
///
/// It moves to system/ (or `hot_dir`). `mdmem unpin` or `mdmem undo` takes it back.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mdmem pin use-npm-cache")]
pub(crate) struct PinArgs {
    #[command(flatten)]
    moved: Moved,
}

/// Unpin a memory, or bring one back from the archive
///
/// It moves back to its previous path, else to the folder of its type.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mdmem unpin use-npm-cache")]
pub(crate) struct UnpinArgs {
    #[command(flatten)]
    moved: Moved,
}

/// Archive a memory: kept and searchable, but not in the prompt
///
/// It moves to archive/. `mdmem unpin` or `mdmem undo` brings it back.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mdmem archive old-port")]
pub(crate) struct ArchiveArgs {
    #[command(flatten)]
    moved: Moved,
}

/// Confirm that a memory still holds
///
/// It counts as fresh again: its strength, and the days after which the prompt marks it as `verify` or names
/// something that is gone. `mdmem undo` takes it back.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mdmem verify use-npm-cache")]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    verified: Moved,
}

#[derive(Debug, Args)]
struct Moved {
    /// Path, slug or start of the id
    #[arg(value_name = "MEMORY")]
    memory: Option<String>,

    /// Only show what would be done
    #[arg(short = 'n', long)]
    dry_run: bool,
}

pub(crate) fn run(args: &MvArgs, cx: &mut Context) -> Result<(), CommandError> {
    let store = cx.store()?;
    let mut names = args.memories.clone();
    if names.is_empty() {
        // The one name that was given is TO.
        let question = format!("which memory is to become `{}`?", args.to);
        names.push(cx.asked_for(&store, Some(&question), "name a memory and where it goes")?);
    }
    go(&store, &names, args.dry_run, Destination::To(&args.to), cx)
}

pub(crate) fn pin(args: &PinArgs, cx: &mut Context) -> Result<(), CommandError> {
    go_one(&args.moved, Destination::Pinned, cx)
}

pub(crate) fn unpin(args: &UnpinArgs, cx: &mut Context) -> Result<(), CommandError> {
    go_one(&args.moved, Destination::Home, cx)
}

pub(crate) fn archive(args: &ArchiveArgs, cx: &mut Context) -> Result<(), CommandError> {
    go_one(&args.moved, Destination::Archive, cx)
}

pub(crate) fn verify(args: &VerifyArgs, cx: &mut Context) -> Result<(), CommandError> {
    let run = Run::dry_if(args.verified.dry_run);
    let store = cx.store()?;
    let name = cx.memory(&store, args.verified.memory.as_deref())?;
    let done = service::verify(&cx.service, &store, &name, run)?;
    cx.done(&done, |ui| {
        let word = run.says("verified", "would verify");
        ui.line(&format!("{word} {}", done.answer.path))?;
        Ok(String::new())
    })
}

fn go_one(args: &Moved, to: Destination<'_>, cx: &mut Context) -> Result<(), CommandError> {
    let store = cx.store()?;
    let name = cx.memory(&store, args.memory.as_deref())?;
    go(&store, &[name], args.dry_run, to, cx)
}

fn go(
    store: &Store,
    names: &[String],
    is_dry: bool,
    to: Destination<'_>,
    cx: &mut Context,
) -> Result<(), CommandError> {
    let run = Run::dry_if(is_dry);
    let done = service::rename(store, names, to, run)?;
    cx.done(&done, |ui| {
        let mut all = [&done.answer].into_iter().chain(&done.answer.others);
        all.try_for_each(|renaming| tell(renaming, run, ui))?;
        Ok(String::new())
    })
}

fn tell(renaming: &Renaming, run: Run, ui: &mut Ui) -> io::Result<()> {
    let Renaming {
        from,
        to,
        kind,
        links,
        leaves_prompt,
        ..
    } = renaming;
    if from == to {
        return ui.notice(&format!("{from} is already there"));
    }
    ui.line(&format!("{} {from} -> {to}", run.says("moved", "would move")))?;
    if let Some(kind) = kind {
        ui.notice(&format!("its type is now {kind}"))?;
    }
    if *leaves_prompt {
        let folder = to.parent();
        ui.notice(&format!(
            "{folder}/ is not the folder of a type: the prompt only lists it, and agents read it on demand"
        ))?;
    }
    if !links.is_empty() {
        let mended = run.says("updated", "would update");
        ui.notice(&format!("{mended} links in {}", some_of(links)))?;
    }
    Ok(())
}
