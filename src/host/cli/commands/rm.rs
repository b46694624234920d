//! `mdmem rm`, and `mdmem forget`, which is for good

use clap::Args;

use crate::host::cli::context::Context;
use crate::host::cli::report::CommandError;
use crate::host::cli::ui::{counted, shell_word};
use crate::model::Oid;
use crate::service::{self, Because, ForgottenMemory, Removed, Run, Tombstone};

/// Remove memories
///
/// Git keeps them: `mdmem undo`, or the command that is named, brings them back.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem rm use-npm-cache
  mdmem rm -r decision/                     every memory below a folder
  mdmem rm --dry-run old-port mem_01K9ZQ")]
pub(crate) struct RmArgs {
    /// Paths, slugs, titles, aliases or starts of ids; with -r folders too
    #[arg(value_name = "MEMORY", required = true)]
    memories: Vec<String>,

    /// Remove every memory below a folder that is named
    #[arg(short, long)]
    recursive: bool,

    /// Say what would be removed, and remove nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
}

pub(crate) fn run(args: &RmArgs, cx: &mut Context) -> Result<(), CommandError> {
    let store = cx.store()?;
    let run = Run::dry_if(args.dry_run);
    let done = service::remove(&store, &args.memories, args.recursive, run)?;
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

pub(crate) fn forget(args: &ForgetArgs, cx: &mut Context) -> Result<(), CommandError> {
    let store = cx.store()?;
    let run = Run::dry_if(args.dry_run);
    if args.list {
        let lines = service::forgotten(&store)?;
        cx.page(&store)?;
        return cx.answer(&lines, |ui| {
            lines.iter().try_for_each(|line| ui.line(&shown(line)))?;
            ui.notice(&format!("{} in force", counted(lines.len(), "line")))
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
    let done = service::forget(&cx.service, &store, &args.memories, run)?;
    let memories = &done.answer.memories;
    cx.done(&done, |ui| {
        for ForgottenMemory { path, because, .. } in ui.first_of(memories) {
            let why = match because {
                Because::Named => "",
                Because::Sibling => " (the other side of a conflict)",
                Because::Copy => " (it says the same)",
            };
            ui.line(&format!("{} {path}{why}", run.says("forgot", "would forget")))?;
        }
        ui.tell_more(memories)?;
        let paths: Vec<_> = memories.iter().map(|gone| &gone.path).collect();
        let later = restoring(done.answer.last_in, &paths);
        let later = later.map_or_else(String::new, |command| format!(", or later {command},"));
        Ok(format!(
            "`mdmem undo`{later} takes it back: the history has the words."
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
