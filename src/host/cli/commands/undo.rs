//! `mdmem undo`

use clap::Args;
use serde_json::{Value, json};

use crate::host::cli::change_report::{print_files, tell_rest, tell_unchanged};
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::Format;
use crate::host::json::{unfinished_json, with_commit, with_left_out};
use crate::service::{self, ChangedFile, LeftLines, Run, UndoDirection, UndoneChange};

/// Take back the last change, or an older one
///
/// A change that is named is taken back line by line: what was changed at those lines since stays, and is named.
/// Without a name, again goes one further; --redo takes the last undo back. A change of which nothing can be taken
/// back, because its files were changed, removed or forgotten since, is stepped past and named. An undo is itself a
/// commit, so that nothing is lost. What was saved and not committed yet is committed first; it is then the last
/// change, but new files stay.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem undo
  mdmem undo --dry-run
  mdmem undo 3f2a91c            take back that change alone
  mdmem undo --past 3f2a91c     leave that change, and take back the one before it
  mdmem undo --redo")]
pub(crate) struct UndoArgs {
    /// The revision of a change, as `mdmem log` shows it [default: the last change]
    #[arg(value_name = "REV", conflicts_with = "past")]
    pub(crate) revision: Option<String>,

    /// Take back the last undo, or the undo of REV
    #[arg(long)]
    pub(crate) redo: bool,

    /// Step past a commit and all that came after it
    #[arg(long, value_name = "REV", conflicts_with = "redo")]
    pub(crate) past: Option<String>,

    /// Say what would be taken back, and change nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

pub(crate) fn run(args: &UndoArgs, cx: &mut Context) -> Result<(), CommandError> {
    let direction = if args.redo {
        UndoDirection::Redo
    } else {
        UndoDirection::Undo
    };
    let run = if args.dry_run { Run::Dry } else { Run::Real };
    let past = args.past.as_ref().map(|past| cx.point(past));
    let change = match (&args.revision, &past) {
        (Some(revision), _) => UndoneChange::Named(revision),
        (None, Some(past)) => UndoneChange::Before(past),
        (None, None) => UndoneChange::Last,
    };
    let store = cx.store()?;
    let (undone, changed) = service::undo(&cx.service, &store, direction, change, run)?;
    let files: Vec<ChangedFile> = undone.changes.iter().map(ChangedFile::from).collect();
    if cx.ui.format == Format::Json {
        let left = undone.left.iter().map(|path| path.to_string_lossy());
        let form = json!({
            "undone": undone.commit.map(|commit| commit.to_string()),
            "subject": undone.subject,
            "unfinished": unfinished_json(undone.unfinished.as_ref()),
            "files": files,
            "left": left.collect::<Vec<_>>(),
            "left_lines": undone.left_lines.iter().map(lines_json).collect::<Value>(),
            "stepped_past": undone.stepped_past.iter().map(stepped_json).collect::<Value>(),
        });
        let form = with_left_out(form, &undone.left_out);
        return Ok(cx.ui.json(&with_commit(form, changed.as_ref()))?);
    }
    print_files(&files, &mut cx.ui)?;
    let word = match (args.dry_run, direction) {
        (true, UndoDirection::Undo) => "would undo",
        (true, UndoDirection::Redo) => "would redo",
        (false, UndoDirection::Undo) => "undid",
        (false, UndoDirection::Redo) => "redid: took back",
    };
    let subject = &undone.subject;
    if let (Some(past), None) = (&past, &undone.unfinished) {
        cx.ui
            .notice(&format!("stepped past {}, which stays as it is", past.text))?;
    }
    for (subject, why) in &undone.stepped_past {
        cx.ui.warning(&format!(
            "stepped past {subject}, of which nothing can be taken back: {why}"
        ))?;
    }
    cx.ui.notice(&match (&undone.unfinished, undone.commit) {
        (Some(half), _) => format!(
            "{word} what was done of the {} that had stopped half way: {subject}",
            half.op
        ),
        (None, Some(commit)) => format!("{word} {} {subject}", commit.short()),
        (None, None) => format!("{word} what is not committed yet, after committing it: {subject}"),
    })?;
    for why in &undone.why_left {
        cx.ui.warning(&format!("{why}: left as it is"))?;
    }
    tell_unchanged(&undone.left_out, &mut cx.ui)?;
    if let Some(changed) = &changed {
        tell_rest(changed, &mut cx.ui)?;
        if let Some(half) = &undone.unfinished {
            cx.ui.hint(&format!(
                "`mdmem {}` does it again, once what stopped it is mended.",
                half.op
            ))?;
        } else if direction == UndoDirection::Undo {
            let redo = match changed.outcome.oid().filter(|_| undone.is_of_undo) {
                Some(commit) => commit.short(),
                None => "--redo".to_owned(),
            };
            cx.ui.hint(&format!("`mdmem undo {redo}` brings it back."))?;
        }
    }
    Ok(())
}

fn lines_json(LeftLines { path, lines }: &LeftLines) -> Value {
    let lines: Vec<[usize; 2]> = lines.iter().map(|lines| [*lines.start(), *lines.end()]).collect();
    json!({ "path": path.to_string_lossy(), "lines": lines })
}

fn stepped_json((subject, why): &(String, String)) -> Value {
    json!({ "subject": subject, "why": why })
}
