//! `mdmem rm`, and `mdmem forget`, which is for good

use clap::Args;

use crate::host::cli::ui::{counted, shell_word};
use crate::host::cli::{CommandError, Context};
use crate::model::Oid;
use crate::service::{self, Because, ForgottenMemory, Removed, Run, Tombstone};

/// Remove memories
///
/// They stay in the history: `mdmem undo` or `mdmem restore` brings them back.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem rm use-npm-cache
  mdmem rm -r decision/                     every memory in a folder
  mdmem rm --dry-run old-port mem_01K9ZQ")]
pub(crate) struct RmArgs {
    /// Paths, slugs, titles, aliases or starts of ids; with -r folders too
    #[arg(value_name = "MEMORY")]
    memories: Vec<String>,

    /// Remove every memory in the folders named
    #[arg(short, long)]
    recursive: bool,

    /// Only show what would be removed
    #[arg(short = 'n', long)]
    dry_run: bool,
}

pub(crate) fn run(args: &RmArgs, cx: &mut Context) -> Result<(), CommandError> {
    let store = cx.store()?;
    let run = Run::dry_if(args.dry_run);
    let names = cx.memories(&store, &args.memories)?;
    let done = service::remove(&store, &names, args.recursive, run)?;
    let Removed { paths, last_in } = &done.answer;
    cx.done(&done, |ui| {
        for path in ui.first_of(paths) {
            ui.line(&format!("{} {path}", run.says("removed", "would remove")))?;
        }
        ui.tell_more(paths)?;
        let command = restoring(*last_in, paths);
        Ok(format!(
            "{} brings it back.",
            command.as_deref().unwrap_or("`mdmem undo`")
        ))
    })
}

/// The command that brings these paths back as they were in a commit; `None` where they are too many to be named.
pub(super) fn restoring<P: AsRef<std::path::Path>>(last_in: Option<Oid>, paths: &[P]) -> Option<String> {
    const MOST: usize = 10;
    let last_in = last_in.filter(|_| paths.len() <= MOST)?.short();
    let paths: Vec<String> = paths.iter().map(|path| shell_word(path.as_ref())).collect();
    Some(format!("`mdmem restore {last_in} {}`", paths.join(" ")))
}

/// Forget memories for good
///
/// Removes the files, and with them conflict copies, duplicates and superseded versions. A line in
/// `forgotten` stops agents, imports and other machines from bringing them back, until you store them again
/// yourself. The text is removed from prompts, logs and caches of this machine, but not from git's history.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem forget use-npm-cache
  mdmem forget --dry-run old-port mem_01K9ZQ
  mdmem forget --list
  mdmem forget --lift mem_01K9ZQ4T0W8C2X3V5B7N9M1P3R")]
pub(crate) struct ForgetArgs {
    /// Paths, slugs or starts of ids; with --lift ids or tokens as --list shows them
    #[arg(value_name = "MEMORY")]
    pub(crate) memories: Vec<String>,

    /// List what was forgotten: when, the id, the token of the line
    #[arg(long, conflicts_with_all = ["memories", "lift", "dry_run"])]
    pub(crate) list: bool,

    /// Allow it to be stored again; restores nothing
    #[arg(long, requires = "memories")]
    pub(crate) lift: bool,

    /// Only show what would be done
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

pub(crate) fn forget(args: &ForgetArgs, cx: &mut Context) -> Result<(), CommandError> {
    let store = cx.store()?;
    let run = Run::dry_if(args.dry_run);
    if args.list {
        let lines = service::forgotten(&store)?;
        cx.page(&store)?;
        return cx.answer(&lines, |ui| {
            lines.iter().try_for_each(|line| ui.line(&shown(line)))?;
            ui.notice(&match lines.len() {
                0 => "nothing was forgotten".to_owned(),
                count => counted(count, "forgotten memory"),
            })
        });
    }
    if args.lift {
        let done = service::lift(&store, &args.memories, run)?;
        return cx.done(&done, |ui| {
            for line in &done.answer.lifted {
                ui.line(&format!("{} {}", run.says("lifted", "would lift"), shown(line)))?;
            }
            Ok(String::new())
        });
    }
    let names = cx.memories(&store, &args.memories)?;
    let done = service::forget(&cx.service, &store, &names, run)?;
    let memories = &done.answer.memories;
    cx.done(&done, |ui| {
        for ForgottenMemory { path, because, .. } in ui.first_of(memories) {
            let why = match because {
                Because::Named => "",
                Because::Sibling => " (the other side of a conflict)",
                Because::Copy => " (same text)",
            };
            ui.line(&format!("{} {path}{why}", run.says("forgot", "would forget")))?;
        }
        ui.tell_more(memories)?;
        let paths: Vec<_> = memories.iter().map(|gone| &gone.path).collect();
        let later = restoring(done.answer.last_in, &paths);
        let later = later.map_or_else(String::new, |command| format!(", or later {command},"));
        Ok(format!(
            "`mdmem undo`{later} brings it back: the history still has the text."
        ))
    })
}

fn shown(line: &Tombstone) -> String {
    let id = line
        .id
        .as_ref()
        .map_or_else(|| "-".to_owned(), ToString::to_string);
    format!("{}  {id}  {}", line.date, line.token)
}
